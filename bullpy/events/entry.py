"""One entry of an event stream, as BullMQ reads it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bullpy.codec import load_json
from bullpy.errors import BullError
from bullpy.types import Event

_JSON_FIELDS: Final = {Event.PROGRESS.value: "data", Event.COMPLETED.value: "returnvalue"}


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """Something that happened to a queue or a job.

    Attributes:
        name: What happened; see `Event`, or a producer's own name.
        fields: BullMQ's fields but the name, such as `jobId`. The progress' `data` and the
            `returnvalue` are JSON values, `delay` is a number of ms, all else is text.
        id: Of the entry in the stream; `last_event_id` to read on behind it.
    """

    name: str
    fields: dict[str, Any]
    id: str

    @property
    def job_id(self) -> str | None:
        """Which job, where one is concerned."""
        return self.fields.get("jobId") or None


def decode_entry(event_id: str, flat: Sequence[str]) -> StreamEvent:
    """Read an entry.

    Raises:
        BullError: It has no name, or its payload is not what an event of its name has.
    """
    fields: dict[str, Any] = dict(zip(flat[::2], flat[1::2], strict=True))
    name = fields.pop("event", None)
    if name is None:
        raise BullError("it has no field 'event'")
    json_field = _JSON_FIELDS.get(name)
    if json_field in fields:
        fields[json_field] = _parsed(json_field, fields[json_field])
    elif name == Event.DELAYED and "delay" in fields:
        delay = _parsed("delay", fields["delay"])
        if type(delay) not in (int, float):
            raise BullError(f"its field 'delay' is no number: {fields['delay'][:100]!r}")
        fields["delay"] = delay
    return StreamEvent(name, fields, event_id)


def _parsed(field: str, text: str) -> Any:
    try:
        return load_json(text)
    except (ValueError, BullError, RecursionError) as error:
        raise BullError(f"its field {field!r} is not JSON: {text[:100]!r}") from error
