"""A job that fails is tried again after a delay; one that can't succeed fails at once."""

import asyncio

from bullpy import Job, JobFailedError, Queue, QueueEvents, UnrecoverableError, Worker


async def send(job: Job) -> str:
    """Fail twice, then succeed; without a recipient there is no use in trying again."""
    print(f"try {job.attempts_made + 1}")
    if not job.data["to"]:
        raise UnrecoverableError("no recipient")
    if job.attempts_made < job.data["busy_until"]:
        raise OSError("mail server is busy")
    return "sent"


async def main() -> None:
    """Add two jobs with four tries each, 50 ms, 100 ms and 200 ms apart."""
    async with (
        Queue("retries") as queue,
        QueueEvents("retries") as events,
        Worker("retries", send),
    ):
        retrying = {"attempts": 4, "backoff": {"type": "exponential", "delay": 50}}
        job = await queue.add("welcome", {"to": "ada@example.com", "busy_until": 2}, **retrying)
        print(await job.wait_until_finished(events, ttl=10_000))

        lost = await queue.add("welcome", {"to": ""}, **retrying)
        try:
            await lost.wait_until_finished(events, ttl=10_000)
        except JobFailedError as error:
            print(f"failed for good: {error.failed_reason}")


asyncio.run(main())

# Output:
# try 1
# try 2
# try 3
# sent
# try 1
# failed for good: no recipient
