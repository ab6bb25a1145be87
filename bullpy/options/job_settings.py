"""Options of one job as the rest of bullpy works with them: checked, frozen, with defaults.

They come from two sides: from a user, by way of `job_parse`, and from the hash of a job that
anybody may have written. So nothing here raises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, cast

from bullpy.options.parse import is_number
from bullpy.options.retention import KeepJobs, keep_jobs


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
    jitter: int | float = 0


@dataclass(frozen=True, slots=True)
class Deduplication:
    """When a job counts as a duplicate, and what becomes of it then; see `DeduplicationOptions`.

    Attributes:
        ttl: In ms; None for "until the job finishes".
    """

    id: str
    ttl: int | float | None = None
    extend: bool = False
    replace: bool = False
    reschedule: bool = False
    keep_last_if_active: bool = False

    def stored(self) -> dict[str, Any]:
        """What of it is set, in BullMQ's words."""
        everything = {
            "id": self.id,
            "ttl": self.ttl,
            "extend": self.extend,
            "replace": self.replace,
            "reschedule": self.reschedule,
            "keepLastIfActive": self.keep_last_if_active,
        }
        return {name: value for name, value in everything.items() if value}


@dataclass(frozen=True, slots=True)
class ParentRef:
    """The job under which another hangs.

    Attributes:
        id: Its id.
        queue: Its queue with the prefix.
    """

    id: str
    queue: str


@dataclass(frozen=True)
class JobSettings:
    """The options of one job. One object serves all jobs with equal options.

    Not slotted: what was not given stays in the class, so that an object with two options is made
    in 2 µs instead of 5.

    Attributes:
        public: All that was given, by BullMQ's names and in JSON values; what bullpy does not
            know (a scheduler's `repeat`, say) is kept here as it came.
        stored: Text of the `opts` field, once `codec.encode_options` has made it.
        unnamed: The settings to which `job_id` was added, which other jobs share.

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
    timeout: int | float | None = None
    job_id: str | None = None
    parent: ParentRef | None = None
    deduplication: Deduplication | None = None
    fail_parent_on_failure: bool = False
    continue_parent_on_failure: bool = False
    ignore_dependency_on_failure: bool = False
    remove_dependency_on_failure: bool = False
    telemetry_metadata: str | None = None
    omit_context: bool = False
    stored: str | None = field(default=None, init=False, compare=False, repr=False)
    unnamed: "JobSettings | None" = field(default=None, init=False, compare=False, repr=False)

    def under(self, parent_id: str, parent_queue: str) -> "JobSettings":
        """The same, hanging under a parent (queue with its prefix)."""
        public = {**self.public, "parent": {"id": parent_id, "queue": parent_queue}}
        values = {**self.__dict__, "public": public, "parent": ParentRef(parent_id, parent_queue)}
        return _made(values, stored=None, unnamed=None)

    def named(self, job_id: str) -> "JobSettings":
        """The same, for the job with this id."""
        values = {**self.__dict__, "public": {**self.public, "jobId": job_id}, "job_id": job_id}
        return _made(values, stored=None, unnamed=self)

    def remember(self, stored: str) -> None:
        """Note the text of the `opts` field: it follows from `public`, so nothing changes."""
        self.__dict__["stored"] = stored


def _made(values: Mapping[str, Any], **more: Any) -> JobSettings:
    settings = object.__new__(JobSettings)
    settings.__dict__.update(values, **more)
    return settings


def settings_of(public: Mapping[str, Any]) -> JobSettings:
    """Settings from BullMQ's names and JSON values; what has the wrong type counts as absent."""
    values: dict[str, Any] = {"public": public}
    for name, value in public.items():
        known = _TYPED.get(name)
        if known is not None:
            attribute, read = known
            found = read(value)
            if found is not None:
                values[attribute] = found
    telemetry = public.get("telemetry")
    if isinstance(telemetry, Mapping):
        carried = cast("Mapping[str, Any]", telemetry)
        values["telemetry_metadata"] = _text(carried.get("metadata"))
        values["omit_context"] = bool(carried.get("omitContext"))
    return _made(values)


def _number(value: Any) -> int | float | None:
    return value if is_number(value) else None


def _above_0(value: Any) -> int | float | None:
    return value if is_number(value) and value > 0 else None


def _whole(value: Any) -> int | None:
    return int(value) if is_number(value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _backoff(value: Any) -> Backoff | None:
    if isinstance(value, Mapping):
        rule = cast("Mapping[str, Any]", value)
        delay, jitter = _number(rule.get("delay")), _number(rule.get("jitter"))
        return Backoff(str(rule.get("type", "fixed")), delay, jitter or 0)
    delay = _number(value)
    return None if delay is None else Backoff("fixed", delay)


def _parent(value: Any) -> ParentRef | None:
    if not isinstance(value, Mapping):
        return None
    parent = cast("Mapping[str, Any]", value)
    return ParentRef(str(parent.get("id")), str(parent.get("queue")))


def _deduplication(value: Any) -> Deduplication | None:
    if not isinstance(value, Mapping):
        return None
    rule = cast("Mapping[str, Any]", value)
    return Deduplication(
        id=str(rule.get("id")),
        ttl=_number(rule.get("ttl")),
        extend=bool(rule.get("extend")),
        replace=bool(rule.get("replace")),
        reschedule=bool(rule.get("reschedule")),
        keep_last_if_active=bool(rule.get("keepLastIfActive")),
    )


_TYPED: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "attempts": ("attempts", _whole),
    "backoff": ("backoff", _backoff),
    "delay": ("delay", _number),
    "priority": ("priority", _whole),
    "lifo": ("lifo", bool),
    "timestamp": ("timestamp", _number),
    "removeOnComplete": ("remove_on_complete", keep_jobs),
    "removeOnFail": ("remove_on_fail", keep_jobs),
    "keepLogs": ("keep_logs", _whole),
    "timeout": ("timeout", _above_0),
    "stackTraceLimit": ("stack_trace_limit", _whole),
    "sizeLimit": ("size_limit", _whole),
    "jobId": ("job_id", _text),
    "parent": ("parent", _parent),
    "deduplication": ("deduplication", _deduplication),
    "failParentOnFailure": ("fail_parent_on_failure", bool),
    "continueParentOnFailure": ("continue_parent_on_failure", bool),
    "ignoreDependencyOnFailure": ("ignore_dependency_on_failure", bool),
    "removeDependencyOnFailure": ("remove_dependency_on_failure", bool),
}

PLAIN: Final = settings_of(MappingProxyType({"attempts": 0}))
"""The settings of a job without options; BullMQ stores a 0 for attempts."""
