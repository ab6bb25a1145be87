"""What a user may give as a connection, what it comes to, and what is refused."""

import re

import pytest
import redis
import redis.asyncio
from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.sentinel import Sentinel, SentinelManagedConnection

from bullpy.connection import Client, parse_connection
from bullpy.errors import OptionError
from tests.fixtures.naming import stable

SENTINEL = Sentinel([("example.net", 26379)])


@pytest.mark.parametrize(
    ("given", "kind", "address"),
    [
        ("redis://example.net", Connection, "example.net:6379"),
        ("redis://example.net:7000/2", Connection, "example.net:7000/2"),
        ("redis://example.net?db=3", Connection, "example.net:6379/3"),
        ("rediss://example.net:7001", SSLConnection, "example.net:7001"),
        ("unix:///run/redis.sock?db=1", UnixDomainSocketConnection, "/run/redis.sock/1"),
        ({"host": "example.net", "port": 7000, "db": 2}, Connection, "example.net:7000/2"),
        ({"host": "example.net", "ssl": True}, SSLConnection, "example.net:6379"),
        ({"unix_socket_path": "/run/redis.sock"}, UnixDomainSocketConnection, "/run/redis.sock"),
        (redis.asyncio.Redis(host="example.net"), Connection, "example.net:6379"),
        (SENTINEL.master_for("main", db=1), SentinelManagedConnection, "main/1 (by Sentinel)"),
    ],
    ids=stable,
)
def test_each_form_leads_to_a_connection_of_the_right_class(given, kind, address):
    settings = parse_connection(given)

    assert type(settings.make_connection()) is kind
    assert settings.address == address


def test_without_a_connection_the_environment_decides(monkeypatch):
    monkeypatch.setenv("BULLPY_REDIS_URL", "redis://example.net:7000")

    assert parse_connection(None).address == "example.net:7000"


@pytest.mark.parametrize("value", [None, ""], ids=["unset", "empty"])
def test_without_a_connection_and_environment_it_is_the_local_server(monkeypatch, value):
    monkeypatch.delenv("BULLPY_REDIS_URL", raising=False)
    if value is not None:
        monkeypatch.setenv("BULLPY_REDIS_URL", value)

    assert parse_connection(None).address == "127.0.0.1:6379"


def test_equal_servers_are_equal_settings_however_they_were_given():
    url = parse_connection("redis://ann:hush@example.net:7000/2")
    mapping = parse_connection(
        {"host": "example.net", "port": 7000, "db": 2, "username": "ann", "password": "hush"}
    )
    client = parse_connection(
        redis.asyncio.Redis(
            host="example.net", port=7000, db=2, username="ann", password="hush",
            decode_responses=True, health_check_interval=30, socket_timeout=1,
        )
    )  # fmt: skip

    assert url == mapping == client
    assert len({url, mapping, client}) == 1


@pytest.mark.parametrize(
    "other",
    [
        "redis://ann:other@example.net",
        "redis://bob:hush@example.net",
        "redis://ann:hush@example.net/1",
        "rediss://ann:hush@example.net",
        "redis://ann:hush@example.org",
    ],
)
def test_different_servers_or_users_are_different_settings(other):
    assert parse_connection("redis://ann:hush@example.net") != parse_connection(other)


def test_unhashable_arguments_are_compared_by_content():
    one, same, other = (
        parse_connection({"host": "h", "socket_keepalive_options": {4: idle}}) for idle in (9, 9, 8)
    )

    assert one == same
    assert hash(one) == hash(same)
    assert one != other


def test_credential_providers_are_kept():
    provider = redis.UsernamePasswordCredentialProvider("ann", "hush")

    settings = parse_connection({"host": "h", "credential_provider": provider})

    assert settings.make_connection().credential_provider is provider


def test_replies_are_read_our_way_whatever_the_client_says():
    connection = parse_connection(
        redis.asyncio.Redis(decode_responses=True, encoding="latin-1", protocol=3)
    ).make_connection()

    assert connection.protocol == 2
    assert connection.encoder.encoding == "utf-8"


def test_no_secret_is_shown():
    settings = parse_connection("redis://ann:hush@example.net")

    assert "hush" not in repr(settings) + repr(Client("redis://ann:hush@example.net"))
    assert "hush" not in settings.address


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("localhost:6379", "starts with redis://.*no scheme"),
        ("http://example.net", "not with http://"),
        ("redis+sentinel://a,b/main", r"redis\+sentinel:// is not built yet"),
        ("redis+cluster://a", r"redis\+cluster:// is not built yet"),
        ("redis://[::1", "can't read host"),
        ("redis://example.net:port", "can't read host"),
        ("redis://example.net:99999", "can't read host"),
        ("redis://example.net/jobs", "number of a database"),
        ("redis://example.net?db=jobs", "can't read"),
        ("redis://example.net?sokcet_timeout=5", "did you mean 'socket_timeout'"),
        ({"hots": "example.net"}, "'hots'; did you mean 'host'"),
        ({"connection_pool": None}, "no argument 'connection_pool'"),
        ({"port": "http"}, "port is a number .* not 'http'"),
        ({"port": 0}, "port is a number from 1"),
        ({"db": "jobs"}, "db is the number of a database, not 'jobs'"),
        (6379, "not builtins.int"),
        (redis.Redis(), "blocks the event loop"),
        (redis.asyncio.RedisCluster(host="example.net"), "RedisCluster client is not supported"),
    ],
    ids=stable,
)
def test_nonsense_is_refused_by_name(given, complaint):
    with pytest.raises(OptionError, match=complaint):
        parse_connection(given)


def test_two_ways_to_log_in_are_refused():
    provider = redis.UsernamePasswordCredentialProvider("ann", "hush")

    with pytest.raises(OptionError, match="credential_provider"):
        parse_connection({"username": "bob", "credential_provider": provider})


def test_a_refusal_does_not_quote_the_password():
    with pytest.raises(OptionError) as caught:
        parse_connection("redis://ann:hu/sh@example.net")

    shown = f"{caught.value!r} {caught.value.__cause__!r}"
    assert not re.search("hu|sh@", shown)
    assert "percent-encoded" in str(caught.value)


@pytest.mark.parametrize("patience_ms", [0, -1])
def test_a_client_without_patience_is_refused(patience_ms):
    with pytest.raises(OptionError, match="patience_ms"):
        Client(patience_ms=patience_ms)
