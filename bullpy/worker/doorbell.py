"""Tells a hungry worker of new work: a blocking read of the queue's marker, on its own connection.

A marker with a time in the future tells of a delayed job. A read that ends without a marker is a
reason to look too, since a marker is a hint that nobody guarantees.
"""

import asyncio
import random
from typing import Final

from bullpy.connection import BlockingClient, Interrupted
from bullpy.errors import BullError
from bullpy.job.context import QueueContext
from bullpy.scripts.marker import read_marker, return_marker
from bullpy.worker.fetcher import Fetcher
from bullpy.worker.service import Service

RECONNECT_S: Final = (0.1, 2.0)  # jittered between these; short, since a worker waits for Redis


class Doorbell(Service):
    """Listens while the fetcher is hungry.

    Args:
        context: The worker's queue.
        client: The blocking connection, which carries the worker's name.
        fetcher: Whom to tell.
        drain_delay_s: How long one read blocks.
    """

    def __init__(
        self,
        context: QueueContext,
        client: BlockingClient,
        fetcher: Fetcher,
        *,
        drain_delay_s: float,
    ) -> None:
        super().__init__(f"doorbell of {context.keys.name}", context.emitter)
        self._context = context
        self._client = client
        self._fetcher = fetcher
        self._drain_delay_s = drain_delay_s

    async def run(self) -> None:
        """Listen, tell, for ever."""
        while True:
            await self._fetcher.hungry.wait()
            try:
                await self.listen(self._drain_delay_s)
            except Interrupted:
                continue
            except BullError as error:
                self._context.emitter.emit("error", error)
                await asyncio.sleep(random.uniform(*RECONNECT_S))  # noqa: S311 - jitter

    async def listen(self, timeout_s: float) -> None:
        """Read the marker once and tell the fetcher."""
        call = read_marker(self._context.keys, timeout_s)
        due_ms = await self._client.run(call, timeout=timeout_s)
        if due_ms is not None and due_ms > self._context.now():
            self._fetcher.note_due(due_ms)
        elif self._fetcher.has_room:
            self._fetcher.ring()
        elif due_ms is not None:
            # The slots filled up meanwhile: this marker is for another worker.
            self._fetcher.hungry.clear()
            await self._context.client.run(return_marker(self._context.keys))
