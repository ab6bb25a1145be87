"""What can go wrong with a server, and what each fault means to a caller.

The one place that knows redis-py's exceptions and the error texts of servers.
"""

import re
from typing import Any

import redis
from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    NoPermissionError,
    NoScriptError,
)

from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Call, ScriptCall

# Answers of a server that is there but can't serve: starting up, a replica now, cut off from its
# master, being resharded, stuck in somebody's endless script, or unable to write to its disk.
# Nothing has been carried out. Older servers wrap what a script met: `... -READONLY You can't`.
_AWAY = re.compile(
    r"(?:^|[ :]-)(?:LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MISCONF) "
    r"|^UNBLOCKED "
    r"|^ERR max number of clients"
)


class Refusal(Exception):  # noqa: N818 - it travels as a value and is never raised
    """An error reply of the server, as it stands."""


class AccessError(ConnectionError):
    """The server answers, but not to this user: trying again helps nobody who waits."""


def is_away(text: str) -> bool:
    """Whether an error reply means that the server can't serve just now."""
    return _AWAY.search(text) is not None


def is_unknown_script(text: str) -> bool:
    """Whether an error reply asks for the script's source."""
    return text.startswith("NOSCRIPT ")


def server_error(call: Call[Any], text: str) -> BullError:
    """The error for an error reply that is nobody's fault but the call's."""
    if isinstance(call, ScriptCall):
        return BullError(f"Script {call.script.name} failed: {call.script.composed.locate(text)}")
    return BullError(f"Command {call.args[0]} failed: {text}")


def connect_error(error: Exception, address: str) -> ConnectionError:
    """The error for a connection that did not come about."""
    if isinstance(error.__cause__, redis.RedisError):
        error = error.__cause__  # over a unix socket redis-py wraps what the greeting met
    if isinstance(error, TimeoutError | redis.TimeoutError):
        return ConnectionError(f"Redis at {address} does not answer")
    if _is_access(error):
        code = getattr(error, "status_code", None)
        text = f"{code} {error}" if code else str(error)
        return AccessError(f"Redis at {address} refuses access: {text}")
    return ConnectionError(f"Can't connect to Redis at {address}: {error or type(error).__name__}")


def _is_access(error: Exception) -> bool:
    if isinstance(error, AuthenticationError | AuthorizationError | NoPermissionError):
        return True
    # Such as a database number out of range: the greeting will never be accepted.
    return isinstance(error, redis.ResponseError) and not _is_away_error(error)


def _is_away_error(error: redis.ResponseError) -> bool:
    # redis-py takes the leading word off a text it has a class for, and keeps it apart.
    return is_away(str(error)) or is_away(f"{getattr(error, 'status_code', '')} ")


def error_text(error: redis.ResponseError) -> str:
    """The server's own text, the leading word put back that redis-py took off."""
    if isinstance(error, NoScriptError):
        return f"NOSCRIPT {error}"
    code = getattr(error, "status_code", None)
    return f"{code} {error}" if code else str(error)
