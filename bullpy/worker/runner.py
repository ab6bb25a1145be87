"""Runs one job: calls the processor and sorts what came of it.

Whatever a processor does, the answer is an `Ended` to be stored, or a `Moved` where the job already
is somewhere else. Nothing a processor raises goes past this room, but the worker's own cancelling.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from bullpy.errors import (
    BullError,
    DelayedError,
    JsonError,
    RateLimitError,
    UnrecoverableError,
    WaitingChildrenError,
    WaitingError,
)
from bullpy.job import Job, outcome
from bullpy.job.context import QueueContext
from bullpy.scripts.move import Outcome
from bullpy.worker.processor import Bound, ThreadExit
from bullpy.worker.run import Run

TOO_MANY_STARTS: Final = "job started more than allowable limit"  # BullMQ's text

_MOVES: Final = {
    DelayedError: "job.move_to_delayed",
    WaitingError: "job.move_to_wait",
    WaitingChildrenError: "job.move_to_waiting_children",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that is over, for now or for good, and not stored yet.

    Attributes:
        job: Which job.
        outcome: What is to be stored.
        result: What the processor returned.
        error: What it raised; None if it returned.
    """

    job: Job[Any, Any]
    outcome: Outcome
    result: Any = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """A job that its processor, or a rate limit, has put elsewhere.

    Attributes:
        job: Which job.
        rate_limit_ttl: For how many ms not to fetch; 0 to go on.
    """

    job: Job[Any, Any]
    rate_limit_ttl: int = 0


class Runner:
    """Runs jobs with one processor.

    Args:
        context: The worker's queue.
        processor: What to do with a job.
    """

    def __init__(self, context: QueueContext, processor: Bound) -> None:
        self._context = context
        self._call = processor.call
        self._interruptible = processor.interruptible

    async def run(self, run: Run) -> Ended | Moved:
        """Run one job to its end.

        Raises:
            asyncio.CancelledError: The worker cancelled the task (and nobody else did).
        """
        job, token = run.job, run.token
        doom = self._doom(job)
        if doom is not None:
            return await self.failed(job, UnrecoverableError(doom), token)
        run.begin(
            interruptible=self._interruptible,
            timeout_ms=job.opts.timeout or self._context.rules.timeout,
        )
        try:
            result = await self._call(run)
        except BaseException as error:
            run.end()
            if _is_own_cancellation(error):
                raise
            return await self._after_error(job, _cause_of(error, run), token)
        run.end()
        if job.moved:
            return Moved(job)
        try:
            return Ended(job, outcome.completed(job, result, token), result=result)
        except JsonError as error:
            self._context.emitter.emit("error", error)
            return await self.failed(job, error, token)

    async def failed(self, job: Job[Any, Any], error: BaseException, token: str) -> Ended:
        """The end of a job by an error; also if its backoff can't be told."""
        try:
            ending = await outcome.failed(job, error, token)
        except Exception as second:  # noqa: BLE001 - foreign code: the backoff strategy
            self._context.emitter.emit("error", second)
            reason = f"{outcome.reason_of(error)} (then: {outcome.reason_of(second)})"
            ending = await outcome.failed(job, UnrecoverableError(reason), token)
        return Ended(job, ending, error=error)

    def _doom(self, job: Job[Any, Any]) -> str | None:
        """Why a job must fail without being run, if it must."""
        if job.deferred_failure:
            return job.deferred_failure
        limit = self._context.rules.max_started_attempts
        if limit and limit < job.attempts_started:
            return TOO_MANY_STARTS
        if job.problems:
            return (
                f"Job {job.id} of queue {job.queue_name} can't be read: {'; '.join(job.problems)}"
            )
        return None

    async def _after_error(
        self, job: Job[Any, Any], error: BaseException, token: str
    ) -> Ended | Moved:
        if job.moved:
            if not any(outcome.is_signal(error, kind) for kind in _MOVES):
                self._context.emitter.emit("error", error)
            return Moved(job)
        # BullMQ knows this one by its text only, so that it survives process borders.
        if outcome.reason_of(error) == RateLimitError.default_message:
            return await self._back_to_wait(job, token)
        for kind, call in _MOVES.items():
            if outcome.is_signal(error, kind):
                error = BullError(
                    f"{kind.__name__} was raised, but job {job.id} of queue {job.queue_name} was "
                    f"not moved; await {call}(...) first"
                )
        return await self.failed(job, error, token)

    async def _back_to_wait(self, job: Job[Any, Any], token: str) -> Ended | Moved:
        try:
            return Moved(job, await job.move_to_wait(token))
        except BullError as error:
            self._context.emitter.emit("error", error)
            return Moved(job)


def _cause_of(error: BaseException, run: Run) -> BaseException:
    """What went wrong, without the wrappings in which it came."""
    if isinstance(error, ThreadExit):
        return error.cause
    if isinstance(error, asyncio.CancelledError) and run.interrupted is not None:
        return run.interrupted
    return error


def _is_own_cancellation(error: BaseException) -> bool:
    """Whether this task was cancelled from outside, rather than its processor raising the same."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0
