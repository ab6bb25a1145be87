"""The only code that knows what users may type: names, types, spellings.

A reader takes what was given and answers the JSON value that BullMQ knows; what is wrong it tells
to `Problems`, which raises one error for all of them. A `Schema` is the readers of one kind of
options by name.
"""

import difflib
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias, cast

from bullpy.errors import OptionError

Reader: TypeAlias = Callable[[Any, str, "Problems"], Any]
"""(what was given, name of the option, where problems go) -> JSON value, None if it is wrong."""

# Numbers are doubles for everybody else who reads them: no larger one, and ints up to 2^53.
MAX_NUMBER: Final = sys.float_info.max
MAX_WHOLE: Final = 2**53 - 1
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
ONE_MS: Final = timedelta(milliseconds=1)
ONE_SECOND: Final = timedelta(seconds=1)

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


def snake(name: str) -> str:
    """Python's spelling of an option: `removeOnFail` -> `remove_on_fail`."""
    return _CAPITAL.sub(r"_\1", name).lower()


class Schema:
    """What options there are, by name; each may be given in BullMQ's spelling or in Python's.

    Args:
        readers: BullMQ's name -> reader.
        elsewhere: Name of what is not an option here -> what to do instead.
    """

    def __init__(
        self, readers: Mapping[str, Reader], *, elsewhere: Mapping[str, str] | None = None
    ) -> None:
        self._elsewhere = elsewhere or {}
        self._known: dict[str, tuple[str, str, Reader]] = {}
        for wire, reader in readers.items():
            self._known[wire] = self._known[snake(wire)] = (wire, snake(wire), reader)

    @property
    def names(self) -> frozenset[str]:
        """All options, in Python's spelling."""
        return frozenset(name for _, name, _ in self._known.values())

    def read(
        self, given: Mapping[Any, Any], problems: Problems, *, inside: str = ""
    ) -> dict[str, Any]:
        """Read a mapping of options: BullMQ's name -> JSON value, None where None was given.

        Args:
            given: The options.
            problems: Where unknown and ill-typed options are told.
            inside: The option these options belong to, if any.
        """
        found: dict[str, Any] = {}
        for name, value in given.items():
            entry = self._known.get(name)
            if entry is None:
                problems.add(self._unknown(name, inside))
                continue
            wire, shown, reader = entry
            if inside:
                shown = f"{inside}.{shown}"
            if wire in found:
                problems.add(f"Option {shown} is given twice, in two spellings")
            found[wire] = None if value is None else reader(value, shown, problems)
        return found

    def _unknown(self, name: Any, inside: str) -> str:
        if name in self._elsewhere:
            return self._elsewhere[name]
        shown = f"{inside}.{name}" if inside else str(name)
        near = difflib.get_close_matches(str(name), self._known, n=1)
        hint = f", did you mean {self._known[near[0]][1]}?" if near else ""
        return f"Unknown option {shown}{hint}"


def given_mapping(given: Any, what: str, problems: Problems) -> Mapping[Any, Any]:
    """The mapping that options must be; None means none."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return cast("Mapping[Any, Any]", given)
    problems.add(f"{what} must be a mapping of options, not {given!r}")
    return {}


def options(readers: Mapping[str, Reader]) -> Reader:
    """A mapping with options of its own; an option given as None is left out."""
    schema = Schema(readers)

    def read(value: Any, name: str, problems: Problems) -> Any:
        mapping = given_mapping(value, f"Option {name}", problems)
        found = schema.read(mapping, problems, inside=name)
        return {key: item for key, item in found.items() if item is not None}

    return read


# --- readers of single values ------------------------------------------------------------------


def is_number(value: Any) -> bool:
    """Whether a value is a number that JSON can hold; NaN, infinities and booleans are none."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -MAX_NUMBER <= value <= MAX_NUMBER
    )


def number(*, least: float | None = None, above: float | None = None) -> Reader:
    """A finite number."""

    def read(value: Any, name: str, problems: Problems) -> Any:
        if not is_number(value):
            problems.add(f"Option {name} must be a finite number, not {value!r}")
        elif least is not None and value < least:
            problems.add(f"Option {name} must be at least {least:g}, not {value!r}")
        elif above is not None and value <= above:
            problems.add(f"Option {name} must be greater than {above:g}, not {value!r}")
        else:
            return value if -MAX_WHOLE <= value <= MAX_WHOLE else float(value)
        return None

    return read


def whole(*, least: int | None = None) -> Reader:
    """A whole number; a float without a fraction passes as one."""
    read_number = number(least=least)

    def read(value: Any, name: str, problems: Problems) -> Any:
        checked = read_number(value, name, problems)
        if checked is None or type(checked) is int:
            return checked
        if not float(checked).is_integer() or abs(checked) > MAX_WHOLE:
            problems.add(f"Option {name} must be a whole number, not {value!r}")
            return None
        return int(checked)

    return read


def boolean(value: Any, name: str, problems: Problems) -> Any:
    """True or False."""
    if isinstance(value, bool):
        return value
    problems.add(f"Option {name} must be True or False, not {value!r}")
    return None


def text(value: Any, name: str, problems: Problems) -> Any:
    """A string that Redis can hold."""
    if isinstance(value, str):
        if not is_storable(value):
            problems.add(f"Option {name} holds half a surrogate pair: {value!r}")
        return value
    problems.add(f"Option {name} must be a string, not {value!r}")
    return None


def is_storable(text: str) -> bool:
    """Whether Redis can hold a text; bytes that came in as undecodable go out as they were."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def function(value: Any, name: str, problems: Problems) -> Any:
    """Something that can be called."""
    if callable(value):
        return value
    problems.add(f"Option {name} must be a function, not {value!r}")
    return None


def anything(value: Any, name: str, problems: Problems) -> Any:  # noqa: ARG001 - a reader's shape
    """Any value, as it is."""
    return value


# --- readers of times --------------------------------------------------------------------------


def duration_ms(*, least: float | None = None, above: float | None = None) -> Reader:
    """Milliseconds, or a timedelta."""
    return _duration(number(least=least, above=above), ONE_MS)


def duration_s(*, least: float | None = None, above: float | None = None) -> Reader:
    """Seconds, or a timedelta."""
    return _duration(number(least=least, above=above), ONE_SECOND)


def _duration(read_number: Reader, unit: timedelta) -> Reader:
    def read(value: Any, name: str, problems: Problems) -> Any:
        if isinstance(value, timedelta):
            whole_units, rest = divmod(value, unit)
            value = value / unit if rest else whole_units
        return read_number(value, name, problems)

    return read


def moment_ms(value: Any, name: str, problems: Problems) -> Any:
    """Milliseconds since 1970, or an aware datetime, of which whole milliseconds count."""
    if not isinstance(value, datetime):
        return number()(value, name, problems)
    if value.utcoffset() is None:
        problems.add(f"Option {name} must be an aware datetime; {value!r} names no time zone")
        return None
    return (value - EPOCH) // ONE_MS


def read_one(read: Reader, value: Any, *, name: str, where: str) -> Any:
    """One value outside of a set of options.

    Raises:
        OptionError: It is not what the reader takes.
    """
    problems = Problems(where)
    found = read(value, name, problems)
    problems.raise_if_any()
    return found


def milliseconds(value: Any, *, name: str, where: str) -> int | float:
    """One duration outside of a set of options: ms or a timedelta.

    Raises:
        OptionError: It is neither.
    """
    return cast("int | float", read_one(_READ_DURATION, value, name=name, where=where))


def moment(value: Any, *, name: str, where: str) -> int | float:
    """One moment outside of a set of options: ms since 1970 or an aware datetime.

    Raises:
        OptionError: It is neither.
    """
    return cast("int | float", read_one(moment_ms, value, name=name, where=where))


_READ_DURATION: Final = duration_ms()
