"""Options of one job as a user types them.

Each may also be spelled as BullMQ does (`removeOnFail`). What the rest of bullpy works with is
`JobSettings`.
"""

from datetime import datetime, timedelta
from typing import TypedDict

from bullpy.options.retention import KeepJobsOptions


class BackoffOptions(TypedDict, total=False):
    """How long to wait before a retry."""

    type: str
    """`fixed`, `exponential` (2^(n-1) times `delay` before retry n), or a name that the worker's
    `backoff_strategy` knows. Must be given."""
    delay: float | timedelta
    """Base delay in ms; none."""
    jitter: float
    """0 to 1: which share of the delay is drawn at random; 0."""


class DeduplicationOptions(TypedDict, total=False):
    """When a job counts as a duplicate of another, and what becomes of it then."""

    id: str
    """What the jobs have in common. Must be given."""
    ttl: float | timedelta
    """Duplicates are dropped for so many ms; without it, until the job finishes."""
    extend: bool
    """Each duplicate starts the `ttl` anew; False."""
    replace: bool
    """A duplicate takes the place of a job that is still delayed; False."""
    reschedule: bool
    """A duplicate moves the time of a job that is still delayed; False."""
    keep_last_if_active: bool
    """The last duplicate that comes while the job is being worked on runs afterwards; False."""


class ParentOptions(TypedDict):
    """The job under which this one hangs."""

    id: str
    """The parent's id."""
    queue: str
    """The parent's queue with its prefix, such as `bull:reports`."""


class TelemetryOptions(TypedDict, total=False):
    """Trace context carried by the job."""

    metadata: str
    """The context, as text; none."""
    omit_context: bool
    """Carry none; False."""


class JobOptions(TypedDict, total=False):
    """Options of one job. None for an option means: not given, whatever the queue's default."""

    job_id: str
    """An id of one's own: no second job with it is added. Neither a whole number nor the name of
    one of the queue's keys; no colon, or two. Left out, the queue counts."""
    priority: int
    """1 to 2097151, lower goes first; 0, the default, for none, which goes before all. With
    `delay`, it counts when that is over."""
    delay: float | timedelta
    """Run so many ms after `timestamp`; 0."""
    lifo: bool
    """Run before those that wait, instead of after them; False. No effect with `priority`."""
    attempts: int
    """How many tries in all; 0, the default, and 1 mean one."""
    backoff: int | float | timedelta | BackoffOptions
    """How long to wait before a retry; a number is a fixed delay in ms. Left out, none."""
    timeout: float | timedelta
    """How long one try may run, in ms; the worker's, else without end. bullpy's own: it is stored,
    but BullMQ's workers pay no heed to it."""
    remove_on_complete: bool | int | KeepJobsOptions
    """Retention once completed: True removes, False keeps, a number keeps that many newest. Left
    out, the worker's rule."""
    remove_on_fail: bool | int | KeepJobsOptions
    """Retention once failed for good; as `remove_on_complete`."""
    keep_logs: int
    """How many of the newest log rows to keep; all."""
    stack_trace_limit: int
    """How many of the newest stack traces to keep, one per failed try, 0 for none; all."""
    size_limit: int
    """How many bytes of UTF-8 the data's JSON may have; no limit."""
    timestamp: float | datetime
    """When the job was made: ms since 1970, or an aware datetime; now."""
    deduplication: DeduplicationOptions
    """When the job counts as a duplicate; never. Excludes `parent`."""
    parent: ParentOptions
    """The job that waits for this one; none. Excludes `deduplication`."""
    fail_parent_on_failure: bool
    """If this job fails for good, so does its parent; False. Excludes the other three policies."""
    continue_parent_on_failure: bool
    """If this job fails for good, its parent starts at once; False. Excludes the other three."""
    ignore_dependency_on_failure: bool
    """If this job fails for good, its parent goes on without it; False. Excludes the others."""
    remove_dependency_on_failure: bool
    """If this job fails for good, its parent forgets it; False. Excludes the other three."""
    telemetry: TelemetryOptions
    """Trace context carried by the job; none."""
