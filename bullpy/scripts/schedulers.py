"""Schedulers: definitions of jobs that come again and again, and the runs they bring forth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from bullpy.errors import script_error
from bullpy.keys import QueueKeys
from bullpy.scripts.spec import Arg, Command, ScriptCall, script
from bullpy.types import RedisReply

_UPSERT: Final = script("upsert_scheduler")
_NEXT_RUN: Final = script("next_run")
_REMOVE: Final = script("remove_scheduler")
_DROP_DANGLING: Final = script("drop_dangling_schedulers")

COMMAND: Final = "addJobScheduler"  # BullMQ's name of the operation in messages
MARK: Final = "ic"  # the field that tells a scheduler's hash from one of older BullMQs


@dataclass(frozen=True, slots=True)
class Run:
    """A scheduler's run about to be stored.

    Attributes:
        next: When it is due, ms; None where the script tells from the interval.
        opts: JSON text of its stored options, without `jobId` and `delay`; not empty.
        priority: As stored; 0 for none.
        place: Where it goes if it is due now: `LPUSH`, `RPUSH` or `prioritized`.
    """

    next: int | None
    opts: str
    priority: int
    place: str


def upsert_scheduler(
    keys: QueueKeys,
    scheduler_id: str,
    definition: Mapping[str, Arg],
    run: Run,
    *,
    data: str,
    now: int,
) -> ScriptCall[tuple[str, int]]:
    """Make or replace a scheduler, and add its next run.

    Args:
        keys: The queue.
        scheduler_id: Which one.
        definition: The fields of its hash, by name; those that are not given are left out.
        run: Its next run.
        data: JSON text of the run's data.
        now: ms.

    Returns:
        Id and delay (ms) of the run.

    Raises (decoding):
        SchedulerCollisionError: The run's id is taken.
        SchedulerBusyError: So many slots in a row are taken.

    BullMQ: `addJobScheduler`.
    """
    rest = {name: value for name, value in definition.items() if name not in {"name", "offset"}}

    def decode(reply: RedisReply) -> tuple[str, int]:
        if isinstance(reply, int):
            raise script_error(reply, script=COMMAND, queue=keys.name)
        return cast("tuple[str, int]", tuple(cast("list[Any]", reply)))

    return _UPSERT.call(
        keys,
        args={
            "id": scheduler_id,
            "now": now,
            "next": _given(run.next),
            "every": definition.get("every", ""),
            "offset": definition.get("offset", ""),
            "start": definition.get("startDate", ""),
            "data": data,
            "opts": run.opts,
            "priority": run.priority,
            "place": run.place,
            "name": definition["name"],
        },
        batch=[word for field in rest.items() for word in field],
        decode=decode,
    )


def next_run(
    keys: QueueKeys,
    scheduler_id: str,
    producer: str,
    run: Run,
    *,
    every: float | None,
    offset: float | None,
    now: int,
) -> ScriptCall[str | None]:
    """Add the run that follows one which is about to be worked on.

    Args:
        keys: The queue.
        scheduler_id: The scheduler.
        producer: Id of the run that was taken.
        run: The one to add.
        every: ms, where the definition has none.
        offset: ms, where the definition has none.
        now: ms.

    Returns:
        Id of the new run; None if the scheduler is gone or has gone on already.

    BullMQ: `updateJobSchedulerNextMillis`.
    """
    return _NEXT_RUN.call(
        keys,
        args={
            "id": scheduler_id,
            "producer": producer,
            "now": now,
            "next": _given(run.next),
            "every": _given(every),
            "offset": _given(offset),
            "opts": run.opts,
            "priority": run.priority,
            "place": run.place,
        },
        decode=_text_or_none,
        repeatable=True,
    )


def remove_scheduler(keys: QueueKeys, scheduler_id: str) -> ScriptCall[bool]:
    """Delete a scheduler, and its next run if that is delayed: whether it was there.

    BullMQ: `removeJobScheduler`.
    """
    return _REMOVE.call(keys, args={"id": scheduler_id}, decode=bool)


def drop_dangling(keys: QueueKeys, scheduler_ids: Sequence[str]) -> ScriptCall[int]:
    """Take those of these schedulers off the list that have no definition: how many went."""
    return _DROP_DANGLING.call(keys, args={}, batch=scheduler_ids, decode=int, repeatable=True)


def definition(keys: QueueKeys, scheduler_id: str) -> Command[dict[str, str]]:
    """A scheduler's hash; empty if there is none."""
    return Command(("HGETALL", definition_key(keys, scheduler_id)), _pairs)


def is_scheduler(keys: QueueKeys, scheduler_id: str) -> Command[bool]:
    """Whether there is a definition, and not one of older BullMQs."""
    return Command(("HEXISTS", definition_key(keys, scheduler_id), MARK), bool)


def next_time(keys: QueueKeys, scheduler_id: str) -> Command[int | None]:
    """When a scheduler's newest run is due, ms; None if it is not on the list."""
    return Command(("ZSCORE", keys.repeat, scheduler_id), _score)


def page(keys: QueueKeys, start: int, end: int, *, asc: bool) -> Command[list[tuple[str, int]]]:
    """Ids and next times (ms) of the schedulers from `start` to `end`, by next time."""
    command = "ZRANGE" if asc else "ZREVRANGE"
    return Command((command, keys.repeat, start, end, "WITHSCORES"), _scored)


def count(keys: QueueKeys) -> Command[int]:
    """How many schedulers there are."""
    return Command(("ZCARD", keys.repeat), int)


def definition_key(keys: QueueKeys, scheduler_id: str) -> str:
    """The hash of a scheduler."""
    return f"{keys.repeat}:{scheduler_id}"


def _given(value: float | None) -> Arg:
    return "" if value is None else value


def _text_or_none(reply: RedisReply) -> str | None:
    return reply


def _pairs(reply: RedisReply) -> dict[str, str]:
    return dict(zip(reply[::2], reply[1::2], strict=True))


def _score(reply: RedisReply) -> int | None:
    return None if reply is None else int(float(reply))


def _scored(reply: RedisReply) -> list[tuple[str, int]]:
    return [
        (scheduler_id, int(float(score)))
        for scheduler_id, score in zip(reply[::2], reply[1::2], strict=True)
    ]
