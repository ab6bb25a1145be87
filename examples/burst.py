"""Work until nothing is left, then return: for cron, a serverless function, a test."""

import asyncio

from bullpy import Job, Queue, Worker


async def work(job: Job) -> None:
    """Add a follow-up job now and then: a burst does those too."""
    if job.data["n"] % 5 == 0:
        async with Queue("chores") as queue:
            await queue.add("follow-up", {"n": 1})


async def main() -> None:
    """Add ten jobs, two of which bring another one."""
    async with Queue("chores") as queue:
        await queue.add_bulk([{"name": "chore", "data": {"n": n}} for n in range(1, 11)])

        done = await Worker("chores", work, concurrency=4).run(burst=True)

        print(done, "jobs done,", await queue.count(), "left")


asyncio.run(main())

# Output:
# 12 jobs done, 0 left
