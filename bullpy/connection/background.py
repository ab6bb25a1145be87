"""The one owner of tasks in this room."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Background:
    """At most one task at a time, which ends with its owner.

    Args:
        on_death: Told the exception when the task dies of one, so that nobody waits in vain.
    """

    def __init__(self, on_death: Callable[[BaseException], None]) -> None:
        self._on_death = on_death
        self._task: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the task is at work."""
        return self._task is not None and not self._task.done()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Begin the work."""
        self._task = asyncio.create_task(work, name=name)  # noqa: TID251 - the owner itself
        self._task.add_done_callback(self._ended)

    def cancel(self) -> None:
        """Ask the work to end."""
        if self._task:
            self._task.cancel()

    async def stop(self) -> None:
        """Ask the work to end and see it end."""
        if task := self._task:
            task.cancel()
            await asyncio.wait([task])

    def _ended(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None
        if not task.cancelled() and (error := task.exception()):
            self._on_death(error)
