"""One add after the other, each awaited."""

from benchmarks.peers.bullpy.frame import QUEUE, Peer, payload
from bullpy import Queue


async def run(peer: Peer) -> None:
    """Run the work."""
    async with Queue(QUEUE, connection=peer.url) as queue:
        await queue.add("warm-up", payload(0))
        async with peer.measured():
            for n in range(peer.jobs):
                await peer.timed(queue.add("mail", payload(n)))
