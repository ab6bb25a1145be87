"""Words that several rooms share: states, events, JSON, and the protocols between rooms."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""Any value that JSON can hold."""

RedisReply: TypeAlias = Any
"""What a server answered, text decoded: `str`, `int`, `None`, or a list of these."""


class State(StrEnum):
    """Where a job is. The values are BullMQ's public names of the states."""

    WAITING = "waiting"
    ACTIVE = "active"
    DELAYED = "delayed"
    PRIORITIZED = "prioritized"
    COMPLETED = "completed"
    FAILED = "failed"
    WAITING_CHILDREN = "waiting-children"
    UNKNOWN = "unknown"


class Event(StrEnum):
    """Names of the entries in a queue's event stream."""

    ADDED = "added"
    WAITING = "waiting"
    DELAYED = "delayed"
    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    RETRIES_EXHAUSTED = "retries-exhausted"
    STALLED = "stalled"
    PROGRESS = "progress"
    REMOVED = "removed"
    DUPLICATED = "duplicated"
    DEDUPLICATED = "deduplicated"
    WAITING_CHILDREN = "waiting-children"
    DRAINED = "drained"
    PAUSED = "paused"
    RESUMED = "resumed"
    CLEANED = "cleaned"


BackoffStrategy: TypeAlias = Callable[
    [int, str, BaseException, Any], "int | float | Awaitable[int | float]"
]
"""Custom backoff: (attempts made, backoff type, error, job) -> ms; 0 retries at once, -1 fails."""


class FinishedEvents(Protocol):
    """What a job needs of QueueEvents to wait for its own end."""

    def waiting_for(self, job_id: str) -> AbstractContextManager[Awaitable[Mapping[str, Any]]]:
        """Listen for as long as the block lasts.

        What it yields gets the fields of the job's first `completed`, `failed` or `removed` event,
        with that name as `event`.
        """
        ...
