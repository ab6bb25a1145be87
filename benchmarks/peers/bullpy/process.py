"""A worker and a queue full of jobs that do nothing."""

import asyncio
from typing import Any

from benchmarks.peers.bullpy.frame import QUEUE, Peer, payload
from bullpy import Job, Queue, Worker


async def run(peer: Peer) -> None:
    """Run the work."""
    async with Queue(QUEUE, connection=peer.url) as queue:
        await queue.add_bulk([{"name": "mail", "data": payload(n)} for n in range(peer.jobs)])
    worker: Worker[Any, int] = Worker(
        QUEUE,
        _nothing,
        connection=peer.url,
        concurrency=peer.settings["concurrency"],
        autorun=False,
    )
    async with worker:
        done = _Countdown(peer.jobs)
        worker.on("completed", done)
        async with peer.measured():
            await worker.start()
            await done.reached.wait()


async def _nothing(job: Job[Any, int]) -> int:
    return job.data["n"]


class _Countdown:
    """Listens to completed jobs until all are there."""

    def __init__(self, jobs: int) -> None:
        self.reached = asyncio.Event()
        self._left = jobs

    def __call__(self, *_: object) -> None:
        self._left -= 1
        if not self._left:
            self.reached.set()
