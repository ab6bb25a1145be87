"""How a job ends: from a result or an error to the `Outcome` that the script stores.

One place decides on retrying, backoff, retention, reason and stack trace, for jobs driven by hand
and by a worker alike.
"""

import inspect
import math
import traceback
from typing import TYPE_CHECKING, Any, Final

import msgpack

from bullpy.backoff import is_built_in, next_delay
from bullpy.codec import dump_json
from bullpy.errors import OptionError, SignalError, UnrecoverableError
from bullpy.scripts.move import Outcome, Target

if TYPE_CHECKING:
    from bullpy.job.job import Job

GIVE_UP: Final = -1  # what a custom backoff strategy answers to fail the job at once


def completed(job: "Job[Any, Any]", value: Any, token: str) -> Outcome:
    """The outcome of a job that returned `value`.

    Raises:
        JsonError: JSON can't hold the value.
    """
    opts = job.opts
    keep = opts.remove_on_complete
    return Outcome(
        job.id,
        token,
        Target.COMPLETED,
        value=dump_json(value),
        keep=job.context.rules.remove_on_complete if keep is None else keep,
        attempts=opts.attempts,
    )


async def failed(job: "Job[Any, Any]", error: BaseException, token: str) -> Outcome:
    """The outcome of a job that raised `error`: a retry, now or later, or the end.

    Notes the failure on the job: its reason and, at the end of its stack traces, where it was.

    Raises:
        OptionError: The job's backoff type is neither built in nor covered by a strategy.
    """
    context, opts = job.context, job.opts
    target, detail = Target.FAILED, ""
    if not is_unrecoverable(error) and job.attempts_made + 1 < opts.attempts:
        target, detail = await _retry(job, error)
    note_failure(job, error)
    keep = opts.remove_on_fail
    fields = ["failedReason", job.failed_reason, "stacktrace", dump_json(job.stacktrace)]
    return Outcome(
        job.id,
        token,
        target,
        value=job.failed_reason or "",
        keep=context.rules.remove_on_fail if keep is None else keep,
        attempts=opts.attempts,
        detail=detail,
        fields=msgpack.packb(fields, unicode_errors="surrogateescape"),
    )


def note_failure(job: "Job[Any, Any]", error: BaseException) -> None:
    """Write reason and stack trace of a failure into the job object, within its limit."""
    limit = job.opts.stack_trace_limit
    job.failed_reason = reason_of(error)
    stack = stack_of(error)
    if stack:
        job.stacktrace.append(stack)
    if limit is not None:
        job.stacktrace = job.stacktrace[-limit:] if limit > 0 else []


def is_unrecoverable(error: BaseException) -> bool:
    """Whether an error forbids a retry: by class or, across process borders, by its class name."""
    return isinstance(error, UnrecoverableError) or type(error).__name__ == "UnrecoverableError"


def reason_of(error: BaseException) -> str:
    """The text stored as the job's failure: the error's own, or else its class name."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - foreign code: an exception's own __str__ may raise
        text = ""
    return _storable(text) or type(error).__name__


def _storable(text: str) -> str:
    """The text as Redis can hold it: half a surrogate pair becomes U+FFFD, as in JavaScript."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def stack_of(error: BaseException) -> str:
    """Where the error was raised, as text.

    An error that crossed a process border carries its own in `stack`; None means it has none.
    """
    if hasattr(error, "stack"):
        return getattr(error, "stack") or ""  # noqa: B009 - not an attribute that exceptions declare
    if error.__traceback__ is None:
        return f"{type(error).__name__}: {reason_of(error)}"
    try:
        return "".join(traceback.format_exception(error)).rstrip()
    except Exception:  # noqa: BLE001 - formatting calls the exception's own methods
        return f"{type(error).__name__}: {reason_of(error)}"


def is_signal(error: BaseException, kind: type[SignalError]) -> bool:
    """Whether a processor raised a signal of this kind: by class or by class name."""
    return isinstance(error, kind) or type(error).__name__ == kind.__name__


async def _retry(job: "Job[Any, Any]", error: BaseException) -> tuple[Target, Any]:
    limit = job.context.rules.max_started_attempts
    if limit and limit <= job.attempts_started:
        return Target.FAILED, ""
    delay = await _delay(job, error)
    if delay == GIVE_UP and not _has_built_in_backoff(job):
        return Target.FAILED, ""
    job.delay = delay or 0
    if delay:
        return Target.BACKOFF, delay
    return Target.RETRY, "RPUSH" if job.opts.lifo else "LPUSH"


def _has_built_in_backoff(job: "Job[Any, Any]") -> bool:
    return job.opts.backoff is None or is_built_in(job.opts.backoff)


async def _delay(job: "Job[Any, Any]", error: BaseException) -> int | float | None:
    """Milliseconds until the retry: None or 0 for at once, -1 to give up."""
    context, backoff = job.context, job.opts.backoff
    made = job.attempts_made + 1
    if backoff is None:
        return None
    if is_built_in(backoff):
        return next_delay(backoff, made, context.random)
    strategy = context.rules.backoff_strategy
    if strategy is None:
        raise OptionError(
            f"Unknown backoff strategy {backoff.type}.\n"
            "      If a custom backoff strategy is used, specify it when the queue is created. "
            f"(job {job.id} of queue {job.queue_name})"
        )
    answer = strategy(made, backoff.type, error, job)
    delay = await answer if inspect.isawaitable(answer) else answer
    return _checked_delay(delay, job)


def _checked_delay(delay: Any, job: "Job[Any, Any]") -> int | float | None:
    if delay is None:
        return None
    if isinstance(delay, bool) or not isinstance(delay, int | float) or not math.isfinite(delay):
        raise OptionError(
            f"The backoff strategy of queue {job.queue_name} answered {delay!r} for job {job.id}; "
            "it must answer milliseconds, 0 to retry at once, or -1 to fail"
        )
    return delay
