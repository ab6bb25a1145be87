import pytest

from bullpy.errors import JobNotFoundError, NotInStateError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage

NOW = 1_700_000_000_000


async def test_a_delayed_job_gets_its_new_time_and_workers_hear_of_it(stage: Stage):
    await stage.set({"q:1": {"delay": "90000"}, "q:delayed": {"1": (NOW + 90_000) * 4096}})

    await stage.run(jobs.change_delay(stage.keys(), "1", 1500.25, now=NOW))

    due = NOW + 1500.25
    await stage.expect(
        {
            "q:1": {"delay": "1500.25"},
            "q:delayed": {"1": due * 4096},
            "q:marker": {"1": due},
            "q:events": [{"event": "delayed", "jobId": "1", "delay": "1700000001500.25"}],
        }
    )


async def test_a_job_lines_up_behind_its_own_old_place_in_the_same_millisecond(stage: Stage):
    await stage.set({"q:1": {"delay": "5"}, "q:delayed": {"1": (NOW + 5) * 4096}})

    await stage.run(jobs.change_delay(stage.keys(), "1", 5, now=NOW))

    await stage.expect(
        {
            "q:delayed": {"1": (NOW + 5) * 4096 + 1},
            "q:marker": {"1": ((NOW + 5) * 4096 + 1) / 4096},
            "q:events": [{"event": "delayed", "jobId": "1", "delay": str(NOW + 5)}],
        }
    )


async def test_a_delay_below_zero_is_due_now_and_stored_as_given(stage: Stage):
    await stage.set({"q:1": {"delay": "5"}, "q:delayed": {"1": (NOW + 5) * 4096}})

    await stage.run(jobs.change_delay(stage.keys(), "1", -100, now=NOW))

    await stage.expect(
        {
            "q:1": {"delay": "-100"},
            "q:delayed": {"1": NOW * 4096},
            "q:marker": {"1": NOW},
            "q:events": [{"event": "delayed", "jobId": "1", "delay": str(NOW)}],
        }
    )


async def test_a_waiting_job_stays_as_it_is(stage: Stage):
    await stage.set({"q:1": {"delay": "0"}, "q:wait": ["1"]})

    with pytest.raises(NotInStateError, match=r"Job 1 is not in the delayed state\. changeDelay"):
        await stage.run(jobs.change_delay(stage.keys(), "1", 5, now=NOW))

    await stage.expect({})


async def test_a_missing_job_is_an_error(stage: Stage):
    await stage.set({})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. changeDelay"):
        await stage.run(jobs.change_delay(stage.keys(), "1", 5, now=NOW))

    await stage.expect({})
