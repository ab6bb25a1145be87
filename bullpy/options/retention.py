"""How long finished jobs are kept: by flag, number, or age."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypedDict, cast

from bullpy.options.parse import Problems, duration_s, is_number, options, whole

KEEP_ALL: Final = -1  # any negative count keeps all


class KeepJobsOptions(TypedDict, total=False):
    """Which finished jobs are kept; applied to all of a kind when one of them finishes."""

    count: int
    """Keep the newest so many; 0 keeps none, a negative number all."""
    age: float | timedelta
    """Keep jobs for so many seconds."""
    limit: int
    """How many go by age at once; 1000 if not given."""


@dataclass(frozen=True, slots=True)
class KeepJobs:
    """Which finished jobs are kept.

    Attributes:
        count: Keep the newest so many; None or negative keeps all, 0 none.
        age: Seconds, or None.
        limit: How many go by age at once; None for 1000.
    """

    count: int | None = None
    age: int | float | None = None
    limit: int | None = None


_READ_MAPPING: Final = options(
    {"count": whole(), "age": duration_s(least=0), "limit": whole(least=1)}
)
_READ_COUNT: Final = whole()


def read_keep_jobs(value: Any, name: str, problems: Problems) -> Any:
    """A flag, a number or a mapping, as BullMQ stores it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return _READ_MAPPING(value, name, problems)
    if isinstance(value, int | float):
        return _READ_COUNT(value, name, problems)
    problems.add(f"Option {name} must be True, False, a number or a mapping, not {value!r}")
    return None


def keep_jobs(stored: Any) -> KeepJobs | None:
    """What a stored value means; None where nothing is said."""
    if stored is None:
        return None
    if isinstance(stored, Mapping):
        rule = cast("Mapping[str, Any]", stored)
        return KeepJobs(
            _whole(rule.get("count")), _number(rule.get("age")), _whole(rule.get("limit"))
        )
    count = _whole(stored)
    if count is None:  # a flag, or whatever JavaScript takes for one
        count = 0 if stored else KEEP_ALL
    return KeepJobs(count=count)


def _number(value: Any) -> int | float | None:
    return value if is_number(value) else None


def _whole(value: Any) -> int | None:
    return int(value) if is_number(value) else None
