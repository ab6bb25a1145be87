"""Turns whatever a user calls a connection into one hashable value.

A URL, a mapping of redis-py's arguments, a redis-py client or nothing at all become `Settings`:
how to make an authenticated redis-py connection, and what to call its server in messages. Equal
settings share one connection. No I/O happens here, and no password leaves in a text.
"""

import difflib
import inspect
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qs, urlsplit

import redis
import redis.asyncio
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from bullpy.errors import OptionError

ConnectionLike: TypeAlias = "str | Mapping[str, Any] | redis.asyncio.Redis | None"
"""A URL, redis-py's arguments, a redis-py client, or None for the environment's choice."""

URL_VARIABLE = "BULLPY_REDIS_URL"
DEFAULT_URL = "redis://127.0.0.1:6379"
DEFAULT_PORT = 6379
DEFAULT_CONNECT_S = 5.0  # a lost SYN is sent again after 1 s and 3 s; later ones are hopeless

_NOT_BUILT = ("redis+sentinel", "redis+cluster")

# Of redis-py's arguments, those that are ours to decide (how replies are read, when to try
# again, how long to wait), and those that tie a connection to the pool it is not part of.
_OURS = frozenset(
    {
        "decode_responses", "encoding", "encoding_errors", "protocol", "legacy_responses",
        "parser_class", "encoder_class", "retry", "retry_on_error", "retry_on_timeout",
        "health_check_interval", "socket_timeout", "max_connections",
        "single_connection_client", "auto_close_connection_pool", "event_dispatcher",
        "maint_notifications_config", "maint_notifications_pool_handler",
        "maintenance_notification_hash", "oss_cluster_maint_notifications_handler",
        "orig_host_address", "orig_socket_timeout", "orig_socket_connect_timeout",
        "himport_registry",
    }
)  # fmt: skip

_NAMES = [
    *inspect.signature(cast("Any", redis.asyncio.Redis)).parameters,
    *("path", "timeout"),  # a URL has these
]
_NAMES.remove("connection_pool")

_DEFAULTS = redis.asyncio.Redis().connection_pool.connection_kwargs


@dataclass(frozen=True, slots=True)
class Settings:
    """How to reach a server. Equal if made of equal arguments; never shows a secret.

    Attributes:
        identity: What equality goes by.
        connection_class: redis-py's class of the connection.
        arguments: What that class is called with.
        address: The server's name for messages, such as `127.0.0.1:6379/2`.
        source: The user's client, kept alive since its connections may refer to its pool.
    """

    identity: tuple[Any, ...] = field(repr=False)
    connection_class: type[AbstractConnection] = field(compare=False)
    arguments: Mapping[str, Any] = field(compare=False, repr=False)
    address: str = field(compare=False)
    source: Any = field(compare=False, repr=False, default=None)

    @property
    def connect_s(self) -> float:
        """Seconds that connecting may take, greeting and password included."""
        return self.arguments.get("socket_connect_timeout") or DEFAULT_CONNECT_S

    def make_connection(self, *, named: bool = False) -> AbstractConnection:
        """A redis-py connection that is not connected yet.

        Args:
            named: It gets a name of its own later, so leave out the one in the arguments.
        """
        arguments: dict[str, Any] = {**self.arguments, "protocol": 2}
        # `open_link` bounds the time. redis-py would do so by `wait_for`, which loses cancellations
        # (Python 3.11).
        arguments["socket_timeout"] = None
        arguments["retry"] = Retry(NoBackoff(), 0)  # the pipeline is the one that tries again
        if named:
            arguments.pop("client_name", None)
        return self.connection_class(**arguments)


def parse_connection(given: ConnectionLike) -> Settings:
    """Read a user's `connection` option.

    Raises:
        OptionError: It is none of the accepted forms, or part of it makes no sense.
    """
    if given is None:
        given = os.environ.get(URL_VARIABLE) or DEFAULT_URL
    if isinstance(given, str):
        return _from_client(_client_of_url(given))
    if isinstance(given, Mapping):
        return _from_client(_client_of_mapping(given))
    if isinstance(cast("object", given), redis.asyncio.Redis):
        return _from_client(given, keep=True)
    raise OptionError(_why_not(given))


def _why_not(given: object) -> str:
    if isinstance(given, redis.asyncio.RedisCluster):
        return "connection: a RedisCluster client is not supported yet; give a client of one server"
    if isinstance(given, redis.Redis):
        return "connection: this client blocks the event loop; give a redis.asyncio.Redis"
    kind = f"{type(given).__module__}.{type(given).__qualname__}"
    return (
        "connection takes a redis:// URL, a mapping of redis-py's arguments or a "
        f"redis.asyncio.Redis, not {kind}"
    )


def _client_of_url(url: str) -> redis.asyncio.Redis:
    scheme = url.partition("://")[0] if "://" in url else ""
    if scheme in _NOT_BUILT:
        raise OptionError(f"connection: {scheme}:// is not built yet; give the server's own URL")
    if scheme not in {"redis", "rediss", "unix"}:
        start = f"{scheme}://" if scheme else "no scheme"
        raise OptionError(
            f"connection: a URL starts with redis://, rediss:// or unix://, not with {start}"
        )
    try:
        parts = urlsplit(url)
        client = cast("Any", redis.asyncio.Redis).from_url(url)
    except (ValueError, TypeError):
        # Their texts may quote the URL, and with it the password.
        raise OptionError(
            f"connection: can't read host, port or options of the {scheme}:// URL; "
            "signs such as / # ? in a password must be percent-encoded"
        ) from None
    for name in parse_qs(parts.query):
        _check_name(name)
    if scheme != "unix" and not parts.path.strip("/").isdecimal() and parts.path.strip("/"):
        raise OptionError("connection: the path of a redis:// URL is the number of a database")
    return client


def _client_of_mapping(given: Mapping[str, Any]) -> redis.asyncio.Redis:
    for name in given:
        _check_name(name)
    try:
        return redis.asyncio.Redis(**given)
    except (ValueError, TypeError, redis.RedisError) as error:
        raise OptionError(f"connection: {error}") from error


def _check_name(name: str) -> None:
    if name not in _NAMES:
        near = difflib.get_close_matches(str(name), _NAMES, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise OptionError(f"connection: redis-py takes no argument {name!r}{hint}")


def _from_client(client: redis.asyncio.Redis, *, keep: bool = False) -> Settings:
    pool = client.connection_pool
    arguments = {
        name: value
        for name, value in pool.connection_kwargs.items()
        if name not in _OURS and (name not in _DEFAULTS or value != _DEFAULTS[name])
    }
    _check_numbers(arguments)
    settings = Settings(
        identity=(pool.connection_class, _frozen(arguments)),
        connection_class=pool.connection_class,
        arguments=arguments,
        address=_address(arguments, getattr(pool, "service_name", None)),
        source=client if keep else None,
    )
    try:
        settings.make_connection()
    except (ValueError, TypeError, redis.RedisError) as error:
        raise OptionError(f"connection: {error}") from error
    return settings


def _check_numbers(arguments: Mapping[str, Any]) -> None:
    db, port = arguments.get("db", 0), arguments.get("port", DEFAULT_PORT)
    if not str(db).isdecimal():
        raise OptionError(f"connection: db is the number of a database, not {db!r}")
    if not str(port).isdecimal() or not 0 < int(port) < 1 << 16:
        raise OptionError(f"connection: port is a number from 1 to 65535, not {port!r}")


def _address(arguments: Mapping[str, Any], sentinel_service: str | None) -> str:
    db = f"/{arguments['db']}" if arguments.get("db") else ""
    if sentinel_service:
        return f"{sentinel_service}{db} (by Sentinel)"
    if "path" in arguments:
        return f"{arguments['path']}{db}"
    return f"{arguments.get('host', 'localhost')}:{arguments.get('port', DEFAULT_PORT)}{db}"


def _frozen(value: Any) -> Any:
    """A hashable stand-in: by content where there is one, by identity else."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return tuple(sorted((str(name), _frozen(item)) for name, item in items))
    if isinstance(value, list | tuple | set):
        return tuple(_frozen(item) for item in cast("Iterable[Any]", value))
    if is_dataclass(value):
        return (type(value), *(_frozen(getattr(value, item.name)) for item in fields(value)))
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
