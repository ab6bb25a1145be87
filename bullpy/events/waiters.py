"""Those who wait for the end of a job. However many there are, an event costs one look-up."""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from bullpy.events.entry import StreamEvent
from bullpy.types import Event

Ending: TypeAlias = "asyncio.Future[Mapping[str, Any]]"

ENDINGS: Final = frozenset({Event.COMPLETED.value, Event.FAILED.value, Event.REMOVED.value})


class Waiters:
    """Futures by job id."""

    def __init__(self) -> None:
        self._by_job: dict[str, set[Ending]] = {}

    @contextmanager
    def waiting_for(self, job_id: str) -> Generator[Ending]:
        """A future that gets the fields of the job's end, with its name as `event`."""
        ending: Ending = asyncio.get_running_loop().create_future()
        waiting = self._by_job.setdefault(job_id, set())
        waiting.add(ending)
        try:
            yield ending
        finally:
            waiting.discard(ending)
            if not waiting and self._by_job.get(job_id) is waiting:
                del self._by_job[job_id]
            if not ending.cancel() and not ending.cancelled():
                ending.exception()  # whoever left without looking shall not be warned about it

    def tell(self, event: StreamEvent) -> None:
        """If the event is a job's end, tell those who wait for it."""
        if event.name not in ENDINGS or not (waiting := self._by_job.get(event.job_id or "")):
            return
        fields = {"event": event.name, **event.fields}
        for ending in waiting:
            if not ending.done():
                ending.set_result(fields)

    def fail(self, make_error: Callable[[], Exception]) -> None:
        """Tell all that nothing will come any more; each gets an error of its own."""
        for waiting in self._by_job.values():
            for ending in waiting:
                if not ending.done():
                    ending.set_exception(make_error())
