"""What there is to ask about a queue. Nothing here changes anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bullpy.keys import QueueKeys
from bullpy.scripts.manage import state_key
from bullpy.scripts.spec import Command, ScriptCall, script
from bullpy.types import RedisReply

_COUNT: Final = script("count_jobs")
_RANGE: Final = script("range_jobs")
_PAGE: Final = script("page_jobs")
_RATE_LIMIT_TTL: Final = script("read_rate_limit")

_PER_MS: Final = 4096  # scores of delayed jobs are ms times this, plus a counter
_PER_PRIORITY: Final = (
    2**32
)  # scores of prioritized jobs are the priority times this, plus a counter

LOOK_PER_CALL: Final = 500  # jobs read by one call, so that nobody else waits long
REFILLS: Final = 5  # BullMQ reads so many windows for one page where hashes are missing
_NO_BOUND: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a state is still to be read.

    Attributes:
        start: First position; negative counts from the end.
        end: Last position, included.
        want: How many jobs to find at most.
    """

    start: int
    end: int
    want: int

    @classmethod
    def of_page(cls, start: int, end: int) -> "Window":
        """The window of a page from `start` to `end`.

        A page whose bounds are not negative is filled up from what follows where ids have no job;
        one with a negative bound has gaps left out, as in BullMQ.
        """
        if start < 0 or end < 0:
            return cls(start, end, _NO_BOUND)
        size = max(end - start + 1, 0)
        return cls(start, start + REFILLS * size - 1, size)


@dataclass(frozen=True, slots=True)
class JobsPage:
    """Jobs of one moment.

    Attributes:
        jobs: Id and flat hash of each.
        rest: What is still to be read of the window; None if nothing is.
    """

    jobs: list[tuple[str, list[str]]]
    rest: Window | None


@dataclass(frozen=True, slots=True)
class Metrics:
    """Jobs that finished, per minute.

    Attributes:
        total: How many in all.
        previous_at: When the running minute was begun, ms; 0 if never.
        previous_total: How many there were then.
        data: Per full minute, newest first: those asked for.
        count: How many minutes are stored.
    """

    total: int
    previous_at: int
    previous_total: int
    data: list[int]
    count: int


def counts(keys: QueueKeys, states: Sequence[str]) -> ScriptCall[list[int]]:
    """How many jobs are in each state, at one moment."""
    return _COUNT.call(
        keys, args={}, batch=[state_key(s) for s in states], decode=list, repeatable=True
    )


def ids(keys: QueueKeys, state: str, *, start: int, end: int, asc: bool) -> ScriptCall[list[str]]:
    """Ids of one state's jobs, from `start` to `end`; asc begins with the oldest."""
    args = {"state": state_key(state), "start": start, "end": end, "asc": int(asc)}
    return _RANGE.call(keys, args=args, decode=list, repeatable=True)


def jobs(keys: QueueKeys, state: str, window: Window, *, asc: bool) -> ScriptCall[JobsPage]:
    """Jobs of one state, ids and hashes of one moment; asc begins with the oldest.

    Reads `LOOK_PER_CALL` positions at most; go on with the answer's `rest` until that is None.

    BullMQ: `Queue.getJobs`.
    """

    def decode(reply: RedisReply) -> JobsPage:
        position, *flat = reply
        found = list(zip(flat[::2], flat[1::2], strict=True))
        rest = Window(position, window.end, window.want - len(found)) if position >= 0 else None
        return JobsPage(found, rest)

    args = {
        "state": state_key(state),
        "start": window.start,
        "end": window.end,
        "asc": int(asc),
        "want": window.want,
        "look": LOOK_PER_CALL,
    }
    return _PAGE.call(keys, args=args, decode=decode, repeatable=True)


def are_in(keys: QueueKeys, state: str, job_ids: Sequence[str]) -> Command[list[bool]]:
    """Which of some jobs are in a state that is a sorted set."""
    return Command(
        ("ZMSCORE", keys.base + state_key(state), *job_ids),
        lambda reply: [score is not None for score in reply],
    )


def delayed_before(keys: QueueKeys, moment: int) -> Command[int]:
    """How many delayed jobs are due before a moment, ms."""
    return Command(("ZCOUNT", keys.delayed, "-inf", moment * _PER_MS - 1), int)


def count_of_priority(keys: QueueKeys, priority: int) -> Command[int]:
    """How many jobs wait with this priority; 0 for those without."""
    if priority == 0:
        return Command(("LLEN", keys.wait), int)
    low = priority * _PER_PRIORITY
    return Command(("ZCOUNT", keys.prioritized, low, low + _PER_PRIORITY - 1), int)


def meta(keys: QueueKeys) -> Command[dict[str, str]]:
    """The queue's meta hash."""
    return Command(("HGETALL", keys.meta), _pairs)


def is_paused(keys: QueueKeys) -> Command[bool]:
    """Whether the queue is paused."""
    return Command(("HEXISTS", keys.meta, "paused"), bool)


def active_count(keys: QueueKeys) -> Command[int]:
    """How many jobs are being worked on."""
    return Command(("LLEN", keys.active), int)


def rate_limit_ttl(keys: QueueKeys, max_jobs: int) -> ScriptCall[int]:
    """For how many ms the queue is rate limited; -2 and -1 as PTTL where no limit is known.

    BullMQ: `Queue.getRateLimitTtl`.
    """
    return _RATE_LIMIT_TTL.call(keys, args={"max": max_jobs}, decode=int)


def deduplication_owner(keys: QueueKeys, deduplication_id: str) -> Command[str | None]:
    """The job that holds a deduplication id."""
    return Command(("GET", f"{keys.base}de:{deduplication_id}"), _same)


def metrics_totals(keys: QueueKeys, state: str) -> Command[list[int]]:
    """count, prevTS, prevCount of a state's metrics."""
    key = f"{keys.base}metrics:{state}"
    return Command(
        ("HMGET", key, "count", "prevTS", "prevCount"), lambda reply: [int(n or 0) for n in reply]
    )


def metrics_data(keys: QueueKeys, state: str, *, start: int, end: int) -> Command[list[int]]:
    """Counts per full minute, newest first."""
    return Command(
        ("LRANGE", f"{keys.base}metrics:{state}:data", start, end),
        lambda reply: [int(n) for n in reply],
    )


def metrics_length(keys: QueueKeys, state: str) -> Command[int]:
    """How many minutes of metrics are stored."""
    return Command(("LLEN", f"{keys.base}metrics:{state}:data"), int)


def client_list() -> Command[list[dict[str, str]]]:
    """Everyone connected to the server, as CLIENT LIST tells it."""
    return Command(("CLIENT", "LIST"), _clients)


def _clients(reply: RedisReply) -> list[dict[str, str]]:
    text = str(reply)
    rows = [row.split(" ") for row in text.split("\n") if row]
    return [{word.partition("=")[0]: word.partition("=")[2] for word in row} for row in rows]


def _pairs(reply: RedisReply) -> dict[str, str]:
    return dict(zip(reply[::2], reply[1::2], strict=True))


def _same(reply: RedisReply) -> Any:
    return reply
