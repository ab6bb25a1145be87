"""The `opts` field of a job's hash: JSON with shortened names, as it comes out of BullMQ's Lua."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, cast

from bullpy.codec.json_text import dump_json, load_json
from bullpy.options import PLAIN, JobSettings, settings_of

_SHORT: Final = {  # option names that are stored shortened
    "deduplication": "de",
    "failParentOnFailure": "fpof",
    "continueParentOnFailure": "cpof",
    "ignoreDependencyOnFailure": "idof",
    "removeDependencyOnFailure": "rdof",
    "keepLogs": "kl",
}
_LONG: Final = {short: name for name, short in _SHORT.items()}

_LUA_DIGITS: Final = 14  # how many of a number its JSON library writes
_MAX_CACHED: Final = 512  # characters; longer texts are rarely met twice


def encode_options(settings: JobSettings) -> str:
    """The `opts` field of a job's hash; made once for all jobs that share the settings.

    BullMQ's options pass through a Lua table: names are shortened, nulls are dropped, and numbers
    keep 14 digits.
    """
    stored = settings.stored
    if stored is None:
        stored = _encode(settings)
        settings.remember(stored)
    return stored


def _encode(settings: JobSettings) -> str:
    if settings.unnamed is not None:
        rest = encode_options(settings.unnamed)[1:]
        return f'{{"jobId":{dump_json(settings.job_id)}{"," if len(rest) > 1 else ""}{rest}'
    stored: dict[str, Any] = {}
    for name, value in settings.public.items():
        if name == "telemetry":
            carried = cast("Mapping[str, Any]", value)
            stored |= {"tm": carried.get("metadata"), "omc": carried.get("omitContext")}
        else:
            stored[_SHORT.get(name, name)] = value
    return dump_json(_as_lua_writes(stored))


def _as_lua_writes(value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        return {k: _as_lua_writes(v) for k, v in mapping.items() if v is not None}
    if isinstance(value, list | tuple):
        return [_as_lua_writes(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, float) or (isinstance(value, int) and abs(value) >= 10**_LUA_DIGITS):
        return float(f"{value:.{_LUA_DIGITS}g}")
    return value


def decode_options(text: str) -> JobSettings:
    """The settings in an `opts` field; what can't be read counts as not given.

    Jobs with equal texts share one value, unless the text names the job itself.
    """
    if len(text) > _MAX_CACHED or '"jobId":' in text:
        return _decode(text)
    return _decode_shared(text)


def _decode(text: str) -> JobSettings:
    try:
        stored = load_json(text)
    except ValueError:
        return PLAIN
    if not isinstance(stored, dict):
        return PLAIN
    public: dict[str, Any] = {"attempts": 0}
    telemetry: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", stored).items():
        if name == "tm":
            telemetry["metadata"] = value
        elif name == "omc":
            telemetry["omitContext"] = value
        elif name != "repeatJobKey":  # the hash has a field of its own for it
            public[_LONG.get(name, name)] = value
    if telemetry:
        public["telemetry"] = telemetry
    backoff = public.get("backoff")
    if isinstance(backoff, int | float):
        public["backoff"] = {"type": "fixed", "delay": backoff}
    return settings_of(MappingProxyType(public))


_decode_shared: Final = lru_cache(maxsize=1024)(_decode)


def public_options(settings: JobSettings) -> dict[str, Any]:
    """The options by BullMQ's names, as its `job.opts` shows them."""
    return dict(settings.public)
