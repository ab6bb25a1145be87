"""The heart of a worker: one exchange with Redis after the other.

Each exchange stores what ended since the last one and takes as many jobs as there are free slots,
never more, so nothing is hoarded. One exchange is under way at a time; the jobs that came with one
are started while the server is busy with the next, which with many slots halves the time they take.
While there is nothing to do it sleeps until a slot ends, the marker rings (`doorbell`), or the next
delayed job is due.
"""

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final, TypeVar
from uuid import uuid4

from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.job import Job, finish_error, note_end, take
from bullpy.job.context import QueueContext
from bullpy.scripts.move import (
    MAX_OUTCOMES,
    Finished,
    HandedOut,
    Target,
    fetch_jobs,
    finish_jobs,
    reclaim_jobs,
)
from bullpy.scripts.spec import Call
from bullpy.types import State
from bullpy.worker.runner import Ended, Moved, Runner
from bullpy.worker.service import Service
from bullpy.worker.succession import carry_on

T = TypeVar("T")

# A script that fails each time (a key of the wrong type, say) must not keep a core busy.
FAULT_PAUSE_S: Final = (0.1, 5.0)

# With this many slots, an exchange takes half of them: so there is work here while the other half
# is with the server. With fewer, twice as many calls cost more than that gains.
MANY_SLOTS: Final = 32

NO_TOKEN: Final = ""  # no job was ever handed out under it

_COMMANDS: Final = {
    Target.RETRY: "retryJob",
    Target.BACKOFF: "moveToDelayed",
    Target.COMPLETED: "moveToFinished",
    Target.FAILED: "moveToFinished",
}


class Fetcher(Service):
    """Stores what ended, takes what is next.

    Args:
        context: The worker's queue.
        runner: For failing jobs whose completion was refused.
        concurrency: How many jobs run at once; may be changed at any time.
        max_limit_ms: Longest pause for a rate limit before looking again, in ms.
        start: Starts a job that was taken.
        let_go: Told when the end of a job is stored, or can't be: its lock is not needed any more.
    """

    def __init__(
        self,
        context: QueueContext,
        runner: Runner,
        *,
        concurrency: int,
        max_limit_ms: int,
        start: Callable[[Job[Any, Any], str], None],
        let_go: Callable[[Job[Any, Any], str], None],
    ) -> None:
        super().__init__(f"fetcher of {context.keys.name}", context.emitter)
        self._context = context
        self._runner = runner
        self._max_limit_ms = max_limit_ms
        self._start_job = start
        self._let_go = let_go
        self._ended: deque[Ended] = deque()
        self._wake = asyncio.Event()
        self._numbers = count()
        self._id = str(uuid4())
        self._rung = True
        self._drained = False
        self._due: float | None = None
        self._limited_until = 0
        self._faults = 0
        self._unanswered: tuple[list[Ended], str] | None = None
        self._arrived: tuple[Sequence[tuple[str, list[str]]], str] = ((), NO_TOKEN)
        self.concurrency = concurrency
        self.occupied = 0
        self.taken = 0
        self.max_jobs: int | None = None
        self.paused = False
        self.hungry = asyncio.Event()
        self.quiet = asyncio.Event()
        self._storing = 0
        self._answered = asyncio.Event()  # no call is under way
        self._answered.set()

    # --- what others tell ----------------------------------------------------------------------

    def ring(self) -> None:
        """There may be something to take."""
        self._rung = True
        self.hungry.clear()
        self._wake.set()

    def note_due(self, due_ms: float) -> None:
        """A delayed job is due then."""
        if self._due is None or due_ms < self._due:
            self._due = due_ms
            self._wake.set()

    def note_end(self, ended: Ended | Moved) -> None:
        """A job is over, or has moved elsewhere."""
        if isinstance(ended, Ended):
            self._ended.append(ended)
        else:
            self._vacate()
            if ended.rate_limit_ttl:
                self._limit(ended.rate_limit_ttl)
            self._rung = True
        self._wake.set()

    def abandon(self) -> None:
        """A job was cancelled and will not report."""
        self._vacate()
        self._wake.set()

    def wake(self) -> None:
        """Something changed: look again."""
        self._wake.set()

    @property
    def has_room(self) -> bool:
        """Whether a job could be taken now."""
        return self._room() > 0 and not self._is_limited()

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs, nothing waits to be stored and nothing can be taken now."""
        return not self.holds_jobs and self._answered.is_set() and not self._want()

    @property
    def holds_jobs(self) -> bool:
        """Whether jobs are running here, or ended and are not stored yet."""
        unanswered = self._unanswered is not None and bool(self._unanswered[0])
        return self.occupied > 0 or bool(self._ended) or self._storing > 0 or unanswered

    def next_token(self) -> str:
        """A fresh lock token of this worker."""
        return f"{self._id}:{next(self._numbers)}"

    # --- the loop ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Exchange, or sleep, for ever."""
        while True:
            if self._unanswered is not None or self._ended or self._want():
                await self._turn()
            elif self._arrived[0]:
                await self._start_arrived()
            else:
                await self._sleep()

    async def _turn(self) -> None:
        self.quiet.clear()
        self._answered.clear()
        try:
            if self._unanswered is not None:
                await self._follow_up(*self._unanswered)
            else:
                await self._exchange()
        finally:
            self._storing = 0
            if self._unanswered is None:
                self._answered.set()

    async def answered(self, patience_s: float) -> bool:
        """Wait, not for ever, until no call is under way whose reply may hand out jobs."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                await self._answered.wait()
        return self._answered.is_set()

    async def _sleep(self) -> None:
        # While limited, a burst is not over: jobs may be waiting for the limit's end.
        if self.is_idle and (self.paused or not self._is_limited()):
            self.quiet.set()
        if self.has_room:
            self.hungry.set()
        try:
            async with asyncio.timeout(self._time_left()):
                await self._wake.wait()
        except TimeoutError:
            self._rung = True
        self._wake.clear()

    def _time_left(self) -> float | None:
        """Seconds until there may be something to take; None if only an event can tell."""
        if not self._room():
            return None
        moment = self._limited_until if self._is_limited() else self._due
        return None if moment is None else max(0.0, (moment - self._context.now()) / 1000)

    def _is_limited(self) -> bool:
        return self._limited_until > self._context.now()

    def _limit(self, ttl_ms: int) -> None:
        self._limited_until = self._context.now() + min(ttl_ms, self._max_limit_ms)

    def _vacate(self) -> None:
        self.occupied -= 1

    def _room(self) -> int:
        if self.paused:
            return 0
        room = self.concurrency - self.occupied
        if self.max_jobs is not None:
            room = min(room, self.max_jobs - self.taken)
        return max(0, min(room, self._share()))

    def _share(self) -> int:
        """How many jobs one exchange stores, and takes, at most."""
        slots = self.concurrency
        return min(slots if slots < MANY_SLOTS else (slots + 1) // 2, MAX_OUTCOMES)

    def _want(self) -> int:
        return self._room() if self._rung and not self._is_limited() else 0

    # --- one exchange --------------------------------------------------------------------------

    async def _exchange(self) -> None:
        batch = [self._ended.popleft() for _ in range(min(len(self._ended), self._share()))]
        self.occupied -= len(batch)
        self._storing = len(batch)
        want = 0 if self._is_limited() else self._room()
        try:
            await self._attempt(batch, want)
            self._faults = 0
        except BullError as error:
            self._context.emitter.emit("error", error)
            await self._isolate_fault(batch)

    async def _attempt(self, batch: list[Ended], want: int) -> None:
        token, now = self.next_token(), self._context.now()
        try:
            finished = await self._call(batch, want, token, now)
        except ConnectionError as error:
            self._context.emitter.emit("error", error)
            self._unanswered = (batch, token)
            return
        await self._settle(batch, finished.statuses, now, resent=False)
        if finished.handed_out is not None:
            self._take(finished.handed_out, want, token)

    async def _call(self, batch: list[Ended], want: int, token: str, now: int) -> Finished:
        context = self._context
        if batch:
            outcomes = [ended.outcome for ended in batch]
            return await self._meanwhile(
                finish_jobs(context.keys, outcomes, context.terms, want=want, token=token, now=now)
            )
        handed_out = await self._meanwhile(
            fetch_jobs(context.keys, context.terms, want=want, token=token, now=now)
        )
        return Finished([], handed_out)

    async def _meanwhile(self, call: Call[T]) -> T:
        """Send a call, and start the jobs that came with the one before while it is answered."""
        reply = self._context.client.post(call)
        try:
            if self._arrived[0]:
                await asyncio.sleep(0)  # the call leaves before this thread gets busy
                await self._start_arrived()
        except BaseException:
            reply.cancel()
            raise
        return call.decode(await reply)

    async def _follow_up(self, batch: list[Ended], token: str) -> None:
        """After a lost reply: find the jobs that came with it, send the outcomes again.

        Whether the call was carried out is not known. Jobs handed out under its token are; an
        outcome that is refused now was stored then, if its job is not active any more.
        """
        context, now = self._context, self._context.now()
        try:
            reclaimed = await context.client.run(reclaim_jobs(context.keys, token))
            # Found once; a second look would start them again.
            self._unanswered = (batch, NO_TOKEN)
            self._arrive(reclaimed, token)
            await self._start_arrived()
            finished = await self._call(batch, 0, token, now) if batch else Finished([], None)
        except ConnectionError as error:
            context.emitter.emit("error", error)
            await self._pause_for_fault()
            return
        self._unanswered = None
        self._faults = 0
        self._rung = True
        await self._settle(batch, finished.statuses, now, resent=True)

    async def _isolate_fault(self, batch: list[Ended]) -> None:
        """After a script's own failure: store outcomes one by one, so that one hurts no other."""
        if len(batch) > 1:
            for ended in batch:
                await self._exchange_alone(ended)
            return
        for ended in batch:
            self._let_go(ended.job, ended.outcome.token)
        await self._pause_for_fault()

    async def _pause_for_fault(self) -> None:
        low, high = FAULT_PAUSE_S
        pause = min(high, low * 2 ** min(self._faults, 10))
        self._faults += 1
        await asyncio.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 - jitter

    async def _exchange_alone(self, ended: Ended) -> None:
        if self._unanswered is not None:  # one reply was lost meanwhile: this has to wait
            self.occupied += 1
            self._ended.append(ended)
            return
        try:
            await self._attempt([ended], 0)
        except BullError as error:
            self._context.emitter.emit("error", error)
            self._let_go(ended.job, ended.outcome.token)

    async def _settle(
        self, batch: list[Ended], statuses: list[int], now: int, *, resent: bool
    ) -> None:
        for ended, status in zip(batch, statuses, strict=True):
            if status == 0 or (resent and await self._has_left(ended.job)):
                self._announce(ended, now)
            else:
                await self._refused(ended, status)

    async def _has_left(self, job: Job[Any, Any]) -> bool:
        """Whether a job that may have been stored before is not active any more."""
        return await job.get_state() is not State.ACTIVE

    def _announce(self, ended: Ended, now: int) -> None:
        job, emitter = ended.job, self._context.emitter
        self._let_go(job, ended.outcome.token)
        note_end(job)
        if ended.outcome.target is not Target.RETRY and ended.outcome.target is not Target.BACKOFF:
            job.finished_on = now
        if ended.error is None:
            job.returnvalue = ended.result
            emitter.emit("completed", job, ended.result, "active")
        else:
            emitter.emit("failed", job, ended.error, "active")

    async def _refused(self, ended: Ended, status: int) -> None:
        """Report a refused outcome; a refused completion then fails the job, as in BullMQ."""
        error = finish_error(ended.job, status, _COMMANDS[ended.outcome.target])
        self._context.emitter.emit("error", error)
        if ended.error is None:
            self.occupied += 1
            self._ended.append(await self._runner.failed(ended.job, error, ended.outcome.token))
        else:
            self._let_go(ended.job, ended.outcome.token)

    def _take(self, reply: HandedOut, want: int, token: str) -> None:
        context = self._context
        self._due = reply.next_due or None
        if reply.rate_limit_ttl:
            self._limit(reply.rate_limit_ttl)
        self._rung = len(reply.jobs) == want and want > 0
        if reply.jobs:
            self._drained = False
        elif want and not self._drained:
            self._drained = True
            context.emitter.emit("drained")
        self._arrive(reply.jobs, token)

    def _arrive(self, handed_out: Sequence[tuple[str, list[str]]], token: str) -> None:
        self._arrived = (handed_out, token)
        self.occupied += len(handed_out)
        self.taken += len(handed_out)

    async def _start_arrived(self) -> None:
        (handed_out, token), self._arrived = self._arrived, ((), NO_TOKEN)
        runs: list[Job[Any, Any]] = []
        for handed in handed_out:
            job = take(self._context, handed, token)
            if job.repeat_job_key:
                runs.append(job)
            else:
                self._launch(job, token)
        if runs:
            ready = await carry_on(self._context, runs)
            self.occupied -= len(runs) - len(ready)
            for job in ready:
                self._launch(job, token)

    def _launch(self, job: Job[Any, Any], token: str) -> None:
        self._context.emitter.emit("active", job, "waiting")
        self._start_job(job, token)
