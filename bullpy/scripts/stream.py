"""Plain commands on a queue's event stream: reading on, finding its ends, appending."""

from collections.abc import Mapping
from typing import TypeAlias

from bullpy.keys import QueueKeys
from bullpy.scripts.spec import Command
from bullpy.types import RedisReply

Entry: TypeAlias = tuple[str, list[str]]
"""An entry's id, and its fields and values, flat."""

BEGINNING = "0-0"  # before every entry


def read_events(
    keys: QueueKeys, after: str, *, count: int, block_ms: int | None = None
) -> Command[list[Entry]]:
    """The next entries behind the one with id `after`, at most `count`.

    Args:
        keys: The queue.
        after: Id of an entry, there or not.
        count: So that a backlog comes in pieces.
        block_ms: How long to wait for an entry if there is none, over 0; None for not at all.
    """
    block = () if block_ms is None else ("BLOCK", block_ms)
    return Command(
        ("XREAD", "COUNT", count, *block, "STREAMS", keys.events, after), decode=_entries_of_stream
    )


def first_event_id(keys: QueueKeys) -> Command[str | None]:
    """Id of the oldest entry that is still there; None in an empty stream."""
    return Command(("XRANGE", keys.events, "-", "+", "COUNT", 1), decode=_id_of_only)


def last_event_id(keys: QueueKeys) -> Command[str | None]:
    """Id of the newest entry; None in an empty stream."""
    return Command(("XREVRANGE", keys.events, "+", "-", "COUNT", 1), decode=_id_of_only)


def publish_event(
    keys: QueueKeys, event_name: str, fields: Mapping[str, str], *, max_events: int
) -> Command[str]:
    """Append an event; gives its id.

    Args:
        keys: The queue.
        event_name: Its name.
        fields: Its other fields, in this order.
        max_events: What the stream is trimmed to: approximately, by whole nodes of some 100
            entries.
    """
    words = [word for field in fields.items() for word in field]
    return Command(
        ("XADD", keys.events, "MAXLEN", "~", max_events, "*", "event", event_name, *words),
        decode=str,
        repeatable=False,
    )


def position(event_id: str) -> tuple[int, int]:
    """An entry's place in the order of the stream: ms and sequence number."""
    ms, _, sequence = event_id.partition("-")
    return int(ms), int(sequence or 0)


def _entries_of_stream(reply: RedisReply) -> list[Entry]:
    return [(event_id, fields) for event_id, fields in reply[0][1]] if reply else []


def _id_of_only(reply: RedisReply) -> str | None:
    return reply[0][0] if reply else None
