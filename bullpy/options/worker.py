"""Options of a worker."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypedDict

from bullpy.options.foreign import ELSEWHERE, NODE_ONLY
from bullpy.options.parse import (
    Problems,
    Reader,
    Schema,
    boolean,
    duration_ms,
    duration_s,
    function,
    given_mapping,
    options,
    snake,
    text,
    whole,
)
from bullpy.options.retention import KeepJobs, KeepJobsOptions, keep_jobs, read_keep_jobs
from bullpy.types import BackoffStrategy

LOCK_MS: Final = 30_000  # BullMQ's lockDuration


class LimiterOptions(TypedDict):
    """How many jobs may start per window; all workers of a queue share the count."""

    max: int
    """Jobs per window."""
    duration: float | timedelta
    """Length of the window in ms; it begins with its first job."""


class MetricsOptions(TypedDict):
    """Counts of finished jobs per minute."""

    max_data_points: int
    """How many minutes to keep."""


class StrategyOptions(TypedDict, total=False):
    """BullMQ's place for functions."""

    backoff_strategy: BackoffStrategy
    """See `WorkerOptions`."""


class WorkerOptions(TypedDict, total=False):
    """Options of a worker."""

    concurrency: int
    """How many jobs run at once; 1. May be changed on the worker at any time."""
    autorun: bool
    """Begin to work on entering the context manager; True."""
    limiter: LimiterOptions
    """How many jobs may start per window; no limit."""
    maximum_rate_limit_delay: float | timedelta
    """Longest pause for a rate limit before looking again, in ms; 30000."""
    lock_duration: float | timedelta
    """How long a job's lock lasts without renewal, in whole ms; 30000. A crashed worker's jobs are
    recovered after about this time."""
    lock_renew_time: float | timedelta
    """Renew locks this often, in ms; half of `lock_duration`. 0 means that too, negative never."""
    skip_lock_renewal: bool
    """Don't renew locks; False."""
    stalled_interval: float | timedelta
    """Time between two looks for stalled jobs, in ms; 30000."""
    max_stalled_count: int
    """How often a job may stall before it fails; 1."""
    skip_stalled_check: bool
    """Leave stalled jobs to other workers; False."""
    timeout: float | timedelta
    """How long one try of a job may run, in ms, unless the job says so itself; without end."""
    max_started_attempts: int
    """After how many starts a job is not run again, whatever ended them; no bound."""
    drain_delay: float | timedelta
    """Seconds for which an idle worker listens before it looks by itself; 5."""
    remove_on_complete: bool | int | KeepJobsOptions
    """Retention of completed jobs that don't say so themselves; keep all."""
    remove_on_fail: bool | int | KeepJobsOptions
    """Retention of failed jobs that don't say so themselves; keep all."""
    metrics: MetricsOptions
    """Count finished jobs per minute; off."""
    name: str
    """Name of this worker, stored with each job it starts and seen in `Queue.get_workers`."""
    backoff_strategy: BackoffStrategy
    """(attempts made, type, error, job) -> ms, for backoff types that are not built in: 0 retries
    at once, -1 fails. May be async."""
    settings: StrategyOptions
    """BullMQ's place for `backoff_strategy`."""
    run_retry_delay: float | timedelta
    """BullMQ's pause in ms after a lost Redis; 15000. No effect: the connection has a backoff of
    its own, which is shorter."""


@dataclass(frozen=True, slots=True)
class Limiter:
    """How many jobs may start per window.

    Attributes:
        max: Jobs per window.
        duration: Length of the window in ms.
    """

    max: int
    duration: int | float


@dataclass(frozen=True, slots=True)
class Metrics:
    """Counts of finished jobs per minute.

    Attributes:
        max_data_points: How many minutes to keep.
    """

    max_data_points: int


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The options of a worker, checked; durations in ms, `drain_delay` in seconds."""

    concurrency: int = 1
    autorun: bool = True
    limiter: Limiter | None = None
    maximum_rate_limit_delay: int = 30_000
    lock_duration: int = LOCK_MS
    lock_renew_time: int | float = LOCK_MS / 2
    skip_lock_renewal: bool = False
    stalled_interval: int = 30_000
    max_stalled_count: int = 1
    skip_stalled_check: bool = False
    timeout: int | float | None = None
    max_started_attempts: int | None = None
    drain_delay: int | float = 5
    remove_on_complete: KeepJobs | None = None
    remove_on_fail: KeepJobs | None = None
    metrics: Metrics | None = None
    name: str | None = None
    backoff_strategy: BackoffStrategy | None = None
    run_retry_delay: int | float = 15_000


def _ruled(
    rule: str, read_number: Reader, *, least: float = -math.inf, above: float = -math.inf
) -> Reader:
    """A number within bounds, or else the rule in BullMQ's words."""

    def read(value: Any, name: str, problems: Problems) -> Any:
        attempt = Problems("")
        checked = read_number(value, name, attempt)
        if checked is None or checked < least or checked <= above:
            problems.add(f"{rule}, but option {name} is {value!r}")
        return checked

    return read


def _whole_ms(value: Any, name: str, problems: Problems) -> Any:
    checked = _read_ms(value, name, problems)
    return None if checked is None else _read_whole(checked, name, problems)


_read_ms: Final = duration_ms()
_read_whole: Final = whole()

_CONCURRENCY: Final = "concurrency must be a finite number greater than 0, and whole"
_STALLED_COUNT: Final = "maxStalledCount must be greater or equal than 0, and whole"
_STALLED_INTERVAL: Final = "stalledInterval must be greater than 0, in whole ms"
_LOCK_DURATION: Final = "lockDuration must be greater than 0, in whole ms"
_DRAIN_DELAY: Final = "drainDelay must be greater than 0"

WORKER_SCHEMA: Final = Schema(
    {
        "concurrency": _ruled(_CONCURRENCY, _read_whole, least=1),
        "autorun": boolean,
        "limiter": options({"max": whole(least=0), "duration": duration_ms(least=0)}),
        "maximumRateLimitDelay": _ruled(
            "maximumRateLimitDelay must be greater than 0, in whole ms", _whole_ms, above=0
        ),
        "lockDuration": _ruled(
            "lockDuration must be greater than 0, in whole ms", _whole_ms, above=0
        ),
        "lockRenewTime": _read_ms,
        "skipLockRenewal": boolean,
        "stalledInterval": _ruled(_STALLED_INTERVAL, _whole_ms, above=0),
        "maxStalledCount": _ruled(_STALLED_COUNT, _read_whole, least=0),
        "skipStalledCheck": boolean,
        "timeout": duration_ms(above=0),
        "maxStartedAttempts": _ruled(
            "maxStartedAttempts must be greater or equal than 0, and whole", _read_whole, least=0
        ),
        "drainDelay": _ruled(_DRAIN_DELAY, duration_s(), above=0),
        "removeOnComplete": read_keep_jobs,
        "removeOnFail": read_keep_jobs,
        "metrics": options({"maxDataPoints": whole(least=1)}),
        "name": text,
        "backoffStrategy": function,
        "settings": options({"backoffStrategy": function}),
        "runRetryDelay": duration_ms(least=0),
        **NODE_ONLY,
    },
    elsewhere=ELSEWHERE,
)

# None is a mistake here, not "the default": BullMQ's stalled check breaks on it without a word.
_NEVER_NONE: Final = {
    "concurrency": _CONCURRENCY,
    "max_stalled_count": _STALLED_COUNT,
    "stalled_interval": _STALLED_INTERVAL,
    "drain_delay": _DRAIN_DELAY,
}


def parse_worker_options(given: Mapping[str, Any] | None, *, where: str) -> WorkerSettings:
    """Check the options of a worker.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    problems = Problems(where)
    mapping = given_mapping(given, "Worker options", problems)
    found = WORKER_SCHEMA.read(mapping, problems)
    for name, value in mapping.items():
        rule = _NEVER_NONE.get(snake(str(name)))
        if value is None and rule is not None:
            problems.add(f"{rule}, but option {snake(name)} is None")
    limiter = found.get("limiter")
    if limiter is not None and limiter.keys() != {"max", "duration"}:
        problems.add("Option limiter needs max and duration")
    if found.get("metrics") == {}:
        problems.add("Option metrics needs max_data_points")
    problems.raise_if_any()
    return _settings(found)


def _settings(found: Mapping[str, Any]) -> WorkerSettings:
    plain = {snake(name): found[name] for name in _PLAIN if found.get(name) is not None}
    lock_duration = plain.get("lock_duration", LOCK_MS)
    limiter, metrics = found.get("limiter"), found.get("metrics")
    functions: Mapping[str, Any] = found.get("settings") or {}
    return WorkerSettings(
        **plain,
        lock_renew_time=found.get("lockRenewTime") or lock_duration / 2,
        limiter=Limiter(limiter["max"], limiter["duration"]) if limiter else None,
        metrics=Metrics(metrics["maxDataPoints"]) if metrics else None,
        remove_on_complete=keep_jobs(found.get("removeOnComplete")),
        remove_on_fail=keep_jobs(found.get("removeOnFail")),
        backoff_strategy=found.get("backoffStrategy") or functions.get("backoffStrategy"),
    )


_PLAIN: Final = (  # options that are taken over as they are
    "concurrency",
    "autorun",
    "maximumRateLimitDelay",
    "lockDuration",
    "skipLockRenewal",
    "stalledInterval",
    "maxStalledCount",
    "skipStalledCheck",
    "timeout",
    "maxStartedAttempts",
    "drainDelay",
    "name",
    "runRetryDelay",
)
