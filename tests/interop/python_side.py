"""bullpy behind the face of `sides`."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from bullpy import (
    BullError,
    FlowProducer,
    FlowTree,
    Job,
    Queue,
    QueueEvents,
    QueueEventsProducer,
    Worker,
)
from tests.interop.notes import Notes
from tests.interop.processors import Processor
from tests.interop.sides import (
    EVENTS,
    NOTHING_GIVEN,
    Recipe,
    Side,
    View,
    WaitFailedError,
    WorkerHandle,
)

BEGINNING = "0-0"


class PythonWorker(WorkerHandle):
    """A bullpy worker."""

    def __init__(self, queue: str, recipe: Recipe | None, notes: Notes, **options: Any) -> None:
        super().__init__(notes)
        self._processor = Processor(recipe, notes) if recipe else None
        self.worker: Worker[Any, Any] = Worker(queue, self._processor, **options)
        self._taken: dict[str, Job[Any, Any]] = {}
        self._listen()

    async def release(self) -> int:
        return self._processor.holds.release_all() if self._processor else 0

    async def pause(self) -> None:
        await self.worker.pause()

    async def resume(self) -> None:
        await self.worker.resume()

    async def close(self) -> None:
        await self.worker.close()

    async def end(self) -> None:
        """Close it at the end of the test, whatever it still holds."""
        await self.release()
        await self.worker.close()

    async def take(self, token: str) -> View | None:
        job = await self.worker.get_next_job(token)
        if job is None:
            return None
        self._taken[job.id] = job
        return view(job)

    async def complete(self, job_id: str, value: Any, token: str) -> None:
        await self._taken[job_id].move_to_completed(value, token, fetch_next=False)

    async def fail(self, job_id: str, message: str, token: str) -> None:
        await self._taken[job_id].move_to_failed(RuntimeError(message), token)

    async def check_stalled(self) -> None:
        await self.worker.check_stalled()

    def _listen(self) -> None:
        add, on = self.notes.add, self.worker.on
        on("active", lambda job, *_: add("active", jobId=job.id))
        on("progress", lambda job, value: add("progress", jobId=job.id, progress=value))
        on("completed", lambda job, value, *_: add("completed", jobId=job.id, result=value))
        on("failed", self._note_failure)
        on("stalled", lambda job_id, *_: add("stalled", jobId=job_id))
        on("drained", lambda *_: add("drained"))
        on("lockRenewalFailed", lambda job_ids: add("lockRenewalFailed", jobIds=job_ids))
        on("error", lambda error: add("error", message=str(error)))

    def _note_failure(self, job: Job[Any, Any], error: BaseException, _previous: str) -> None:
        self.notes.add("failed", jobId=job.id, message=str(error), attemptsMade=job.attempts_made)


class PythonSide(Side):
    """bullpy under one prefix.

    Args:
        url: The server.
        prefix: What all keys begin with.
    """

    language = "python"

    def __init__(self, url: str, prefix: str) -> None:
        self._where = {"connection": url, "prefix": prefix}
        self._open = AsyncExitStack()
        self._queues: dict[str, Queue[Any, Any]] = {}

    async def close(self) -> None:
        """Close all that a test left open."""
        await self._open.aclose()

    async def add(self, queue: str, name: str, data: Any = NOTHING_GIVEN, **opts: Any) -> View:
        given = [] if data is NOTHING_GIVEN else [data]
        return view(await (await self.queue(queue)).add(name, *given, **opts))

    async def add_bulk(self, queue: str, jobs: list[dict[str, Any]]) -> list[View]:
        return [view(job) for job in await (await self.queue(queue)).add_bulk(jobs)]

    async def add_tree(self, tree: dict[str, Any]) -> dict[str, Any]:
        return tree_view(await self._flows().add(tree))

    async def get_tree(self, queue: str, job_id: str) -> dict[str, Any]:
        tree = await self._flows().get_flow(queue_name=queue, id=job_id)
        assert tree is not None
        return tree_view(tree)

    async def work(self, queue: str, recipe: Recipe | None, **opts: Any) -> PythonWorker:
        worker = PythonWorker(queue, recipe, Notes(), opts=opts, **self._where)
        self._open.push_async_callback(worker.end)
        if recipe:
            await worker.worker.start()
        return worker

    async def listen(self, queue: str, *custom: str) -> Notes:
        notes = Notes()
        events = QueueEvents(queue, last_event_id=BEGINNING, **self._where)
        for event in (*EVENTS, *custom):
            events.on(event, _noting(notes, event))
        await self._open.enter_async_context(events)
        return notes

    async def publish(self, queue: str, event: str, fields: dict[str, str]) -> None:
        async with QueueEventsProducer(queue, **self._where) as producer:
            await producer.publish_event(event, **fields)

    async def wait(self, queue: str, job_id: str, ttl: int | None = None) -> Any:
        job = await self._job(queue, job_id)
        async with QueueEvents(queue, **self._where) as events:
            try:
                return await job.wait_until_finished(events, ttl=ttl)
            except BullError as error:
                raise WaitFailedError(str(error)) from error

    async def queue(self, name: str) -> Queue[Any, Any]:
        """The queue, opened once."""
        if name not in self._queues:
            queue: Queue[Any, Any] = Queue(name, **self._where)
            self._queues[name] = await self._open.enter_async_context(queue)
        return self._queues[name]

    async def job(self, queue: str, job_id: str) -> View | None:
        job = await (await self.queue(queue)).get_job(job_id)
        return view(job) if job else None

    async def state(self, queue: str, job_id: str) -> str:
        return await (await self.queue(queue)).get_job_state(job_id)

    async def logs(self, queue: str, job_id: str) -> list[str]:
        return (await (await self.queue(queue)).get_job_logs(job_id)).logs

    async def children_values(self, queue: str, job_id: str) -> dict[str, Any]:
        return await (await self._job(queue, job_id)).get_children_values()

    async def ignored_failures(self, queue: str, job_id: str) -> dict[str, str]:
        return await (await self._job(queue, job_id)).get_ignored_children_failures()

    async def counts(self, queue: str) -> dict[str, int]:
        return dict(await (await self.queue(queue)).get_job_counts())

    async def ids(self, queue: str, state: str) -> list[str]:
        jobs = await (await self.queue(queue)).get_jobs([state], 0, -1, asc=True)
        return [job.id for job in jobs]

    async def workers(self, queue: str) -> list[dict[str, str]]:
        return await (await self.queue(queue)).get_workers()

    async def pause(self, queue: str) -> None:
        await (await self.queue(queue)).pause()

    async def resume(self, queue: str) -> None:
        await (await self.queue(queue)).resume()

    async def is_paused(self, queue: str) -> bool:
        return await (await self.queue(queue)).is_paused()

    async def set_concurrency(self, queue: str, limit: int) -> None:
        await (await self.queue(queue)).set_global_concurrency(limit)

    async def retry(self, queue: str, job_id: str) -> None:
        await (await self._job(queue, job_id)).retry()

    async def promote(self, queue: str, job_id: str) -> None:
        await (await self._job(queue, job_id)).promote()

    async def remove(self, queue: str, job_id: str) -> int:
        return await (await self.queue(queue)).remove(job_id)

    async def _job(self, queue: str, job_id: str) -> Job[Any, Any]:
        job = await (await self.queue(queue)).get_job(job_id)
        assert job is not None, f"no job {job_id} in {queue}"
        return job

    def _flows(self) -> FlowProducer:
        flows = FlowProducer(**self._where)
        self._open.push_async_callback(flows.close)
        return flows


def view(job: Job[Any, Any]) -> View:
    """A job under BullMQ's field names, as node/driver/view.mjs gives it."""
    return {
        "id": job.id,
        "name": job.name,
        "data": job.data,
        "progress": job.progress,
        "returnvalue": job.returnvalue,
        "attemptsMade": job.attempts_made,
        "attemptsStarted": job.attempts_started,
        "stalledCounter": job.stalled_counter,
        "delay": job.delay,
        "priority": job.priority,
        "timestamp": job.timestamp,
        "stacktrace": job.stacktrace,
        "processedOn": job.processed_on,
        "finishedOn": job.finished_on,
        "failedReason": job.failed_reason,
        "parentKey": job.parent_key,
        "deferredFailure": job.deferred_failure,
        "processedBy": job.processed_by,
        "deduplicationId": job.deduplication_id,
    }


def tree_view(tree: FlowTree) -> dict[str, Any]:
    """A tree in the same form."""
    return {
        "job": view(tree.job),
        "children": [tree_view(child) for child in tree.children or []],
    }


def _noting(notes: Notes, event: str) -> Callable[..., None]:
    def note(*arguments: Any) -> None:
        fields = arguments[0] if isinstance(arguments[0], dict) else {}  # `drained` has none
        notes.add(event, **fields)

    return note
