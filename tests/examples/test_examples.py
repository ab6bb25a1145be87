"""Runs the example programs as a user does, and compares what they print with what they say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
END_S = 25
MAX_LINES = 60


def expected_output(source):
    """The comment that closes an example."""
    _, _, comment = source.partition("\n# Output:\n")
    return "".join(line.removeprefix("# ") + "\n" for line in comment.splitlines())


@pytest.fixture
def run(any_server):
    """Runs a program with nothing but the server's URL: what it printed."""

    def run_program(program):
        environment = {**os.environ, "BULLPY_REDIS_URL": any_server.url, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-W", "error", program],
            env=environment,
            capture_output=True,
            text=True,
            timeout=END_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout

    return run_program


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_its_closing_comment_says(run, example):
    expected = expected_output(example.read_text())

    printed = run(example)

    assert expected
    assert printed == expected


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(example):
    assert len(example.read_text().splitlines()) < MAX_LINES
