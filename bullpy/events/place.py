"""Where one is in a stream: an entry's id, behind which reading goes on. Pure."""

import re

from bullpy.errors import BullError, OptionError
from bullpy.scripts import stream

_ID = re.compile(r"[0-9]+(-[0-9]+)?")


def checked_place(last_event_id: str | None, name: str) -> str | None:
    """What a user gives as the place to read on from; None for the end of the stream.

    Raises:
        OptionError: It is no id of an entry.
    """
    if last_event_id is None or last_event_id == "$":  # Redis' own word for the end
        return None
    if not isinstance(last_event_id, str) or not _ID.fullmatch(last_event_id):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
        raise OptionError(
            f"last_event_id of the events of queue {name!r}: the id of an entry such as "
            f"'1700000000000-0', not {last_event_id!r}"
        )
    return last_event_id


def gap(name: str, *, after: str, first: str | None) -> BullError | None:
    """Why entries that follow `after` may be lost, or None if they certainly are not.

    Args:
        name: The queue's name.
        after: The entry read last.
        first: The oldest one in the stream once what follows had been read.
    """
    if first is None or stream.position(after) == (0, 0):
        return None
    if stream.position(first) <= stream.position(after):
        return None
    return BullError(
        f"Events of queue {name!r} may be lost: event {after} was read last, and the stream was "
        f"trimmed to begin with {first} before what follows was read"
    )
