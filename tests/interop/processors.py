"""What the workers of the tests do with a job: node/driver/processors.mjs has the same recipes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from bullpy import Job, UnrecoverableError
from tests.interop.notes import Notes
from tests.interop.sides import Recipe

BY = "python"


class Holds:
    """Jobs that wait until a test lets them go on."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    async def hold(self, announce: Callable[[], None]) -> None:
        event = asyncio.Event()
        self._waiting.add(event)
        announce()
        await event.wait()

    def release_all(self) -> int:
        released = len(self._waiting)
        for event in self._waiting:
            event.set()
        self._waiting.clear()
        return released


class Processor:
    """A processor that follows a recipe.

    Args:
        recipe: `{"do": "echo", ...}`, or `{"by_name": {"job name": recipe}}`.
        notes: Where `holding` is told.
    """

    def __init__(self, recipe: Recipe, notes: Notes) -> None:
        self.holds = Holds()
        self._recipe = recipe
        self._notes = notes

    async def __call__(self, job: Job[Any, Any]) -> Any:
        recipe = self._recipe["by_name"][job.name] if "by_name" in self._recipe else self._recipe
        arguments = {name: value for name, value in recipe.items() if name != "do"}
        steps: dict[str, Callable[..., Awaitable[Any]]] = {
            "echo": self.echo,
            "return": self.give_back,
            "fail": self.fail,
            "progress": self.progress,
            "log": self.log,
            "update": self.update,
            "hold": self.hold,
            "sum": self.sum,
        }
        return await steps[recipe["do"]](job, **arguments)

    async def echo(self, job: Job[Any, Any]) -> Any:
        return {"by": BY, "data": job.data}

    async def give_back(self, _job: Job[Any, Any], *, value: Any) -> Any:
        return value

    async def fail(
        self,
        job: Job[Any, Any],
        *,
        times: float = float("inf"),
        message: str = "boom",
        unrecoverable: bool = False,
    ) -> Any:
        if job.attempts_made >= times:
            return {"by": BY, "attemptsMade": job.attempts_made}
        raise UnrecoverableError(message) if unrecoverable else RuntimeError(message)

    async def progress(self, job: Job[Any, Any], *, steps: list[Any]) -> Any:
        for step in steps:
            await job.update_progress(step)
        return {"by": BY}

    async def log(self, job: Job[Any, Any], *, rows: list[str]) -> Any:
        for row in rows:
            await job.log(row)
        return {"by": BY}

    async def update(self, job: Job[Any, Any], *, data: Any) -> Any:
        await job.update_data(data)
        return {"by": BY}

    async def hold(self, job: Job[Any, Any]) -> Any:
        await self.holds.hold(lambda: self._notes.add("holding", jobId=job.id))
        return {"by": BY, "data": job.data}

    async def sum(self, job: Job[Any, Any]) -> Any:
        values = await job.get_children_values()
        ignored = await job.get_ignored_children_failures()
        total = job.data.get("n", 0) + sum(value["sum"] for value in values.values())
        return {"by": BY, "sum": total, "children": sorted(values), "ignored": ignored}
