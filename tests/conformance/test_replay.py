"""The replayer sees what is wrong: every recorded answer and key, once falsified, makes it fail."""

import copy
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio

from bullpy.testing import fake_redis
from tests.conformance import plan, replay
from tests.conformance.cast import MissingOpError
from tests.conformance.compare import result_differences
from tests.conformance.replay import Replay, ReplayError

LIFE = "core/process-job-outcomes"  # answers, emitted errors, all types of keys
REFUSALS = "core/lock-errors"


def recorded(trace_id: str) -> dict[str, Any]:
    return json.loads((plan.HERE / "traces" / f"{trace_id}.json").read_text(encoding="utf-8"))


@pytest.fixture
async def redis_client() -> AsyncIterator[redis.asyncio.Redis]:
    async with fake_redis(decode_responses=True) as client:
        yield client


@pytest.fixture
def replay_of(
    redis_client: redis.asyncio.Redis, tmp_path: Path
) -> Callable[[dict[str, Any]], Replay]:
    """Makes a replay of a trace that is given as a value."""

    def make(trace: dict[str, Any]) -> Replay:
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(trace))
        return Replay(plan.Trace("made/up", path), redis_client, redis_client)

    return make


def steps_with(trace: dict[str, Any], part: str) -> list[int]:
    return [i for i, step in enumerate(trace["steps"]) if step.get(part)]


@pytest.mark.parametrize("trace_id", [LIFE, REFUSALS])
async def test_a_trace_as_recorded_passes(replay_of: Any, trace_id: str):
    await replay_of(recorded(trace_id)).run()


@pytest.mark.parametrize("index", range(len(steps_with(recorded(LIFE), "state"))))
async def test_a_key_too_many_in_the_recorded_state_fails(replay_of: Any, index: int):
    trace = recorded(LIFE)
    place = steps_with(trace, "state")[index]
    trace["steps"][place]["state"]["bull:q:surplus"] = {"type": "string", "value": "1"}

    with pytest.raises(ReplayError, match=rf"(?s)step {place}: .*missing  bull:q:surplus"):
        await replay_of(trace).run()


@pytest.mark.parametrize("index", range(len(steps_with(recorded(LIFE), "state"))))
async def test_a_change_that_the_record_lacks_fails(replay_of: Any, index: int):
    trace = recorded(LIFE)
    place = steps_with(trace, "state")[index]
    trace["steps"][place]["state"] = {}

    with pytest.raises(ReplayError, match=f"step {place}: "):
        await replay_of(trace).run()


@pytest.mark.parametrize("index", range(len(steps_with(recorded(LIFE), "result"))))
async def test_another_answer_fails(replay_of: Any, index: int):
    trace = recorded(LIFE)
    place = steps_with(trace, "result")[index]
    trace["steps"][place]["result"] = {"something": "else"}

    with pytest.raises(ReplayError, match=f"step {place}: "):
        await replay_of(trace).run()


@pytest.mark.parametrize("index", range(len(steps_with(recorded(REFUSALS), "error"))))
@pytest.mark.parametrize("change", [{"code": -99}, {"message": "other"}], ids=["code", "message"])
async def test_another_error_fails(replay_of: Any, index: int, change: dict[str, Any]):
    trace = recorded(REFUSALS)
    place = steps_with(trace, "error")[index]
    trace["steps"][place]["error"] |= change

    with pytest.raises(ReplayError, match=f"step {place}: "):
        await replay_of(trace).run()


async def test_an_error_that_does_not_come_fails(replay_of: Any):
    trace = recorded(LIFE)
    del trace["steps"][0]["result"]
    trace["steps"][0]["error"] = {"type": "Error", "message": "no"}

    with pytest.raises(ReplayError, match="did not raise 'no'"):
        await replay_of(trace).run()


async def test_an_error_that_was_not_recorded_fails(replay_of: Any):
    trace = recorded(REFUSALS)
    place = steps_with(trace, "error")[0]
    del trace["steps"][place]["error"]
    trace["steps"][place]["result"] = None

    with pytest.raises(ReplayError, match="raised LockM"):
        await replay_of(trace).run()


async def test_an_error_that_a_worker_did_not_report_fails(replay_of: Any):
    trace = recorded(LIFE)
    trace["steps"][0]["emitted"] = [{"event": "error", "message": "no"}]

    with pytest.raises(ReplayError, match="emitted"):
        await replay_of(trace).run()


async def test_a_stack_trace_that_the_job_does_not_show_fails(replay_of: Any):
    trace = recorded(LIFE)
    place = next(
        i for i, s in enumerate(trace["steps"]) if '"stacktrace": []' in json.dumps(s.get("result"))
    )
    trace["steps"][place]["result"]["job"]["stacktrace"] = ["Error: x"]

    with pytest.raises(ReplayError, match="result stacktrace"):
        await replay_of(trace).run()


async def test_an_operation_that_does_not_exist_is_missing(replay_of: Any):
    trace = recorded(LIFE)
    trace["steps"].insert(0, {"op": "queue.levitate", "result": None, "state": {}})

    with pytest.raises(MissingOpError, match=r"queue\.levitate"):
        await replay_of(trace).run()


async def test_a_deviation_is_compared_with_its_own_expectation(
    replay_of: Any, monkeypatch: pytest.MonkeyPatch
):
    trace = recorded(LIFE)
    real = copy.deepcopy(trace["steps"][0]["state"])
    trace["steps"][0] |= {"state": {}, "result": 5}
    deviate(monkeypatch, {"state": real, "result": None})

    await replay_of(trace).run()


async def test_a_deviation_that_expects_the_wrong_thing_fails(
    replay_of: Any, monkeypatch: pytest.MonkeyPatch
):
    trace = recorded(LIFE)
    trace["steps"][0]["result"] = 5
    deviate(monkeypatch, {"result": 6})

    with pytest.raises(ReplayError, match="result: 6 -> None"):
        await replay_of(trace).run()


async def test_a_deviation_that_does_not_deviate_fails(
    replay_of: Any, monkeypatch: pytest.MonkeyPatch
):
    deviate(monkeypatch, {"result": None})

    with pytest.raises(ReplayError, match="does not deviate any more: for fun"):
        await replay_of(recorded(LIFE)).run()


def deviate(monkeypatch: pytest.MonkeyPatch, instead: dict[str, Any]) -> None:
    deviation = plan.Deviation("made/up", 0, "for fun", instead)
    monkeypatch.setattr(replay.plan, "deviations", lambda: {("made/up", 0): deviation})


@pytest.mark.parametrize("answer", [0, 55_000, 60_001, "60000", None])
def test_a_time_that_a_server_measured_has_bounds(answer: object):
    assert result_differences({"ttl": 60_000}, answer) != []


@pytest.mark.parametrize("answer", [55_001, 60_000])
def test_a_time_that_a_server_measured_may_have_run_down(answer: object):
    assert result_differences({"ttl": 60_000}, answer) == []


def test_another_folder_can_be_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "area").mkdir()
    (tmp_path / "area" / "name.json").write_text('{"steps": []}')
    monkeypatch.setenv("BULLPY_TRACES", str(tmp_path))

    [trace] = plan.traces()

    assert (trace.id, trace.area, trace.load()) == ("area/name", "area", {"steps": []})
