"""The command `bullpy`, mostly as a process of its own, as a user starts it."""

import ast
import asyncio
import contextlib
import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from typer.testing import CliRunner

from bullpy import cli
from bullpy.cli import app as app_module
from bullpy.cli import demo
from bullpy.cli.demo import code
from bullpy.cli.demo.stage import check, source_of
from tests.fixtures.servers import free_port

ROOT = Path(__file__).parents[2]
END_S = 30


def environment():
    kept = {name: value for name, value in os.environ.items() if name != "BULLPY_REDIS_URL"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def bullpy(*arguments):
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "bullpy", *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=END_S,
        check=False,
    )


@contextlib.contextmanager
def started(*arguments):
    """The command while it runs; killed, should the block leave it running."""
    with subprocess.Popen(
        [sys.executable, "-m", "bullpy", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process, text):
    """Lines up to the one with the text; pytest's timeout bounds the wait."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if text in line:
            return "".join(lines)
    raise AssertionError(f"{text!r} did not come, but {lines}\n{process.stderr.read()}")


def end(process, number):
    process.send_signal(number)
    out, err = process.communicate(timeout=END_S)
    return process.returncode, out, err


# --- demo


@pytest.mark.slow
def test_the_demo_shows_all_chapters_on_a_server_of_its_own_in_plain_text():
    done = bullpy("demo")

    assert (done.returncode, done.stderr) == (0, "")
    assert "an embedded Valkey" in done.stdout
    for number, (title, _) in enumerate(demo.CHAPTERS, start=1):
        assert f"{number}. {title} ─" in done.stdout
    assert "await queue.add(" in done.stdout
    assert "✘ try 2 of 3: mail server is busy; again in 800 ms" in done.stdout
    assert "└── Switzerland (countries) → 550" in done.stdout
    assert "All of it happened, and was checked." in done.stdout
    assert "\x1b" not in done.stdout


def test_an_interrupted_demo_leaves_nothing_on_a_server_it_was_given(private_server):
    server = private_server()

    with started("demo", "--redis", server.tcp_url) as process:
        read_until(process, "✔ sent to ada@example.com")
        code_, _, err = end(process, signal.SIGINT)

    assert (code_, err) == (130, "")
    with redis.Redis.from_url(server.url) as client:
        assert client.keys("*") == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (lambda _stage: _false_claim(), "it claims that pigs fly"),
        (lambda _stage: asyncio.Event().wait(), "A promise: not done within 0.05 s"),
    ],
    ids=["false-claim", "takes-too-long"],
)
def test_the_demo_fails_with_the_reason_if_a_step_does_not_happen(
    any_server, monkeypatch, broken, reason
):
    monkeypatch.setattr(demo, "CHAPTERS", [("A promise", broken)])
    monkeypatch.setattr(demo, "CHAPTER_S", 0.05)

    result = CliRunner().invoke(app_module.app, ["demo", "--redis", any_server.url])

    assert result.exit_code == 1
    assert reason in result.stderr
    assert "All of it happened" not in result.stdout


async def _false_claim():
    check(False, "pigs fly")


def test_without_a_redis_the_demo_ends_with_code_3_and_says_so_in_two_lines():
    done = bullpy("demo", "--redis", f"redis://127.0.0.1:{free_port()}")

    assert done.returncode == 3
    assert "stayed away for 3 s" in done.stderr
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize(
    "function",
    [f for _, f in inspect.getmembers(code, inspect.iscoroutinefunction)],
    ids=lambda f: f.__name__,
)
def test_what_the_demo_shows_is_what_it_runs_without_the_docstring(function):
    shown = ast.parse(source_of(function)).body[0]

    run = ast.parse(inspect.getsource(function)).body[0]
    assert ast.get_docstring(run)
    del run.body[0]
    assert ast.dump(shown) == ast.dump(run)
    assert max(map(len, source_of(function).splitlines())) <= 76


# --- server


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_the_server_runs_until_it_is_told_to_end_and_keeps_its_data(tmp_path, number):
    port = free_port()
    arguments = ("server", "--port", str(port), "--data", str(tmp_path / "data"))

    for expected in (None, b"kept"):
        with started(*arguments) as process:
            said = read_until(process, "BULLPY_REDIS_URL=")
            with redis.Redis(port=port) as client:
                found = client.get("key")
                client.set("key", "kept")
            code_, out, err = end(process, number)

        assert f"listens on redis://127.0.0.1:{port}" in said
        assert found == expected
        assert (code_, out, err) == (0, "Ended.\n", "")


def test_a_server_that_dies_ends_its_command_with_code_1():
    port = free_port()
    with started("server", "--port", str(port)) as process:
        read_until(process, "BULLPY_REDIS_URL=")
        with redis.Redis(port=port) as client:
            os.kill(client.info("server")["process_id"], signal.SIGKILL)
        _, err = process.communicate(timeout=END_S)

    assert process.returncode == 1
    assert f"The server at redis://127.0.0.1:{port} has ended" in err


def test_a_port_that_is_taken_is_told_in_the_servers_own_words(any_server):
    done = bullpy("server", "--port", str(any_server.port))

    assert done.returncode == 1
    assert "Address already in use" in done.stderr


# --- the command itself


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nope"], "No such command 'nope'"),
        (["demo", "--redis", "http://localhost"], "not with http://"),
        (["server", "--port", "70000"], "from 1 to 65535"),
    ],
    ids=["unknown-command", "no-redis-url", "no-port"],
)
def test_wrong_usage_ends_with_code_2(arguments, words):
    done = bullpy(*arguments)

    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_help_lists_the_commands():
    done = bullpy("--help")

    assert done.returncode == 0
    assert {"demo", "server"} <= set(done.stdout.split())


def test_the_version_is_that_of_the_package():
    done = bullpy("--version")

    assert done.stdout == f"bullpy {demo.__version__}\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_its_packages_the_command_says_what_to_install(monkeypatch, package):
    for name in [name for name in sys.modules if name.startswith("bullpy.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    if package == "rich":
        monkeypatch.setitem(sys.modules, "rich.console", None)

    with pytest.raises(SystemExit, match=r'pip install "bullpy\[cli\]"'):
        cli.main()
