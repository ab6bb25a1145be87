"""What the demo shows as code: the very functions it runs, written as a user would.

Lines stay under 76 columns, so that they fit a terminal behind their indentation.
"""

import asyncio
from typing import Any, TypeAlias

import bullpy.job
import bullpy.queue
from bullpy.flow import FlowProducer, FlowTree

# A user may leave the type arguments out; this package's own checks want them.
Job: TypeAlias = bullpy.job.Job[Any, Any]
Queue: TypeAlias = bullpy.queue.Queue[Any, Any]
Node: TypeAlias = dict[str, Any]


async def send(job: Job) -> str:
    """Pretend to talk to a mail server, which may be busy, or find an address wrong."""
    await asyncio.sleep(0.4)  # a mail server takes its time
    if job.attempts_made < job.data.get("refusals", 0):
        raise OSError("mail server is busy")
    if "@" not in job.data["to"]:
        raise ValueError(f"{job.data['to']} is no address")
    return f"sent to {job.data['to']}"


async def welcome(queue: Queue, people: list[str]) -> list[Job]:
    """Many jobs in one call."""
    entries = [{"name": "welcome", "data": {"to": to}} for to in people]
    return await queue.add_bulk(entries)


async def insist(queue: Queue) -> Job:
    """A job that is tried up to three times."""
    return await queue.add(
        "welcome",
        {"to": "grace@example.com", "refusals": 2},
        attempts=3,
        backoff={"type": "exponential", "delay": 400},  # ms
    )


async def misaddress(queue: Queue) -> Job:
    """A job that can't succeed as it is."""
    data = {"to": "alan.example.com"}
    return await queue.add("welcome", data, attempts=2, backoff=200)


async def correct(queue: Queue) -> list[Job]:
    """Mend what failed for good, and put it back into the line."""
    failed = await queue.get_failed()
    for job in failed:
        await job.update_data({"to": "alan@example.com"})
        await job.retry()
    return failed


async def line_up(queue: Queue) -> Job:
    """Jobs that run in another order than they were added."""
    reminder = await queue.add("reminder", delay=1500)  # ms
    await queue.add("newsletter", priority=10)
    await queue.add("invoice", priority=5)
    await queue.add("alarm", priority=1)
    return reminder


async def take_stock(job: Job) -> int:
    """The work of a leaf."""
    await asyncio.sleep(0.5)
    return job.data["takings"]


async def add_up(job: Job) -> int:
    """The work of a parent: its children are done."""
    await asyncio.sleep(0.4)
    return sum((await job.get_children_values()).values())


async def plant(flows: FlowProducer) -> FlowTree:
    """Three levels over three queues, stored as a whole or not at all."""

    def shop(city: str, takings: int) -> Node:
        data = {"takings": takings}
        return {"name": city, "queue_name": "shops", "data": data}

    def country(name: str, *shops: Node) -> Node:
        return {"name": name, "queue_name": "countries", "children": shops}

    swiss = country("Switzerland", shop("Basel", 240), shop("Bern", 310))
    french = country("France", shop("Lyon", 450))
    both = [swiss, french]
    world = {"name": "world", "queue_name": "reports", "children": both}
    return await flows.add(world)


async def count(queues: dict[str, Queue]) -> dict[str, dict[str, int]]:
    """How many jobs are where, each queue at one moment."""
    return {name: await q.get_job_counts() for name, q in queues.items()}
