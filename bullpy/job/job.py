"""A job: a snapshot of its hash, plus the operations on this one job.

`Job` does not hold its queue; both hold the same `QueueContext`.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar, cast

from bullpy.codec import JobRecord, ParentLink, decode_job, dump_json, load_json
from bullpy.errors import (
    JobFailedError,
    JobLockedError,
    JobNotFoundError,
    WaitTimeoutError,
    script_error,
)
from bullpy.job import outcome
from bullpy.job.context import QueueContext
from bullpy.options import (
    JobSettings,
    check_priority,
    finished_state,
    milliseconds,
    moment,
)
from bullpy.scripts import flows, jobs, locks, move
from bullpy.scripts.flows import Dependencies, DependencyCounts, Page
from bullpy.scripts.move import HandedOut, Outcome, Target
from bullpy.types import FinishedEvents, State

Data = TypeVar("Data")
Result = TypeVar("Result")

NO_LOCK: Final = "0"  # BullMQ's token for "don't look at the lock"
REPOLL_S: Final = 5.0  # an event may be trimmed or cut off; the state is asked again this often


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came with finishing a job by hand.

    Attributes:
        job: The next job, locked with the token given, or None.
        rate_limit_ttl: For how many ms the queue is rate limited; 0 if it is not.
        delay_until: When the next delayed job is due, in ms, where nothing else is there; else 0.
    """

    job: "Job[Any, Any] | None"
    rate_limit_ttl: int = 0
    delay_until: int = 0


class Job(Generic[Data, Result]):
    """One job as it was when it was read.

    Attributes are BullMQ's in snake_case; times are ms since 1970, durations ms. They change with
    the operations called on this object, not by themselves: read the job again for news.
    """

    context: QueueContext
    id: str
    name: str
    data: Data
    opts: JobSettings
    progress: Any
    returnvalue: Result | None
    attempts_made: int
    attempts_started: int
    stalled_counter: int
    delay: int | float
    priority: int
    timestamp: int | float
    stacktrace: list[str]
    processed_on: int | None
    finished_on: int | None
    failed_reason: str | None
    parent_key: str | None
    parent: ParentLink | None
    repeat_job_key: str | None
    deduplication_id: str | None
    deferred_failure: str | None
    processed_by: str | None
    problems: tuple[str, ...]
    token: str | None
    moved: bool

    def __init__(self, context: QueueContext, record: JobRecord) -> None:
        # All at once: 0.4 µs, where one by one they take 1.2.
        self.__dict__.update(vars(record), context=context, token=None, moved=False)

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.name!r} of queue {self.queue_name}>"

    @property
    def queue_name(self) -> str:
        """Name of the job's queue."""
        return self.context.keys.name

    @property
    def prefix(self) -> str:
        """Key prefix of the job's queue."""
        return self.context.keys.prefix

    @property
    def key(self) -> str:
        """The job's full key, by which parents name it."""
        return self.context.keys.job(self.id)

    # --- content -------------------------------------------------------------------------------

    async def update_data(self, data: Data) -> None:
        """Replace the job's data.

        Raises:
            JsonError: `data` is not JSON.
            JobNotFoundError: The job is gone.

        BullMQ: `Job.updateData`.
        """
        keys = self.context.keys
        await self.context.client.run(jobs.update_data(keys, self.id, dump_json(data)))
        self.data = data

    async def update_progress(self, progress: Any) -> None:
        """Say how far the job is: any JSON value, often a percentage or a mapping.

        Emits `progress` to everyone who reads the queue's events, and locally.

        Raises:
            JsonError: `progress` is not JSON.
            JobNotFoundError: The job is gone.

        BullMQ: `Job.updateProgress`.
        """
        keys = self.context.keys
        await self.context.client.run(jobs.update_progress(keys, self.id, dump_json(progress)))
        self.progress = progress
        self.context.emitter.emit("progress", self, progress)

    async def log(self, row: str) -> int:
        """Append a row of text to the job's log; `keep_logs` bounds it.

        Returns:
            How many rows are kept now.

        Raises:
            JobNotFoundError: The job is gone.

        BullMQ: `Job.log`.
        """
        keep = self.opts.keep_logs
        return await self.context.client.run(
            jobs.add_log(self.context.keys, self.id, str(row), keep=keep)
        )

    async def clear_logs(self, keep_logs: int | None = None) -> None:
        """Drop all log rows, or all but the newest `keep_logs`.

        BullMQ: `Job.clearLogs`.
        """
        await self.context.client.run(jobs.clear_logs(self.context.keys, self.id, keep=keep_logs))

    # --- state ---------------------------------------------------------------------------------

    async def get_state(self) -> State:
        """Where the job is now.

        BullMQ: `Job.getState`.
        """
        return await self.context.client.run(jobs.get_state(self.context.keys, self.id))

    async def is_completed(self) -> bool:
        """Whether the job completed."""
        return await self._is_in(State.COMPLETED)

    async def is_failed(self) -> bool:
        """Whether the job failed for good."""
        return await self._is_in(State.FAILED)

    async def is_delayed(self) -> bool:
        """Whether the job waits for its time."""
        return await self._is_in(State.DELAYED)

    async def is_waiting(self) -> bool:
        """Whether the job waits in line, without a priority."""
        return await self._is_in(State.WAITING)

    async def is_prioritized(self) -> bool:
        """Whether the job waits in line by its priority."""
        return await self._is_in(State.PRIORITIZED)

    async def is_active(self) -> bool:
        """Whether a worker has the job."""
        return await self._is_in(State.ACTIVE)

    async def is_waiting_children(self) -> bool:
        """Whether the job waits for its children."""
        return await self._is_in(State.WAITING_CHILDREN)

    async def _is_in(self, state: State) -> bool:
        return await self.context.client.run(jobs.is_in_state(self.context.keys, self.id, state))

    # --- changes while idle --------------------------------------------------------------------

    async def promote(self) -> None:
        """Let a delayed job run now.

        Raises:
            NotInStateError: The job is not delayed.

        BullMQ: `Job.promote`.
        """
        await self.context.client.run(jobs.promote(self.context.keys, self.id))
        self.delay = 0

    async def change_delay(self, delay: Any) -> None:
        """Let a delayed job run `delay` from now: ms or a `timedelta`.

        Raises:
            JobNotFoundError: The job is gone.
            NotInStateError: The job is not delayed.

        BullMQ: `Job.changeDelay`.
        """
        delay_ms = milliseconds(delay, name="delay", where=repr(self))
        context = self.context
        await context.client.run(
            jobs.change_delay(context.keys, self.id, delay_ms, now=context.now())
        )
        self.delay = delay_ms

    async def change_priority(self, priority: int = 0, *, lifo: bool = False) -> None:
        """Change the job's place in line; elsewhere it counts from its next joining.

        Args:
            priority: Lower goes first; 0 for none, which goes before all.
            lifo: Go in front of the equals instead of behind them.

        Raises:
            OptionError: `priority` is no whole number, or too large.
            JobNotFoundError: The job is gone.

        BullMQ: `Job.changePriority`.
        """
        checked = check_priority(priority, where=repr(self))
        await self.context.client.run(
            jobs.change_priority(self.context.keys, self.id, checked, lifo=lifo)
        )
        self.priority = checked

    async def retry(
        self,
        state: State | str = State.FAILED,
        *,
        reset_attempts_made: bool = False,
        reset_attempts_started: bool = False,
    ) -> None:
        """Put a finished job back into the line.

        Attempts go on counting unless reset, so a job whose attempts are spent gets one more try.

        Args:
            state: `failed` or `completed`, where the job is now.
            reset_attempts_made: Forget the attempts made.
            reset_attempts_started: Forget the starts.

        Raises:
            OptionError: `state` is neither of these.
            JobNotFoundError: The job is gone.
            NotInStateError: The job is not in `state`.

        BullMQ: `Job.retry`.
        """
        call = jobs.retry_job(
            self.context.keys,
            self.id,
            finished_state(state, where=repr(self)),
            lifo=self.opts.lifo,
            reset_attempts_made=reset_attempts_made,
            reset_attempts_started=reset_attempts_started,
        )
        await self.context.client.run(call)
        self.failed_reason = None
        self.finished_on = None
        self.processed_on = None
        self.returnvalue = None
        self.attempts_made = 0 if reset_attempts_made else self.attempts_made
        self.attempts_started = 0 if reset_attempts_started else self.attempts_started

    async def remove(self, *, remove_children: bool = True) -> None:
        """Delete the job and, unless told otherwise, its descendants, if nobody works on them.

        Raises:
            JobLockedError: The job or a descendant is being worked on; nothing was changed.
            BelongsToSchedulerError: It is the next run of a job scheduler.

        BullMQ: `Job.remove`.
        """
        removed = await self.context.client.run(
            jobs.remove_job(self.context.keys, self.id, remove_children=remove_children)
        )
        if not removed:
            raise JobLockedError(
                f"Job {self.id} could not be removed because it is locked by another worker "
                f"(queue {self.queue_name})"
            )
        self.context.emitter.emit("removed", self)

    async def remove_deduplication_key(self) -> bool:
        """Stop the job from holding back others of its deduplication id.

        Returns:
            Whether it did hold the id.

        BullMQ: `Job.removeDeduplicationKey`.
        """
        if self.deduplication_id is None:
            return False
        return await self.context.client.run(
            jobs.remove_deduplication_key(self.context.keys, self.id, self.deduplication_id)
        )

    # --- a job in work -------------------------------------------------------------------------

    async def extend_lock(self, token: str, duration: float | timedelta) -> int:
        """Renew the job's lock for `duration` (ms or a `timedelta`): 1 if `token` holds it, else 0.

        Raises:
            OptionError: `duration` is no duration.

        BullMQ: `Job.extendLock`.
        """
        duration_ms = milliseconds(duration, name="duration", where=repr(self))
        lost = await self.context.client.run(
            locks.extend_locks(self.context.keys, [self.id], [token], int(duration_ms))
        )
        return 0 if lost else 1

    async def move_to_completed(
        self, value: Any = None, token: str = NO_LOCK, fetch_next: bool = True
    ) -> Fetched | None:
        """Complete a job that one took by hand.

        Args:
            value: The result, any JSON value.
            token: The token the job was taken with.
            fetch_next: Also take the next job, with the same token.

        Returns:
            What came of fetching; None where nothing was asked for or found.

        Raises:
            JsonError: `value` is not JSON.
            ScriptError: The job is gone (-1), has no lock (-2), is not active (-3), has open (-4)
                or failed (-9) children, or the lock is another's (-6).

        BullMQ: `Job.moveToCompleted`.
        """
        fetched = await self.finish(outcome.completed(self, value, token), fetch_next=fetch_next)
        self.returnvalue = value
        return fetched

    async def move_to_failed(
        self, error: BaseException, token: str = NO_LOCK, fetch_next: bool = False
    ) -> Fetched | None:
        """Fail a job that one took by hand; it is retried while attempts are left.

        Args:
            error: Why. An `UnrecoverableError` forbids a retry.
            token: The token the job was taken with.
            fetch_next: Also take the next job, with the same token (not with an immediate retry).

        Returns:
            What came of fetching; None where nothing was asked for or found.

        Raises:
            ScriptError: As in `move_to_completed`.
            OptionError: The job's backoff type is unknown.

        BullMQ: `Job.moveToFailed`.
        """
        ending = await outcome.failed(self, error, token)
        may_fetch = fetch_next and ending.target is not Target.RETRY
        return await self.finish(ending, fetch_next=may_fetch)

    async def move_to_delayed(self, timestamp: float | datetime, token: str | None = None) -> None:
        """Send the job to sleep until `timestamp` (ms or an aware datetime); spends no attempt.

        A processor raises `DelayedError` afterwards, or just returns.

        Raises:
            ScriptError: The job is gone (-1), has no lock (-2), is not active (-3), or the lock is
                another's (-6).

        BullMQ: `Job.moveToDelayed`.
        """
        due = moment(timestamp, name="timestamp", where=repr(self))
        delay = max(0, due - self.context.now())
        sleep = Outcome(self.id, self._token(token), Target.SLEEP, detail=delay)
        await self._run_finish(sleep, want=0, command="moveToDelayed")
        self.delay = delay
        self.moved = True

    async def move_to_wait(self, token: str | None = None) -> int:
        """Put the job back to the front of the line; spends no attempt.

        A processor raises `WaitingError` afterwards, or just returns.

        Returns:
            For how many ms the queue is rate limited; 0 if it is not.

        Raises:
            ScriptError: The job is gone (-1), has no lock (-2), or the lock is another's (-6).

        BullMQ: `Job.moveToWait`.
        """
        ttl = await self.context.client.run(
            jobs.move_to_wait(self.context.keys, self.id, self._token(token))
        )
        self.moved = True
        return ttl

    async def move_to_waiting_children(
        self, token: str | None = None, *, child: Mapping[str, str] | None = None
    ) -> bool:
        """Park the job until its children finish.

        Args:
            token: The lock's token; left out, the one the job is being worked on with.
            child: `{"id": ..., "queue": "<prefix>:<name>"}` to wait for this child only.

        Returns:
            True if the job is parked: raise `WaitingChildrenError`. False if there is nothing to
            wait for: go on.

        Raises:
            ScriptError: The job is gone (-1), has no lock (-2), is not active (-3), has failed
                children (-9), or the lock is another's (-6).

        BullMQ: `Job.moveToWaitingChildren`.
        """
        child_key = f"{child['queue']}:{child['id']}" if child else None
        context = self.context
        parked = await context.client.run(
            jobs.move_to_waiting_children(
                context.keys, self.id, self._token(token), now=context.now(), child_key=child_key
            )
        )
        self.moved = self.moved or parked
        return parked

    def _token(self, given: str | None) -> str:
        return given or self.token or NO_LOCK

    async def finish(self, ending: Outcome, *, fetch_next: bool) -> Fetched | None:
        """Store an outcome that was decided on; see `move_to_completed`."""
        command = {Target.RETRY: "retryJob", Target.BACKOFF: "moveToDelayed"}.get(
            ending.target, "moveToFinished"
        )
        handed_out = await self._run_finish(ending, want=int(fetch_next), command=command)
        note_end(self)
        if handed_out is None:
            return None
        fetched = _fetched(self.context, handed_out, ending.token)
        nothing = fetched == Fetched(None) and not handed_out.blocked
        if nothing or (ending.target is Target.BACKOFF and fetched.job is None):
            return None
        return fetched

    async def _run_finish(self, ending: Outcome, *, want: int, command: str) -> HandedOut | None:
        context = self.context
        now = context.now()
        finished = await context.client.run(
            move.finish_jobs(
                context.keys, [ending], context.terms, want=want, token=ending.token, now=now
            )
        )
        if finished.statuses[0] < 0:
            raise finish_error(self, finished.statuses[0], command)
        if ending.target in {Target.COMPLETED, Target.FAILED}:
            self.finished_on = now
        return finished.handed_out

    # --- children ------------------------------------------------------------------------------

    async def get_children_values(self) -> dict[str, Any]:
        """Results of the completed children: full job key -> value.

        BullMQ: `Job.getChildrenValues`.
        """
        return await self.context.client.run(flows.children_values(self.context.keys, self.id))

    async def get_ignored_children_failures(self) -> dict[str, str]:
        """Children whose failure is ignored: full job key -> reason.

        BullMQ: `Job.getIgnoredChildrenFailures`.
        """
        return await self.context.client.run(flows.ignored_failures(self.context.keys, self.id))

    async def get_failed_children_values(self) -> dict[str, str]:
        """The same as `get_ignored_children_failures`, by BullMQ's older name."""
        return await self.get_ignored_children_failures()

    async def get_dependencies(self, **pages: Page) -> Dependencies:
        """The children by how they stand: all, or page by page.

        Args:
            **pages: `processed`, `unprocessed`, `ignored`, `failed`, each
                `{"cursor": 0, "count": 20}`; only these are read then. Counts are hints, as with
                SCAN; go on with the answer's `next_..._cursor` until it is 0.

        BullMQ: `Job.getDependencies`.
        """
        return await self.context.client.run(flows.dependencies(self.context.keys, self.id, pages))

    async def get_dependencies_count(self, **kinds: bool) -> DependencyCounts:
        """How many children stand how.

        Args:
            **kinds: `processed`, `unprocessed`, `ignored`, `failed`; none given means all.

        BullMQ: `Job.getDependenciesCount`.
        """
        wanted = [kind for kind, asked in kinds.items() if asked]
        return await self.context.client.run(
            flows.dependencies_count(self.context.keys, self.id, wanted)
        )

    async def remove_child_dependency(self) -> bool:
        """Cut this job loose from its parent, releasing it if nothing else is open.

        Returns:
            False if the parent does not wait for this job (any more).

        Raises:
            JobNotFoundError: The job is gone.
            ParentNotFoundError: It has no parent, or that is gone.

        BullMQ: `Job.removeChildDependency`.
        """
        removed = await self.context.client.run(
            flows.remove_child_dependency(self.context.keys, self.id, self.parent_key)
        )
        if removed:
            self.parent_key = None
            self.parent = None
        return removed

    async def remove_unprocessed_children(self) -> None:
        """Delete the children that are neither finished nor being worked on.

        BullMQ: `Job.removeUnprocessedChildren`.
        """
        await self.context.client.run(flows.remove_unprocessed_children(self.context.keys, self.id))

    # --- the end -------------------------------------------------------------------------------

    async def wait_until_finished(self, events: FinishedEvents, ttl: Any = None) -> Result:
        """Wait for the job's result, whoever works on it.

        No end is missed: the events are listened to before the state is asked, and the state is
        asked again every few seconds in case an event was trimmed away.

        Args:
            events: The queue's `QueueEvents`.
            ttl: How long to wait at most, ms or a `timedelta`; None waits as long as it takes.

        Returns:
            What the processor returned.

        Raises:
            JobFailedError: The job failed for good.
            JobNotFoundError: The job does not exist (any more).
            WaitTimeoutError: `ttl` passed; the job goes on.

        BullMQ: `Job.waitUntilFinished`.
        """
        ttl_ms = None if ttl is None else milliseconds(ttl, name="ttl", where=repr(self))
        try:
            async with asyncio.timeout(None if ttl_ms is None else ttl_ms / 1000):
                return await self._wait(events)
        except TimeoutError:
            raise WaitTimeoutError(
                f"Job wait {self.name} timed out before finishing, no finish notification arrived "
                f"after {ttl_ms}ms (id={self.id})"
            ) from None

    async def _wait(self, events: FinishedEvents) -> Result:
        with events.waiting_for(self.id) as awaited:
            ending = asyncio.ensure_future(awaited)
            while True:
                state, text = await self.context.client.run(
                    jobs.finished_state(self.context.keys, self.id)
                )
                if state is State.COMPLETED:
                    return cast("Result", load_json(text))
                if state is State.FAILED:
                    raise JobFailedError(self.id, text)
                # Not wait_for: on Python 3.11 it swallows a cancellation that meets the result.
                await asyncio.wait({ending}, timeout=REPOLL_S)
                if ending.done():
                    return self._result_of(ending.result())

    def _result_of(self, fields: Mapping[str, Any]) -> Result:
        if fields["event"] == "completed":
            return cast("Result", fields.get("returnvalue"))
        if fields["event"] == "failed":
            raise JobFailedError(self.id, fields.get("failedReason", ""))
        raise JobNotFoundError(script="waitUntilFinished", queue=self.queue_name, job_id=self.id)


def _fetched(context: QueueContext, handed_out: HandedOut, token: str) -> Fetched:
    if handed_out.jobs:
        return Fetched(take(context, handed_out.jobs[0], token))
    limited = handed_out.rate_limit_ttl
    idle = not limited and not handed_out.blocked
    return Fetched(None, limited, handed_out.next_due if idle else 0)


def take(context: QueueContext, handed: tuple[str, list[str]], token: str) -> Job[Any, Any]:
    """The job object for what a script handed out under `token`."""
    job: Job[Any, Any] = Job(context, decode_job(*handed))
    job.token = token
    return job


def note_end(job: Job[Any, Any]) -> None:
    """Bring a job object up to date once its outcome is stored."""
    job.moved = True
    job.attempts_made += 1


def finish_error(job: Job[Any, Any], code: int, command: str) -> Exception:
    """The error for an outcome that was refused with `code`."""
    return script_error(code, script=command, queue=job.queue_name, job_id=job.id, state="active")


__all__ = ["NO_LOCK", "Fetched", "Job", "finish_error", "note_end", "take"]
