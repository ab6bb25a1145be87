"""Keeps the locks of running jobs: renews all of them in one call, well before they expire.

It works from a thread of its own, with a connection of its own that is opened when a job first
lives long enough to need it, so that a processor that blocks the event loop does not cost the
other jobs their locks.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bullpy.connection import Client
from bullpy.errors import BullError
from bullpy.job import Job
from bullpy.job.context import QueueContext
from bullpy.scripts.locks import extend_locks
from bullpy.worker.run import Run

# A loop that has been blocked for this many lock durations hangs for good: its jobs' locks are
# let go, so that other workers recover the jobs.
PATIENCE_WITH_BLOCKED_LOOP: Final = 10


STOP_S: Final = 5.0  # how long closing a worker waits for the thread, which is a daemon


@dataclass(slots=True)
class _Held:
    run: Run
    renewed_at: float
    ended: bool = False


class LockKeeper:
    """Renews the locks of the jobs it was told of.

    Args:
        context: The worker's queue.
        client: A client of its own for the thread.
        renew_s: Renew each lock this often, in seconds; 0 or less never does.
    """

    def __init__(
        self,
        context: QueueContext,
        client: Client,
        *,
        renew_s: float,
    ) -> None:
        self._context = context
        self._client = client
        self._renew_s = renew_s
        self._held: dict[tuple[str, str], _Held] = {}
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._heartbeat = 0.0

    def track(self, run: Run) -> None:
        """Keep the lock of this job from now on."""
        self._held[run.job.id, run.token] = _Held(run, self._context.clock.monotonic())

    def note_end(self, run: Run) -> None:
        """The job is over: its lock is kept until that is stored; nobody is told of its loss."""
        held = self._held.get((run.job.id, run.token))
        if held is not None:
            held.ended = True

    def untrack(self, job: Job[Any, Any], token: str) -> None:
        """Let the lock of this job be."""
        self._held.pop((job.id, token), None)

    def tracks(self, run: Run) -> bool:
        """Whether this job's lock is being kept."""
        return (run.job.id, run.token) in self._held

    def start(self) -> None:
        """Start renewing, unless it is switched off or running."""
        if self._renew_s <= 0 or self._thread is not None:
            return
        self._ending.clear()
        self._thread = threading.Thread(
            target=self._work,
            args=(asyncio.get_running_loop(),),
            name=f"bullpy-locks-{self._context.keys.name}",
            daemon=True,
        )
        self._thread.start()

    async def stop(self) -> None:
        """Stop renewing and close the connection."""
        thread, self._thread = self._thread, None
        self._held.clear()
        if thread is None:
            return
        self._ending.set()
        # A renewal under way may wait for a Redis that is gone; the thread ends after it.
        await asyncio.to_thread(thread.join, STOP_S)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        self._heartbeat = self._context.clock.monotonic()
        with asyncio.Runner() as runner:
            while not self._ending.wait(self._renew_s / 2):
                _post(loop, self._beat)
                due = self._due()
                if due:
                    self._renew(runner, loop, due)
            runner.run(self._client.close())

    def _beat(self) -> None:
        self._heartbeat = self._context.clock.monotonic()

    def _due(self) -> list[_Held]:
        now = self._context.clock.monotonic()
        lock_s = self._context.terms.lock_ms / 1000
        if now - self._heartbeat > PATIENCE_WITH_BLOCKED_LOOP * lock_s:
            return []
        return [
            held for held in list(self._held.values()) if now - held.renewed_at > self._renew_s / 2
        ]

    def _renew(
        self, runner: asyncio.Runner, loop: asyncio.AbstractEventLoop, due: Sequence[_Held]
    ) -> None:
        context = self._context
        call = extend_locks(
            context.keys,
            [held.run.job.id for held in due],
            [held.run.token for held in due],
            context.terms.lock_ms,
        )
        try:
            lost = set(runner.run(self._client.run(call)))
        except Exception as error:  # noqa: BLE001 - the thread outlives a bug, which is reported
            _post(loop, context.emitter.emit, "error", error)
            return
        now = context.clock.monotonic()
        for held in due:
            held.renewed_at = now
        _post(loop, self._report, due, lost)

    def _report(self, due: Sequence[_Held], lost: set[str]) -> None:
        """On the event loop: tell of what was renewed and what was lost meanwhile."""
        emitter = self._context.emitter
        kept = [held.run.job.id for held in due if held.run.job.id not in lost]
        # A job that ended may have been stored before the call: its lock was given back, not lost.
        gone = [h for h in due if h.run.job.id in lost and not h.ended]
        if gone:
            emitter.emit("lockRenewalFailed", [held.run.job.id for held in gone])
        for held in gone:
            held.run.lose_lock()
            emitter.emit("error", BullError(f"could not renew lock for job {held.run.job.id}"))
        if kept:
            emitter.emit("locksRenewed", {"count": len(kept), "jobIds": kept})


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *args: object) -> None:
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        return  # the loop was closed without closing the worker; nobody is left to tell
