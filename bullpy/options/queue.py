"""Options of a queue, and entries of a bulk add."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NotRequired, TypedDict, cast

from bullpy.errors import OptionError
from bullpy.options.foreign import ELSEWHERE, NODE_ONLY
from bullpy.options.job import JobOptions
from bullpy.options.job_parse import read_job_defaults
from bullpy.options.job_settings import JobSettings
from bullpy.options.parse import (
    Problems,
    Schema,
    anything,
    boolean,
    given_mapping,
    is_storable,
    options,
    text,
    whole,
)

MAX_LEN_EVENTS: Final = 10_000  # BullMQ's default


class EventStreamOptions(TypedDict, total=False):
    """The stream of a queue's events."""

    max_len: int
    """About how many events are kept, 0 for none; 10000."""


class StreamsOptions(TypedDict, total=False):
    """The streams of a queue."""

    events: EventStreamOptions
    """The stream of the queue's events."""


class QueueOptions(TypedDict, total=False):
    """Options of a queue."""

    default_job_options: JobOptions
    """Options of each job, unless given with it; none. One level deep: a mapping given with a job
    takes the place of the default's as a whole."""
    streams: StreamsOptions
    """The streams of the queue."""
    skip_metas_update: bool
    """Don't write the queue's meta hash; False."""


class NewJobEntry(TypedDict):
    """One job of a bulk add."""

    name: str
    """What kind of work."""
    data: NotRequired[Any]
    """Any JSON value; left out, it is `{}`."""
    opts: NotRequired[JobOptions]
    """The job's options."""


class Absent:
    """Stands for "not given", which is not the same as None."""


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class BulkEntry:
    """One job of a bulk add, checked.

    Attributes:
        name: What kind of work.
        data: JSON value, or `ABSENT`.
        opts: The job's options, unchecked.
    """

    name: str
    data: Any
    opts: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """The options of a queue, checked.

    Attributes:
        default_job_options: BullMQ's name -> JSON value.
        max_len_events: About how many events are kept.
        skip_metas_update: Don't write the meta hash.
    """

    default_job_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    max_len_events: int = MAX_LEN_EVENTS
    skip_metas_update: bool = False


QUEUE_SCHEMA: Final = Schema(
    {
        "defaultJobOptions": read_job_defaults,
        "streams": options({"events": options({"maxLen": whole(least=0)})}),
        "skipMetasUpdate": boolean,
        **NODE_ONLY,
    },
    elsewhere=ELSEWHERE,
)
_PLAIN_ENTRY: Final = frozenset({"name", "data", "opts"})
ENTRY_SCHEMA: Final = Schema({"name": text, "data": anything, "opts": anything})


def parse_queue_options(given: Mapping[str, Any] | None, *, where: str) -> QueueSettings:
    """Check the options of a queue.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    problems = Problems(where)
    found = QUEUE_SCHEMA.read(given_mapping(given, "Queue options", problems), problems)
    problems.raise_if_any()
    streams: Mapping[str, Any] = found.get("streams") or {}
    events: Mapping[str, Any] = streams.get("events") or {}
    return QueueSettings(
        default_job_options=found.get("defaultJobOptions") or {},
        max_len_events=events.get("maxLen", MAX_LEN_EVENTS),
        skip_metas_update=bool(found.get("skipMetasUpdate")),
    )


def parse_bulk_entry(entry: Any, *, where: str) -> BulkEntry:
    """Check the shape of one job of a bulk add.

    Raises:
        OptionError: It is no mapping, or has other keys than name, data and opts.
    """
    if type(entry) is dict and _PLAIN_ENTRY.issuperset(cast("dict[Any, Any]", entry)):
        plain = cast("dict[str, Any]", entry)
        name = plain.get("name")
        if type(name) is str and name:  # nearly all: 0.5 µs instead of 4
            return BulkEntry(name, plain.get("data", ABSENT), plain.get("opts"))
    problems = Problems(where)
    found = ENTRY_SCHEMA.read(given_mapping(entry, "A job", problems), problems)
    if not found.get("name"):
        problems.add("A job needs a name")
    problems.raise_if_any()
    return BulkEntry(found["name"], found.get("data", ABSENT), found.get("opts"))


def check_name(name: Any, *, where: str) -> None:
    """Check a job's name.

    Raises:
        OptionError: It is no string, or none that Redis can hold.
    """
    if not isinstance(name, str):
        raise OptionError(f"A job's name must be a string, not {name!r} ({where})")
    if not is_storable(name):
        raise OptionError(f"A job's name holds half a surrogate pair: {name!r} ({where})")


def check_size(data: str, settings: JobSettings, *, name: str, queue: str) -> None:
    """Check the size of a job's data against its `size_limit`, in bytes of UTF-8.

    Raises:
        OptionError: It is larger.
    """
    limit = settings.size_limit
    if limit and len(data.encode("utf-8", "surrogatepass")) > limit:
        raise OptionError(f"The size of job {name} exceeds the limit {limit} bytes (queue {queue})")
