"""Options of one job: what a user types, what is stored, what the rest of bullpy works with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, TypedDict, cast

from bullpy.keys import RESERVED_JOB_IDS
from bullpy.options.parse import (
    Problems,
    Reader,
    boolean,
    duration_ms,
    given_mapping,
    moment_ms,
    number,
    options,
    read_options,
    text,
    whole,
)
from bullpy.options.retention import KeepJobs, KeepJobsOptions, keep_jobs, read_keep_jobs

MAX_PRIORITY: Final = 2_097_151  # 2^21 - 1: beyond it scores lose their counter
EXPONENTS_FROM: Final = 10**21  # from here on JavaScript prints numbers with an exponent


class BackoffOptions(TypedDict, total=False):
    """How long to wait before a retry."""

    type: str
    """`fixed`, `exponential` (2^(n-1) times `delay`), or a name the worker's strategy knows."""
    delay: float | timedelta
    """Base delay in ms."""
    jitter: float
    """0 to 1: which share of the delay is drawn at random."""


class DeduplicationOptions(TypedDict, total=False):
    """When a job counts as a duplicate of another with the same id."""

    id: str
    """What the jobs have in common; must be given."""
    ttl: float | timedelta
    """Duplicates are dropped for so many ms; without it, until the job finishes."""
    extend: bool
    """Each duplicate starts the `ttl` anew."""
    replace: bool
    """A duplicate takes the place of a job that is still delayed."""
    reschedule: bool
    """A duplicate moves the time of a job that is still delayed."""
    keep_last_if_active: bool
    """The last duplicate that comes while the job is being worked on runs afterwards."""


class ParentOptions(TypedDict):
    """The job under which this one hangs."""

    id: str
    """The parent's id."""
    queue: str
    """The parent's queue with its prefix, such as `bull:reports`."""


class TelemetryOptions(TypedDict, total=False):
    """Trace context carried by the job."""

    metadata: str
    """The context, as text."""
    omit_context: bool
    """Carry none."""


class JobOptions(TypedDict, total=False):
    """Options of one job."""

    job_id: str
    """An id of one's own: no second job with it is added. Not a whole number; no colon, or two."""
    priority: int
    """1 to 2097151, lower goes first; 0 for none, which goes before all. Excluded by `delay`
    until that is over."""
    delay: float | timedelta
    """Run so many ms after `timestamp`."""
    lifo: bool
    """Run before those that wait, instead of after them. No effect with `priority`."""
    attempts: int
    """How many tries in all; 0 and 1 mean one."""
    backoff: int | float | timedelta | BackoffOptions
    """How long to wait before a retry; a number is a fixed delay in ms."""
    remove_on_complete: bool | int | KeepJobsOptions
    """Retention once completed: True removes, False keeps, a number keeps that many newest."""
    remove_on_fail: bool | int | KeepJobsOptions
    """Retention once failed for good; as `remove_on_complete`."""
    keep_logs: int
    """How many of the newest log rows to keep."""
    stack_trace_limit: int
    """How many of the newest stack traces to keep; 0 for none."""
    size_limit: int
    """How many bytes of JSON the data may have, in UTF-8."""
    timestamp: float | datetime
    """When the job was made, ms since 1970 or an aware datetime; None or 0 for now."""
    deduplication: DeduplicationOptions
    """When the job counts as a duplicate. Excludes `parent`."""
    parent: ParentOptions
    """The job that waits for this one."""
    fail_parent_on_failure: bool
    """If this job fails for good, so does its parent. Excludes the other three policies."""
    continue_parent_on_failure: bool
    """If this job fails for good, its parent starts at once. Excludes the other three policies."""
    ignore_dependency_on_failure: bool
    """If this job fails for good, its parent goes on without it. Excludes the other three."""
    remove_dependency_on_failure: bool
    """If this job fails for good, its parent forgets it. Excludes the other three policies."""
    telemetry: TelemetryOptions
    """Trace context carried by the job."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before a retry.

    Attributes:
        type: `fixed`, `exponential`, or a custom name.
        delay: Base delay in ms; None where none was given.
        jitter: Share of the delay that is drawn at random, 0 to 1.
    """

    type: str
    delay: int | float | None = None
    jitter: float = 0


@dataclass(frozen=True, slots=True)
class Deduplication:
    """When a job counts as a duplicate.

    Attributes:
        id: What the jobs have in common.
        wire: All of it, in BullMQ's words.
    """

    id: str
    wire: Mapping[str, Any] = field(compare=False)

    def stored(self) -> dict[str, Any]:
        """In BullMQ's words."""
        return dict(self.wire)


@dataclass(frozen=True, slots=True)
class ParentRef:
    """The job under which another hangs.

    Attributes:
        id: Its id.
        queue: Its queue with the prefix.
    """

    id: str
    queue: str


@dataclass(frozen=True, slots=True)
class JobSettings:
    """The options of one job, checked.

    Attributes:
        public: All that was given, by BullMQ's names and in JSON values.

    The other attributes are those that bullpy acts on; see `JobOptions`.
    """

    public: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    attempts: int = 0
    backoff: Backoff | None = None
    delay: int | float = 0
    priority: int = 0
    lifo: bool = False
    timestamp: int | float | None = None
    remove_on_complete: KeepJobs | None = None
    remove_on_fail: KeepJobs | None = None
    keep_logs: int | None = None
    stack_trace_limit: int | None = None
    size_limit: int | None = None
    job_id: str | None = None
    parent: ParentRef | None = None
    deduplication: Deduplication | None = None
    fail_parent_on_failure: bool = False
    continue_parent_on_failure: bool = False
    ignore_dependency_on_failure: bool = False
    remove_dependency_on_failure: bool = False

    def under(self, parent_id: str, parent_queue: str) -> "JobSettings":
        """The same, hanging under a parent (queue with its prefix)."""
        public = {**self.public, "parent": {"id": parent_id, "queue": parent_queue}}
        return replace(self, public=public, parent=ParentRef(parent_id, parent_queue))


POLICIES: Final = (  # in the order in which BullMQ lists them
    "removeDependencyOnFailure",
    "failParentOnFailure",
    "continueParentOnFailure",
    "ignoreDependencyOnFailure",
)


def _read_jitter(value: Any, name: str, problems: Problems) -> Any:
    checked = number()(value, name, problems)
    if checked is not None and not 0 <= checked <= 1:
        problems.add(f"Jitter should be between 0 and 1, but option {name} is {value!r}")
    return checked


_READ_BACKOFF: Final = options({"type": text, "delay": duration_ms(), "jitter": _read_jitter})
_READ_DELAY: Final = duration_ms()


def _read_backoff(value: Any, name: str, problems: Problems) -> Any:
    if isinstance(value, Mapping):
        found = _READ_BACKOFF(value, name, problems)
        if "type" not in found:
            problems.add(f"Option {name} needs a type, such as fixed or exponential")
        return found
    return {"type": "fixed", "delay": _READ_DELAY(value, name, problems)}


def _read_job_id(value: Any, name: str, problems: Problems) -> Any:
    job_id = text(value, name, problems)
    if not job_id:
        return job_id
    if _is_integer(job_id):
        problems.add(f"Custom Id cannot be integers, but option {name} is {value!r}")
    elif job_id.startswith("0:"):
        problems.add(f"JobId cannot be '0' or start with '0:', but option {name} is {value!r}")
    elif ":" in job_id and job_id.count(":") != 2:  # noqa: PLR2004 - BullMQ's repeat:name:time
        problems.add(f"Custom Id cannot contain :, but option {name} is {value!r}")
    elif job_id in RESERVED_JOB_IDS:
        problems.add(f"Option {name} must not be {value!r}: a key of the queue has this name")
    return job_id


def _is_integer(job_id: str) -> bool:
    """Whether JavaScript would read the id as a number and print the number as the id."""
    if job_id == "NaN":
        return True
    try:
        value = int(job_id)
    except ValueError:
        return False
    if str(value) != job_id or abs(value) >= EXPONENTS_FROM:
        return False
    return format(Decimal(repr(float(value))), "f").removesuffix(".0") == job_id


def _read_priority(value: Any, name: str, problems: Problems) -> Any:
    checked = number()(value, name, problems)
    if checked is None:
        return None
    if not float(checked).is_integer():
        problems.add(f"Priority should not be float, but option {name} is {value!r}")
    elif checked > MAX_PRIORITY:
        problems.add(
            f"Priority should be between 0 and {MAX_PRIORITY}, but option {name} is {value!r}"
        )
    return int(checked)


def _refuse(hint: str) -> Reader:
    def read(value: Any, name: str, problems: Problems) -> Any:  # noqa: ARG001 - a reader's shape
        problems.add(hint)

    return read


_JOB_READERS: Final[Mapping[str, Reader]] = {
    "jobId": _read_job_id,
    "priority": _read_priority,
    "delay": duration_ms(),
    "lifo": boolean,
    "attempts": whole(least=0),
    "backoff": _read_backoff,
    "removeOnComplete": read_keep_jobs,
    "removeOnFail": read_keep_jobs,
    "keepLogs": whole(least=0),
    "stackTraceLimit": whole(least=0),
    "sizeLimit": whole(least=0),
    "timestamp": moment_ms,
    "deduplication": options(
        {
            "id": text,
            "ttl": duration_ms(),
            "extend": boolean,
            "replace": boolean,
            "reschedule": boolean,
            "keepLastIfActive": boolean,
        }
    ),
    "parent": options({"id": text, "queue": text}),
    **dict.fromkeys(POLICIES, boolean),
    "telemetry": options({"metadata": text, "omitContext": boolean}),
    "debounce": _refuse("Debounce option has been removed. Use deduplication option instead"),
    "repeat": _refuse("Option repeat has been removed. Use a job scheduler instead"),
}


def parse_job_options(
    given: Mapping[str, Any] | None,
    *,
    where: str,
    defaults: Mapping[str, Any] | None = None,
) -> JobSettings:
    """Check the options of one job.

    Args:
        given: In either spelling; an option given as None overrides a default and is not stored.
        where: What they are for, such as `job 'welcome' of queue mail`.
        defaults: Options that hold unless given, as `read_job_defaults` answers them.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    if not given and not defaults:
        return _PLAIN
    problems = Problems(where)
    found = read_options(given_mapping(given, "Job options", problems), _JOB_READERS, problems)
    merged = {"attempts": 0, **(defaults or {}), **found}
    public = {name: value for name, value in merged.items() if value is not None}
    _check_together(public, problems)
    problems.raise_if_any()
    return settings_of(public)


def read_job_defaults(value: Any, name: str, problems: Problems) -> Any:
    """Default job options of a queue: BullMQ's name -> JSON value."""
    mapping = given_mapping(value, f"Option {name}", problems)
    return read_options(mapping, _JOB_READERS, problems, inside=name)


def _check_together(public: Mapping[str, Any], problems: Problems) -> None:
    policies = [name for name in POLICIES if public.get(name)]
    if len(policies) > 1:
        problems.add(f"The following options cannot be used together: {', '.join(policies)}")
    deduplication = public.get("deduplication")
    if deduplication is not None:
        if not deduplication.get("id"):
            problems.add("Deduplication id must be provided")
        if "parent" in public:
            problems.add("Deduplication and parent options cannot be used together")
    parent = public.get("parent")
    if parent is not None and not (parent.get("id") and parent.get("queue")):
        problems.add("Option parent needs an id and a queue, such as bull:reports")


def settings_of(public: Mapping[str, Any]) -> JobSettings:
    """Settings from BullMQ's names and JSON values; what has the wrong type counts as absent.

    Data of other producers comes this way too, so nothing here raises.
    """
    typed: dict[str, Any] = {}
    for attribute, name, read in _TYPED:
        value = public.get(name)
        if value is not None:
            found = read(value)
            if found is not None:
                typed[attribute] = found
    return JobSettings(public=public, **typed)


def _an_int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value == value else None  # noqa: PLR0124 - NaN


def _a_number(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _a_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _a_backoff(value: Any) -> Backoff | None:
    if isinstance(value, Mapping):
        rule = cast("Mapping[str, Any]", value)
        delay, jitter = _a_number(rule.get("delay")), _a_number(rule.get("jitter"))
        return Backoff(str(rule.get("type", "fixed")), delay, jitter or 0)
    delay = _a_number(value)
    return None if delay is None else Backoff("fixed", delay)


def _a_parent(value: Any) -> ParentRef | None:
    if not isinstance(value, Mapping):
        return None
    parent = cast("Mapping[str, Any]", value)
    return ParentRef(str(parent.get("id")), str(parent.get("queue")))


def _a_deduplication(value: Any) -> Deduplication | None:
    if not isinstance(value, Mapping):
        return None
    rule = cast("Mapping[str, Any]", value)
    return Deduplication(str(rule.get("id")), rule)


_TYPED: Final[tuple[tuple[str, str, Callable[[Any], Any]], ...]] = (
    ("attempts", "attempts", _an_int),
    ("backoff", "backoff", _a_backoff),
    ("delay", "delay", _a_number),
    ("priority", "priority", _an_int),
    ("lifo", "lifo", bool),
    ("timestamp", "timestamp", _a_number),
    ("remove_on_complete", "removeOnComplete", keep_jobs),
    ("remove_on_fail", "removeOnFail", keep_jobs),
    ("keep_logs", "keepLogs", _an_int),
    ("stack_trace_limit", "stackTraceLimit", _an_int),
    ("size_limit", "sizeLimit", _an_int),
    ("job_id", "jobId", _a_text),
    ("parent", "parent", _a_parent),
    ("deduplication", "deduplication", _a_deduplication),
    ("fail_parent_on_failure", "failParentOnFailure", bool),
    ("continue_parent_on_failure", "continueParentOnFailure", bool),
    ("ignore_dependency_on_failure", "ignoreDependencyOnFailure", bool),
    ("remove_dependency_on_failure", "removeDependencyOnFailure", bool),
)

_PLAIN: Final = settings_of(MappingProxyType({"attempts": 0}))
