"""What is replayed, and what is known beforehand: areas, deviations, limits of fakeredis."""

import json
import os
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Trace:
    """One recorded trace.

    Attributes:
        id: `area/name`.
        path: Its file.
    """

    id: str
    path: Path

    @property
    def area(self) -> str:
        """The folder it lies in."""
        return self.id.partition("/")[0]

    def load(self) -> dict[str, Any]:
        """Read it."""
        return json.loads(self.path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Deviation:
    """A step where bullpy means to do something else than BullMQ.

    Attributes:
        trace: `area/name`.
        step: Its index, from 0.
        reason: Why.
        instead: What holds instead: `result` or `error` as in a trace, `state` the keys that
            differ from the recorded step (null: not there).
    """

    trace: str
    step: int
    reason: str
    instead: dict[str, Any]

    def apply(self, step: dict[str, Any]) -> dict[str, Any]:
        """The step as it is expected."""
        changed = dict(step)
        if "result" in self.instead or "error" in self.instead:
            changed.pop("result", None)
            changed.pop("error", None)
        changed |= self.instead
        changed["state"] = {**step["state"], **self.instead.get("state", {})}
        return changed


def folder() -> Path:
    """Where the traces lie; `BULLPY_TRACES` names another place."""
    return Path(os.environ.get("BULLPY_TRACES", HERE / "traces"))


def traces() -> list[Trace]:
    """All traces, by id."""
    paths = sorted(folder().glob("*/*.json"))
    return [Trace(f"{path.parent.name}/{path.stem}", path) for path in paths]


@cache
def built_areas() -> frozenset[str]:
    """Areas in which every trace must pass, but for those that `not_built` names."""
    return frozenset(_read("areas")["built"])


@cache
def not_built() -> dict[str, str]:
    """Areas, and single traces of built areas, that bullpy does not cover -> what they need."""
    return _read("areas").get("missing", {})


def why_missing(trace: Trace) -> str | None:
    """What bullpy lacks for this trace, if it is known to lack something."""
    return not_built().get(trace.id) or not_built().get(trace.area)


@cache
def deviations() -> dict[tuple[str, int], Deviation]:
    """The steps where bullpy deviates, by trace and step."""
    found = [_deviation(entry) for entry in _read("deviations").get("deviation", [])]
    return {(one.trace, one.step): one for one in found}


@cache
def beyond_fakeredis() -> dict[str, str]:
    """Traces that fakeredis can't run -> why."""
    return _read("fakeredis").get("cannot", {})


@cache
def unpredictable_on_fakeredis() -> dict[str, str]:
    """Traces that fakeredis runs, or not, by chance -> why."""
    return _read("fakeredis").get("unpredictable", {})


def _deviation(entry: dict[str, Any]) -> Deviation:
    instead = {
        name: json.loads(entry[name]) for name in ("result", "error", "state") if name in entry
    }
    return Deviation(entry["trace"], entry["step"], entry["reason"], instead)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))
