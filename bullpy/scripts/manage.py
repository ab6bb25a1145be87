"""Changes of a queue as a whole: pausing, limits, and bulk changes in bounded steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bullpy.errors import BullError
from bullpy.keys import RESERVED_JOB_IDS, QueueKeys
from bullpy.scripts.spec import Command, ScriptCall, script
from bullpy.types import RedisReply, State

_PAUSE: Final = script("pause_queue")
_RESUME: Final = script("resume_queue")
_DRAIN: Final = script("drain_queue")
_CLEAN: Final = script("clean_jobs")
_MOVE_TO_WAIT: Final = script("move_jobs_to_wait")
_OBLITERATE: Final = script("obliterate_queue")
_REMOVE_ORPHANS: Final = script("remove_orphans")

CLEAN_BATCH: Final = 500  # ids looked at per call: a few ms of the server's time
MAX_COUNTER: Final = 9_007_199_254_740_991  # above every limit: what a manual rate limit counts as
LARGEST_SCORE: Final = (
    1.7976931348623157e308  # delayed scores are packed, so "until now" is no score
)

# Parts of keys beside jobs that look like a job's: `metrics:failed`, `dn:<deduplication id>`.
_NOT_JOBS: Final = RESERVED_JOB_IDS | {"metrics", "dn", "de", "repeat"}
_JOB_PARTS: Final = frozenset(
    {"logs", "dependencies", "processed", "failed", "unsuccessful", "lock"}
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What one step of cleaning did.

    Attributes:
        ids: Which jobs went.
        rest: From which position to go on; None at the end.
    """

    ids: list[str]
    rest: int | None


def write_meta(keys: QueueKeys, *, max_len_events: int, version: str) -> Command[None]:
    """Write down the length of the event stream and who wrote here last."""
    return _command("HSET", keys.meta, "opts.maxLenEvents", max_len_events, "version", version)


def pause(keys: QueueKeys) -> ScriptCall[None]:
    """Let no worker start a job.

    BullMQ: `Queue.pause`.
    """
    return _PAUSE.call(keys, args={}, decode=_nothing)


def resume(keys: QueueKeys, *, announce: bool) -> ScriptCall[int]:
    """Let workers start jobs again: how many jobs are left in the parking list of older BullMQs.

    BullMQ: `Queue.resume`.
    """
    return _RESUME.call(keys, args={"announce": int(announce)}, decode=int)


def set_global_concurrency(keys: QueueKeys, concurrency: int) -> Command[None]:
    """Bound how many jobs run at once, over all workers."""
    return _command("HSET", keys.meta, "concurrency", concurrency)


def remove_global_concurrency(keys: QueueKeys) -> Command[None]:
    """Lift that bound."""
    return _command("HDEL", keys.meta, "concurrency")


def set_global_rate_limit(keys: QueueKeys, max_jobs: int, duration_ms: float) -> Command[None]:
    """Bound how many jobs start per window, over all workers."""
    return _command("HSET", keys.meta, "max", max_jobs, "duration", duration_ms)


def remove_global_rate_limit(keys: QueueKeys) -> Command[None]:
    """Lift that bound."""
    return _command("HDEL", keys.meta, "max", "duration")


def rate_limit(keys: QueueKeys, duration_ms: float) -> Command[None]:
    """Use the current window up, for so many ms."""
    return _command("SET", keys.limiter, MAX_COUNTER, "PX", max(1, int(duration_ms)))


def remove_rate_limit_key(keys: QueueKeys) -> Command[int]:
    """Forget the current window: 1 if there was one, else 0."""
    return Command(("DEL", keys.limiter), int)


def remove_deduplication_key(keys: QueueKeys, deduplication_id: str) -> Command[int]:
    """Free a deduplication id: 1 if a job held it, else 0."""
    return Command(("DEL", f"{keys.base}de:{deduplication_id}"), int)


def trim_events(keys: QueueKeys, max_length: int) -> Command[int]:
    """Cut the event stream to about so many entries: how many went."""
    return Command(("XTRIM", keys.events, "MAXLEN", "~", max_length), int)


def drain(keys: QueueKeys, *, delayed: bool) -> ScriptCall[bool]:
    """Wipe some of the jobs that wait in line: whether there may be more.

    BullMQ: `Queue.drain`.
    """
    return _DRAIN.call(keys, args={"delayed": int(delayed)}, decode=bool)


def clean(
    keys: QueueKeys, state: str, *, cutoff: float, first: int, look: int
) -> ScriptCall[Cleaned]:
    """Wipe those jobs of a state that are not younger than `cutoff` (ms), a part of it per call.

    Args:
        keys: The queue.
        state: Which state.
        cutoff: ms.
        first: Position from which on to look, 0 at first, then the answer's `rest`.
        look: At how many ids to look, at least 1; `CLEAN_BATCH` takes a few ms.

    BullMQ: `Queue.clean`.
    """

    def decode(reply: RedisReply) -> Cleaned:
        position, ids = reply
        return Cleaned(ids, None if position < 0 else position)

    args = {"state": state_key(state), "cutoff": cutoff, "first": first, "look": look}
    return _CLEAN.call(keys, args=args, decode=decode)


def move_jobs_to_wait(
    keys: QueueKeys, state: State, *, count: int, until: float | None
) -> ScriptCall[bool]:
    """Put up to `count` failed, completed or delayed jobs into wait: whether there may be more.

    BullMQ: `Queue.retryJobs`, `Queue.promoteJobs`.
    """
    return _MOVE_TO_WAIT.call(
        keys,
        args={"state": state, "count": count, "until": LARGEST_SCORE if until is None else until},
        decode=bool,
    )


def obliterate(keys: QueueKeys, *, force: bool, count: int) -> ScriptCall[bool]:
    """Delete up to `count` jobs of a paused queue, and at last the queue: whether there is more.

    Raises (decoding):
        BullError: The queue is not paused, or jobs are being worked on.

    BullMQ: `Queue.obliterate`.
    """

    def decode(reply: RedisReply) -> bool:
        if reply < 0:
            why = "non-paused queue" if reply == -1 else "queue with active jobs"
            raise BullError(f"Cannot obliterate {why} {keys.name}")
        return reply == 1

    return _OBLITERATE.call(keys, args={"count": count, "force": int(force)}, decode=decode)


def scan_job_ids(keys: QueueKeys, *, cursor: str, count: int) -> Command[tuple[str, list[str]]]:
    """Look at about `count` keys of the database: next cursor, and ids of what may be jobs."""
    pattern = "".join(f"\\{c}" if c in "*?[]\\^" else c for c in keys.base) + "*"

    def decode(reply: RedisReply) -> tuple[str, list[str]]:
        following, found = reply
        ids = {_job_id(key.removeprefix(keys.base)) for key in found}
        return str(following), sorted(job_id for job_id in ids if job_id)

    return Command(("SCAN", cursor, "MATCH", pattern, "COUNT", count), decode)


def _job_id(rest: str) -> str:
    """The job that a key, its queue's base cut off, belongs to; empty if to none."""
    job_id, _, part = rest.partition(":")
    return "" if job_id in _NOT_JOBS or (part and part not in _JOB_PARTS) else job_id


def remove_orphans(keys: QueueKeys, job_ids: Sequence[str]) -> ScriptCall[int]:
    """Delete those of these jobs that are in no state: how many went.

    Name only jobs that `read.ids` did not show waiting or active before: to look for one that
    stands nowhere else means to walk these lists.

    BullMQ: `Queue.removeOrphanedJobs`.
    """
    return _REMOVE_ORPHANS.call(keys, args={}, batch=job_ids, decode=int)


def state_key(state: str) -> str:
    """The last part of a state's key: that of `waiting` is `wait`."""
    return "wait" if state == State.WAITING else state


def _command(*words: Any) -> Command[None]:
    return Command(words, _nothing)


def _nothing(_reply: RedisReply) -> None:
    return None
