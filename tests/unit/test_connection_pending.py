"""Calls as bytes on the wire, and error replies as errors."""

import hashlib

import pytest
import redis

from bullpy.connection.faults import AccessError, connect_error, is_away, server_error
from bullpy.connection.pending import call_words, pack
from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.scripts.loader import ComposedScript
from bullpy.scripts.spec import Command, Script, ScriptCall
from tests.fixtures.naming import stable


@pytest.fixture
def call():
    text = "return KEYS[1]"
    sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    script = Script("probe")
    script._composed = ComposedScript("probe", text, sha, None, (("commands/probe.lua", 7),))
    return ScriptCall(script, ("key",), ("a", 1), decode=str)


def test_a_script_goes_by_its_hash_and_in_full_when_asked_for(call):
    assert call_words(call) == ("EVALSHA", call.script.composed.sha, 1, "key", "a", 1)
    assert call_words(call, in_full=True) == ("EVAL", "return KEYS[1]", 1, "key", "a", 1)


@pytest.mark.parametrize(
    ("word", "wire"),
    [
        ("é", b"$2\r\n\xc3\xa9\r\n"),
        (b"\xff", b"$1\r\n\xff\r\n"),
        ("\udcff", b"$1\r\n\xff\r\n"),
        (12, b"$2\r\n12\r\n"),
        (1.5, b"$3\r\n1.5\r\n"),
        (5.0, b"$1\r\n5\r\n"),
        (-0.0, b"$1\r\n0\r\n"),
        (1e17, b"$18\r\n100000000000000000\r\n"),
        (float("inf"), b"$3\r\ninf\r\n"),
    ],
    ids=stable,
)
def test_a_word_goes_out_as_its_shortest_bytes(word, wire):
    assert pack(("SET", word)) == b"*2\r\n$3\r\nSET\r\n" + wire


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(OptionError, match="surrogate"):
        pack(("SET", "\ud83d"))


@pytest.mark.parametrize("word", [None, True, [1]])
def test_what_is_no_word_is_a_bug(word):
    with pytest.raises(TypeError):
        pack(("SET", word))


@pytest.mark.parametrize(
    "text",
    [
        "LOADING Redis is loading the dataset in memory",
        "READONLY You can't write against a read only replica.",
        "ERR Error running script (call to f_ab): @user_script:3: -READONLY You can't write",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down",
        "BUSY Redis is busy running a script.",
        "NOREPLICAS Not enough good replicas to write.",
        "MISCONF Redis is configured to save RDB snapshots, but it's unable to persist to disk.",
        "UNBLOCKED force unblock from blocking operation, instance state changed",
        "ERR max number of clients reached",
    ],
    ids=lambda text: text.split()[0],
)
def test_a_server_that_cant_serve_just_now_counts_as_away(text):
    assert is_away(text)


@pytest.mark.parametrize(
    "text",
    [
        "WRONGTYPE Operation against a key",
        "ERR unknown command 'READONLY '",
        "BUSYGROUP Consumer Group name already exists",
        "BUSYKEY Target key name already exists.",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "NOPERM this user has no permissions",
    ],
    ids=lambda text: text.split()[0],
)
def test_other_error_replies_are_the_calls_own(text):
    assert not is_away(text)


def test_an_error_inside_a_script_names_the_line_of_its_source(call):
    error = server_error(call, "ERR user_script:1: oh no script: abc, on @user_script:1.")

    assert type(error) is BullError
    assert "Script probe failed" in str(error)
    assert "lua_scripts/commands/probe.lua:7: oh no" in str(error)


def test_an_error_of_a_command_names_it():
    error = server_error(Command(("LPUSH", "k", "v"), decode=int), "WRONGTYPE Operation")

    assert str(error) == "Command LPUSH failed: WRONGTYPE Operation"


@pytest.mark.parametrize(
    "error",
    [
        redis.AuthenticationError("invalid username-password pair", status_code="WRONGPASS"),
        redis.exceptions.AuthorizationError("no"),
        redis.exceptions.NoPermissionError("no permissions", status_code="NOPERM"),
        redis.ResponseError("DB index is out of range"),
    ],
    ids=stable,
)
def test_a_refused_greeting_is_final(error):
    ours = connect_error(error, "host:1")

    assert isinstance(ours, AccessError)
    assert "host:1" in str(ours)
    assert str(error) in str(ours)


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(),
        redis.TimeoutError("slow"),
        redis.ConnectionError("refused"),
        redis.BusyLoadingError("Redis is loading", status_code="LOADING"),
        redis.exceptions.MasterDownError("Link down", status_code="MASTERDOWN"),
        redis.ResponseError("BUSY Redis is busy running a script"),
        OSError("no route"),
        KeyError("from a user's credential provider"),
    ],
    ids=stable,
)
def test_a_failed_attempt_may_succeed_later(error):
    ours = connect_error(error, "host:1")

    assert type(ours) is ConnectionError
    assert "host:1" in str(ours)
    assert not ours.maybe_stored
