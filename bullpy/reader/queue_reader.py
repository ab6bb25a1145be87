"""A queue that can only be read: counts, jobs by state, what is said of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, Self, TypeVar

from bullpy.clock import SYSTEM_CLOCK, Clock
from bullpy.codec import decode_job
from bullpy.connection import Client, ConnectionLike
from bullpy.emitter import Emitter
from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.job import Job, QueueContext
from bullpy.keys import DEFAULT_PREFIX, RESERVED_JOB_IDS, QueueKeys
from bullpy.options import state_name
from bullpy.reader.pages import read_pages
from bullpy.reader.prometheus import exposition
from bullpy.scripts import flows, jobs, read
from bullpy.scripts.flows import ChildrenPage
from bullpy.scripts.jobs import JobLogs
from bullpy.scripts.read import Metrics
from bullpy.types import State

Data = TypeVar("Data")
Result = TypeVar("Result")

EVENTS: Final = frozenset(
    {"cleaned", "error", "paused", "progress", "removed", "resumed", "waiting"}
)
ALL_STATES: Final = (
    State.ACTIVE,
    State.COMPLETED,
    State.DELAYED,
    State.FAILED,
    State.PRIORITIZED,
    State.WAITING,
    State.WAITING_CHILDREN,
)
_COUNTED: Final = (State.COMPLETED, State.FAILED)  # states that workers keep metrics of
_META_NUMBERS: Final = {
    "concurrency": "concurrency",
    "max": "max",
    "duration": "duration",
    "opts.maxLenEvents": "maxLenEvents",
}
MAX_SAFE_INTEGER: Final = 2**53 - 1


class QueueReader(Generic[Data, Result]):
    """Reads one queue; can't change anything. Its arguments are those of `Queue`.

    BullMQ: `QueueGetters`.
    """

    def __init__(
        self,
        name: str,
        *,
        connection: ConnectionLike = None,
        prefix: str = DEFAULT_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
        patience_ms: int = 10_000,
    ) -> None:
        self._keys = QueueKeys(prefix, name)
        self._emitter = Emitter(EVENTS, owner=f"queue {name!r}")
        self._client = Client(connection, patience_ms=patience_ms, on_error=self._report)
        self._context = QueueContext(self._keys, self._client, self._emitter, clock)

    async def __aenter__(self) -> Self:
        """Connect."""
        await self.open()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        """Close."""
        await self.close()

    async def open(self) -> None:
        """Connect now; calls do so by themselves.

        Raises:
            ConnectionError: Redis stayed away.
        """
        await self._client.open()

    async def close(self) -> None:
        """Let the connection go; may be called twice."""
        await self._client.close()
        await self._emitter.drain()

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._keys.name

    @property
    def prefix(self) -> str:
        """What all keys begin with."""
        return self._keys.prefix

    @property
    def qualified_name(self) -> str:
        """Prefix and name, as `parent` options want it: `bull:reports`."""
        return self._keys.qualified

    def on(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """Call `listener` at each local event; without one, a decorator.

        Events: `waiting` (job), `paused`, `resumed`, `progress` (job or id, value), `removed` (job
        or id), `cleaned` (ids, state), `error` (error).
        """
        return self._emitter.on(event, listener)

    def once(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """As `on`, for the next time only."""
        return self._emitter.once(event, listener)

    def off(self, event: str, listener: Callable[..., Any]) -> None:
        """Stop calling `listener`."""
        self._emitter.off(event, listener)

    def _report(self, error: Exception) -> None:
        self._emitter.emit("error", error)

    # --- single jobs ---------------------------------------------------------------------------

    async def get_job(self, job_id: str) -> Job[Data, Result] | None:
        """A job, or None if there is no such job.

        BullMQ: `Queue.getJob`.
        """
        if job_id in RESERVED_JOB_IDS:
            return None  # what stands there is the queue's own
        fields = await self._client.run(jobs.get_job(self._keys, job_id))
        return Job(self._context, decode_job(job_id, fields)) if fields else None

    async def get_job_state(self, job_id: str) -> State:
        """Where a job is; `State.UNKNOWN` if nowhere.

        BullMQ: `Queue.getJobState`.
        """
        return await self._client.run(jobs.get_state(self._keys, job_id))

    async def get_job_logs(
        self, job_id: str, start: int = 0, end: int = -1, *, asc: bool = True
    ) -> JobLogs:
        """Rows of a job's log from `start` to `end`, oldest first unless `asc` is False.

        BullMQ: `Queue.getJobLogs`.
        """
        return await self._client.run(
            jobs.get_logs(self._keys, job_id, start=start, end=end, asc=asc)
        )

    async def get_dependencies(
        self, parent_id: str, kind: str, start: int = 0, end: int = -1
    ) -> ChildrenPage:
        """A page of a job's `processed` or `pending` children.

        BullMQ: `Queue.getDependencies`.
        """
        return await self._client.run(flows.children_page(self._keys, parent_id, kind, start, end))

    async def get_deduplication_job_id(self, deduplication_id: str) -> str | None:
        """The job that holds a deduplication id, or None.

        BullMQ: `Queue.getDeduplicationJobId`.
        """
        return await self._client.run(read.deduplication_owner(self._keys, deduplication_id))

    # --- counts --------------------------------------------------------------------------------

    async def get_job_counts(self, *types: str) -> dict[str, int]:
        """How many jobs are in each state, at one moment; all states if none is named.

        Raises:
            OptionError: A name is no state's, but that of the queue's own data.

        BullMQ: `Queue.getJobCounts`.
        """
        wanted = self._states(types)
        found = await self._client.run(read.counts(self._keys, wanted))
        return {str(name): count for name, count in zip(wanted, found, strict=True)}

    def _states(self, types: Sequence[str]) -> list[str]:
        """States as a user named them, once each; all if none."""
        where = f"queue {self.name}"
        return [state_name(t, where=where) for t in dict.fromkeys(types)] or list(ALL_STATES)

    async def get_job_count_by_types(self, *types: str) -> int:
        """How many jobs are in these states together.

        BullMQ: `Queue.getJobCountByTypes`.
        """
        return sum((await self.get_job_counts(*types)).values())

    async def count(self) -> int:
        """How many jobs are still to run: waiting, prioritized, delayed or waiting for children.

        BullMQ: `Queue.count`.
        """
        return await self.get_job_count_by_types(
            State.WAITING, State.DELAYED, State.PRIORITIZED, State.WAITING_CHILDREN
        )

    async def get_waiting_count(self) -> int:
        """How many jobs wait in line without a priority."""
        return await self.get_job_count_by_types(State.WAITING)

    async def get_waiting_children_count(self) -> int:
        """How many jobs wait for their children."""
        return await self.get_job_count_by_types(State.WAITING_CHILDREN)

    async def get_active_count(self) -> int:
        """How many jobs are being worked on."""
        return await self.get_job_count_by_types(State.ACTIVE)

    async def get_prioritized_count(self) -> int:
        """How many jobs wait in line by priority."""
        return await self.get_job_count_by_types(State.PRIORITIZED)

    async def get_completed_count(self) -> int:
        """How many completed jobs are kept."""
        return await self.get_job_count_by_types(State.COMPLETED)

    async def get_failed_count(self) -> int:
        """How many failed jobs are kept."""
        return await self.get_job_count_by_types(State.FAILED)

    async def get_delayed_count(self, timestamp: float | None = None) -> int:
        """How many jobs wait for their time: all, or those due before `timestamp` (ms).

        Raises:
            OptionError: `timestamp` is no whole number of ms.
        """
        if timestamp is None:
            return await self.get_job_count_by_types(State.DELAYED)
        if not abs(timestamp) <= MAX_SAFE_INTEGER or timestamp != int(timestamp):
            raise OptionError(
                f"timestamp must be a safe integer in milliseconds, not {timestamp!r} "
                f"(queue {self.name})"
            )
        return await self._client.run(read.delayed_before(self._keys, int(timestamp)))

    async def get_counts_per_priority(self, priorities: Sequence[int]) -> dict[str, int]:
        """How many jobs wait with each of these priorities; 0 for those without.

        BullMQ: `Queue.getCountsPerPriority`.
        """
        wanted = list(dict.fromkeys(priorities))
        calls = [read.count_of_priority(self._keys, priority) for priority in wanted]
        found = await self._client.run_all(calls)
        return {str(priority): count for priority, count in zip(wanted, found, strict=True)}

    # --- jobs by state -------------------------------------------------------------------------

    async def get_jobs(
        self,
        types: Sequence[str] | str | None = None,
        start: int = 0,
        end: int = -1,
        *,
        asc: bool = False,
    ) -> list[Job[Data, Result]]:
        """Jobs of several states, one state after the other.

        Args:
            types: One state or several; None for all.
            start: First position within each state, from 0; negative counts from the end.
            end: Last position, included.
            asc: The oldest first, instead of the newest.

        Returns:
            The jobs. Ids without a job are skipped; a page whose bounds are not negative is then
            filled up from what follows. Beyond 500 jobs of a state they come in several calls, so
            a job that moves meanwhile may be missed.

        Raises:
            OptionError: A name is no state's, but that of the queue's own data.

        BullMQ: `Queue.getJobs`.
        """
        wanted = self._states([types] if isinstance(types, str) else types or ())
        found = await read_pages(self._client, self._keys, wanted, start, end, asc=asc)
        return [Job(self._context, decode_job(job_id, fields)) for job_id, fields in found.items()]

    async def get_waiting(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Jobs that wait in line without a priority, the next to run first."""
        return await self.get_jobs(State.WAITING, start, end, asc=True)

    async def get_waiting_children(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Jobs that wait for their children, the oldest first."""
        return await self.get_jobs(State.WAITING_CHILDREN, start, end, asc=True)

    async def get_active(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Jobs that are being worked on, the oldest first."""
        return await self.get_jobs(State.ACTIVE, start, end, asc=True)

    async def get_delayed(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Jobs that wait for their time, the first due first."""
        return await self.get_jobs(State.DELAYED, start, end, asc=True)

    async def get_prioritized(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Jobs that wait in line by priority, the next to run first."""
        return await self.get_jobs(State.PRIORITIZED, start, end, asc=True)

    async def get_completed(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Completed jobs, the latest first."""
        return await self.get_jobs(State.COMPLETED, start, end)

    async def get_failed(self, start: int = 0, end: int = -1) -> list[Job[Data, Result]]:
        """Failed jobs, the latest first."""
        return await self.get_jobs(State.FAILED, start, end)

    # --- the queue as a whole ------------------------------------------------------------------

    async def get_meta(self) -> dict[str, Any]:
        """What is written down about the queue, by BullMQ's names; `paused` is always there.

        BullMQ: `Queue.getMeta`.
        """
        stored = await self._client.run(read.meta(self._keys))
        stored.pop("version", None)
        paused = stored.pop("paused", None) == "1"
        numbers = {
            name: _number(stored.pop(key)) for key, name in _META_NUMBERS.items() if key in stored
        }
        known = {name: number for name, number in numbers.items() if number is not None}
        return {**stored, **known, "paused": paused}

    async def get_version(self) -> str | None:
        """Which library wrote here last, such as `bullmq:6.7.0`; None if none said so.

        BullMQ: `Queue.getVersion`.
        """
        return (await self._client.run(read.meta(self._keys))).get("version")

    async def is_paused(self) -> bool:
        """Whether the queue is paused.

        BullMQ: `Queue.isPaused`.
        """
        return await self._client.run(read.is_paused(self._keys))

    async def is_maxed(self) -> bool:
        """Whether as many jobs run as the global concurrency allows.

        BullMQ: `Queue.isMaxed`.
        """
        stored, active = await self._client.run_all(
            [read.meta(self._keys), read.active_count(self._keys)]
        )
        concurrency = _number(stored.get("concurrency", ""))
        return concurrency is not None and active >= concurrency

    async def get_global_concurrency(self) -> int | None:
        """How many jobs may run at once, over all workers; None for no bound.

        BullMQ: `Queue.getGlobalConcurrency`.
        """
        return (await self.get_meta()).get("concurrency")

    async def get_global_rate_limit(self) -> dict[str, int] | None:
        """`{"max": jobs, "duration": ms}`, or None for no bound.

        BullMQ: `Queue.getGlobalRateLimit`.
        """
        meta = await self.get_meta()
        if "max" not in meta or "duration" not in meta:
            return None
        return {"max": meta["max"], "duration": meta["duration"]}

    async def get_rate_limit_ttl(self, max_jobs: int | None = None) -> int:
        """For how many ms no job starts because of a rate limit.

        Args:
            max_jobs: Jobs per window to judge by; None or 0 for the queue's own.

        Returns:
            ms, 0 if it is not limited. Without any known limit, what PTTL says of the counter: -2
            there is none, -1 it has no end.

        BullMQ: `Queue.getRateLimitTtl`.
        """
        return await self._client.run(read.rate_limit_ttl(self._keys, max_jobs or 0))

    async def get_metrics(self, state: str, start: int = 0, end: int = -1) -> Metrics:
        """Jobs that `completed` or `failed`, per minute, if workers count them.

        Args:
            state: `completed` or `failed`.
            start: First minute; 0 is the newest full one.
            end: Last minute, included; -1 for all.

        Raises:
            OptionError: There are no metrics of such a state.

        BullMQ: `Queue.getMetrics`.
        """
        if state not in _COUNTED:
            raise OptionError(
                f"Metrics are kept of completed and failed jobs, not {state!r} (queue {self.name})"
            )
        totals, data, count = await self._client.run_all(
            [
                read.metrics_totals(self._keys, state),
                read.metrics_data(self._keys, state, start=start, end=end),
                read.metrics_length(self._keys, state),
            ]
        )
        return Metrics(*totals, data=data, count=count)

    async def export_prometheus_metrics(
        self, global_variables: Mapping[str, Any] | None = None
    ) -> str:
        """What Prometheus may scrape: jobs by state, and how many completed and failed in all.

        The totals are those of `get_metrics`, 0 if no worker counts.

        Args:
            global_variables: Further labels of each line.

        Raises:
            OptionError: Prometheus would not take a label's name.

        BullMQ: `Queue.exportPrometheusMetrics`.
        """
        calls = [read.metrics_totals(self._keys, state) for state in _COUNTED]
        counts, *totals = await self._client.run_all([read.counts(self._keys, ALL_STATES), *calls])
        return exposition(
            self.name,
            dict(zip(ALL_STATES, counts, strict=True)),
            {state: count for state, (count, *_) in zip(_COUNTED, totals, strict=True)},
            global_variables or {},
        )

    # --- who is connected ----------------------------------------------------------------------

    async def get_workers(self) -> list[Mapping[str, str]]:
        """The queue's workers in any language, as CLIENT LIST shows their blocking connections.

        `name` is the queue's name, `rawname` the connection's.

        Raises:
            BullError: The server does not tell this user who is connected.

        BullMQ: `Queue.getWorkers`.
        """
        unnamed, named = self._keys.worker_name(""), self._keys.worker_name("?").removesuffix("?")
        return await self._clients(lambda name: name == unnamed or name.startswith(named))

    async def get_workers_count(self) -> int:
        """How many workers the queue has, in any language.

        Raises:
            BullError: The server does not tell this user who is connected.

        BullMQ: `Queue.getWorkersCount`.
        """
        return len(await self.get_workers())

    async def get_queue_events(self) -> list[Mapping[str, str]]:
        """Those who read the queue's events, in any language, as CLIENT LIST shows them.

        Raises:
            BullError: The server does not tell this user who is connected.

        BullMQ: `Queue.getQueueEvents`.
        """
        reader = self._keys.events_reader_name
        return await self._clients(lambda name: name == reader)

    async def _clients(self, wanted: Callable[[str], bool]) -> list[Mapping[str, str]]:
        try:
            rows = await self._client.run(read.client_list())
        except ConnectionError:
            raise
        except BullError as error:
            raise BullError(
                f"Who is connected to queue {self.name} is unknown: the server refuses CLIENT "
                f"LIST, which an ACL allows by +client|list. {error}"
            ) from error
        return [
            {**row, "name": self.name, "rawname": row["name"]}
            for row in rows
            if wanted(row.get("name", ""))
        ]


def _number(text: str) -> int | float | None:
    """A number of the meta hash; None for other text, which scripts take for no limit, too."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number
