"""One job under way: its signal, its time limit, and the ways to stop it."""

import asyncio
from typing import Any

from bullpy.abort import AbortController, AbortSignal, abort_reason
from bullpy.errors import JobTimeoutError, LockLostError
from bullpy.job import Job


class Run:
    """One attempt of one job on this worker.

    Two ways to stop it: its signal asks the processor, which decides by itself what then becomes
    of the job; an interrupt cancels the call, and the job fails with the reason.

    Args:
        job: The job.
        token: The token of its lock.
    """

    __slots__ = ("_controller", "_interruptible", "_limit", "_reason", "_task", "job", "token")

    def __init__(self, job: Job[Any, Any], token: str) -> None:
        self.job = job
        self.token = token
        self._controller: AbortController | None = None
        self._reason: BaseException | None = None
        self._task: asyncio.Task[Any] | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._interruptible = False

    @property
    def signal(self) -> AbortSignal:
        """What asks the processor to stop; made when it is first asked for."""
        if self._controller is None:
            self._controller = AbortController()
        return self._controller.signal

    @property
    def interrupted(self) -> BaseException | None:
        """Why the call was cancelled; None if it was not."""
        return self._reason

    # --- the call, from begin to end -----------------------------------------------------------

    def begin(self, *, interruptible: bool, timeout_ms: float | None) -> None:
        """The processor is about to be called, in the current task.

        Args:
            interruptible: Whether cancelling the call stops the work.
            timeout_ms: For how long it may run; None for ever.
        """
        self._task = asyncio.current_task()
        self._interruptible = interruptible
        if timeout_ms:
            loop = asyncio.get_running_loop()
            self._limit = loop.call_later(timeout_ms / 1000, self._expire, timeout_ms)

    def end(self) -> None:
        """The processor has returned or raised: from here on nothing stops the job."""
        task, self._task = self._task, None
        if self._limit is not None:
            self._limit.cancel()
        if self._reason is not None and task is not None:
            task.uncancel()

    # --- ways to stop it -----------------------------------------------------------------------

    def cancel(self, reason: str | BaseException | None) -> bool:
        """Ask a processor that takes a signal to stop, or cancel the call of one that is async.

        Returns:
            Whether it could be asked: False after its end, and for a plain function without a
            signal.
        """
        if self._task is None:
            return False
        if self._controller is not None:
            self._controller.abort(reason)
        elif self._interruptible:
            self._interrupt(abort_reason(reason))
        else:
            return False
        return True

    def lose_lock(self) -> None:
        """Tell a processor that takes a signal that the job is not its own any more."""
        if self._controller is not None:
            job = self.job
            self._controller.abort(
                LockLostError(
                    f"The lock of job {job.id} of queue {job.queue_name} was lost: another worker "
                    "may be working on it"
                )
            )

    def _expire(self, timeout_ms: float) -> None:
        job = self.job
        reason = JobTimeoutError(
            f"Job {job.id} of queue {job.queue_name} ran longer than its timeout of "
            f"{timeout_ms:g} ms"
        )
        if self._controller is not None:
            self._controller.abort(reason)
        self._interrupt(reason)

    def _interrupt(self, reason: BaseException) -> None:
        task = self._task
        if task is None or self._reason is not None:
            return
        if task is asyncio.current_task():
            # It asked for its own end: it is stopped where it waits next, not here.
            asyncio.get_running_loop().call_soon(self._interrupt, reason)
            return
        self._reason = reason
        task.cancel()
