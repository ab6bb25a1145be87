"""Keeping the locks of running jobs, and recovering jobs whose lock ran out."""

from collections.abc import Sequence
from typing import Final

from bullpy.keys import QueueKeys
from bullpy.scripts.spec import Arg, ScriptCall, script
from bullpy.types import RedisReply

_EXTEND: Final = script("extend_locks")
_RECOVER: Final = script("recover_stalled")


def extend_locks(
    keys: QueueKeys, job_ids: Sequence[str], tokens: Sequence[str], lock_ms: int
) -> ScriptCall[list[str]]:
    """Renew locks for `lock_ms` from now; none is made anew.

    Args:
        keys: The queue.
        job_ids: The jobs.
        tokens: Per job its lock's token.
        lock_ms: Whole ms.

    Returns:
        Ids of the jobs whose lock is gone or another's.

    BullMQ: `extendLocks`.
    """
    batch: list[Arg] = []
    for job_id, token in zip(job_ids, tokens, strict=True):
        batch += (job_id, token)
    return _EXTEND.call(keys, args={"lock_ms": lock_ms}, batch=batch, decode=_ids, repeatable=True)


def recover_stalled(
    keys: QueueKeys, *, now: int, interval_ms: int, max_stalled_count: int
) -> ScriptCall[list[str]]:
    """Put jobs whose worker vanished back to the front of the line.

    Args:
        keys: The queue.
        now: ms.
        interval_ms: One check in this time for all workers of the queue; further ones do nothing.
        max_stalled_count: A job that stalls more often is failed by whoever fetches it next,
            unless it belongs to a living scheduler.

    Returns:
        Ids of the jobs put back.

    BullMQ: `moveStalledJobsToWait`.
    """
    return _RECOVER.call(
        keys,
        args={"now": now, "interval_ms": interval_ms, "max_stalled_count": max_stalled_count},
        decode=_ids,
    )


def _ids(reply: RedisReply) -> list[str]:
    return reply
