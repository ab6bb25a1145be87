import pytest

from bullpy.errors import JobNotFoundError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage


async def test_progress_is_stored_and_told(stage: Stage):
    await stage.set({"q:1": {"name": "n"}})

    await stage.run(jobs.update_progress(stage.keys(), "1", '{"done":[]}'))

    await stage.expect(
        {
            "q:1": {"name": "n", "progress": '{"done":[]}'},
            "q:events": [{"event": "progress", "jobId": "1", "data": '{"done":[]}'}],
        }
    )


async def test_a_queue_without_a_bound_for_its_events_gets_the_default(stage: Stage):
    await stage.set({"q:1": {"name": "n"}, "q:meta": {"paused": "1"}})

    await stage.run(jobs.update_progress(stage.keys(), "1", "50"))

    await stage.expect(
        {
            "q:1": {"name": "n", "progress": "50"},
            "q:meta": {"paused": "1", "opts.maxLenEvents": "10000"},
            "q:events": [{"event": "progress", "jobId": "1", "data": "50"}],
        }
    )


async def test_a_missing_job_is_an_error_and_nobody_is_told(stage: Stage):
    await stage.set({"q:2": {"name": "n"}})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. updateProgress"):
        await stage.run(jobs.update_progress(stage.keys(), "1", "50"))

    await stage.expect({})
