"""What workers and event readers of either language told, in order, and waiting for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PATIENCE_S = 15.0  # of every wait; a crowded machine is slow, a lost event never comes


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that happened.

    Attributes:
        event: Its name, such as `completed`.
        fields: What came with it.
    """

    event: str
    fields: dict[str, Any] = field(default_factory=dict)

    def fits(self, event: str, fields: dict[str, Any]) -> bool:
        """Whether it is that event, with at least these fields."""
        return self.event == event and fields.items() <= self.fields.items()


class Notes:
    """All notes of one worker or reader; used on one event loop."""

    def __init__(self) -> None:
        self.all: list[Note] = []
        self._changed = asyncio.Event()

    def add(self, event: str, **fields: Any) -> None:
        """Write one down."""
        self.all.append(Note(event, fields))
        self._changed.set()

    def of(self, event: str, **fields: Any) -> list[Note]:
        """Those of one event that have these fields."""
        return [note for note in self.all if note.fits(event, fields)]

    def names(self, job_id: str) -> list[str]:
        """The events of one job, in order."""
        return [note.event for note in self.all if note.fields.get("jobId") == job_id]

    async def until(self, event: str, *, times: int = 1, **fields: Any) -> Note:
        """Wait for an event with these fields, for its `times`-th one; also if it was before."""
        await self._until(
            lambda: len(self.of(event, **fields)) >= times, f"{times} x {event} {fields}"
        )
        return self.of(event, **fields)[times - 1]

    async def until_all(self, event: str, job_ids: list[str]) -> None:
        """Wait until each of these jobs had that event."""
        await self._until(lambda: set(job_ids) <= self._ids(event), f"{event} of {job_ids}")

    def _ids(self, event: str) -> set[str]:
        return {note.fields["jobId"] for note in self.all if note.event == event}

    async def _until(self, happened: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not happened():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"{what} did not happen, but {self.all[-20:]}") from None
