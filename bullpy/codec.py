"""JSON as BullMQ stores it, and the job hash as a record.

Texts are what JavaScript's `JSON.stringify` makes of the same value. What foreign producers wrote
is read with patience: a field that can't be read becomes a `problem` of the record, never an
exception in a worker's loop.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, cast

from bullpy.errors import JsonError
from bullpy.options import JobSettings, settings_of

_encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

# What Python may write otherwise than JavaScript: whole floats, exponents, lone surrogates.
_SUSPICIOUS: Final = re.compile("[0-9](?:\\.0(?![0-9])|e)|[\ud800-\udfff]")

_SHORT: Final = {  # option names that are stored shortened
    "deduplication": "de",
    "failParentOnFailure": "fpof",
    "continueParentOnFailure": "cpof",
    "ignoreDependencyOnFailure": "idof",
    "removeDependencyOnFailure": "rdof",
    "keepLogs": "kl",
}
_LONG: Final = {short: name for name, short in _SHORT.items()}


def dump_json(value: Any) -> str:
    """The JSON text of a value, as JavaScript writes it.

    Raises:
        JsonError: JSON can't hold the value; `.path` leads to the culprit.
    """
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise _explain(value, error) from error
    return _careful(value) if _SUSPICIOUS.search(text) else text


def load_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: It is no JSON.
    """
    return json.loads(text)


def _careful(value: Any) -> str:
    """As `dump_json`, value by value: for the few that JavaScript writes otherwise."""
    if isinstance(value, float):
        return _number_text(value)
    if isinstance(value, str):
        # JSON.stringify escapes what is no character and leaves the rest as it is.
        return "".join(
            f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in _encode(value)
        )
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        return "{" + ",".join(f"{_key(k)}:{_careful(v)}" for k, v in mapping.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_careful(item) for item in cast("Sequence[Any]", value)) + "]"
    return _encode(value)


def _key(key: Any) -> str:
    return _careful(key) if isinstance(key, str) else _encode({key: 0})[1:-3]


def _number_text(value: float) -> str:
    """A float as JavaScript prints it: shortest digits, exponents from 1e21 up and 1e-7 down."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:  # noqa: PLR2004 - JavaScript's own borders
        text = format(Decimal(repr(value)), "f")
        return text.removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    sign, digits = exponent[:1], exponent.lstrip("+-").lstrip("0")
    return f"{mantissa.removesuffix('.0')}e{sign}{digits}"


def _explain(value: Any, error: Exception) -> JsonError:
    """An error that says where in the value the culprit is."""
    path, culprit = "$", value
    seen: set[int] = set()
    while id(culprit) not in seen:
        seen.add(id(culprit))
        for step, item in _items(culprit):
            if not _fits(item):
                path, culprit = f"{path}{step}", item
                break
        else:
            break
    shown = repr(culprit)
    return JsonError(
        f"JSON can't hold {shown[:80]} ({type(culprit).__name__}) at {path}: {error}", path=path
    )


def _items(value: Any) -> Sequence[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(f".{key}", item) for key, item in cast("Mapping[Any, Any]", value).items()]
    if isinstance(value, list | tuple):
        return [(f"[{n}]", item) for n, item in enumerate(cast("Sequence[Any]", value))]
    return []


def _fits(value: Any) -> bool:
    try:
        _encode(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


# --- options ---------------------------------------------------------------------------------


def encode_options(settings: JobSettings) -> str:
    """The `opts` field of a job's hash.

    BullMQ's options pass through a Lua table: names are shortened, nulls are dropped, numbers have
    14 digits.
    """
    stored: dict[str, Any] = {}
    for name, value in settings.public.items():
        if name == "telemetry":
            carried = cast("Mapping[str, Any]", value)
            stored |= {"tm": carried.get("metadata"), "omc": carried.get("omitContext")}
        else:
            stored[_SHORT.get(name, name)] = value
    return dump_json(_as_lua_writes(stored))


def _as_lua_writes(value: Any) -> Any:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return {k: _as_lua_writes(v) for k, v in mapping.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_as_lua_writes(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) >= 10**14):
        return float(f"{value:.14g}") if math.isfinite(value) else None
    return value


@lru_cache(maxsize=4096)
def decode_options(text: str) -> JobSettings:
    """The settings in an `opts` field; what can't be read counts as not given.

    Equal texts share one value.
    """
    try:
        stored = json.loads(text)
    except ValueError:
        stored = None
    if not isinstance(stored, dict):
        return settings_of({"attempts": 0})
    public: dict[str, Any] = {"attempts": 0}
    telemetry: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", stored).items():
        if name == "tm":
            telemetry["metadata"] = value
        elif name == "omc":
            telemetry["omitContext"] = value
        else:
            public[_LONG.get(name, name)] = value
    if telemetry:
        public["telemetry"] = telemetry
    backoff = public.get("backoff")
    if isinstance(backoff, int | float):
        public["backoff"] = {"type": "fixed", "delay": backoff}
    return settings_of(public)


def public_options(settings: JobSettings) -> Mapping[str, Any]:
    """The options by BullMQ's names, as its `job.opts` shows them."""
    return settings.public


# --- job hashes ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ParentLink:
    """The parent of a job, with the policy for the job's failure.

    Attributes:
        id: The parent's id.
        queue_key: The parent's queue with its prefix.
    """

    id: str
    queue_key: str
    fail_parent_on_failure: bool = False
    continue_parent_on_failure: bool = False
    ignore_dependency_on_failure: bool = False
    remove_dependency_on_failure: bool = False

    @property
    def key(self) -> str:
        """The parent's full job key."""
        return f"{self.queue_key}:{self.id}"

    def stored(self) -> dict[str, Any]:
        """As the `parent` field holds it."""
        flags = {
            "fpof": self.fail_parent_on_failure,
            "rdof": self.remove_dependency_on_failure,
            "idof": self.ignore_dependency_on_failure,
            "cpof": self.continue_parent_on_failure,
        }
        return {
            "id": self.id,
            "queueKey": self.queue_key,
            **{name: True for name, is_set in flags.items() if is_set},
        }


_PLAIN_OPTIONS: Final = settings_of({"attempts": 0})


@dataclass(slots=True)
class JobRecord:
    """What a job's hash says. Times are ms since 1970, durations ms.

    Attributes:
        problems: Fields that could not be read, in words.
    """

    id: str
    name: str = ""
    data: Any = field(default_factory=dict[str, Any])
    opts: JobSettings = field(default_factory=lambda: _PLAIN_OPTIONS)
    progress: Any = 0
    returnvalue: Any = None
    attempts_made: int = 0
    attempts_started: int = 0
    stalled_counter: int = 0
    delay: int | float = 0
    priority: int = 0
    timestamp: int | float = 0
    stacktrace: list[str] = field(default_factory=list[str])
    processed_on: int | None = None
    finished_on: int | None = None
    failed_reason: str | None = None
    parent_key: str | None = None
    parent: ParentLink | None = None
    repeat_job_key: str | None = None
    deduplication_id: str | None = None
    deferred_failure: str | None = None
    processed_by: str | None = None
    problems: tuple[str, ...] = ()


def decode_job(job_id: str, fields: Sequence[str]) -> JobRecord:
    """Read a job's hash. On the hot path: one dict lookup and one call per field.

    Args:
        job_id: The job's id, which the hash does not hold.
        fields: Field, value, field, value, ...; of a field that comes twice the later counts.
    """
    record = JobRecord(job_id)
    problems: list[str] = []
    values = iter(fields)
    for name, text in zip(values, values, strict=True):
        known = _FIELDS.get(name)
        if known is None:
            continue
        attribute, read = known
        try:
            setattr(record, attribute, text if read is None else read(text))
        except (ValueError, KeyError, TypeError) as error:
            problems.append(f"field {name} can't be read ({error!r})")
    if not record.name and "name" not in fields[::2]:
        problems.append("its hash is gone, or holds no name")
    if "attemptsMade" in fields:  # BullMQ 4's name, which goes before the newer one
        legacy = dict(zip(fields[::2], fields[1::2], strict=True)).get("attemptsMade")
        record.attempts_made = _number(legacy) if legacy else record.attempts_made
    record.problems = tuple(problems)
    return record


def _number(text: str) -> Any:
    """A number, leniently: what is none counts as 0."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return 0
    if not math.isfinite(value):
        return 0
    return int(value) if value.is_integer() else value


def _result(text: str) -> Any:
    """A return value; one that can't be read counts as none, as in BullMQ."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _stack_traces(text: str) -> list[str]:
    traces = _result(text)
    return [str(t) for t in cast("list[Any]", traces)] if isinstance(traces, list) else []


def _parent(text: str) -> ParentLink:
    stored = json.loads(text)
    return ParentLink(
        id=str(stored["id"]),
        queue_key=str(stored["queueKey"]),
        fail_parent_on_failure=bool(stored.get("fpof")),
        continue_parent_on_failure=bool(stored.get("cpof")),
        ignore_dependency_on_failure=bool(stored.get("idof")),
        remove_dependency_on_failure=bool(stored.get("rdof")),
    )


_FIELDS: Final[Mapping[str, tuple[str, Callable[[str], Any] | None]]] = {
    "name": ("name", None),
    "data": ("data", json.loads),
    "opts": ("opts", decode_options),
    "timestamp": ("timestamp", _number),
    "delay": ("delay", _number),
    "priority": ("priority", _number),
    "ats": ("attempts_started", _number),
    "atm": ("attempts_made", _number),
    "stc": ("stalled_counter", _number),
    "processedOn": ("processed_on", _number),
    "finishedOn": ("finished_on", _number),
    "progress": ("progress", json.loads),
    "returnvalue": ("returnvalue", _result),
    "failedReason": ("failed_reason", None),
    "stacktrace": ("stacktrace", _stack_traces),
    "parentKey": ("parent_key", None),
    "parent": ("parent", _parent),
    "rjk": ("repeat_job_key", None),
    "deid": ("deduplication_id", None),
    "defa": ("deferred_failure", None),
    "pb": ("processed_by", None),
}
