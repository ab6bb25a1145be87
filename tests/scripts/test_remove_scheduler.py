from bullpy.scripts import schedulers
from tests.fixtures.scripts import Stage

B = 1_700_000_000_000
RUN = f"repeat:s:{B}"
SCHEDULER = {"q:repeat": {"s": B, "other": B}, "q:repeat:s": {"name": "n"}}
GONE = {"q:repeat": {"other": B}, "q:repeat:s": None}


async def test_a_scheduler_takes_its_delayed_run_with_it(stage: Stage):
    await stage.set({**SCHEDULER, f"q:{RUN}": {"rjk": "s"}, "q:delayed": {RUN: B * 4096}})

    assert await stage.run(schedulers.remove_scheduler(stage.keys(), "s"))

    events = [{"event": "removed", "jobId": RUN, "prev": "delayed"}]
    await stage.expect({**GONE, f"q:{RUN}": None, "q:delayed": None, "q:events": events})


async def test_a_run_that_is_in_line_is_kept(stage: Stage):
    await stage.set({**SCHEDULER, f"q:{RUN}": {"rjk": "s"}, "q:wait": [RUN]})

    assert await stage.run(schedulers.remove_scheduler(stage.keys(), "s"))

    await stage.expect(GONE)


async def test_an_unknown_scheduler_is_not_removed(stage: Stage):
    await stage.set(SCHEDULER)

    assert not await stage.run(schedulers.remove_scheduler(stage.keys(), "unknown"))

    await stage.expect({})
