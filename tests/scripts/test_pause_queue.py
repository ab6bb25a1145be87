from bullpy.scripts import manage
from tests.fixtures.scripts import Stage


async def test_a_paused_queue_keeps_its_jobs_and_wakes_nobody(stage: Stage):
    await stage.set({"q:wait": ["1"], "q:marker": {"0": 0, "1": 5}})

    await stage.run(manage.pause(stage.keys()))

    await stage.expect(
        {
            "q:meta": {"opts.maxLenEvents": "10000", "paused": "1"},
            "q:marker": None,
            "q:events": [{"event": "paused"}],
        }
    )


async def test_each_pause_is_told(stage: Stage):
    await stage.set({"q:meta": {"paused": "1"}})

    await stage.run(manage.pause(stage.keys()))

    await stage.expect({"q:events": [{"event": "paused"}]})
