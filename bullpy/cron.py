"""Cron patterns: when a pattern matches next, in a time zone, across changes of the clocks.

Fields are second, minute, hour, day of month, month and day of week; those missing are the first
ones, and a missing second is 0. The wall clock is walked field by field, the largest first. A
moment that the clocks jump over comes when they have jumped; one that they repeat comes once, but
if the hour is any, each real hour counts. This is how BullMQ's cron library reads patterns.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bullpy.errors import OptionError

ALIASES: Final = {
    "@yearly": "0 0 0 1 1 *",
    "@annually": "0 0 0 1 1 *",
    "@monthly": "0 0 0 1 * *",
    "@weekly": "0 0 0 * * 0",
    "@daily": "0 0 0 * * *",
    "@hourly": "0 0 * * * *",
    "@minutely": "0 * * * * *",
    "@secondly": "* * * * * *",
    "@weekdays": "0 0 0 * * 1-5",
    "@weekends": "0 0 0 * * 0,6",
}
_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"
_DAYS: Final = "sunmontuewedthufrisat"
_DEFAULTS: Final = ("0", "*", "*", "*", "*", "*")
_BOUNDS: Final = ((0, 59), (0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_LONGEST_MONTHS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY_OF_MONTH, _MONTH, _DAY_OF_WEEK = 3, 4, 5
_PART: Final = re.compile(r"(?:(\*)|(\d+)(?:-(\d+))?)(?:/(\d+))?")
_LATEST_MS: Final = 250_000_000_000_000  # in the year 9892: beyond it calendars end
_SEARCHED_YEARS: Final = 30  # 29 February on a given weekday comes within 28, but for 1900 and 2100


@dataclass(frozen=True, slots=True)
class Pattern:
    """A cron pattern, read.

    Attributes:
        seconds: Those that match, rising; likewise the other fields.
        last_day: The last day of the month matches, too.
        weekdays: 0 for Sunday to 6.
        last_weekdays: Weekdays that match where they are the month's last.
        nth_weekdays: Pairs of weekday and number within the month.
        any_day: The day of month is unrestricted.
        any_weekday: The day of week is unrestricted.
        any_hour: Every real hour counts, also one that the clocks repeat.
    """

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    last_day: bool
    last_weekdays: tuple[int, ...]
    nth_weekdays: tuple[tuple[int, int], ...]
    any_day: bool
    any_weekday: bool
    any_hour: bool

    def matches(self, day: date) -> bool:
        """Whether a day matches: if both kinds of day are restricted, one of them is enough."""
        if self.any_weekday:
            return self._matches_month_day(day)
        if self.any_day:
            return self._matches_weekday(day)
        return self._matches_month_day(day) or self._matches_weekday(day)

    def _matches_month_day(self, day: date) -> bool:
        return day.day in self.days or (self.last_day and day.day == _length(day))

    def _matches_weekday(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        return (
            weekday in self.weekdays
            or (weekday in self.last_weekdays and day.day + 7 > _length(day))
            or (weekday, (day.day + 6) // 7) in self.nth_weekdays
        )


def next_match(pattern: str, *, tz: str | None, after: float) -> int | None:
    """The first moment after `after` (ms since 1970) that a pattern matches, in ms.

    Args:
        pattern: The pattern.
        tz: Name of the time zone; None for the machine's.
        after: ms.

    Returns:
        ms; None if the pattern does not match within decades.

    Raises:
        OptionError: Pattern or time zone can't be read.
    """
    rule, zone = read_pattern(pattern), _zone(tz)
    after = max(0, after)
    if after > _LATEST_MS:
        return None
    start = datetime.fromtimestamp(after // 1000, UTC)
    for moment in _moments(rule, zone, start):
        found = int(moment.timestamp()) * 1000
        if found > after:
            return found
    return None


def _moments(rule: Pattern, zone: tzinfo | None, start: datetime) -> Iterator[datetime]:
    """Moments in UTC that match, rising, from the hour of `start` or a little before it on."""
    today = day = start.astimezone(zone).date()
    last = day.replace(year=day.year + _SEARCHED_YEARS, day=1)
    while day <= last:
        if day.month not in rule.months:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
            continue
        if rule.matches(day):
            yield from _moments_of_day(rule, zone, day, start if day == today else None)
        day += timedelta(days=1)


def _moments_of_day(
    rule: Pattern, zone: tzinfo | None, day: date, start: datetime | None
) -> Iterator[datetime]:
    for hour in _hours(rule, zone, day):
        if start is not None and hour <= start - timedelta(hours=1):
            continue
        for minute in rule.minutes:
            moment = hour + timedelta(minutes=minute)
            if start is None or moment > start - timedelta(minutes=1):
                for second in rule.seconds:
                    yield moment + timedelta(seconds=second)


def _hours(rule: Pattern, zone: tzinfo | None, day: date) -> list[datetime]:
    """Where the matching hours of a day begin, in UTC, rising."""
    found: dict[datetime, None] = {}
    for hour in rule.hours:
        wall = datetime(day.year, day.month, day.day, hour, tzinfo=zone)
        first = _to_utc(wall, fold=0)
        # A day that begins later than at midnight has no run at midnight.
        if (rule.any_hour or hour == 0) and not _exists(wall, first, zone):
            continue
        found.setdefault(first)
        if rule.any_hour:
            found.setdefault(_to_utc(wall, fold=1))
    return sorted(found)


def _to_utc(wall: datetime, *, fold: int) -> datetime:
    return wall.replace(fold=fold).astimezone(UTC)


def _exists(wall: datetime, moment: datetime, zone: tzinfo | None) -> bool:
    return moment.astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None)


def _zone(tz: str | None) -> tzinfo | None:
    if tz is None:
        return None
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise OptionError(f"Time zone {tz!r} is not known") from error


def _length(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


@lru_cache(maxsize=1024)
def read_pattern(pattern: str) -> Pattern:
    """Take a cron pattern apart.

    Raises:
        OptionError: It can't be read; the text says which field and why.
    """
    given = ALIASES.get(pattern.strip().lower(), pattern).split()
    if len(given) > len(_DEFAULTS):
        raise _unreadable(pattern, "Invalid cron expression, too many fields")
    texts = [*_DEFAULTS[: len(_DEFAULTS) - len(given)], *given]
    day_text, last_day = _take_last_day(texts[_DAY_OF_MONTH])
    weekday_text, last_weekdays, nth_weekdays = _take_special_weekdays(pattern, texts[_DAY_OF_WEEK])
    texts[_DAY_OF_MONTH], texts[_DAY_OF_WEEK] = day_text, weekday_text
    texts[_MONTH] = _numbers(texts[_MONTH], _MONTHS, first=1)
    seconds, minutes, hours, days, months, weekdays = (
        _read_field(pattern, text, *bounds) for text, bounds in zip(texts, _BOUNDS, strict=True)
    )
    if days and not last_day and min(days) > max(_LONGEST_MONTHS[month - 1] for month in months):
        raise _unreadable(pattern, "Invalid explicit day of month definition")
    return Pattern(
        seconds,
        minutes,
        hours,
        days,
        months,
        tuple(sorted({weekday % 7 for weekday in weekdays})),
        last_day=last_day,
        last_weekdays=last_weekdays,
        nth_weekdays=nth_weekdays,
        any_day=len(days) == 31,  # noqa: PLR2004 - all days there are
        any_weekday={weekday % 7 for weekday in weekdays} == set(range(7)),
        any_hour=len(hours) == 24,  # noqa: PLR2004 - all hours there are
    )


def _take_last_day(text: str) -> tuple[str, bool]:
    parts = text.split(",")
    kept = [part for part in parts if part.upper() != "L"]
    return ",".join(kept), len(kept) < len(parts)


def _take_special_weekdays(
    pattern: str, text: str
) -> tuple[str, tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Weekdays without `5L` and `1#2`, and these."""
    plain: list[str] = []
    last: list[int] = []
    nth: list[tuple[int, int]] = []
    for part in _numbers(text, _DAYS, first=0).split(","):
        if match := re.fullmatch(r"([0-7])[lL]", part):
            last.append(int(match[1]) % 7)
        elif match := re.fullmatch(r"([0-7])#(\d)", part):
            if not 1 <= int(match[2]) <= 5:  # noqa: PLR2004 - weeks a month can have
                raise _unreadable(
                    pattern, f"Constraint error, got value {match[2]} expected range 1-5"
                )
            nth.append((int(match[1]) % 7, int(match[2])))
        else:
            plain.append(part)
    return ",".join(plain), tuple(last), tuple(nth)


def _numbers(text: str, names: str, *, first: int) -> str:
    """A field with names of months or days, three letters each, as numbers."""

    def number(match: re.Match[str]) -> str:
        position, rest = divmod(names.find(match[0].lower()), 3)
        return match[0] if rest else str(position + first)

    return re.sub("[A-Za-z]{3}", number, text)


def _read_field(pattern: str, text: str, low: int, high: int) -> tuple[int, ...]:
    if not text:
        return ()
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.replace("?", "*"))
        if match is None:
            raise _unreadable(pattern, f"{part!r} is no value, range or step")
        star, begin, end, step = match.groups()
        first = low if star else int(begin)
        last = high if star or (step and end is None) else int(end or begin)
        for value in (first, last):
            if not low <= value <= high:
                raise _unreadable(
                    pattern, f"Constraint error, got value {value} expected range {low}-{high}"
                )
        if first > last or step == "0":
            raise _unreadable(pattern, f"{part!r} is an empty range")
        found |= set(range(first, last + 1, int(step or 1)))
    return tuple(sorted(found))


def _unreadable(pattern: str, why: str) -> OptionError:
    return OptionError(f"Cron pattern {pattern!r} can't be read: {why}")
