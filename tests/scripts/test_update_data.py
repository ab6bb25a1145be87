import pytest

from bullpy.errors import JobNotFoundError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage


async def test_data_is_stored_as_it_is(stage: Stage):
    await stage.set({"q:1": {"data": "{}", "name": "n"}})
    text = '{"big":12345678901234567890,"list":[],"é":"\\u0000"}'

    await stage.run(jobs.update_data(stage.keys(), "1", text))

    await stage.expect({"q:1": {"data": text, "name": "n"}})


async def test_a_missing_job_is_an_error_and_stays_missing(stage: Stage):
    await stage.set({})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. updateData") as caught:
        await stage.run(jobs.update_data(stage.keys(), "1", "{}"))

    assert (caught.value.job_id, caught.value.queue) == ("1", "q")
    await stage.expect({})
