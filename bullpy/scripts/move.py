"""Taking jobs into work and letting them go: the hot path of a worker.

One call settles everything that finished since the last one and hands out as many jobs as there
are free slots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bullpy.keys import QueueKeys
from bullpy.options import KeepJobs
from bullpy.scripts.spec import Arg, ScriptCall, script
from bullpy.types import RedisReply

_FETCH: Final = script("fetch_jobs")
_FINISH: Final = script("finish_jobs")
_RECLAIM: Final = script("reclaim_jobs")

MAX_OUTCOMES: Final = 500  # per call: the script reads their locks in one command


class Target(StrEnum):
    """Where an active job goes."""

    COMPLETED = "completed"
    FAILED = "failed"
    RETRY = "retry"
    BACKOFF = "backoff"
    SLEEP = "sleep"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one active job ended.

    Attributes:
        job_id: Which job.
        token: Its lock token; "0" asks for no lock.
        target: Completed, failed, back into the line at once (`RETRY`), later (`BACKOFF`), or
            later without spending an attempt (`SLEEP`).
        value: The result's JSON, or the failure's text.
        keep: Retention, or None to keep all.
        attempts: How many attempts the job has in all.
        detail: `RETRY`: LPUSH or RPUSH, the side of wait. `BACKOFF`, `SLEEP`: ms from now.
        fields: msgpack list of hash fields and values to write with it, or empty.
    """

    job_id: str
    token: str
    target: Target
    value: str = ""
    keep: KeepJobs | None = None
    attempts: int = 0
    detail: Arg = ""
    fields: bytes = b""


@dataclass(frozen=True, slots=True)
class WorkTerms:
    """On what terms a worker takes jobs.

    Attributes:
        lock_ms: How long a lock lasts without renewal.
        worker: The worker's name, or empty.
        limit_max: Rate limit: jobs per window, or None.
        limit_ms: Rate limit: length of the window in ms, or None.
        max_points: Minutes of metrics to keep, or None for no metrics.
    """

    lock_ms: int
    worker: str = ""
    limit_max: int | None = None
    limit_ms: int | float | None = None
    max_points: int | None = None


@dataclass(frozen=True, slots=True)
class HandedOut:
    """What a worker got.

    Attributes:
        jobs: Pairs of job id and flat hash fields; a later field of the same name counts.
        rate_limit_ttl: For how many ms the queue is rate limited; 0 if it is not.
        next_due: When the earliest delayed job is due, in ms; 0 without delayed jobs.
        blocked: The queue is paused or at its global concurrency.
    """

    jobs: list[tuple[str, list[str]]]
    rate_limit_ttl: int
    next_due: int
    blocked: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer to a batch of outcomes.

    Attributes:
        statuses: Per outcome 0 or a negative code.
        handed_out: The next jobs, or None where none were asked for.
    """

    statuses: list[int]
    handed_out: HandedOut | None


def fetch_jobs(
    keys: QueueKeys, terms: WorkTerms, *, want: int, token: str, now: int
) -> ScriptCall[HandedOut]:
    """Take up to `want` jobs into work, each locked with `token`.

    BullMQ: `moveToActive`.
    """
    return _FETCH.call(
        keys,
        args={"now": now, "want": want, "token": token, **_terms(terms)},
        decode=_handed_out,
    )


def finish_jobs(
    keys: QueueKeys,
    outcomes: Sequence[Outcome],
    terms: WorkTerms,
    *,
    want: int,
    token: str,
    now: int,
) -> ScriptCall[Finished]:
    """Let active jobs go, each on its own merits, and take up to `want` next ones.

    Args:
        keys: The queue.
        outcomes: Each job once, at most `MAX_OUTCOMES`.
        terms: On what terms the next jobs are taken.
        want: How many jobs to take; 0 for none.
        token: Their lock token.
        now: ms.

    BullMQ: `moveToFinished`, `retryJob`, `moveToDelayed`, with their fetching of the next job.
    """
    batch: list[Arg] = []
    for outcome in outcomes:
        keep = outcome.keep
        batch += (
            outcome.job_id,
            outcome.token,
            outcome.target,
            outcome.value,
            *(("", "", "") if keep is None else _retention(keep)),
            outcome.attempts,
            outcome.detail,
            outcome.fields,
        )
    points = "" if terms.max_points is None else terms.max_points
    return _FINISH.call(
        keys,
        args={"now": now, "want": want, "token": token, **_terms(terms), "max_points": points},
        batch=batch,
        decode=_finished,
    )


def reclaim_jobs(keys: QueueKeys, token: str) -> ScriptCall[list[tuple[str, list[str]]]]:
    """Find the jobs handed out under `token` by a call whose reply was lost.

    Returns:
        Pairs of job id and flat hash fields.
    """
    return _RECLAIM.call(keys, args={"token": token}, decode=_pairs, repeatable=True)


def _terms(terms: WorkTerms) -> dict[str, Arg]:
    return {
        "lock_ms": terms.lock_ms,
        "worker": terms.worker,
        "limit_max": "" if terms.limit_max is None else terms.limit_max,
        "limit_ms": "" if terms.limit_ms is None else terms.limit_ms,
    }


def _retention(keep: KeepJobs) -> tuple[Arg, Arg, Arg]:
    return (
        "" if keep.count is None else keep.count,
        "" if keep.age is None else keep.age,
        "" if keep.limit is None else keep.limit,
    )


def _handed_out(reply: RedisReply) -> HandedOut:
    ttl, due, blocked, *flat = reply
    return HandedOut(_pairs(flat), ttl, due, bool(blocked))


def _pairs(flat: RedisReply) -> list[tuple[str, list[str]]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _finished(reply: RedisReply) -> Finished:
    statuses, handed_out = reply
    return Finished(statuses, _handed_out(handed_out) if handed_out else None)
