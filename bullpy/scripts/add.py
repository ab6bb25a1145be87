"""Adding: batches of jobs to one queue, and whole trees over several.

What a job becomes is decided here, once, from its settings: which place it enters, and what rides
along in the rarely used `more` (parent, deduplication, scheduler).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgpack

from bullpy.keys import QueueKeys
from bullpy.scripts.spec import Arg, ScriptCall, script
from bullpy.types import RedisReply

_ADD_JOBS: Final = script("add_jobs")
_ADD_FLOW: Final = script("add_flow")

MAX_BATCH: Final = 1000  # jobs per call: a few ms of the server's time, and its Lua stack's limit


class NewJob(NamedTuple):
    """A job about to be stored: the `@item` fields of the scripts, in their order.

    Attributes:
        job_id: Custom id, or empty for the queue's next number.
        name: What kind of work.
        data: JSON text.
        opts: JSON text of the stored options.
        timestamp: Creation time in ms; a delay counts from it.
        delay: Milliseconds, stored as given.
        priority: As stored; 0 for none.
        place: `LPUSH` or `RPUSH` (wait, served last or next), `prioritized`, `delayed` or
            `waiting-children`.
        more: What `pack_more` made, or empty.
    """

    job_id: str
    name: str
    data: str
    opts: str
    timestamp: int | float
    delay: int | float
    priority: int
    place: str
    more: bytes = b""


@dataclass(frozen=True, slots=True)
class FlowNodeCall:
    """One node of a tree about to be stored.

    Attributes:
        tree: Which tree of the batch, from 1.
        keys: The node's queue.
        job: The job.
    """

    tree: int
    keys: QueueKeys
    job: NewJob


def place_of(*, delay: float, priority: int, lifo: bool) -> str:
    """Where a new job without children goes: a delay beats a priority beats lifo."""
    if delay > 0:
        return "delayed"
    if priority:
        return "prioritized"
    return "RPUSH" if lifo else "LPUSH"


def pack_more(**fields: Any) -> bytes:
    """Pack the fields that few jobs have; empty where none is given."""
    given = {name: value for name, value in fields.items() if value is not None}
    return msgpack.packb(given, unicode_errors="surrogateescape") if given else b""


def add_jobs(keys: QueueKeys, jobs: Sequence[NewJob]) -> ScriptCall[list[str | int]]:
    """Add jobs, each on its own merits, in their order.

    Returns:
        Per job its id, the id of the job that is already there, or a negative code (-5, -7).

    BullMQ: `addStandardJob`, `addDelayedJob`, `addPrioritizedJob`.
    """
    batch: list[Arg] = []
    for job in jobs:
        batch += job
    return _ADD_JOBS.call(keys, args={}, batch=batch, decode=_ids)


def add_flow(nodes: Sequence[FlowNodeCall], *, now: int) -> ScriptCall[list[str | int]]:
    """Add trees, each as a whole or not at all.

    Args:
        nodes: Level by level, all roots first: the order in which they enter their queues.
        now: ms; when a parent that has nothing to wait for is released.

    Returns:
        Per node its id or, for each node of a refused tree, a negative code (-5, -7).

    BullMQ: `FlowProducer.add`.
    """
    numbers: dict[str, int] = {}
    batch: list[Arg] = []
    for node in nodes:
        number = numbers.setdefault(node.keys.base, len(numbers) + 1)
        batch += (node.tree, number, *node.job)
    return _ADD_FLOW.call(
        nodes[0].keys, args={"now": now}, more_keys=tuple(numbers), batch=batch, decode=_ids
    )


def _ids(reply: RedisReply) -> list[str | int]:
    return reply
