"""One job: added, worked on, and its result waited for."""

import asyncio

from bullpy import Job, Queue, QueueEvents, Worker


async def send(job: Job) -> str:
    """Do the work of one job. What it returns is the job's result, any JSON value."""
    return f"sent to {job.data['to']}"


async def main() -> None:
    """Add a job and wait for its result."""
    async with Queue("hello") as queue, Worker("hello", send), QueueEvents("hello") as events:
        job = await queue.add("welcome", {"to": "ada@example.com"}, attempts=3, backoff=1000)
        print(await job.wait_until_finished(events, ttl=10_000))


asyncio.run(main())

# Output:
# sent to ada@example.com
