"""The worker as its user sees it: options, start, pause, close, hooks."""

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, Generic, Self, TypeVar, Unpack, cast

from bullpy.clock import SYSTEM_CLOCK, Clock
from bullpy.connection import BlockingClient, Client, ConnectionLike, Interrupted
from bullpy.emitter import Emitter
from bullpy.errors import BullError, OptionError
from bullpy.job import Fetched, FinishRules, Job, QueueContext, take
from bullpy.keys import DEFAULT_PREFIX, QueueKeys
from bullpy.options import WorkerOptions, WorkerSettings, milliseconds, parse_worker_options
from bullpy.scripts.locks import extend_locks
from bullpy.scripts.marker import read_marker
from bullpy.scripts.move import HandedOut, WorkTerms, fetch_jobs
from bullpy.worker import processor as processors
from bullpy.worker.doorbell import Doorbell
from bullpy.worker.fetcher import Fetcher
from bullpy.worker.locks import LockKeeper
from bullpy.worker.run import Run
from bullpy.worker.runner import Ended, Moved, Runner
from bullpy.worker.service import start_task
from bullpy.worker.stalled import StalledChecker
from bullpy.worker.succession import carry_on
from bullpy.worker.threads import Threads

Data = TypeVar("Data")
Result = TypeVar("Result")

EVENTS: Final = frozenset(
    {
        "active",
        "closed",
        "closing",
        "completed",
        "drained",
        "error",
        "failed",
        "lockRenewalFailed",
        "locksRenewed",
        "paused",
        "progress",
        "ready",
        "removed",
        "resumed",
        "stalled",
    }
)
FORCED_CLOSE_S: Final = 5.0  # how long a forced close tries to give its jobs back
IN_FLIGHT_S: Final = 5.0  # how long a call that may hand out jobs is waited for before an end


class Worker(Generic[Data, Result]):
    """Works on the jobs of one queue.

    The processor is `async def` (runs on the event loop) or `def` (runs on a thread, with a job
    whose methods block instead of being awaited). It takes `(job)`, `(job, token)` or
    `(job, token, signal)`; the signal asks it to stop. Whatever it raises fails or retries its job
    only.

    Args:
        name: The queue's name.
        processor: What to do with a job; None for a worker driven by hand.
        connection: URL, mapping of redis-py's arguments, or a client; None for
            `$BULLPY_REDIS_URL`, else `redis://127.0.0.1:6379`.
        prefix: What all keys begin with.
        clock: Tells the time.
        opts: Options as one mapping, in snake_case or BullMQ's camelCase.
        **options: See `WorkerOptions`.

    Raises:
        OptionError: An option or the processor is not usable.

    BullMQ: `Worker`.
    """

    def __init__(
        self,
        name: str,
        processor: Callable[..., Any] | None = None,
        /,
        *,
        connection: ConnectionLike = None,
        prefix: str = DEFAULT_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
        opts: Mapping[str, Any] | None = None,
        **options: Unpack[WorkerOptions],
    ) -> None:
        keys = QueueKeys(prefix, name)
        settings = parse_worker_options(
            {**(opts or {}), **options}, where=f"worker of queue {name}"
        )
        self._settings = settings
        self._emitter = Emitter(EVENTS, owner=f"worker of queue {name!r}")
        self._client = Client(connection, patience_ms=None, on_error=self._report)
        self._context = _context(keys, self._client, self._emitter, clock, settings)
        self._threads = Threads(f"bullpy-{name}")
        self._processor = processor
        bound = processors.bind(processor, name, self._threads) if processor else _NO_PROCESSOR
        self._runner = Runner(self._context, bound)
        self._locks = LockKeeper(
            self._context,
            Client(connection, patience_ms=settings.lock_duration),
            renew_s=0 if settings.skip_lock_renewal else settings.lock_renew_time / 1000,
        )
        self._fetcher = Fetcher(
            self._context,
            self._runner,
            concurrency=settings.concurrency,
            max_limit_ms=settings.maximum_rate_limit_delay,
            start=self._start_job,
            let_go=self._locks.untrack,
        )
        self._stalled = StalledChecker(
            self._context,
            interval_ms=settings.stalled_interval,
            max_stalled_count=settings.max_stalled_count,
        )
        self._bell: BlockingClient = self._client.blocking(keys.worker_name(settings.name or ""))
        self._doorbell = Doorbell(
            self._context, self._bell, self._fetcher, drain_delay_s=settings.drain_delay
        )
        self._runs: dict[asyncio.Task[Any], Run] = {}
        self._closing: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._forced = asyncio.Event()
        self._started = False
        self._waited = False

    # --- what it is ----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._context.keys.name

    @property
    def concurrency(self) -> int:
        """How many jobs run at once; may be changed at any time."""
        return self._fetcher.concurrency

    @concurrency.setter
    def concurrency(self, value: int) -> None:
        settings = parse_worker_options(
            {"concurrency": value}, where=f"worker of queue {self.name}"
        )
        self._fetcher.concurrency = settings.concurrency
        self._fetcher.ring()

    @property
    def is_running(self) -> bool:
        """Whether the worker takes jobs, or would if there were any."""
        return self._started and not self._fetcher.paused and self._closing is None

    @property
    def is_paused(self) -> bool:
        """Whether this worker is paused; see `Queue.is_paused` for the queue."""
        return self._fetcher.paused

    @property
    def running_jobs(self) -> Sequence[Job[Data, Result]]:
        """The jobs that are being worked on here now."""
        return [run.job for run in self._runs.values()]

    def on(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """Call `listener` at each local event; without one, a decorator.

        BullMQ's events: `ready`, `active` (job, prev), `progress` (job, value), `completed` (job,
        result, prev), `failed` (job, error, prev; also when it will be retried), `stalled` (job id,
        prev), `drained`, `error` (error), `lockRenewalFailed` (job ids), `locksRenewed`, `paused`,
        `resumed`, `closing`, `closed`.
        """
        return self._emitter.on(event, listener)

    def once(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """As `on`, for the next time only."""
        return self._emitter.once(event, listener)

    def off(self, event: str, listener: Callable[..., Any]) -> None:
        """Stop calling `listener`."""
        self._emitter.off(event, listener)

    # --- life ----------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        """Start working, unless `autorun` is off or there is no processor."""
        if self._processor is not None and self._settings.autorun:
            await self.start()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        """Close, waiting for running jobs."""
        await self.close()

    async def start(self) -> None:
        """Begin to work in the background.

        Raises:
            OptionError: There is no processor, or the worker is closed.
        """
        if self._processor is None:
            raise OptionError(f"No process function is defined for the worker of queue {self.name}")
        if self._closing is not None:
            raise OptionError(f"The worker of queue {self.name} is closed")
        if self._started:
            return
        self._started = True
        self._fetcher.start()
        self._doorbell.start()
        self._locks.start()
        if not self._settings.skip_stalled_check:
            self._stalled.start()
        await self._client.open()
        self._emitter.emit("ready")

    async def run(
        self,
        *,
        burst: bool = False,
        max_jobs: int | None = None,
        budget: float | timedelta | None = None,
        handle_signals: bool = True,
    ) -> int:
        """Work until closed; SIGTERM and SIGINT close gracefully, a second one by force.

        Args:
            burst: Return once the queue has nothing to run now; a rate limit is waited out.
            max_jobs: As `burst`, and after at most this many jobs.
            budget: Return after this time, ms or a `timedelta`: no job is started later, running
                ones are waited for.
            handle_signals: Close on SIGTERM and SIGINT, where the platform and thread allow it.

        Returns:
            How many jobs were started.

        Raises:
            OptionError: There is no processor, or `run` was called before.
        """
        if self._waited:
            raise OptionError(f"Worker is already running (queue {self.name})")
        self._waited = True
        self._fetcher.max_jobs = max_jobs
        budget_ms = None if budget is None else milliseconds(budget, name="budget", where="run")
        undo = self._catch_signals() if handle_signals else []
        try:
            await self.start()
            await self._until_done(burst=burst or max_jobs is not None, budget_ms=budget_ms)
            await self.close()
        finally:
            for number in undo:
                asyncio.get_running_loop().remove_signal_handler(number)
        return self._fetcher.taken

    async def _until_done(self, *, burst: bool, budget_ms: float | None) -> None:
        waiting = [start_task(_wait(self._ended), name="until closed")]
        if burst:
            waiting.append(start_task(_wait(self._fetcher.quiet), name="until nothing is left"))
        timeout = None if budget_ms is None else budget_ms / 1000
        try:
            await asyncio.wait(waiting, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.wait(waiting)

    def _catch_signals(self) -> list[signal.Signals]:
        loop, caught = asyncio.get_running_loop(), list[signal.Signals]()
        for number in (signal.SIGTERM, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self._on_signal)
            except (NotImplementedError, RuntimeError, ValueError):
                continue  # Windows, or not the main thread: whoever owns the process decides
            caught.append(number)
        return caught

    def _on_signal(self) -> None:
        if self._closing is None:
            self._closing = start_task(self._close(force=False), name="close")
        else:
            self._cancel_jobs()

    async def pause(self, *, do_not_wait_active: bool = False) -> None:
        """Stop taking jobs here, and wait for the running ones unless told otherwise.

        BullMQ: `Worker.pause`.
        """
        if self._fetcher.paused:
            return
        self._fetcher.paused = True
        self._fetcher.hungry.clear()
        self._bell.interrupt()
        await self._stalled.stop()
        answered = await self._fetcher.answered(IN_FLIGHT_S)
        if not do_not_wait_active and (answered or self._fetcher.holds_jobs):
            await self._wait_for_jobs()
        self._emitter.emit("paused")

    async def resume(self) -> None:
        """Take jobs again.

        BullMQ: `Worker.resume`.
        """
        if not self._fetcher.paused or self._closing is not None:
            return
        self._fetcher.paused = False
        self._fetcher.ring()
        if self._started and not self._settings.skip_stalled_check:
            self._stalled.start()
        self._emitter.emit("resumed")

    async def close(self, *, force: bool = False) -> None:
        """End the worker; may be called twice, at any time.

        Args:
            force: Don't wait for running jobs: cancel them and put them back to the front of the
                line at once. A function running on a thread can't be cancelled; its result is
                thrown away.

        BullMQ: `Worker.close`.
        """
        if self._closing is None:
            self._closing = start_task(self._close(force=force), name="close")
        elif force:
            self._cancel_jobs()
        await asyncio.shield(self._closing)

    async def _close(self, *, force: bool) -> None:
        self._emitter.emit("closing", "closing queue")
        self._fetcher.paused = True
        self._fetcher.hungry.clear()
        self._ended.set()
        await self._doorbell.stop()
        await self._bell.close()
        await self._stalled.stop()
        if force:
            self._cancel_jobs()
        # Without jobs, nobody waits for a Redis that is gone.
        if await self._fetcher.answered(IN_FLIGHT_S) or self._fetcher.holds_jobs:
            await self._wait_for_jobs_or_force()
        await self._fetcher.stop()
        await self._locks.stop()
        self._threads.shutdown()
        await self._client.close()
        self._emitter.emit("closed")
        await self._emitter.drain()

    async def _wait_for_jobs(self) -> None:
        while not self._fetcher.is_idle and self._fetcher.running:
            self._fetcher.quiet.clear()
            self._fetcher.wake()
            await self._fetcher.quiet.wait()

    async def _wait_for_jobs_or_force(self) -> None:
        """Wait for the jobs; once forced, for a bounded time only: Redis may be away for good."""
        jobs = start_task(self._wait_for_jobs(), name="until all jobs are stored")
        forced = start_task(_wait(self._forced), name="until forced")
        await asyncio.wait({jobs, forced}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({jobs}, timeout=FORCED_CLOSE_S if self._forced.is_set() else None)
        for task in (jobs, forced):
            task.cancel()
        await asyncio.wait({jobs, forced})

    def _cancel_jobs(self) -> None:
        if self._forced.is_set():
            return  # a second cancelling would hit jobs that are just being given back
        self._forced.set()
        for task, run in self._runs.items():
            # A task that has not begun could not give its job back; it will see that all is over.
            if self._locks.tracks(run):
                task.cancel()

    # --- one job -------------------------------------------------------------------------------

    def cancel_job(self, job_id: str, reason: str | BaseException | None = None) -> bool:
        """Ask one running job to stop.

        A processor that takes a signal sees it aborted, and decides what becomes of the job: what
        it returns completes it, what it raises fails or retries it. The call of an async processor
        that takes none is cancelled, and the job fails with the reason, or is retried. A plain
        function that takes no signal can't be stopped.

        Args:
            job_id: Which job.
            reason: Why; a text becomes an `AbortError`. An `UnrecoverableError` forbids a retry.

        Returns:
            Whether the job runs here and could be asked.

        BullMQ: `Worker.cancelJob`; it can't stop a processor without a signal.
        """
        return any(run.cancel(reason) for run in self._of_job(job_id))

    def cancel_all_jobs(self, reason: str | BaseException | None = None) -> None:
        """Ask all running jobs to stop, as `cancel_job`.

        BullMQ: `Worker.cancelAllJobs`.
        """
        for run in list(self._runs.values()):
            run.cancel(reason)

    def _of_job(self, job_id: str) -> list[Run]:
        return [run for run in self._runs.values() if run.job.id == job_id]

    def _start_job(self, job: Job[Any, Any], token: str) -> None:
        run = Run(job, token)
        task = start_task(self._work_on(run), name=f"job {job.id}")
        self._runs[task] = run
        task.add_done_callback(self._runs.pop)

    async def _work_on(self, run: Run) -> None:
        job, token = run.job, run.token
        self._locks.track(run)
        try:
            # Taken while the worker was being closed by force: nobody cancels it any more.
            over = self._forced.is_set()
            ended = None if over else await self._runner.run(run)
        except asyncio.CancelledError:
            ended = None
        except Exception as error:  # noqa: BLE001 - a bug of ours costs a stall, not the slot
            self._report(error)
            self._locks.untrack(job, token)
            self._fetcher.abandon()
            return
        self._locks.note_end(run)
        if ended is None:
            await self._give_back(job, token)
            self._fetcher.abandon()
        else:
            self._fetcher.note_end(ended)
        if not isinstance(ended, Ended):
            self._locks.untrack(job, token)

    async def _give_back(self, job: Job[Any, Any], token: str) -> None:
        """Put a job that was cancelled back to the front of the line."""
        if job.moved:
            return
        try:
            async with asyncio.timeout(FORCED_CLOSE_S):
                await job.move_to_wait(token)
        except (BullError, TimeoutError) as error:
            self._emitter.emit("error", error)

    def _report(self, error: Exception) -> None:
        self._emitter.emit("error", error)

    # --- by hand -------------------------------------------------------------------------------

    async def get_next_job(self, token: str, *, block: bool = False) -> Job[Data, Result] | None:
        """Take one job to work on it by hand: then `job.move_to_completed(...)` and the like.

        Its lock is not renewed (`job.extend_lock`), and a job with a `deferred_failure` is to be
        failed, not run.

        Args:
            token: A fresh token for the job's lock.
            block: Wait up to `drain_delay` for a job where there is none.

        Returns:
            The job; None if there is none, or the worker was paused or closed meanwhile.

        BullMQ: `Worker.getNextJob`.
        """
        if self._fetcher.paused:
            return None
        handed_out = await self._fetch(token)
        if handed_out.jobs or not block:
            return await self._first(handed_out, token)
        timeout = self._settings.drain_delay
        if handed_out.next_due:
            timeout = min(timeout, max(0.01, (handed_out.next_due - self._context.now()) / 1000))
        try:
            await self._bell.run(read_marker(self._context.keys, timeout), timeout=timeout)
        except Interrupted:
            return None
        return await self._first(await self._fetch(token), token)

    async def _fetch(self, token: str) -> HandedOut:
        context = self._context
        return await self._client.run(
            fetch_jobs(context.keys, context.terms, want=1, token=token, now=context.now())
        )

    async def _first(self, handed_out: HandedOut, token: str) -> Job[Data, Result] | None:
        if not handed_out.jobs:
            return None
        return await self._carried_on(take(self._context, handed_out.jobs[0], token))

    async def _carried_on(self, job: Job[Any, Any] | None) -> Job[Data, Result] | None:
        """A job just taken; if it is a scheduler's run, with the run after it added."""
        if job is not None and job.repeat_job_key and not await carry_on(self._context, [job]):
            return None
        return job

    async def process_job(
        self, job: Job[Data, Result], token: str, *, fetch_next: bool = False
    ) -> Job[Data, Result] | None:
        """Run one job taken by hand through this worker's own handling.

        Args:
            job: The job.
            token: The token it was taken with.
            fetch_next: Also take the next job, with the same token.

        Returns:
            The next job, if it was asked for and there is one.

        BullMQ: `Worker.processJob`.
        """
        ended = await self._run_by_hand(Run(job, token))
        if isinstance(ended, Moved):
            limited = ended.rate_limit_ttl > 0
            return await self.get_next_job(token) if fetch_next and not limited else None
        try:
            fetched = await self._store(ended, fetch_next=fetch_next)
        except BullError as error:
            self._report(error)
            if ended.error is not None and not job.deferred_failure:
                return None  # only what was not run gets a second failing, as in BullMQ
            ended = await self._runner.failed(job, error, token)
            try:
                fetched = await self._store(ended, fetch_next=fetch_next)
            except BullError as second:
                self._report(second)
                return None
        return await self._carried_on(fetched.job) if fetched else None

    async def _run_by_hand(self, run: Run) -> Ended | Moved:
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._runs[task] = run
        try:
            return await self._runner.run(run)
        finally:
            self._runs.pop(task, None)

    async def _store(self, ended: Ended, *, fetch_next: bool) -> Fetched | None:
        fetched = await ended.job.finish(ended.outcome, fetch_next=fetch_next)
        if ended.error is None:
            ended.job.returnvalue = ended.result
            self._emitter.emit("completed", ended.job, ended.result, "active")
        else:
            self._emitter.emit("failed", ended.job, ended.error, "active")
        return fetched

    async def check_stalled(self) -> list[str]:
        """Look for stalled jobs once, now: the ids of those put back into the line, in order.

        BullMQ: part of `Worker.startStalledCheckTimer`.
        """
        return await self._stalled.check()

    async def extend_job_locks(
        self, job_ids: Sequence[str], tokens: Sequence[str], duration: float | timedelta
    ) -> list[str]:
        """Renew the locks of jobs taken by hand, in one call, for `duration`: ms or a `timedelta`.

        Returns:
            The ids whose lock could not be renewed.

        Raises:
            OptionError: `duration` is no duration.

        BullMQ: `Worker.extendJobLocks`.
        """
        where = f"worker of queue {self.name}"
        duration_ms = int(milliseconds(duration, name="duration", where=where))
        return await self._client.run(
            extend_locks(self._context.keys, job_ids, tokens, duration_ms)
        )


async def _no_processor(run: Run) -> Any:
    name = run.job.queue_name
    raise OptionError(f"No process function is defined for the worker of queue {name}")


_NO_PROCESSOR: Final = processors.Bound(_no_processor, interruptible=False)


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


def _context(
    keys: QueueKeys, client: Client, emitter: Emitter, clock: Clock, settings: WorkerSettings
) -> QueueContext:
    limiter = settings.limiter
    return QueueContext(
        keys=keys,
        client=client,
        emitter=emitter,
        clock=clock,
        terms=WorkTerms(
            lock_ms=settings.lock_duration,
            worker=settings.name or "",
            limit_max=limiter.max if limiter else None,
            limit_ms=limiter.duration if limiter else None,
            max_points=settings.metrics.max_data_points if settings.metrics else None,
        ),
        rules=FinishRules(
            remove_on_complete=settings.remove_on_complete,
            remove_on_fail=settings.remove_on_fail,
            max_started_attempts=settings.max_started_attempts,
            backoff_strategy=settings.backoff_strategy,
            timeout=settings.timeout,
        ),
    )


__all__ = ["Worker"]
