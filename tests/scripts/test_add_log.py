import pytest

from bullpy.errors import JobNotFoundError, OptionError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage


@pytest.mark.parametrize("keep", [None, 0])
async def test_without_a_bound_all_rows_stay(stage: Stage, keep: int | None):
    await stage.set({"q:1": {"name": "n"}, "q:1:logs": ["a"]})

    rows = await stage.run(jobs.add_log(stage.keys(), "1", "b", keep=keep))

    assert rows == 2
    await stage.expect({"q:1:logs": ["a", "b"]})


async def test_with_a_bound_the_newest_rows_stay(stage: Stage):
    await stage.set({"q:1": {"name": "n"}, "q:1:logs": ["a", "b"]})

    rows = await stage.run(jobs.add_log(stage.keys(), "1", "c", keep=2))

    assert rows == 2
    await stage.expect({"q:1:logs": ["b", "c"]})


async def test_below_the_bound_the_number_of_rows_is_told(stage: Stage):
    await stage.set({"q:1": {"name": "n"}})

    rows = await stage.run(jobs.add_log(stage.keys(), "1", "a", keep=5))

    assert rows == 1
    await stage.expect({"q:1:logs": ["a"]})


async def test_a_missing_job_gets_no_log(stage: Stage):
    await stage.set({})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. addLog"):
        await stage.run(jobs.add_log(stage.keys(), "1", "a"))

    await stage.expect({})


async def test_logs_are_cleared_whole_or_but_for_the_newest(stage: Stage):
    await stage.set({"q:1:logs": ["a", "b", "c"], "q:2:logs": ["a"]})

    await stage.run(jobs.clear_logs(stage.keys(), "1", keep=2))
    await stage.run(jobs.clear_logs(stage.keys(), "2"))

    await stage.expect({"q:1:logs": ["b", "c"], "q:2:logs": None})


async def test_a_negative_bound_is_refused_by_name(stage: Stage):
    with pytest.raises(OptionError, match=r"keep_logs .* not -1 \(job 1, queue q\)"):
        jobs.add_log(stage.keys(), "1", "a", keep=-1)
    with pytest.raises(OptionError, match=r"keep_logs .* not -1 \(job 1, queue q\)"):
        jobs.clear_logs(stage.keys(), "1", keep=-1)
