"""Waiting for a job's result, its failure, or neither in time."""

import asyncio

from bullpy import Job, JobFailedError, Queue, QueueEvents, WaitTimeoutError, Worker


async def divide(job: Job) -> float:
    """Divide two numbers."""
    return job.data["a"] / job.data["b"]


async def main() -> None:
    """Wait for three jobs."""
    # Events are listened to from this line on: no end is missed, however fast the worker is.
    async with Queue("sums") as queue, QueueEvents("sums") as events:
        async with Worker("sums", divide):
            job = await queue.add("divide", {"a": 1, "b": 4})
            print(await job.wait_until_finished(events, ttl=10_000))

            job = await queue.add("divide", {"a": 1, "b": 0})
            try:
                await job.wait_until_finished(events, ttl=10_000)
            except JobFailedError as error:
                print(f"failed: {error.failed_reason}")

        job = await queue.add("divide", {"a": 1, "b": 2})  # the worker has gone home
        try:
            await job.wait_until_finished(events, ttl=100)
        except WaitTimeoutError:
            print(f"not yet: it is {await job.get_state()}")
        await job.remove()


asyncio.run(main())

# Output:
# 0.25
# failed: division by zero
# not yet: it is waiting
