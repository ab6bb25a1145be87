"""Who takes part in a replay: the objects behind a trace's labels, and how one asks them.

A method that bullpy does not have (yet) is no error of the trace: it raises `MissingOpError`.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import bullpy
from bullpy.clock import ManualClock
from bullpy.connection import ConnectionLike
from bullpy.errors import BullError


class MissingOpError(Exception):
    """bullpy has no such operation yet."""


def ask(owner: Any, method: str) -> Callable[..., Any]:
    """A public method of bullpy, or `MissingOpError`."""
    found = getattr(owner, method, None)
    if found is None:
        raise MissingOpError(f"{type(owner).__name__}.{method}")
    return found


@dataclass
class Stand:
    """A worker that does not run, with a processor that does what the trace says.

    Attributes:
        worker: The worker.
        outcome: What the processor is to do next, as the trace puts it.
        emitted: Errors that the worker reported during the current step.
    """

    worker: Any
    outcome: dict[str, Any] = field(default_factory=dict)
    emitted: list[Exception] = field(default_factory=list)


class Cast:
    """All objects of one replay.

    Args:
        connection: Of everybody.
        redis: A plain client, for the trace's raw commands.
        prefix: The trace's default key prefix.
        clock: Of everybody.
    """

    def __init__(
        self, connection: ConnectionLike, redis: Any, *, prefix: str, clock: ManualClock
    ) -> None:
        self.connection = connection
        self.redis = redis
        self.prefix = prefix
        self.clock = clock
        self.queues: dict[str, Any] = {}
        self.stands: dict[str, Stand] = {}
        self._jobs: dict[str, Any] = {}
        self._flows: dict[str, Any] = {}
        self._opened: list[Any] = []

    def keep(self, opened: Any) -> Any:
        """Close this, too, at the end."""
        self._opened.append(opened)
        return opened

    def job(self, label: str) -> Any:
        """The handle behind a label."""
        return self._jobs[label]

    def bind(self, label: str | None, job: Any) -> None:
        """Give a handle a label; without a job the label names nothing any more."""
        if label is None:
            return
        if job is None:
            self._jobs.pop(label, None)
        else:
            self._jobs[label] = job

    def flow_producer(self, prefix: str | None) -> Any:
        """The flow producer with that prefix."""
        wanted = prefix or self.prefix
        if wanted not in self._flows:
            self._flows[wanted] = self.keep(
                bullpy.FlowProducer(connection=self.connection, prefix=wanted, clock=self.clock)
            )
        return self._flows[wanted]

    def queue_of(self, job: Any) -> Any:
        """A queue object for a job's queue, which does not touch the queue's meta hash."""
        return self.keep(
            bullpy.Queue(
                job.queue_name,
                connection=self.connection,
                prefix=job.prefix,
                clock=self.clock,
                skip_metas_update=True,
            )
        )

    def take_emitted(self) -> list[Exception]:
        """The errors that workers reported since the last time."""
        taken = [error for stand in self.stands.values() for error in stand.emitted]
        for stand in self.stands.values():
            stand.emitted.clear()
        return taken

    async def close(self) -> None:
        """Close everything, the youngest first."""
        for opened in reversed(self._opened):
            with contextlib.suppress(BullError):  # what a trace broke stays broken
                await opened.close()
