"""One face for both languages, so that a test says once what holds in either direction.

`NodeSide` and `PythonSide` do the same things to the same Redis, each with its own library. Jobs
come back as dicts with BullMQ's field names; options go in under BullMQ's names.
"""

import abc
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.interop.notes import Notes

View: TypeAlias = dict[str, Any]
Recipe: TypeAlias = dict[str, Any]

ECHO: Recipe = {"do": "echo"}
HOLD: Recipe = {"do": "hold"}
SUM: Recipe = {"do": "sum"}
EVENTS = (
    "added",
    "active",
    "cleaned",
    "completed",
    "deduplicated",
    "delayed",
    "drained",
    "duplicated",
    "failed",
    "paused",
    "progress",
    "removed",
    "resumed",
    "retries-exhausted",
    "stalled",
    "waiting",
    "waiting-children",
)
NOTHING_GIVEN: Any = object()  # as data: the job is added without


class WaitFailedError(Exception):
    """Waiting for a job ended in an error; its text is the library's."""


class WorkerHandle(abc.ABC):
    """A worker of either language.

    Attributes:
        notes: What its local events told, and `holding` for each job that a recipe holds.
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    @abc.abstractmethod
    async def release(self) -> int:
        """Let the held jobs go on; how many there were."""

    @abc.abstractmethod
    async def pause(self) -> None:
        """Take no more jobs, and wait for the running ones."""

    @abc.abstractmethod
    async def resume(self) -> None:
        """Take jobs again."""

    @abc.abstractmethod
    async def close(self) -> None:
        """End it, after its running jobs."""

    @abc.abstractmethod
    async def take(self, token: str) -> View | None:
        """Take a job by hand; for workers without a recipe."""

    @abc.abstractmethod
    async def complete(self, job_id: str, value: Any, token: str) -> None:
        """Complete a job that was taken by hand."""

    @abc.abstractmethod
    async def fail(self, job_id: str, message: str, token: str) -> None:
        """Fail a job that was taken by hand."""

    @abc.abstractmethod
    async def check_stalled(self) -> None:
        """Look for stalled jobs, now."""


class Side(abc.ABC):
    """One language at work under one prefix."""

    language: str

    @abc.abstractmethod
    async def add(self, queue: str, name: str, data: Any = NOTHING_GIVEN, **opts: Any) -> View:
        """Add a job."""

    @abc.abstractmethod
    async def add_bulk(self, queue: str, jobs: list[dict[str, Any]]) -> list[View]:
        """Add jobs: `{"name", "data"?, "opts"?}` each."""

    @abc.abstractmethod
    async def add_tree(self, tree: dict[str, Any]) -> dict[str, Any]:
        """Add a tree, in BullMQ's spelling: `{"job": view, "children": [...]}`."""

    @abc.abstractmethod
    async def get_tree(self, queue: str, job_id: str) -> dict[str, Any]:
        """Read a tree."""

    @abc.abstractmethod
    async def work(self, queue: str, recipe: Recipe | None, **opts: Any) -> WorkerHandle:
        """Start a worker that follows a recipe (see `processors`); None: one driven by hand."""

    @abc.abstractmethod
    async def listen(self, queue: str, *custom: str) -> Notes:
        """Note the queue's events from its beginning on, and the custom ones that are named."""

    @abc.abstractmethod
    async def publish(self, queue: str, event: str, fields: dict[str, str]) -> None:
        """Publish a custom event."""

    @abc.abstractmethod
    async def wait(self, queue: str, job_id: str, ttl: int | None = None) -> Any:
        """Wait for a job's result.

        Raises:
            WaitFailedError: The job failed, or the time is over.
        """

    @abc.abstractmethod
    async def job(self, queue: str, job_id: str) -> View | None:
        """Read a job."""

    @abc.abstractmethod
    async def state(self, queue: str, job_id: str) -> str:
        """A job's state."""

    @abc.abstractmethod
    async def logs(self, queue: str, job_id: str) -> list[str]:
        """A job's log."""

    @abc.abstractmethod
    async def children_values(self, queue: str, job_id: str) -> dict[str, Any]:
        """What a parent knows of its children's results."""

    @abc.abstractmethod
    async def ignored_failures(self, queue: str, job_id: str) -> dict[str, str]:
        """What a parent knows of its children's ignored failures."""

    @abc.abstractmethod
    async def counts(self, queue: str) -> dict[str, int]:
        """State -> number of jobs."""

    @abc.abstractmethod
    async def ids(self, queue: str, state: str) -> list[str]:
        """Ids of the jobs in a state, in the order in which BullMQ lists them."""

    @abc.abstractmethod
    async def workers(self, queue: str) -> list[dict[str, str]]:
        """The queue's workers, from the server's client list."""

    @abc.abstractmethod
    async def pause(self, queue: str) -> None:
        """Pause the queue for all workers."""

    @abc.abstractmethod
    async def resume(self, queue: str) -> None:
        """Resume it."""

    @abc.abstractmethod
    async def is_paused(self, queue: str) -> bool:
        """Whether it is paused."""

    @abc.abstractmethod
    async def set_concurrency(self, queue: str, limit: int) -> None:
        """Bound how many jobs run at once over all workers."""

    @abc.abstractmethod
    async def retry(self, queue: str, job_id: str) -> None:
        """Put a failed job back."""

    @abc.abstractmethod
    async def promote(self, queue: str, job_id: str) -> None:
        """Let a delayed job run now."""

    @abc.abstractmethod
    async def remove(self, queue: str, job_id: str) -> int:
        """Remove a job: 1 if it is gone, 0 if it is locked."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Who does what in a test that is to hold in either direction.

    Attributes:
        here: Adds jobs, waits, manages.
        there: Works.
    """

    here: Side
    there: Side
