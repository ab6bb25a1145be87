import pytest

from bullpy.errors import JobNotFoundError, LockMismatchError, LockMissingError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Expiring, Stage

EVENT = {"event": "waiting", "jobId": "1", "prev": "active"}


async def test_an_active_job_is_served_next_and_its_lock_is_given_back(stage: Stage):
    await stage.set(
        {
            "q:1": {"ats": "1"},
            "q:active": ["1", "3"],
            "q:stalled": {"1", "3"},
            "q:wait": ["2"],
            "q:1:lock": Expiring("token", 30_000),
        }
    )

    assert await stage.run(jobs.move_to_wait(stage.keys(), "1", "token")) == 0

    await stage.expect(
        {
            "q:active": ["3"],
            "q:stalled": {"3"},
            "q:wait": ["2", "1"],
            "q:1:lock": None,
            "q:marker": {"0": 0},
            "q:events": [EVENT],
        }
    )


async def test_a_job_with_a_priority_goes_in_front_of_its_equals(stage: Stage):
    await stage.set(
        {
            "q:1": {"priority": "3"},
            "q:active": ["1"],
            "q:prioritized": {"2": 3 * 2**32 + 1},
            "q:1:lock": "token",
        }
    )

    await stage.run(jobs.move_to_wait(stage.keys(), "1", "token"))

    await stage.expect(
        {
            "q:active": None,
            "q:prioritized": {"1": 3 * 2**32, "2": 3 * 2**32 + 1},
            "q:1:lock": None,
            "q:events": [EVENT],
        }
    )


async def test_the_time_left_of_a_rate_limit_is_told(stage: Stage):
    await stage.set({"q:1": {"ats": "1"}, "q:limiter": Expiring("5", 60_000)})

    ttl = await stage.run(jobs.move_to_wait(stage.keys(), "1", "0"))

    assert 50_000 < ttl <= 60_000
    await stage.expect({})


async def test_a_limit_without_an_end_does_not_count(stage: Stage):
    await stage.set({"q:1": {"ats": "1"}, "q:limiter": "5"})

    assert await stage.run(jobs.move_to_wait(stage.keys(), "1", "0")) == 0


async def test_at_its_global_concurrency_the_queue_has_room_for_the_job_again(stage: Stage):
    await stage.set(
        {
            "q:1": {"ats": "1"},
            "q:active": ["1"],
            "q:meta": {"opts.maxLenEvents": "10000", "concurrency": "1"},
        }
    )

    await stage.run(jobs.move_to_wait(stage.keys(), "1", "0"))

    await stage.expect(
        {"q:active": None, "q:wait": ["1"], "q:marker": {"0": 0}, "q:events": [EVENT]}
    )


async def test_another_workers_lock_stays(stage: Stage):
    await stage.set({"q:1": {"ats": "1"}, "q:active": ["1"], "q:1:lock": "other"})

    with pytest.raises(
        LockMismatchError,
        match=r"Lock mismatch for job 1\. Cmd moveJobFromActiveToWait from active",
    ):
        await stage.run(jobs.move_to_wait(stage.keys(), "1", "token"))

    await stage.expect({})


async def test_a_lost_lock_is_an_error(stage: Stage):
    await stage.set({"q:1": {"ats": "1"}, "q:active": ["1"]})

    with pytest.raises(LockMissingError, match=r"Missing lock for job 1\. moveJobFromActiveToWait"):
        await stage.run(jobs.move_to_wait(stage.keys(), "1", "token"))

    await stage.expect({})


async def test_a_missing_job_is_an_error(stage: Stage):
    await stage.set({"q:active": ["1"]})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. moveJobFromActiveToWait"):
        await stage.run(jobs.move_to_wait(stage.keys(), "1", "token"))

    await stage.expect({})
