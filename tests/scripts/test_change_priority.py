import pytest

from bullpy.errors import JobNotFoundError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage

MARKED = {"q:marker": {"0": 0}}


async def test_a_waiting_job_moves_behind_its_new_equals(stage: Stage):
    await stage.set({"q:1": {"priority": "0"}, "q:wait": ["2", "1"], "q:pc": "4"})

    await stage.run(jobs.change_priority(stage.keys(), "1", 3))

    await stage.expect(
        {
            "q:1": {"priority": "3"},
            "q:wait": ["2"],
            "q:prioritized": {"1": 3 * 2**32 + 5},
            "q:pc": "5",
            **MARKED,
        }
    )


async def test_with_lifo_a_job_goes_in_front_of_its_equals_and_wakes_nobody(stage: Stage):
    await stage.set({"q:1": {"priority": "9"}, "q:prioritized": {"1": 9 * 2**32 + 1}})

    await stage.run(jobs.change_priority(stage.keys(), "1", 3, lifo=True))

    await stage.expect({"q:1": {"priority": "3"}, "q:prioritized": {"1": 3 * 2**32}})


@pytest.mark.parametrize(("lifo", "line"), [(False, ["1", "2"]), (True, ["2", "1"])])
async def test_without_a_priority_a_job_goes_to_either_end_of_wait(
    stage: Stage, lifo: bool, line: list[str]
):
    await stage.set(
        {"q:1": {"priority": "9"}, "q:prioritized": {"1": 9 * 2**32 + 1}, "q:wait": ["2"]}
    )

    await stage.run(jobs.change_priority(stage.keys(), "1", 0, lifo=lifo))

    await stage.expect({"q:1": {"priority": "0"}, "q:prioritized": None, "q:wait": line, **MARKED})


async def test_elsewhere_the_number_counts_from_the_next_joining(stage: Stage):
    await stage.set({"q:1": {"priority": "0"}, "q:delayed": {"1": 5}})

    await stage.run(jobs.change_priority(stage.keys(), "1", 3))

    await stage.expect({"q:1": {"priority": "3"}})


async def test_a_missing_job_is_an_error(stage: Stage):
    await stage.set({"q:wait": ["1"]})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. changePriority"):
        await stage.run(jobs.change_priority(stage.keys(), "1", 3))

    await stage.expect({})
