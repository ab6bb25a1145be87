"""A server of our own for each run, and what it has done meanwhile."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import redis

HOST: Final = "127.0.0.1"
START_PATIENCE_S: Final = 10.0
POLL_S: Final = 0.005
SETTINGS: Final = ("--save", "", "--appendonly", "no", "--io-threads", "1")


class MissingServerError(Exception):
    """There is no server to measure with; the text says how to get one."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What the server had done at one moment, or between two.

    Attributes:
        cpu_s: CPU time of its main thread, which runs all commands.
        commands: Commands carried out, those within scripts too.
        calls: Scripts called.
        bytes_in: Read from clients.
        bytes_out: Written to clients.
        memory_mb: Used now; not a difference.
    """

    cpu_s: float
    commands: int
    calls: int
    bytes_in: int
    bytes_out: int
    memory_mb: float

    def since(self, before: "Usage") -> "Usage":
        """The difference."""
        return Usage(
            self.cpu_s - before.cpu_s,
            self.commands - before.commands,
            self.calls - before.calls,
            self.bytes_in - before.bytes_in,
            self.bytes_out - before.bytes_out,
            self.memory_mb,
        )


class Server:
    """A `redis-server` on a free loopback port, which keeps nothing on disk.

    Args:
        program: Its executable.
    """

    def __init__(self, program: str) -> None:
        found = shutil.which(program)
        if found is None:
            raise MissingServerError(f"{program} is not there (apt-get install redis-server)")
        self._program = found
        self.port = 0

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        self._folder = tempfile.TemporaryDirectory(prefix="bullpy-bench-")
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            self.port = int(probe.getsockname()[1])
        where = ("--bind", HOST, "--port", str(self.port), "--dir", self._folder.name)
        self._process = subprocess.Popen(
            [self._program, *where, *SETTINGS], stdout=subprocess.DEVNULL
        )
        self.client = redis.Redis(host=HOST, port=self.port, decode_responses=True)
        deadline = time.monotonic() + START_PATIENCE_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise MissingServerError(f"{self._program} did not start")
            time.sleep(POLL_S)
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        """Stop it."""
        self.client.close()
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def usage(self) -> Usage:
        """What it has done so far."""
        info: dict[str, Any] = self.client.info("everything")  # type: ignore[assignment] - not async
        return Usage(
            cpu_s=info["used_cpu_user_main_thread"] + info["used_cpu_sys_main_thread"],
            commands=info["total_commands_processed"],
            calls=sum(self.command_stats(name)["calls"] for name in ("evalsha", "eval", "fcall")),
            bytes_in=info["total_net_input_bytes"],
            bytes_out=info["total_net_output_bytes"],
            memory_mb=info["used_memory"] / 1e6,
        )

    def command_stats(self, name: str) -> dict[str, Any]:
        """Calls and µs of one command."""
        return self.all_command_stats().get(f"cmdstat_{name}", {"calls": 0, "usec": 0})

    def all_command_stats(self) -> dict[str, Any]:
        """`cmdstat_<command>` -> calls, µs and so on; a script's µs contain its commands'."""
        stats: dict[str, Any] = self.client.info("commandstats")  # type: ignore[assignment] - not async
        return stats

    @property
    def version(self) -> str:
        """Its version."""
        info: dict[str, Any] = self.client.info("server")  # type: ignore[assignment] - not async
        return str(info.get("valkey_version") or info["redis_version"])

    def _answers(self) -> bool:
        with contextlib.suppress(redis.ConnectionError):
            return bool(self.client.ping())
        return False
