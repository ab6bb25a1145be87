"""A worker without a processor: take jobs, and say what came of them, yourself."""

import asyncio
from uuid import uuid4

from bullpy import Queue, Worker


async def main() -> None:
    """Complete one job, fail another, put a third one back."""
    async with Queue("by-hand") as queue, Worker("by-hand") as worker:
        for name in ("first", "second", "third"):
            await queue.add(name)

        token = str(uuid4())  # the lock that comes with a job is held by this
        job = await worker.get_next_job(token)
        fetched = await job.move_to_completed({"ok": True}, token)  # brings the next job along
        print(job.name, await job.get_state(), job.returnvalue)

        job = fetched.job
        await job.move_to_failed(ValueError("no good"), token)
        print(job.name, await job.get_state(), job.failed_reason)

        job = await worker.get_next_job(token)
        await job.extend_lock(token, 60_000)  # for work that takes longer than the lock lasts
        await job.move_to_wait(token)
        print(job.name, await job.get_state())

        await queue.obliterate()


asyncio.run(main())

# Output:
# first completed {'ok': True}
# second failed no good
# third waiting
