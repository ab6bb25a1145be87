"""The marker: the sorted set on which idle workers block. Plain commands, no script."""

from typing import Final

from bullpy.keys import QueueKeys
from bullpy.scripts.spec import Command
from bullpy.types import RedisReply

_RUNNABLE: Final = "0"  # the member that says "something may be runnable now"


def read_marker(keys: QueueKeys, timeout_s: float) -> Command[float | None]:
    """Wait for a marker and take it.

    Returns:
        When there is something to do, ms since 1970, 0 for at once; None if none came in time.
    """
    return Command(("BZPOPMIN", keys.marker, timeout_s), _due)


def return_marker(keys: QueueKeys) -> Command[None]:
    """Put the mark "something may be runnable" back, for another worker."""
    return Command(("ZADD", keys.marker, 0, _RUNNABLE), lambda _reply: None)


def _due(reply: RedisReply) -> float | None:
    return None if reply is None else float(reply[2])
