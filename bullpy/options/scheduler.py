"""Options of a job scheduler: when its jobs come, and what they are like."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict

from bullpy.options.job import JobOptions
from bullpy.options.job_parse import parse_job_options
from bullpy.options.job_settings import JobSettings
from bullpy.options.parse import (
    Problems,
    Schema,
    anything,
    boolean,
    duration_ms,
    given_mapping,
    moment_ms,
    text,
    whole,
)
from bullpy.options.queue import ABSENT


class RepeatOptions(TypedDict, total=False):
    """When the jobs of a scheduler come: `every` or `pattern`."""

    every: float | timedelta
    """A job each so many ms; the first one at once, unless `start_date` or `offset` say when."""
    pattern: str
    """A cron pattern of five fields, or six with seconds first."""
    tz: str
    """Time zone in which `pattern` is read, such as `Europe/Madrid`; None for the machine's."""
    limit: int
    """How many jobs come in all."""
    start_date: float | datetime | str
    """No job before: ms since 1970, an aware datetime, or ISO 8601 text."""
    end_date: float | datetime | str
    """No job after: as `start_date`."""
    offset: float | timedelta
    """With `every`: how many ms behind the multiples of `every` since 1970."""
    immediately: bool
    """With `pattern`: the first job comes now. Excludes `start_date`."""
    count: int
    """How many jobs have come already; 0."""


class JobTemplate(TypedDict, total=False):
    """What the jobs of a scheduler are like."""

    name: str
    """What kind of work; the scheduler's id if left out."""
    data: Any
    """Any JSON value; left out or None, it is `{}`."""
    opts: JobOptions
    """Options of each job, over the queue's defaults."""


@dataclass(frozen=True, slots=True)
class RepeatSettings:
    """When the jobs of a scheduler come, checked.

    Attributes:
        public: All that was given, by BullMQ's names and in JSON values, without `immediately`
            and `count`.

    The other attributes are those of `RepeatOptions`; times in ms.
    """

    public: Mapping[str, Any]
    every: int | float | None = None
    pattern: str | None = None
    limit: int | None = None
    count: int = 0
    immediately: bool = False


@dataclass(frozen=True, slots=True)
class TemplateSettings:
    """What the jobs of a scheduler are like, checked.

    Attributes:
        name: What kind of work.
        data: JSON value; `ABSENT` for `{}`.
        opts: Options of each job.
    """

    name: str
    data: Any = ABSENT
    opts: JobSettings = field(default_factory=JobSettings)


def _moment(value: Any, name: str, problems: Problems) -> Any:
    """As `moment_ms`, or ISO 8601 text with a time zone."""
    if not isinstance(value, str):
        return moment_ms(value, name, problems)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        problems.add(f"Option {name} must be a time such as 2030-01-31T09:00:00Z, not {value!r}")
        return None
    if moment.tzinfo is None:
        problems.add(f"Option {name} needs a time zone: write {value}Z for UTC")
        return None
    return moment_ms(moment, name, problems)


REPEAT_SCHEMA: Final = Schema(
    {
        "every": duration_ms(above=0),
        "pattern": text,
        "tz": text,
        "limit": whole(least=0),
        "startDate": _moment,
        "endDate": _moment,
        "offset": duration_ms(),
        "immediately": boolean,
        "count": whole(least=0),
    }
)
TEMPLATE_SCHEMA: Final = Schema({"name": text, "data": anything, "opts": anything})


def parse_repeat_options(
    given: Mapping[str, Any] | None, *, where: str, now: int
) -> RepeatSettings:
    """Check when the jobs of a scheduler are to come.

    Args:
        given: In either spelling.
        where: What they are for, such as `job scheduler nightly of queue mail`.
        now: ms; `end_date` must not be over.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    problems = Problems(where)
    mapping = given_mapping(given, "Repeat options", problems)
    read = REPEAT_SCHEMA.read(mapping, problems)
    found = {name: value for name, value in read.items() if value is not None}
    if not problems.found:
        _check_together(found, problems, now=now)
    problems.raise_if_any()
    hidden = {"immediately", "count"}
    return RepeatSettings(
        public={name: value for name, value in found.items() if name not in hidden},
        every=found.get("every"),
        pattern=found.get("pattern"),
        limit=found.get("limit"),
        count=found.get("count", 0),
        immediately=found.get("immediately", False),
    )


def _check_together(found: Mapping[str, Any], problems: Problems, *, now: int) -> None:
    start, end = found.get("startDate"), found.get("endDate")
    if end is not None and end < now:
        problems.add("End date must be greater than current timestamp")
    if start is not None and end is not None and end < start:
        problems.add("End date must be greater than start date")
    if "pattern" in found and "every" in found:
        problems.add("Both .pattern and .every options are defined for this repeatable job")
    if not found.get("pattern") and "every" not in found:
        problems.add("Either .pattern or .every options must be defined for this repeatable job")
    if found.get("immediately") and start is not None:
        problems.add("Both .immediately and .startDate options are defined for this repeatable job")


def parse_job_template(
    given: Mapping[str, Any] | None,
    scheduler_id: str,
    *,
    where: str,
    defaults: Mapping[str, Any] | None,
) -> TemplateSettings:
    """Check what the jobs of a scheduler are to be like.

    Args:
        given: `{"name": ..., "data": ..., "opts": {...}}`.
        scheduler_id: Their name, if none is given.
        where: What it is for, such as `job scheduler nightly of queue mail`.
        defaults: The queue's default job options.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    problems = Problems(where)
    mapping = given_mapping(given, "The template", problems)
    found = TEMPLATE_SCHEMA.read(mapping, problems)
    problems.raise_if_any()
    opts = parse_job_options(found.get("opts"), where=where, defaults=defaults)
    data = found.get("data")
    return TemplateSettings(
        name=found.get("name") or scheduler_id, data=ABSENT if data is None else data, opts=opts
    )
