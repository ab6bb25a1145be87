"""Every key name of a queue, in one place.

The names are BullMQ's (data model of BullMQ 6.7.0); nothing else in the package spells a key.
"""

import base64
from dataclasses import dataclass, field

from bullpy.errors import OptionError

DEFAULT_PREFIX = "bull"


@dataclass(frozen=True, slots=True)
class QueueKeys:
    """The Redis keys of one queue.

    The attribute names are also the `@key` names in the headers of the Lua scripts, which is
    how a script finds its keys.

    Args:
        prefix: What all keys begin with; may hold a cluster hash tag such as `{mail}`.
        name: The queue's name, not empty and without a colon.

    Raises:
        OptionError: The name is empty or holds a colon.
    """

    prefix: str
    name: str
    qualified: str = field(init=False)
    base: str = field(init=False)
    wait: str = field(init=False)
    paused: str = field(init=False)
    active: str = field(init=False)
    prioritized: str = field(init=False)
    pc: str = field(init=False)
    delayed: str = field(init=False)
    completed: str = field(init=False)
    failed: str = field(init=False)
    waiting_children: str = field(init=False)
    stalled: str = field(init=False)
    stalled_check: str = field(init=False)
    limiter: str = field(init=False)
    marker: str = field(init=False)
    events: str = field(init=False)
    meta: str = field(init=False)
    id: str = field(init=False)
    repeat: str = field(init=False)

    def __post_init__(self) -> None:
        if not self.name:
            raise OptionError("Queue name must be provided")
        if ":" in self.name:
            raise OptionError(f"Queue name cannot contain :, but {self.name!r} does")
        qualified = f"{self.prefix}:{self.name}"
        object.__setattr__(self, "qualified", qualified)
        object.__setattr__(self, "base", f"{qualified}:")
        for attribute, suffix in _SUFFIXES.items():
            object.__setattr__(self, attribute, f"{qualified}:{suffix}")

    @property
    def _connection_name(self) -> str:
        return f"{self.prefix}:{base64.b64encode(self.name.encode()).decode()}"

    def worker_name(self, worker: str) -> str:
        """What a worker calls its blocking connection, by which both languages find it.

        Args:
            worker: The worker's name, or empty.
        """
        return f"{self._connection_name}:w:{worker}" if worker else self._connection_name

    @property
    def events_reader_name(self) -> str:
        """What a reader of the queue's events calls its connection."""
        return f"{self._connection_name}:qe"

    def job(self, job_id: str) -> str:
        """The hash of a job; also how parents name this job in their dependency keys."""
        return self.base + job_id

    def lock(self, job_id: str) -> str:
        """The string that holds the token of the worker that has the job."""
        return f"{self.base}{job_id}:lock"

    def logs(self, job_id: str) -> str:
        """The list of a job's log rows, oldest first."""
        return f"{self.base}{job_id}:logs"

    def dependencies(self, job_id: str) -> str:
        """The set of the job keys of unfinished children."""
        return f"{self.base}{job_id}:dependencies"

    def processed(self, job_id: str) -> str:
        """The hash child job key -> JSON return value."""
        return f"{self.base}{job_id}:processed"

    def ignored_failures(self, job_id: str) -> str:
        """The hash child job key -> failure text, for children whose failure is ignored."""
        return f"{self.base}{job_id}:failed"

    def unsuccessful(self, job_id: str) -> str:
        """The sorted set of the job keys of children that failed this parent."""
        return f"{self.base}{job_id}:unsuccessful"


_SUFFIXES = {
    "wait": "wait",
    "paused": "paused",
    "active": "active",
    "prioritized": "prioritized",
    "pc": "pc",
    "delayed": "delayed",
    "completed": "completed",
    "failed": "failed",
    "waiting_children": "waiting-children",
    "stalled": "stalled",
    "stalled_check": "stalled-check",
    "limiter": "limiter",
    "marker": "marker",
    "events": "events",
    "meta": "meta",
    "id": "id",
    "repeat": "repeat",
}

# A job with such an id would live at the key of the queue's own data.
RESERVED_JOB_IDS = frozenset({"", "de", *_SUFFIXES.values()})


@dataclass(frozen=True, slots=True)
class JobAddress:
    """Where a job lives: prefix, queue and id."""

    prefix: str
    queue_name: str
    job_id: str


def split_job_key(key: str) -> JobAddress:
    """Take a full job key apart.

    The prefix may hold colons, so the key is read from its end, as BullMQ does: a job id with
    colons does not survive this.
    """
    rest, _, job_id = key.rpartition(":")
    prefix, _, queue_name = rest.rpartition(":")
    return JobAddress(prefix, queue_name, job_id)
