"""Finds jobs whose worker vanished and puts them back into the line."""

import asyncio
from typing import Final

from bullpy.errors import BullError
from bullpy.job.context import QueueContext
from bullpy.scripts.locks import recover_stalled
from bullpy.worker.service import Service

AFTER_ERROR_S: Final = 5.0  # BullMQ's pause after a failed check


class StalledChecker(Service):
    """Checks at each interval; the queue's workers share one check per interval between them.

    Args:
        context: The worker's queue.
        interval_ms: Time between two checks.
        max_stalled_count: How often a job may stall before it fails.
    """

    def __init__(self, context: QueueContext, *, interval_ms: int, max_stalled_count: int) -> None:
        super().__init__(f"stalled checker of {context.keys.name}", context.emitter)
        self._context = context
        self._interval_ms = interval_ms
        self._max_stalled_count = max_stalled_count

    async def run(self) -> None:
        """Check, report, sleep."""
        while True:
            try:
                await self.check()
                pause = self._interval_ms / 1000
            except BullError as error:
                self._context.emitter.emit("error", error)
                pause = AFTER_ERROR_S
            await asyncio.sleep(pause)

    async def check(self) -> list[str]:
        """Check once: the ids of the jobs put back, in order."""
        context = self._context
        recovered = await context.client.run(
            recover_stalled(
                context.keys,
                now=context.now(),
                interval_ms=self._interval_ms,
                max_stalled_count=self._max_stalled_count,
            )
        )
        for job_id in recovered:
            context.emitter.emit("stalled", job_id, "active")
        return recovered
