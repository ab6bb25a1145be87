"""Options of a worker."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypedDict

from bullpy.options.parse import (
    Problems,
    Reader,
    boolean,
    duration_ms,
    duration_s,
    function,
    given_mapping,
    number,
    options,
    read_options,
    text,
    whole,
)
from bullpy.options.retention import KeepJobs, KeepJobsOptions, keep_jobs, read_keep_jobs
from bullpy.types import BackoffStrategy


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
    settings: Mapping[str, Any]
    """BullMQ's place for `backoff_strategy`."""
    run_retry_delay: float | timedelta
    """Accepted for BullMQ's sake; a lost Redis is retried under the connection's own backoff."""


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
    lock_duration: int = 30_000
    lock_renew_time: float = 15_000
    skip_lock_renewal: bool = False
    stalled_interval: int = 30_000
    max_stalled_count: int = 1
    skip_stalled_check: bool = False
    max_started_attempts: int | None = None
    drain_delay: float = 5
    remove_on_complete: KeepJobs | None = None
    remove_on_fail: KeepJobs | None = None
    metrics: Metrics | None = None
    name: str | None = None
    backoff_strategy: BackoffStrategy | None = None


def _at_least(least: int, message: str) -> Reader:
    def read(value: Any, name: str, problems: Problems) -> Any:
        checked = whole()(value, name, problems)
        if checked is not None and checked < least:
            problems.add(f"{message}, but option {name} is {value!r}")
        return checked

    return read


def _above_zero(read_duration: Reader, message: str) -> Reader:
    def read(value: Any, name: str, problems: Problems) -> Any:
        checked = read_duration(value, name, problems)
        if checked is not None and checked <= 0:
            problems.add(f"{message}, but option {name} is {value!r}")
        return checked

    return read


def _whole_ms(message: str) -> Reader:
    read_duration = _above_zero(duration_ms(), message)

    def read(value: Any, name: str, problems: Problems) -> Any:
        checked = read_duration(value, name, problems)
        return None if checked is None else whole()(checked, name, problems)

    return read


_READERS: Final[Mapping[str, Reader]] = {
    "concurrency": _at_least(1, "concurrency must be a finite number greater than 0"),
    "autorun": boolean,
    "limiter": options({"max": whole(least=0), "duration": duration_ms(least=0)}),
    "maximumRateLimitDelay": _whole_ms("maximumRateLimitDelay must be greater than 0"),
    "lockDuration": _whole_ms("lockDuration must be greater than 0"),
    "lockRenewTime": duration_ms(),
    "skipLockRenewal": boolean,
    "stalledInterval": _whole_ms("stalledInterval must be greater than 0"),
    "maxStalledCount": _at_least(0, "maxStalledCount must be greater or equal than 0"),
    "skipStalledCheck": boolean,
    "maxStartedAttempts": _at_least(0, "maxStartedAttempts must be greater or equal than 0"),
    "drainDelay": _above_zero(duration_s(), "drainDelay must be greater than 0"),
    "removeOnComplete": read_keep_jobs,
    "removeOnFail": read_keep_jobs,
    "metrics": options({"maxDataPoints": whole(least=1)}),
    "name": text,
    "backoffStrategy": function,
    "settings": options({"backoffStrategy": function}),
    "runRetryDelay": number(least=0),
}

# None is a mistake here, not "the default": BullMQ's stalled check breaks on it without a word.
_NEVER_NONE: Final = frozenset({"concurrency", "maxStalledCount", "stalledInterval", "drainDelay"})


def parse_worker_options(given: Mapping[str, Any] | None, *, where: str) -> WorkerSettings:
    """Check the options of a worker.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    problems = Problems(where)
    mapping = given_mapping(given, "Worker options", problems)
    found = read_options(mapping, _READERS, problems)
    for name in _NEVER_NONE & found.keys():
        if found[name] is None and not problems.found:
            problems.add(f"Option {name} must not be None")
    limiter, metrics = found.get("limiter"), found.get("metrics")
    if limiter is not None and len(limiter) != 2:  # noqa: PLR2004 - both of its options
        problems.add("Option limiter needs max and duration")
    if metrics is not None and not metrics:
        problems.add("Option metrics needs max_data_points")
    problems.raise_if_any()
    return _settings(found)


def _settings(found: Mapping[str, Any]) -> WorkerSettings:
    lock_duration = found.get("lockDuration") or 30_000
    limiter, metrics = found.get("limiter"), found.get("metrics")
    settings: Mapping[str, Any] = found.get("settings") or {}
    strategy = found.get("backoffStrategy") or settings.get("backoffStrategy")
    plain = {
        attribute: found[name] for attribute, name in _PLAIN.items() if found.get(name) is not None
    }
    return WorkerSettings(
        **plain,
        lock_duration=lock_duration,
        lock_renew_time=found.get("lockRenewTime") or lock_duration / 2,
        limiter=Limiter(limiter["max"], limiter["duration"]) if limiter else None,
        metrics=Metrics(metrics["maxDataPoints"]) if metrics else None,
        remove_on_complete=keep_jobs(found.get("removeOnComplete")),
        remove_on_fail=keep_jobs(found.get("removeOnFail")),
        backoff_strategy=strategy,
    )


_PLAIN: Final = {
    "concurrency": "concurrency",
    "autorun": "autorun",
    "maximum_rate_limit_delay": "maximumRateLimitDelay",
    "skip_lock_renewal": "skipLockRenewal",
    "stalled_interval": "stalledInterval",
    "max_stalled_count": "maxStalledCount",
    "skip_stalled_check": "skipStalledCheck",
    "max_started_attempts": "maxStartedAttempts",
    "drain_delay": "drainDelay",
    "name": "name",
}
