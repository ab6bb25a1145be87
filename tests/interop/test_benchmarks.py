"""The benchmarks run, and refuse figures of a peer that has not done its work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from benchmarks.works import NAMES, WrongResultError, work_named

JOBS = 25
RUN_S = 60
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def measured(node_bullmq, shared_server, tmp_path):
    """Measure all works once, both peers on servers of the installed kind; the document."""
    del node_bullmq  # it must be there

    def run(*options):
        file = tmp_path / "result.json"
        command = [sys.executable, "-m", "benchmarks", "--server", shared_server.program]
        done = subprocess.run(
            [*command, "--output", file, *options],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            timeout=RUN_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(file.read_text())

    return run


@pytest.fixture
def empty_server(private_server):
    """A client of a server that holds nothing."""
    with redis.Redis.from_url(private_server().url, decode_responses=True) as client:
        yield client


@pytest.mark.slow
def test_every_work_is_measured_with_both_peers(measured):
    found = measured("--jobs", str(JOBS), "--rounds", "1")

    assert list(found["medians"]) == list(NAMES)
    for by_peer in found["medians"].values():
        assert list(by_peer) == ["bullpy", "bullmq-node"]
        for figures in by_peer.values():
            assert figures["jobs_per_s"] > 0
            assert figures["client_us"] > 0
            assert figures["server_us"] > 0
    assert found["machine"]["bullmq"] == "6.7.0"


@pytest.mark.parametrize("name", ["add", "add-concurrent", "add-bulk"])
@pytest.mark.parametrize("left", [0, JOBS], ids=["nothing", "one-too-few"])
def test_adding_too_few_jobs_does_not_count(empty_server, name, left):
    for number in range(left):
        empty_server.lpush("bull:bench:wait", number)

    # One more than asked for: the warm-up.
    with pytest.raises(WrongResultError, match=f"jobs in line: {left} instead of {JOBS + 1}"):
        work_named(name).verify(empty_server, JOBS)


@pytest.mark.parametrize("left", [0, JOBS - 1], ids=["nothing", "one-too-few"])
def test_completing_too_few_jobs_does_not_count(empty_server, left):
    for number in range(left):
        empty_server.zadd("bull:bench:completed", {str(number): number})

    with pytest.raises(WrongResultError, match=f"completed jobs: {left} instead of {JOBS}"):
        work_named("process").verify(empty_server, JOBS)


def test_a_wrong_result_does_not_count(empty_server):
    empty_server.zadd("bull:bench:completed", {"7": 1})
    empty_server.hset("bull:bench:7", mapping={"data": '{"n":7}', "returnvalue": "8", "atm": "1"})

    with pytest.raises(WrongResultError, match="result of job 7: 8 instead of 7"):
        work_named("process").verify(empty_server, 1)
