"""The only code that knows what users may type: names, types, spellings.

A reader takes what was given and answers the JSON value that BullMQ knows; what is wrong it tells
to `Problems`, which raises one error for all of them.
"""

import difflib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, TypeAlias, cast

from bullpy.errors import OptionError

Reader: TypeAlias = Callable[[Any, str, "Problems"], Any]
"""(what was given, name of the option, where problems go) -> JSON value."""

_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Problems:
    """Gathers what is wrong with a set of options.

    Args:
        where: What the options are for, such as `job 'welcome' of queue mail`.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._found: list[str] = []

    @property
    def found(self) -> bool:
        """Whether there is any."""
        return bool(self._found)

    def add(self, problem: str) -> None:
        """Note a problem; it names its option."""
        self._found.append(problem)

    def raise_if_any(self) -> None:
        """Raise one error for all.

        Raises:
            OptionError: There is a problem.
        """
        if self._found:
            raise OptionError(f"{'; '.join(self._found)} ({self.where})")


@cache
def camel(name: str) -> str:
    """BullMQ's spelling of an option: `remove_on_fail` -> `removeOnFail`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


@cache
def snake(name: str) -> str:
    """Python's spelling of an option: `removeOnFail` -> `remove_on_fail`."""
    return _CAPITAL.sub(r"_\1", name).lower()


def read_options(
    given: Mapping[str, Any], readers: Mapping[str, Reader], problems: Problems, *, inside: str = ""
) -> dict[str, Any]:
    """Read a mapping of options: BullMQ's name -> JSON value, None where None was given.

    Args:
        given: Names in either spelling.
        readers: BullMQ's name -> reader.
        problems: Where unknown and ill-typed options are told.
        inside: The option these options belong to, if any.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        wire = camel(name)
        shown = f"{inside}.{snake(wire)}" if inside else snake(wire)
        reader = readers.get(wire)
        if reader is None:
            problems.add(_unknown(shown, wire, readers))
        elif wire in found:
            problems.add(f"Option {shown} is given twice, in two spellings")
        else:
            found[wire] = None if value is None else reader(value, shown, problems)
    return found


def _unknown(shown: str, wire: str, readers: Mapping[str, Reader]) -> str:
    near = difflib.get_close_matches(wire, readers, n=1)
    hint = f", did you mean {snake(near[0])}?" if near else ""
    return f"Unknown option {shown}{hint}"


def given_mapping(given: Any, what: str, problems: Problems) -> Mapping[str, Any]:
    """The mapping that options must be; None means none."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return cast("Mapping[str, Any]", given)
    problems.add(f"{what} must be a mapping of options, not {given!r}")
    return {}


def number(*, least: float | None = None, above: float | None = None) -> Reader:
    """A finite number, not a boolean."""

    def read(value: Any, name: str, problems: Problems) -> Any:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            problems.add(f"Option {name} must be a finite number, not {value!r}")
        elif least is not None and value < least:
            problems.add(f"Option {name} must be at least {least:g}, not {value!r}")
        elif above is not None and value <= above:
            problems.add(f"Option {name} must be greater than {above:g}, not {value!r}")
        else:
            return value
        return None

    return read


def whole(*, least: int | None = None) -> Reader:
    """A whole number; a float without a fraction passes as one."""
    read_number = number(least=least)

    def read(value: Any, name: str, problems: Problems) -> Any:
        checked = read_number(value, name, problems)
        if isinstance(checked, float):
            if not checked.is_integer():
                problems.add(f"Option {name} must be a whole number, not {value!r}")
                return None
            return int(checked)
        return checked

    return read


def boolean(value: Any, name: str, problems: Problems) -> Any:
    """True or False."""
    if not isinstance(value, bool):
        problems.add(f"Option {name} must be True or False, not {value!r}")
        return None
    return value


def text(value: Any, name: str, problems: Problems) -> Any:
    """A string."""
    if not isinstance(value, str):
        problems.add(f"Option {name} must be a string, not {value!r}")
        return None
    return value


def duration_ms(*, least: float | None = None, above: float | None = None) -> Reader:
    """Milliseconds, or a timedelta."""
    return _duration(number(least=least, above=above), 1000)


def duration_s(*, least: float | None = None, above: float | None = None) -> Reader:
    """Seconds, or a timedelta."""
    return _duration(number(least=least, above=above), 1)


def _duration(read_number: Reader, per_second: int) -> Reader:
    def read(value: Any, name: str, problems: Problems) -> Any:
        if isinstance(value, timedelta):
            value = tidy(value / timedelta(seconds=1) * per_second)
        return read_number(value, name, problems)

    return read


def moment_ms(value: Any, name: str, problems: Problems) -> Any:
    """Milliseconds since 1970, or an aware datetime."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            problems.add(f"Option {name} must be an aware datetime; {value!r} names no time zone")
            return None
        return tidy(value.timestamp() * 1000)
    return number()(value, name, problems)


def options(readers: Mapping[str, Reader]) -> Reader:
    """A mapping with options of its own; an option given as None is left out."""

    def read(value: Any, name: str, problems: Problems) -> Any:
        mapping = given_mapping(value, f"Option {name}", problems)
        found = read_options(mapping, readers, problems, inside=name)
        return {key: item for key, item in found.items() if item is not None}

    return read


def function(value: Any, name: str, problems: Problems) -> Any:
    """Something that can be called."""
    if not callable(value):
        problems.add(f"Option {name} must be a function, not {value!r}")
        return None
    return value


def anything(value: Any, name: str, problems: Problems) -> Any:  # noqa: ARG001 - a reader's shape
    """Any value, as it is."""
    return value


def tidy(value: float) -> int | float:
    """A whole float as an int, so that it is stored as JavaScript would store it."""
    rounded = round(value, 6)
    return int(rounded) if float(rounded).is_integer() else rounded


def milliseconds(value: Any, *, name: str, where: str) -> int | float:
    """One duration outside of a set of options: ms or a timedelta.

    Raises:
        OptionError: It is neither.
    """
    problems = Problems(where)
    read = duration_ms()(value, name, problems)
    problems.raise_if_any()
    return cast("int | float", read)


def one_of(values: Sequence[str]) -> Reader:
    """One of a few strings."""

    def read(value: Any, name: str, problems: Problems) -> Any:
        if value not in values:
            problems.add(f"Option {name} must be one of {', '.join(values)}, not {value!r}")
            return None
        return value

    return read
