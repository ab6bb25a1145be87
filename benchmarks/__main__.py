"""`python -m benchmarks`: measures peers side by side, prints tables, keeps a JSON file."""

import argparse
import pstats
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import machine, measure, report
from benchmarks.peers import PEERS, MissingPeerError, Peer, peer_named
from benchmarks.server import MissingServerError
from benchmarks.works import NAMES, Work, WrongResultError, work_named

RESULTS: Final = Path(__file__).parent / "results"
ROUNDS: Final = 5
QUICK_ROUNDS: Final = 2
SHOWN_FUNCTIONS: Final = 30


def main() -> int:
    """Measure; 0 if all went well, 1 if a peer did not do its work, 2 if something is missing."""
    options = _options()
    try:
        peers = [peer_named(name) for name in _names(options.peers)]
        works = [work_named(name) for name in _names(options.works)]
        if options.profile:
            _profile(peers, works, options)
        else:
            _measure(peers, works, options)
    except WrongResultError as error:
        print(f"This run does not count: {error}", file=sys.stderr)
        return 1
    except (MissingPeerError, MissingServerError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="fewer rounds and jobs: under two minutes")
    add("--peers", default=",".join(PEERS), help="default: %(default)s")
    add("--works", default=",".join(NAMES), help="default: %(default)s")
    add("--rounds", type=int, help=f"default: {ROUNDS}, with --quick {QUICK_ROUNDS}")
    add("--jobs", type=int, help="how many, in place of each work's own number")
    add("--server", default="redis-server", help="program; default: %(default)s")
    add("--output", type=Path, help="file; default: results/<time>.json")
    add("--profile", action="store_true", help="show where the time goes instead of measuring")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _jobs(work: Work, options: argparse.Namespace) -> int:
    return options.jobs or (work.quick_jobs if options.quick else work.jobs)


def _measure(peers: Sequence[Peer], works: Sequence[Work], options: argparse.Namespace) -> None:
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    results: dict[str, dict[str, list[measure.Run]]] = {
        work.name: {peer.name: [] for peer in peers} for work in works
    }
    for work in works:
        jobs = _jobs(work, options)
        for number in range(rounds):
            # Interleaved, and each goes first in turn: what else the machine does hits all alike.
            for peer in _rotated(peers, number):
                run = measure.run(peer, work, jobs, server=options.server)
                results[work.name][peer.name].append(run)
        print(report.table(work, jobs, results[work.name]), end="\n\n", flush=True)
    settings = {
        "rounds": rounds,
        "jobs": {work.name: _jobs(work, options) for work in works},
        "peers": {peer.name: peer.settings for peer in peers},
    }
    found = report.document(machine.describe(options.server), settings, results)
    file = options.output or RESULTS / f"{_now()}.json"
    report.save(found, file)
    print(f"{file}")


def _profile(peers: Sequence[Peer], works: Sequence[Work], options: argparse.Namespace) -> None:
    RESULTS.mkdir(exist_ok=True)
    for work in works:
        for peer in peers:
            file = RESULTS / f"profile-{work.name}-{peer.name}"
            profile = measure.run_profiled(
                peer, work, _jobs(work, options), server=options.server, file=file
            )
            print(f"{work.name} by {peer.name}\n\n{report.commands(profile)}\n")
            stats = file.with_suffix(".pstats")
            if stats.exists():
                pstats.Stats(str(stats)).sort_stats("tottime").print_stats(SHOWN_FUNCTIONS)
            else:
                print(
                    f"{file.with_suffix('.cpuprofile')}: open it in Chrome's or VS Code's profiler"
                )


def _rotated(peers: Sequence[Peer], number: int) -> list[Peer]:
    first = number % len(peers)
    return [*peers[first:], *peers[:first]]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H-%M-%S")


if __name__ == "__main__":
    sys.exit(main())
