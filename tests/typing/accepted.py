"""What users write, and type checkers must accept."""

from datetime import UTC, datetime, timedelta
from typing import assert_type

from bullpy import FlowProducer, FlowTree, Job, Queue, QueueEvents, State, Worker

NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)


async def producing(queue: Queue[dict[str, int], str]) -> None:
    job = await queue.add("welcome", {"to": 1})
    assert_type(job, Job[dict[str, int], str])
    await queue.add("later", {"to": 2}, delay=timedelta(minutes=5), attempts=3)
    await queue.add("at", {"to": 3}, timestamp=NEW_YEAR, backoff={"type": "fixed"})
    await queue.add("kept", {"to": 4}, remove_on_complete={"age": 3600, "count": 100})
    await queue.add_bulk([{"name": "n", "data": {"to": 5}, "opts": {"priority": 2}}])
    await queue.clean(timedelta(days=1), 100, State.FAILED)


async def waiting(job: Job[dict[str, int], str], events: QueueEvents) -> str:
    assert_type(job.data, dict[str, int])
    return await job.wait_until_finished(events, ttl=timedelta(seconds=5))


async def growing(flows: FlowProducer) -> FlowTree:
    return await flows.add(
        {
            "name": "report",
            "queue_name": "reports",
            "children": [{"name": "part", "queue_name": "parts", "opts": {"attempts": 2}}],
        }
    )


async def on_loop(job: Job[dict[str, int], str]) -> str:
    return str(job.data["to"])


def on_thread(job: Job[dict[str, int], str], token: str) -> str:
    return f"{job.name} {token}"


def working() -> None:
    worker: Worker[dict[str, int], str] = Worker("mail", on_loop, concurrency=5, name="w1")
    worker.concurrency = 10
    Worker("mail", on_thread, limiter={"max": 10, "duration": timedelta(seconds=1)})
