import pytest

from bullpy.scripts import manage
from tests.fixtures.scripts import Short, Stage

PAUSED = {"opts.maxLenEvents": "10000", "paused": "1"}
RUNNING = {"q:meta": {"opts.maxLenEvents": "10000"}}
RESUMED = {**RUNNING, "q:events": [{"event": "resumed"}]}
PARKED_PER_CALL = 7000


@pytest.mark.parametrize(
    ("state", "marker"),
    [
        pytest.param({"q:wait": ["1"], "q:delayed": {"2": 8192}}, {"0": 0}, id="jobs wait"),
        pytest.param({"q:prioritized": {"1": 1}}, {"0": 0}, id="by priority"),
        pytest.param({"q:delayed": {"1": 8192, "2": 12288}}, {"1": 2}, id="one is due later"),
        pytest.param({"q:active": ["1"]}, None, id="nothing to do"),
    ],
)
async def test_a_worker_is_woken_for_what_there_is(
    stage: Stage, state: dict[str, Short], marker: Short
):
    await stage.set({"q:meta": PAUSED, **state})

    assert await stage.run(manage.resume(stage.keys(), announce=True)) == 0

    await stage.expect({**RESUMED, "q:marker": marker})


async def test_without_announcing_there_is_no_event(stage: Stage):
    await stage.set({"q:meta": PAUSED})

    await stage.run(manage.resume(stage.keys(), announce=False))

    await stage.expect(RUNNING)


async def test_jobs_that_an_older_bullmq_parked_wait_again(stage: Stage):
    await stage.set({"q:meta": PAUSED, "q:paused": ["2", "1"]})

    assert await stage.run(manage.resume(stage.keys(), announce=True)) == 0

    await stage.expect({**RESUMED, "q:paused": None, "q:wait": ["2", "1"], "q:marker": {"0": 0}})


async def test_parked_jobs_are_served_before_those_that_came_since(stage: Stage):
    await stage.set({"q:meta": PAUSED, "q:paused": ["x1", "x2"], "q:wait": ["w1"]})

    assert await stage.run(manage.resume(stage.keys(), announce=True)) == 0

    await stage.expect(
        {**RESUMED, "q:paused": None, "q:wait": ["w1", "x1", "x2"], "q:marker": {"0": 0}}
    )


async def test_many_parked_jobs_come_back_in_rounds_told_once(stage: Stage):
    parked = [f"x{n}" for n in range(PARKED_PER_CALL + 1)]
    await stage.set({"q:meta": PAUSED, "q:paused": parked, "q:wait": ["w1"]})

    left = [
        await stage.run(manage.resume(stage.keys(), announce=announce))
        for announce in (True, False)
    ]

    assert left == [1, 0]
    await stage.expect(
        {**RESUMED, "q:paused": None, "q:wait": ["w1", *parked], "q:marker": {"0": 0}}
    )
