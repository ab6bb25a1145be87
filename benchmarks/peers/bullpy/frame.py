"""The frame of a Python peer: ready, go, measure, done.

`python -m benchmarks.peers.bullpy WORK SETTINGS` says `{"ready": true}`, waits for a line,
does the work, says `{"done": {...}}`, waits for another line (meanwhile the harness looks at
Redis) and ends.
"""

import asyncio
import cProfile
import importlib
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

QUEUE: Final = "bench"


class Peer:
    """One run.

    Args:
        settings: `host`, `port`, `jobs`, and what the work wants to know.

    Attributes:
        url: The server.
        jobs: How many.
        settings: All of them.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.url = f"redis://{settings['host']}:{settings['port']}"
        self.jobs: int = settings["jobs"]
        self._latencies: list[float] = []

    @asynccontextmanager
    async def measured(self) -> AsyncIterator[None]:
        """What happens in the block counts; it begins when the harness says go."""
        _say({"ready": True})
        _wait_for_line()
        profiler = cProfile.Profile() if "profile" in self.settings else None
        cpu, start = _cpu_s(), time.perf_counter()
        if profiler:
            profiler.enable()
        yield
        if profiler:
            profiler.disable()
            profiler.dump_stats(self.settings["profile"])
        _say(
            {
                "done": {
                    "wall_s": time.perf_counter() - start,
                    "cpu_s": _cpu_s() - cpu,
                    "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                    "latencies_us": self._latencies,
                }
            }
        )
        _wait_for_line()

    async def timed(self, action: Awaitable[Any]) -> None:
        """Do one thing of many, and note how long it took."""
        start = time.perf_counter()
        await action
        self._latencies.append((time.perf_counter() - start) * 1e6)


def payload(n: int) -> dict[str, Any]:
    """The same data for every peer."""
    return {"to": f"user{n}@example.com", "template": "welcome", "n": n}


def _cpu_s() -> float:
    """CPU time of this process, all its threads, and the children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _say(message: object) -> None:
    print(json.dumps(message), flush=True)


def _wait_for_line() -> None:
    # Blocks the loop on purpose: nothing may go on beside the measuring.
    sys.stdin.readline()


def main() -> None:
    """Run the work that the command line names."""
    work, settings = sys.argv[1:]
    module = importlib.import_module(f"benchmarks.peers.bullpy.{work.replace('-', '_')}")
    asyncio.run(module.run(Peer(json.loads(settings))))
