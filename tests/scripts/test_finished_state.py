import pytest

from bullpy.errors import JobNotFoundError
from bullpy.scripts import jobs
from bullpy.types import State
from tests.fixtures.scripts import Stage


async def test_a_completed_job_gives_its_result(stage: Stage):
    await stage.set({"q:1": {"returnvalue": '{"a":[]}'}, "q:completed": {"1": 5}})

    answer = await stage.run(jobs.finished_state(stage.keys(), "1"))

    assert answer == (State.COMPLETED, '{"a":[]}')
    await stage.expect({})


async def test_a_completed_job_without_a_stored_result_gives_null(stage: Stage):
    await stage.set({"q:1": {"name": "n"}, "q:completed": {"1": 5}})

    assert await stage.run(jobs.finished_state(stage.keys(), "1")) == (State.COMPLETED, "null")


async def test_a_failed_job_gives_its_reason(stage: Stage):
    await stage.set({"q:1": {"failedReason": "boom"}, "q:failed": {"1": 5}})

    assert await stage.run(jobs.finished_state(stage.keys(), "1")) == (State.FAILED, "boom")


async def test_an_unfinished_job_gives_nothing(stage: Stage):
    await stage.set({"q:1": {"failedReason": "of a former attempt"}, "q:wait": ["1"]})

    assert await stage.run(jobs.finished_state(stage.keys(), "1")) == (None, "")


async def test_a_job_that_is_gone_is_an_error_with_bullmqs_text(stage: Stage):
    await stage.set({})

    with pytest.raises(JobNotFoundError) as caught:
        await stage.run(jobs.finished_state(stage.keys(), "1"))

    assert str(caught.value) == f"Missing key for job {stage.key('q:1')}. isFinished"
    assert caught.value.job_id == "1"
