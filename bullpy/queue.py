"""The queue as its user sees it: adding jobs, and changing the queue as a whole.

Job schedulers are inherited from `SchedulingQueue`, reading from `QueueReader`.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar, Unpack

from bullpy.adding import AddedJob, Adder, batches, prepare, refusal
from bullpy.clock import SYSTEM_CLOCK, Clock
from bullpy.codec import dump_json
from bullpy.connection import ConnectionLike
from bullpy.errors import BulkAddError, BullError, OptionError
from bullpy.job import Job
from bullpy.keys import DEFAULT_PREFIX
from bullpy.options import (
    ABSENT,
    Absent,
    JobOptions,
    NewJobEntry,
    QueueOptions,
    check_name,
    finished_state,
    milliseconds,
    moment,
    parse_bulk_entry,
    parse_job_options,
    parse_queue_options,
    state_name,
)
from bullpy.orphans import remove_orphans
from bullpy.scheduler import SchedulerRoom
from bullpy.scheduling import SchedulingQueue
from bullpy.scripts import jobs, manage
from bullpy.scripts.add import add_jobs
from bullpy.types import State
from bullpy.version import __version__

Data = TypeVar("Data")
Result = TypeVar("Result")

LIBRARY: Final = "bullpy"


class Queue(SchedulingQueue[Data, Result], Generic[Data, Result]):
    """One queue: adds jobs, and changes the queue as a whole.

    Making one does no I/O. Queues with the same connection settings share one connection.

    Args:
        name: The queue's name, without a colon.
        connection: URL, mapping of redis-py's arguments, or a client; None for
            `$BULLPY_REDIS_URL`, else `redis://127.0.0.1:6379`.
        prefix: What all keys begin with.
        clock: Tells the time.
        patience_ms: How long a call waits for a server that is away, in ms.
        opts: Options as one mapping, in snake_case or BullMQ's camelCase.
        **options: See `QueueOptions`.

    Raises:
        OptionError: The name or an option is not usable.

    BullMQ: `Queue`.
    """

    def __init__(
        self,
        name: str,
        *,
        connection: ConnectionLike = None,
        prefix: str = DEFAULT_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
        patience_ms: int = 10_000,
        opts: Mapping[str, Any] | None = None,
        **options: Unpack[QueueOptions],
    ) -> None:
        super().__init__(
            name, connection=connection, prefix=prefix, clock=clock, patience_ms=patience_ms
        )
        self._settings = parse_queue_options({**(opts or {}), **options}, where=f"queue {name}")
        self._adder = Adder(self._context)
        self._schedulers = SchedulerRoom(self._context, self._settings.default_job_options)
        self._meta_written = self._settings.skip_metas_update

    async def open(self) -> None:
        """Connect, and write version and event stream length into the queue's meta hash.

        The first add does the same; open tells early whether Redis is there.

        Raises:
            ConnectionError: Redis stayed away.
        """
        await self._client.open()
        await self._ensure_meta()

    async def _ensure_meta(self) -> None:
        if self._meta_written:
            return
        self._meta_written = True
        try:
            await self._client.run(
                manage.write_meta(
                    self._keys,
                    max_len_events=self._settings.max_len_events,
                    version=f"{LIBRARY}:{__version__}",
                )
            )
        except BaseException:
            self._meta_written = False
            raise

    # --- adding --------------------------------------------------------------------------------

    async def add(
        self, name: str, data: Data | Absent = ABSENT, /, **opts: Unpack[JobOptions]
    ) -> Job[Data, Result]:
        """Add a job; it is stored when this returns.

        One round trip; adds awaited side by side travel in one call. A paused queue accepts jobs
        too; they wait.

        Args:
            name: What kind of work this is. A processor may dispatch on it.
            data: Any JSON value, stored as it is; left out, it is `{}`.
            **opts: See `JobOptions`. Durations: int milliseconds or `timedelta`.

        Returns:
            The stored job. With a `job_id` that exists, or an active deduplication: an object with
            the id of the job that is already there.

        Raises:
            OptionError: An option is unknown, of a wrong type, or excludes another.
            JsonError: `data` is not JSON; `.path` leads to the culprit.
            ParentNotFoundError: `parent` names no job.
            ParentNotReplaceableError: The job exists and has another living parent.
            ConnectionError: Redis stayed away for the whole retry budget.

        BullMQ: `Queue.add`. Script: `add_jobs`.
        """
        added = self._prepare(name, data, opts)
        if not self._meta_written:
            await self._ensure_meta()
        job = await self._adder.add(added)
        self._emitter.emit("waiting", job)
        return job

    async def add_bulk(
        self, entries: Sequence[NewJobEntry | Mapping[str, Any]]
    ) -> list[Job[Data, Result]]:
        """Add many jobs, one call per thousand; all are checked before any is stored.

        Args:
            entries: `{"name": ..., "data": ..., "opts": {...}}` each.

        Returns:
            The jobs, in order.

        Raises:
            OptionError: An entry or option is not usable; nothing was added.
            JsonError: Some data is not JSON; nothing was added.
            BulkAddError: Some jobs were refused for their parents; all others are stored.
            ConnectionError: Redis stayed away; `.maybe_stored` tells about the rest.

        BullMQ: `Queue.addBulk`. Script: `add_jobs`.
        """
        added: list[AddedJob] = []
        for number, entry in enumerate(entries):
            given = parse_bulk_entry(entry, where=f"job {number} of a bulk for queue {self.name}")
            added.append(self._prepare(given.name, given.data, given.opts))
        await self._ensure_meta()
        new = [job for job, _ in added]
        calls = [add_jobs(self._keys, batch) for batch in batches(new)]
        answers = [answer for ids in await self._client.run_all(calls) for answer in ids]
        refused: dict[int, BullError] = {}
        for number, ((_, job), answer) in enumerate(zip(added, answers, strict=True)):
            if isinstance(answer, int):
                refused[number] = refusal(self._context, job, answer)
            else:
                job.id = answer
        if refused:
            first = next(iter(refused.values()))
            raise BulkAddError(
                f"{len(refused)} of {len(added)} jobs were refused by queue {self.name}, "
                f"the first because: {first}",
                refused,
                [job for _, job in added],
            )
        return [job for _, job in added]

    def _prepare(self, name: str, data: Any, opts: Mapping[str, Any] | None) -> AddedJob:
        where = f"job {name!r} of queue {self.name}"
        settings = parse_job_options(opts, where=where, defaults=self._settings.default_job_options)
        check_name(name, where=where)
        return prepare(self._context, name, data, settings)

    # --- the queue as a whole ------------------------------------------------------------------

    async def pause(self) -> None:
        """Let no worker, of either language, start a job; running ones go on.

        BullMQ: `Queue.pause`.
        """
        await self._client.run(manage.pause(self._keys))
        self._emitter.emit("paused")

    async def resume(self) -> None:
        """Let workers start jobs again.

        BullMQ: `Queue.resume`.
        """
        left = await self._client.run(manage.resume(self._keys, announce=True))
        while left:
            left = await self._client.run(manage.resume(self._keys, announce=False))
        self._emitter.emit("resumed")

    async def drain(self, *, delayed: bool = False) -> None:
        """Delete all jobs that wait in line, and on request the delayed ones.

        Never those being worked on, finished or waiting for children; schedulers keep their next
        run.

        BullMQ: `Queue.drain`.
        """
        more = True
        while more:
            more = await self._client.run(manage.drain(self._keys, delayed=delayed))

    async def clean(
        self,
        grace: float | timedelta,
        limit: int = 0,
        state: State | str = State.COMPLETED,
    ) -> list[str]:
        """Delete jobs of one state that are older than `grace`.

        With a limit only so many jobs are looked at, the oldest or next ones: as in BullMQ, old
        jobs that stand behind young ones are not found then.

        Args:
            grace: Milliseconds or a `timedelta`.
            limit: How many at most; 0 for all.
            state: `completed`, `failed`, `waiting`, `active` (only those without a lock),
                `delayed` or `prioritized`.

        Returns:
            The ids of the deleted jobs.

        Raises:
            OptionError: `grace` is no duration, `limit` no such number, or `state` no state
                but data of the queue's own.

        BullMQ: `Queue.clean`.
        """
        where = f"queue {self.name}"
        self._check(limit, "limit", least=0)
        checked = state_name(state, where=where, changing=True)
        cutoff = self._context.now() - milliseconds(grace, name="grace", where=where)
        removed: list[str] = []
        async for batch in self._clean(cutoff, limit, checked):
            removed += batch
        return removed

    async def _clean(self, cutoff: float, limit: int, state: str) -> AsyncIterator[list[str]]:
        first: int | None = 0
        left = limit
        while first is not None:
            look = min(manage.CLEAN_BATCH, left) if limit else manage.CLEAN_BATCH
            part = await self._client.run(
                manage.clean(self._keys, state, cutoff=cutoff, first=first, look=look)
            )
            if part.ids or not first:
                self._emitter.emit("cleaned", part.ids, state)
                yield part.ids
            left -= look
            first = None if limit and not left else part.rest

    async def retry_jobs(
        self,
        *,
        state: State | str = State.FAILED,
        count: int = 1000,
        timestamp: float | datetime | None = None,
    ) -> None:
        """Put all failed, or completed, jobs back into the line, the oldest first.

        Args:
            state: `failed` or `completed`.
            count: How many per round, at least 1.
            timestamp: Only those that finished until then, ms or an aware datetime; None for now.

        Raises:
            OptionError: An argument is not usable.

        BullMQ: `Queue.retryJobs`.
        """
        where = f"queue {self.name}"
        checked = finished_state(state, where=where)
        until: float = self._context.now()
        if timestamp is not None:
            until = moment(timestamp, name="timestamp", where=where)
        await self._move_all(checked, count=count, until=until)

    async def promote_jobs(self, *, count: int = 1000) -> None:
        """Let all delayed jobs run now.

        Args:
            count: How many per round, at least 1.

        BullMQ: `Queue.promoteJobs`.
        """
        await self._move_all(State.DELAYED, count=count, until=None)

    async def _move_all(self, state: State, *, count: int, until: float | None) -> None:
        self._check(count, "count", least=1)
        more = True
        while more:
            more = await self._client.run(
                manage.move_jobs_to_wait(self._keys, state, count=count, until=until)
            )

    def _check(self, value: float, name: str, *, least: int | None = None) -> None:
        """Refuse what is no number, or below the least, which then is one of whole numbers."""
        wanted = "a number" if least is None else f"a whole number from {least} on"
        if type(value) is not int and (least is not None or type(value) is not float):
            raise OptionError(f"{name} must be {wanted}, not {value!r} (queue {self.name})")
        if least is not None and value < least:
            raise OptionError(f"{name} must be {wanted}, not {value!r} (queue {self.name})")

    async def obliterate(self, *, force: bool = False, count: int = 1000) -> None:
        """Delete the queue and all its jobs. It is paused first, and stays so if this raises.

        Args:
            force: Also while jobs are being worked on.
            count: How many per round, at least 1.

        Raises:
            BullError: Jobs are being worked on; those and what stands behind them are untouched.

        BullMQ: `Queue.obliterate`.
        """
        self._check(count, "count", least=1)
        await self.pause()
        more = True
        while more:
            more = await self._client.run(manage.obliterate(self._keys, force=force, count=count))

    async def trim_events(self, max_length: int) -> int:
        """Cut the event stream to about `max_length` entries; how many went.

        Raises:
            OptionError: `max_length` is no such number.

        BullMQ: `Queue.trimEvents`.
        """
        self._check(max_length, "max_length", least=0)
        return await self._client.run(manage.trim_events(self._keys, max_length))

    async def remove_orphaned_jobs(self, *, count: int = 1000, limit: int = 0) -> int:
        """Delete what is stored of jobs that are in no state.

        Args:
            count: How many keys to look at per call, at least 1.
            limit: Stop after about this many; 0 for all.

        Returns:
            How many jobs went.

        Raises:
            OptionError: `count` or `limit` is no such number.

        BullMQ: `Queue.removeOrphanedJobs`.
        """
        self._check(count, "count", least=1)
        self._check(limit, "limit", least=0)
        return await remove_orphans(self._client, self._keys, count=count, limit=limit)

    # --- limits --------------------------------------------------------------------------------

    async def set_global_concurrency(self, concurrency: int) -> None:
        """Let at most this many jobs run at once, over all workers; 0 stops them.

        Raises:
            OptionError: `concurrency` is no number.

        BullMQ: `Queue.setGlobalConcurrency`.
        """
        self._check(concurrency, "concurrency")
        await self._client.run(manage.set_global_concurrency(self._keys, concurrency))

    async def remove_global_concurrency(self) -> None:
        """Lift the global concurrency.

        BullMQ: `Queue.removeGlobalConcurrency`.
        """
        await self._client.run(manage.remove_global_concurrency(self._keys))

    async def set_global_rate_limit(self, max: int, duration: float | timedelta) -> None:  # noqa: A002 - BullMQ's name
        """Let at most `max` jobs start per `duration` (ms or a `timedelta`), over all workers.

        Raises:
            OptionError: `max` is no number, or `duration` no duration.

        BullMQ: `Queue.setGlobalRateLimit`.
        """
        self._check(max, "max")
        ms = milliseconds(duration, name="duration", where=f"queue {self.name}")
        await self._client.run(manage.set_global_rate_limit(self._keys, max, ms))

    async def remove_global_rate_limit(self) -> None:
        """Lift the global rate limit.

        BullMQ: `Queue.removeGlobalRateLimit`.
        """
        await self._client.run(manage.remove_global_rate_limit(self._keys))

    async def rate_limit(self, duration: float | timedelta) -> None:
        """Let no job start for `duration`, ms or a `timedelta`.

        A processor that calls it raises `RateLimitError` next, to get its own job back in line.

        BullMQ: `Queue.rateLimit`.
        """
        ms = milliseconds(duration, name="duration", where=f"queue {self.name}")
        await self._client.run(manage.rate_limit(self._keys, ms))

    async def remove_rate_limit_key(self) -> int:
        """Forget how many jobs started in the current window: 1 if there was one, else 0.

        BullMQ: `Queue.removeRateLimitKey`.
        """
        return await self._client.run(manage.remove_rate_limit_key(self._keys))

    # --- one job by its id ---------------------------------------------------------------------

    async def remove(self, job_id: str, *, remove_children: bool = True) -> int:
        """Delete a job and, unless told otherwise, its descendants.

        Returns:
            1 if it is gone, also if it was not there; 0 if somebody is working on it or one of
            its descendants, and nothing was changed.

        Raises:
            BelongsToSchedulerError: It is the next run of a job scheduler.

        BullMQ: `Queue.remove`.
        """
        removed = await self._client.run(
            jobs.remove_job(self._keys, job_id, remove_children=remove_children)
        )
        if removed:
            self._emitter.emit("removed", job_id)
        return removed

    async def update_job_progress(self, job_id: str, progress: Any) -> None:
        """Say how far a job is: any JSON value.

        Raises:
            JobNotFoundError: There is no such job.
            JsonError: `progress` is not JSON.

        BullMQ: `Queue.updateJobProgress`.
        """
        await self._client.run(jobs.update_progress(self._keys, job_id, dump_json(progress)))
        self._emitter.emit("progress", job_id, progress)

    async def add_job_log(self, job_id: str, row: str, keep_logs: int | None = None) -> int:
        """Append a row to a job's log, keeping the newest `keep_logs`; how many are kept now.

        Raises:
            JobNotFoundError: There is no such job.

        BullMQ: `Queue.addJobLog`.
        """
        return await self._client.run(jobs.add_log(self._keys, job_id, row, keep=keep_logs))

    async def remove_deduplication_key(self, deduplication_id: str) -> int:
        """Stop a deduplication id from holding jobs back: 1 if it did, else 0.

        BullMQ: `Queue.removeDeduplicationKey`.
        """
        return await self._client.run(manage.remove_deduplication_key(self._keys, deduplication_id))
