"""All adds at once, on one queue."""

import asyncio

from benchmarks.peers.bullpy.frame import QUEUE, Peer, payload
from bullpy import Queue


async def run(peer: Peer) -> None:
    """Run the work."""
    async with Queue(QUEUE, connection=peer.url) as queue:
        await queue.add("warm-up", payload(0))
        async with peer.measured():
            await asyncio.gather(*(queue.add("mail", payload(n)) for n in range(peer.jobs)))
