"""From what a user types as options of a job to `JobSettings`.

The rules are BullMQ 6.7.0's, and so is the beginning of each message that BullMQ has too. Stricter
than BullMQ: ids that would overwrite data of the queue, unknown options, and values of a wrong
type, all of which BullMQ stores without a word.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from bullpy.keys import RESERVED_JOB_IDS
from bullpy.options.job_settings import PLAIN, JobSettings, settings_of
from bullpy.options.parse import (
    Problems,
    Schema,
    boolean,
    duration_ms,
    given_mapping,
    is_number,
    is_storable,
    moment_ms,
    number,
    options,
    read_one,
    text,
    whole,
)
from bullpy.options.retention import read_keep_jobs

MAX_PRIORITY: Final = 2_097_151  # 2^21 - 1: beyond it, scores lose their counter
EXACT_DIGITS: Final = 15  # of a double; numbers with more of them may be printed otherwise
EXPONENTS_FROM: Final = 1e21  # from here on JavaScript prints numbers with an exponent
COLONS_OF_REPEATED: Final = 2  # as in BullMQ's own repeat:name:time
OWNED_BY_QUEUE: Final = ("de:", "dn:", "metrics:")  # keys of a queue that begin so

POLICIES: Final = (  # in the order in which BullMQ lists them
    "removeDependencyOnFailure",
    "failParentOnFailure",
    "continueParentOnFailure",
    "ignoreDependencyOnFailure",
)

_INTEGER: Final = re.compile(r"-?[1-9][0-9]*|0")

_number: Final = number()
_read_jitter: Final = number()
_read_delay: Final = duration_ms()


def _jitter(value: Any, name: str, problems: Problems) -> Any:
    checked = _read_jitter(value, name, problems)
    if checked is not None and not 0 <= checked <= 1:
        problems.add(f"Jitter should be between 0 and 1, but option {name} is {value!r}")
    return checked


_read_backoff_options: Final = options(
    {"type": text, "delay": duration_ms(least=0), "jitter": _jitter}
)


def _backoff(value: Any, name: str, problems: Problems) -> Any:
    if isinstance(value, Mapping):
        found = _read_backoff_options(value, name, problems)
        if not found.get("type"):
            problems.add(f"Option {name} needs a type, such as fixed or exponential")
        return found
    return {"type": "fixed", "delay": _read_fixed_delay(value, name, problems)}


_read_fixed_delay: Final = duration_ms(least=0)


def _job_id(value: Any, name: str, problems: Problems) -> Any:
    job_id = text(value, name, problems)
    if job_id:
        objection = _objection_to_id(job_id)
        if objection:
            problems.add(f"{objection}, but option {name} is {value!r}")
    return job_id


def _objection_to_id(job_id: str) -> str | None:
    if not is_storable(job_id):
        return "Custom Id cannot hold half a surrogate pair"
    if _is_integer(job_id):
        return "Custom Id cannot be integers"
    if job_id.startswith("0:"):  # a marker of BullMQ 4, dropped by whoever fetches it
        return "JobId cannot be '0' or start with '0:'"
    if ":" in job_id and job_id.count(":") != COLONS_OF_REPEATED:
        return "Custom Id cannot contain :"
    if job_id in RESERVED_JOB_IDS or job_id.startswith(OWNED_BY_QUEUE):
        return "Custom Id cannot be the name of a key of the queue"
    return None


def _is_integer(job_id: str) -> bool:
    """Whether JavaScript would read the id as a number and print the number as the id."""
    if _INTEGER.fullmatch(job_id) is None:
        return job_id == "NaN"
    if len(job_id) <= EXACT_DIGITS:
        return True
    value = float(job_id)
    return abs(value) < EXPONENTS_FROM and _digits(value) == job_id


def _digits(value: float) -> str:
    return format(Decimal(repr(value)), "f").removesuffix(".0")


def _priority(value: Any, name: str, problems: Problems) -> Any:
    if not is_number(value):
        return _number(value, name, problems)
    if not float(value).is_integer():
        problems.add(f"Priority should not be float, but option {name} is {value!r}")
    elif abs(value) > MAX_PRIORITY:  # BullMQ takes negative ones too: they go before all others
        problems.add(
            f"Priority should be between 0 and {MAX_PRIORITY}, but option {name} is {value!r}"
        )
    return int(value)


def check_priority(value: Any, *, where: str) -> int:
    """One priority outside of a set of options: a whole number.

    Raises:
        OptionError: It is none, or too large.
    """
    return cast("int", read_one(_priority, value, name="priority", where=where))


_read_deduplication: Final = options(
    {
        "id": text,
        "ttl": duration_ms(),
        "extend": boolean,
        "replace": boolean,
        "reschedule": boolean,
        "keepLastIfActive": boolean,
    }
)
_read_parent: Final = options({"id": text, "queue": text})


def _deduplication(value: Any, name: str, problems: Problems) -> Any:
    found = _read_deduplication(value, name, problems)
    if not found.get("id"):
        problems.add(f"Deduplication id must be provided, but option {name} is {value!r}")
    return found


def _parent(value: Any, name: str, problems: Problems) -> Any:
    found = _read_parent(value, name, problems)
    if not found.get("id") or ":" not in found.get("queue", ""):
        problems.add(
            f"Option {name} needs an id and a queue with its prefix, such as bull:reports, "
            f"but is {value!r}"
        )
    return found


JOB_SCHEMA: Final = Schema(
    {
        "jobId": _job_id,
        "priority": _priority,
        "delay": _read_delay,
        "lifo": boolean,
        "attempts": whole(least=0),
        "backoff": _backoff,
        "removeOnComplete": read_keep_jobs,
        "removeOnFail": read_keep_jobs,
        "keepLogs": whole(least=0),
        "stackTraceLimit": whole(least=0),
        "sizeLimit": whole(least=0),
        "timeout": duration_ms(above=0),
        "timestamp": moment_ms,
        "deduplication": _deduplication,
        "parent": _parent,
        **dict.fromkeys(POLICIES, boolean),
        "telemetry": options({"metadata": text, "omitContext": boolean}),
    },
    elsewhere={
        "debounce": "Debounce option has been removed. Use deduplication option instead",
        "repeat": "Option repeat has been removed. Use a job scheduler instead",
    },
)


def parse_job_options(
    given: Mapping[str, Any] | None,
    *,
    where: str,
    defaults: Mapping[str, Any] | None = None,
) -> JobSettings:
    """Check the options of one job.

    Jobs with equal options share one answer, and those that differ by their id share the rest of
    it: 3 µs instead of 13 for three options.

    Args:
        given: In either spelling; an option given as None overrides a default and is not stored.
        where: What they are for, such as `job 'welcome' of queue mail`.
        defaults: Options that hold unless given, as `read_job_defaults` answers them.

    Raises:
        OptionError: Something is wrong; it names all that is.
    """
    if not given and not defaults:
        return PLAIN
    job_id = _usable_id(given)
    if job_id:
        rest = {n: v for n, v in cast("dict[Any, Any]", given).items() if n not in _ID_NAMES}
        return parse_job_options(rest, where=where, defaults=defaults).named(job_id)
    recipe = _recipe_of(given or {}, defaults or {})
    known = _shared.get(recipe) if recipe is not None else None
    if known is not None:
        return known
    settings = _parse(given, where, defaults or {})
    if recipe is not None:
        if len(_shared) >= MAX_SHARED:
            _shared.clear()
        _shared[recipe] = settings
    return settings


def read_job_defaults(value: Any, name: str, problems: Problems) -> Any:
    """Default job options of a queue: BullMQ's name -> JSON value."""
    mapping = given_mapping(value, f"Option {name}", problems)
    return JOB_SCHEMA.read(mapping, problems, inside=name)


def _parse(given: Any, where: str, defaults: Mapping[str, Any]) -> JobSettings:
    problems = Problems(where)
    found = JOB_SCHEMA.read(given_mapping(given, "Job options", problems), problems)
    merged = {"attempts": 0, **defaults, **found}
    public = {name: value for name, value in merged.items() if value is not None}
    _check_together(public, problems)
    problems.raise_if_any()
    return settings_of(public)


def _check_together(public: Mapping[str, Any], problems: Problems) -> None:
    policies = [name for name in POLICIES if public.get(name)]
    if len(policies) > 1:
        problems.add(f"The following options cannot be used together: {', '.join(policies)}")
    if "deduplication" in public and "parent" in public:
        problems.add("Deduplication and parent options cannot be used together")


# --- sharing -----------------------------------------------------------------------------------

MAX_SHARED: Final = 1024  # some 2 KB each; emptied when full, as programs use few or endless ones

_Recipe: TypeAlias = tuple[Any, ...]

# What tells one job from its sisters: not worth remembering.
_ID_NAMES: Final = ("job_id", "jobId")
_OWN: Final = frozenset({*_ID_NAMES, "timestamp", "deduplication", "parent", "telemetry"})
_PLAIN_TYPES: Final = frozenset({bool, int, float, str, type(None)})

_shared: Final[dict[_Recipe, JobSettings]] = {}


def _usable_id(given: Any) -> str | None:
    """The job's own id, if there is just one and nothing is wrong with it."""
    if type(given) is not dict:
        return None
    found: list[Any] = [given[name] for name in _ID_NAMES if name in given]
    if len(found) != 1 or type(found[0]) is not str or _objection_to_id(found[0]):
        return None
    return found[0]


def _recipe_of(given: Any, defaults: Mapping[str, Any]) -> _Recipe | None:
    """A key under which the answer may be remembered; None if it is not worth it."""
    if type(given) is not dict or not _OWN.isdisjoint(cast("dict[Any, Any]", given)):
        return None
    own, default = _frozen(cast("dict[Any, Any]", given)), _frozen(defaults)
    return None if own is None or default is None else (own, default)


def _frozen(mapping: Mapping[Any, Any]) -> _Recipe | None:
    """A mapping of plain values as a tuple that can be a key. Types count: True is not 1 here."""
    parts: list[Any] = []
    for name, value in cast("Mapping[Any, object]", mapping).items():
        kind = type(value)
        if kind in _PLAIN_TYPES:
            parts += (name, kind, value)
        elif kind is dict:
            inner = _frozen(cast("dict[Any, Any]", value))
            if inner is None:
                return None
            parts += (name, inner)
        else:
            return None
    return tuple(parts)
