"""Jobs that wait for their time, and jobs that go before others."""

import asyncio
from datetime import timedelta

from bullpy import Job, Queue, QueueEvents, Worker


async def announce(job: Job) -> None:
    """Say which job runs."""
    print(job.name)


async def main() -> None:
    """Add jobs in one order and see them run in another."""
    async with Queue("ordered") as queue, QueueEvents("ordered") as events:
        # Without a priority a job goes before all that have one; among those, 1 goes first.
        await queue.add("newsletter", priority=10)
        await queue.add("invoice", priority=2)
        await queue.add("alarm", priority=1)
        await queue.add("password reset")

        # A delay is in milliseconds, or a timedelta.
        reminder = await queue.add("reminder", delay=timedelta(milliseconds=300))

        async with Worker("ordered", announce):
            await reminder.wait_until_finished(events, ttl=10_000)


asyncio.run(main())

# Output:
# password reset
# alarm
# invoice
# newsletter
# reminder
