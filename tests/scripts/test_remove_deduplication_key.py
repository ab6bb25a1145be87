from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage


async def test_the_owner_loses_its_id_and_what_is_parked_behind_it_stays(stage: Stage):
    await stage.set({"q:de:d": "1", "q:dn:d": {"name": "n"}})

    assert await stage.run(jobs.remove_deduplication_key(stage.keys(), "1", "d")) is True

    await stage.expect({"q:de:d": None})


async def test_another_job_cannot_take_the_id_away(stage: Stage):
    await stage.set({"q:de:d": "1"})

    assert await stage.run(jobs.remove_deduplication_key(stage.keys(), "2", "d")) is False

    await stage.expect({})
