"""A plain function as processor: it runs on a thread, and its job's methods block."""

import asyncio
import hashlib
from typing import Any

from bullpy import Queue, QueueEvents, Worker


def digest(job: Any) -> str:
    """Work that would hold up an event loop. `job` is a `Job` whose methods block."""
    text = job.data["text"].encode()
    for part in range(1, 5):
        text = hashlib.pbkdf2_hmac("sha256", text, b"salt", 20_000)
        job.update_progress(part * 25)
    return text.hex()[:8]


async def main() -> None:
    """Watch the progress of a job on a thread."""
    async with (
        Queue("digests") as queue,
        QueueEvents("digests") as events,
        Worker("digests", digest, concurrency=4),
    ):
        events.on("progress", lambda args, _event_id: print(f"{args['data']} %"))
        job = await queue.add("digest", {"text": "hello"})
        print(await job.wait_until_finished(events, ttl=10_000))


asyncio.run(main())

# Output:
# 25 %
# 50 %
# 75 %
# 100 %
# 70ebc3be
