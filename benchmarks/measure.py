"""One run: a fresh server, a fresh peer process, and the figures between "ready" and "done"."""

import json
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.peers import Peer
from benchmarks.server import HOST, Server, Usage
from benchmarks.works import Work, WrongResultError

REPOSITORY: Final = Path(__file__).parents[1]
END_S: Final = 30.0  # a peer that has done its work closes its connections at once


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of one run. Times are µs per job, but for the first.

    Attributes:
        jobs_per_s: By the wall clock.
        client_us: CPU of the client process, all threads and children.
        server_us: CPU of the server's main thread.
        calls: Scripts called per job.
        commands: Commands per job, those within scripts too.
        bytes_in: Bytes to the server per job.
        bytes_out: Bytes from the server per job.
        client_mb: The client's largest resident memory.
        server_mb: The server's memory afterwards.
        p50_us: Median time of one operation, if they were timed.
        p99_us: Its 99th percentile.
    """

    jobs_per_s: float
    client_us: float
    server_us: float
    calls: float
    commands: float
    bytes_in: float
    bytes_out: float
    client_mb: float
    server_mb: float
    p50_us: float | None
    p99_us: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of one run went.

    Attributes:
        client: The client's profile, if its runtime has one.
        commands: Command -> (calls per job, µs per job, µs per call), the dearest first.
    """

    client: Path
    commands: dict[str, tuple[float, float, float]]


def run(peer: Peer, work: Work, jobs: int, *, server: str) -> Run:
    """Measure once.

    Raises:
        WrongResultError: The peer failed, or did not do all of its work.
    """
    figures, _ = _run(peer, work, jobs, server_program=server, profile=None)
    return figures


def run_profiled(peer: Peer, work: Work, jobs: int, *, server: str, file: Path) -> Profile:
    """Run once under profilers, whose cost makes the figures themselves worthless.

    Raises:
        WrongResultError: The peer failed, or did not do all of its work.
    """
    _, commands = _run(peer, work, jobs, server_program=server, profile=file)
    return Profile(file, commands)


def _run(
    peer: Peer, work: Work, jobs: int, *, server_program: str, profile: Path | None
) -> tuple[Run, dict[str, tuple[float, float, float]]]:
    with Server(server_program) as server:
        settings = {"host": HOST, "port": server.port, "jobs": jobs}
        process = subprocess.Popen(
            peer.argv(work.name, settings, profile=profile),
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                _hear(process, "ready", peer)
                server.client.config_resetstat()
                before = server.usage()
                _tell(process)
                done = _hear(process, "done", peer)
                used = server.usage().since(before)
                commands = _dearest(server, jobs)
                work.verify(server.client, jobs)
                _tell(process)
                process.wait(END_S)
            finally:
                process.kill()
    return _figures(done, used, jobs), commands


def _tell(process: subprocess.Popen[str]) -> None:
    if process.stdin:
        process.stdin.write("\n")
        process.stdin.flush()


def _hear(process: subprocess.Popen[str], what: str, peer: Peer) -> Any:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise WrongResultError(f"{peer.name} ended before it was {what}; its stderr tells why")
    return json.loads(line)[what]


def _figures(done: dict[str, Any], used: Usage, jobs: int) -> Run:
    latencies = done["latencies_us"]
    cuts = statistics.quantiles(latencies, n=100) if latencies else None
    return Run(
        jobs_per_s=jobs / done["wall_s"],
        client_us=done["cpu_s"] / jobs * 1e6,
        server_us=used.cpu_s / jobs * 1e6,
        calls=used.calls / jobs,
        commands=used.commands / jobs,
        bytes_in=used.bytes_in / jobs,
        bytes_out=used.bytes_out / jobs,
        client_mb=done["peak_rss_mb"],
        server_mb=used.memory_mb,
        p50_us=cuts[49] if cuts else None,
        p99_us=cuts[98] if cuts else None,
    )


def _dearest(server: Server, jobs: int) -> dict[str, tuple[float, float, float]]:
    stats = server.all_command_stats()
    ours = {"cmdstat_info", "cmdstat_config|resetstat"}
    return {
        name.removeprefix("cmdstat_"): (
            one["calls"] / jobs,
            one["usec"] / jobs,
            one["usec_per_call"],
        )
        for name, one in sorted(stats.items(), key=lambda item: -item[1]["usec"])
        if name not in ours
    }
