"""Which run of a scheduler comes next: pure decisions, from options and the clock.

When runs with an interval are due is told by the scripts, which know the run before; when runs with
a pattern are due is told here.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from bullpy.codec import encode_options
from bullpy.cron import next_match
from bullpy.errors import BullError
from bullpy.options import JobSettings, RepeatSettings, settings_of
from bullpy.scripts.add import place_of
from bullpy.scripts.schedulers import Run

_DECIDED_BY_SCRIPT: Final = frozenset({"jobId", "delay"})
_LEGACY: Final = re.compile(r"[^:]*:[^:]*:[0-9]*:[^:]*:(?=.)(?:.* .*|[0-9]+)", re.DOTALL)


def first_run(
    scheduler_id: str, repeat: RepeatSettings, opts: JobSettings, *, now: int
) -> Run | None:
    """The run with which a scheduler begins, or begins anew.

    Args:
        scheduler_id: The scheduler.
        repeat: When its runs come.
        opts: Options of its runs.
        now: ms.

    Returns:
        The run; None if none is left to come.

    Raises:
        OptionError: The pattern, or its time zone, can't be read.
    """
    number = repeat.count + 1
    if repeat.limit is not None and number > repeat.limit:
        return None
    due = None
    if repeat.pattern:
        due = _pattern_time(repeat.public, now)
        if repeat.immediately:
            due = now
        if due is None:
            return None
    template = dict(opts.public)
    if not opts.attempts:
        template.pop("attempts", None)
    return _run(scheduler_id, template, {**repeat.public, "count": number}, due, now)


def run_after(scheduler_id: str, opts: JobSettings, *, now: int) -> Run | None:
    """The run that follows one which is about to be worked on.

    Args:
        scheduler_id: The scheduler.
        opts: Options of the run that was taken.
        now: ms.

    Returns:
        The run; None if it was the last one.

    Raises:
        OptionError: The pattern, or its time zone, can't be read.
        BullError: The job does not say how it repeats.
    """
    repeat = repeat_of(opts)
    number = int(_number(repeat.get("count")) or 0) + 1
    limit, end = _number(repeat.get("limit")), _number(repeat.get("endDate"))
    if (limit is not None and number > limit) or (end and now > end):
        return None
    due = None
    if repeat.get("pattern"):
        due = _pattern_time(repeat, max(now, _number(opts.public.get("prevMillis")) or 0))
        if due is None:
            return None
    return _run(scheduler_id, opts.public, {**repeat, "count": number}, due, now)


def repeat_of(opts: JobSettings) -> Mapping[str, Any]:
    """How a scheduler's run repeats, by BullMQ's names.

    Raises:
        BullError: The job does not say.
    """
    repeat = opts.public.get("repeat")
    if not isinstance(repeat, Mapping):
        raise BullError("The job's options hold no repeat")
    found = cast("Mapping[str, Any]", repeat)
    if not found.get("pattern") and not _number(found.get("every")):
        raise BullError("The job's option repeat holds neither every nor pattern")
    return found


def interval_of(opts: JobSettings) -> tuple[int | float | None, int | float | None]:
    """`every` and `offset` of a scheduler's run, ms, where it has them."""
    repeat = repeat_of(opts)
    return _number(repeat.get("every")), _number(repeat.get("offset"))


def has_legacy_shape(scheduler_id: str) -> bool:
    """Whether an id may be one of BullMQ 5's repeatable jobs: `name:id:endDate:tz:pattern`."""
    return _LEGACY.fullmatch(scheduler_id) is not None


def legacy_error(scheduler_id: str) -> BullError:
    """What BullMQ says of repeatable jobs of its version 5."""
    return BullError(
        "Legacy repeatable job metadata is not supported in BullMQ v6 "
        f'(key: "{scheduler_id}"). Migrate legacy repeatable jobs to Job Schedulers before '
        "upgrading. See https://docs.bullmq.io/guide/migrations/migrate-from-v5-to-v6"
    )


def _pattern_time(repeat: Mapping[str, Any], now: float) -> int | None:
    after = max(now, _number(repeat.get("startDate")) or 0)
    tz = repeat.get("tz")
    due = next_match(str(repeat["pattern"]), tz=None if tz is None else str(tz), after=after)
    end = _number(repeat.get("endDate"))
    return None if due is None or (end and due > end) else due


def _run(
    scheduler_id: str,
    opts: Mapping[str, Any],
    repeat: Mapping[str, Any],
    due: int | None,
    now: int,
) -> Run:
    kept = {name: value for name, value in opts.items() if name not in _DECIDED_BY_SCRIPT}
    times: dict[str, Any] = {"timestamp": now}
    if due is not None:
        times["prevMillis"] = due
    settings = settings_of({**kept, **times, "repeatJobKey": scheduler_id, "repeat": repeat})
    return Run(
        next=due,
        opts=encode_options(settings),
        priority=settings.priority,
        place=place_of(delay=0, priority=settings.priority, lifo=settings.lifo),
    )


def _number(value: Any) -> int | float | None:
    """A number, also one that a foreign producer wrote as text."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
