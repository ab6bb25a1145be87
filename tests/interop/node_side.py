"""Node's BullMQ behind the face of `sides`."""

from itertools import count
from typing import Any

from tests.interop.driver import Driver, NodeError
from tests.interop.notes import Notes
from tests.interop.sides import (
    EVENTS,
    NOTHING_GIVEN,
    Recipe,
    Side,
    View,
    WaitFailedError,
    WorkerHandle,
)

_numbers = count()  # labels are unique in a driver's life


class NodeWorker(WorkerHandle):
    """A BullMQ worker."""

    def __init__(self, driver: Driver, label: str) -> None:
        super().__init__(driver.listen(label))
        self._driver = driver
        self._label = label

    async def release(self) -> int:
        return await self._driver.call("worker.release", label=self._label)

    async def pause(self) -> None:
        await self._call("pause")

    async def resume(self) -> None:
        await self._call("resume")

    async def close(self) -> None:
        await self._call("close")

    async def take(self, token: str) -> View | None:
        return await self._driver.call("worker.take", label=self._label, token=token)

    async def complete(self, job_id: str, value: Any, token: str) -> None:
        await self._driver.call(
            "worker.complete", label=self._label, id=job_id, value=value, token=token
        )

    async def fail(self, job_id: str, message: str, token: str) -> None:
        await self._driver.call(
            "worker.fail", label=self._label, id=job_id, message=message, token=token
        )

    async def check_stalled(self) -> None:
        await self._call("startStalledCheckTimer")

    async def _call(self, method: str) -> None:
        await self._driver.call("worker.call", label=self._label, method=method)


class NodeSide(Side):
    """BullMQ under one prefix.

    Args:
        driver: The Node process.
        prefix: What all keys begin with.
    """

    language = "node"

    def __init__(self, driver: Driver, prefix: str) -> None:
        self._driver = driver
        self._prefix = prefix

    async def add(self, queue: str, name: str, data: Any = NOTHING_GIVEN, **opts: Any) -> View:
        given = {} if data is NOTHING_GIVEN else {"data": data}
        return await self._do("queue.add", queue, name=name, opts=opts, **given)

    async def add_bulk(self, queue: str, jobs: list[dict[str, Any]]) -> list[View]:
        return await self._do("queue.add_bulk", queue, jobs=jobs)

    async def add_tree(self, tree: dict[str, Any]) -> dict[str, Any]:
        return await self._driver.call("flow.add", prefix=self._prefix, tree=tree)

    async def get_tree(self, queue: str, job_id: str) -> dict[str, Any]:
        return await self._do("flow.get", queue, id=job_id)

    async def work(self, queue: str, recipe: Recipe | None, **opts: Any) -> NodeWorker:
        label = f"worker {next(_numbers)} of {queue}"
        worker = NodeWorker(self._driver, label)
        await self._do("worker.open", queue, label=label, recipe=recipe, opts=opts)
        return worker

    async def listen(self, queue: str, *custom: str) -> Notes:
        label = f"reader {next(_numbers)} of {queue}"
        notes = self._driver.listen(label)
        await self._do("events.open", queue, label=label, events=[*EVENTS, *custom])
        return notes

    async def publish(self, queue: str, event: str, fields: dict[str, str]) -> None:
        await self._do("events.publish", queue, event=event, fields=fields)

    async def wait(self, queue: str, job_id: str, ttl: int | None = None) -> Any:
        try:
            return await self._do("job.wait", queue, id=job_id, ttl=ttl)
        except NodeError as error:
            raise WaitFailedError(str(error)) from error

    async def job(self, queue: str, job_id: str) -> View | None:
        return await self._call(queue, "getJob", job_id)

    async def state(self, queue: str, job_id: str) -> str:
        return await self._call(queue, "getJobState", job_id)

    async def logs(self, queue: str, job_id: str) -> list[str]:
        return (await self._call(queue, "getJobLogs", job_id))["logs"]

    async def children_values(self, queue: str, job_id: str) -> dict[str, Any]:
        return await self._job_call(queue, job_id, "getChildrenValues")

    async def ignored_failures(self, queue: str, job_id: str) -> dict[str, str]:
        return await self._job_call(queue, job_id, "getIgnoredChildrenFailures")

    async def counts(self, queue: str) -> dict[str, int]:
        return await self._call(queue, "getJobCounts")

    async def ids(self, queue: str, state: str) -> list[str]:
        jobs = await self._call(queue, "getJobs", [state], 0, -1, True)
        return [job["id"] for job in jobs]

    async def workers(self, queue: str) -> list[dict[str, str]]:
        return await self._call(queue, "getWorkers")

    async def pause(self, queue: str) -> None:
        await self._call(queue, "pause")

    async def resume(self, queue: str) -> None:
        await self._call(queue, "resume")

    async def is_paused(self, queue: str) -> bool:
        return await self._call(queue, "isPaused")

    async def set_concurrency(self, queue: str, limit: int) -> None:
        await self._call(queue, "setGlobalConcurrency", limit)

    async def retry(self, queue: str, job_id: str) -> None:
        await self._job_call(queue, job_id, "retry")

    async def promote(self, queue: str, job_id: str) -> None:
        await self._job_call(queue, job_id, "promote")

    async def remove(self, queue: str, job_id: str) -> int:
        return await self._call(queue, "remove", job_id)

    async def _call(self, queue: str, method: str, *args: Any) -> Any:
        return await self._do("queue.call", queue, method=method, args=args)

    async def _job_call(self, queue: str, job_id: str, method: str) -> Any:
        return await self._do("job.call", queue, id=job_id, method=method)

    async def _do(self, op: str, queue: str, **arguments: Any) -> Any:
        return await self._driver.call(op, queue=queue, prefix=self._prefix, **arguments)
