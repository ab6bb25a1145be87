"""Background loops: each has a name, an owner, a start and an end.

The only place of this room that starts tasks.
"""

import asyncio
import random
from collections.abc import Coroutine
from typing import Any, Final

from bullpy.emitter import Emitter

RESTART_S: Final = 1.0  # a loop that died of a bug must not burn a core while it keeps dying


class Service:
    """A loop that runs in the background until it is stopped.

    Subclasses say what they do in `run`. A loop that dies reports an `error` and starts again
    after a pause.

    Args:
        name: What the loop does, for reports.
        emitter: Where `error` goes.
    """

    def __init__(self, name: str, emitter: Emitter) -> None:
        self.name = name
        self._emitter = emitter
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the loop is running."""
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Start the loop, unless it runs."""
        if not self.running:
            self._task = start_task(self._supervised(), name=self.name)

    async def stop(self) -> None:
        """End the loop and wait for its end."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])

    async def run(self) -> None:
        """The loop itself; returning ends it."""
        raise NotImplementedError

    async def _supervised(self) -> None:
        while True:
            try:
                return await self.run()
            except Exception as error:  # noqa: BLE001 - reported, then started again
                self._emitter.emit("error", error)
                await asyncio.sleep(RESTART_S * random.uniform(0.5, 1.5))  # noqa: S311 - jitter


def start_task(work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
    """Start a task that its caller keeps and ends."""
    return asyncio.get_running_loop().create_task(work, name=name)
