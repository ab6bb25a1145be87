"""Runs in, a table and a JSON document out: medians, spreads, and ratios to the baseline."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final, TypeAlias

from benchmarks.measure import Profile, Run
from benchmarks.works import Work

Results: TypeAlias = Mapping[str, Mapping[str, Sequence[Run]]]  # work -> peer -> runs

BASELINE: Final = "bullmq-node"
# Column -> (heading, format, whether more is better; None where neither is)
COLUMNS: Final[Mapping[str, tuple[str, str, bool | None]]] = {
    "jobs_per_s": ("jobs/s", ",.0f", True),
    "client_us": ("client CPU µs", ".1f", False),
    "server_us": ("server CPU µs", ".1f", False),
    "p50_us": ("p50 µs", ".0f", False),
    "p99_us": ("p99 µs", ".0f", False),
    "calls": ("calls", ".3f", None),
    "commands": ("commands", ".1f", None),
    "bytes_in": ("B in", ".0f", None),
    "bytes_out": ("B out", ".0f", None),
    "client_mb": ("client MB", ".0f", None),
    "server_mb": ("server MB", ".1f", None),
}
SHOWN_COMMANDS: Final = 12


def median(runs: Sequence[Run], column: str) -> float | None:
    """The middle of a figure over some runs; None where it was not measured."""
    values = [value for run in runs if (value := getattr(run, column)) is not None]
    return statistics.median(values) if values else None


def table(work: Work, jobs: int, by_peer: Mapping[str, Sequence[Run]]) -> str:
    """The results of one work: a row per peer, then how much better it is than the baseline."""
    columns = [name for name in COLUMNS if any(median(runs, name) for runs in by_peer.values())]
    rows = [["", *(COLUMNS[name][0] for name in columns)]]
    for peer, runs in by_peer.items():
        rows.append([peer, *(_cell(runs, name) for name in columns)])
    baseline = by_peer.get(BASELINE)
    for peer, runs in by_peer.items():
        if baseline and peer != BASELINE:
            ratios = (_ratio(runs, baseline, name) for name in columns)
            rows.append([f"{peer} is better by", *ratios])
    return f"{work.name}: {work.question} ({jobs:,} jobs)\n{_aligned(rows)}"


def document(
    machine: Mapping[str, Any], settings: Mapping[str, Any], results: Results
) -> dict[str, Any]:
    """All of it, for a file."""
    return {
        "machine": machine,
        "settings": settings,
        "medians": {
            work: {
                peer: {one.name: median(runs, one.name) for one in fields(Run)}
                for peer, runs in by_peer.items()
            }
            for work, by_peer in results.items()
        },
        "runs": {
            work: {peer: [asdict(run) for run in runs] for peer, runs in by_peer.items()}
            for work, by_peer in results.items()
        },
    }


def save(found: Mapping[str, Any], file: Path) -> None:
    """Write a document."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=1) + "\n")


def commands(profile: Profile) -> str:
    """Where the server's time went."""
    rows = [["command", "calls per job", "µs per job", "µs per call"]]
    for name, (calls, per_job, per_call) in list(profile.commands.items())[:SHOWN_COMMANDS]:
        rows.append([name, f"{calls:.3f}", f"{per_job:.2f}", f"{per_call:.2f}"])
    return _aligned(rows)


def _cell(runs: Sequence[Run], column: str) -> str:
    middle = median(runs, column)
    if middle is None:
        return "-"
    text = f"{middle:{COLUMNS[column][1]}}"
    values = [getattr(run, column) for run in runs]
    if len(values) > 1 and COLUMNS[column][2] is not None and middle:
        text += f" ±{(max(values) - min(values)) / 2 / middle:.0%}"
    return text


def _ratio(runs: Sequence[Run], baseline: Sequence[Run], column: str) -> str:
    more_is_better = COLUMNS[column][2]
    ours, theirs = median(runs, column), median(baseline, column)
    if more_is_better is None or not ours or not theirs:
        return ""
    return f"{ours / theirs if more_is_better else theirs / ours:.2f} x"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
