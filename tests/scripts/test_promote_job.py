import pytest

from bullpy.errors import NotInStateError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage

EVENT = {"event": "waiting", "jobId": "1", "prev": "delayed"}


async def test_a_delayed_job_joins_the_line_and_wakes_a_worker(stage: Stage):
    await stage.set(
        {"q:1": {"delay": "5000", "priority": "0"}, "q:delayed": {"1": 5}, "q:wait": ["2"]}
    )

    await stage.run(jobs.promote(stage.keys(), "1"))

    await stage.expect(
        {
            "q:1": {"delay": "0", "priority": "0"},
            "q:delayed": None,
            "q:wait": ["1", "2"],
            "q:marker": {"0": 0},
            "q:events": [EVENT],
        }
    )


async def test_a_job_with_a_priority_joins_behind_its_equals(stage: Stage):
    await stage.set(
        {"q:1": {"delay": "5", "priority": "3"}, "q:delayed": {"1": 5, "2": 6}, "q:pc": "7"}
    )

    await stage.run(jobs.promote(stage.keys(), "1"))

    await stage.expect(
        {
            "q:1": {"delay": "0", "priority": "3"},
            "q:delayed": {"2": 6},
            "q:prioritized": {"1": 3 * 2**32 + 8},
            "q:pc": "8",
            "q:marker": {"0": 0},
            "q:events": [EVENT],
        }
    )


async def test_a_wake_up_mark_of_bullmq_4_at_the_head_of_wait_goes(stage: Stage):
    await stage.set({"q:1": {"delay": "5"}, "q:delayed": {"1": 5}, "q:wait": ["0:999", "2"]})

    await stage.run(jobs.promote(stage.keys(), "1"))

    await stage.expect(
        {
            "q:1": {"delay": "0"},
            "q:delayed": None,
            "q:wait": ["1", "2"],
            "q:marker": {"0": 0},
            "q:events": [EVENT],
        }
    )


async def test_in_a_paused_queue_no_worker_is_woken(stage: Stage):
    await stage.set(
        {
            "q:1": {"delay": "5"},
            "q:delayed": {"1": 5},
            "q:meta": {"opts.maxLenEvents": "10000", "paused": "1"},
        }
    )

    await stage.run(jobs.promote(stage.keys(), "1"))

    await stage.expect(
        {"q:1": {"delay": "0"}, "q:delayed": None, "q:wait": ["1"], "q:events": [EVENT]}
    )


async def test_a_job_that_is_not_delayed_is_an_error(stage: Stage):
    await stage.set({"q:1": {"delay": "5"}, "q:wait": ["1"]})

    with pytest.raises(NotInStateError, match=r"Job 1 is not in the delayed state\. promote"):
        await stage.run(jobs.promote(stage.keys(), "1"))

    await stage.expect({})
