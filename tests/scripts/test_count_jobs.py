import pytest

from bullpy.scripts import read
from tests.fixtures.scripts import Short, Stage


async def test_each_state_is_counted_in_the_order_asked_for(stage: Stage):
    await stage.set(
        {
            "q:wait": ["1", "2"],
            "q:paused": ["3"],
            "q:active": ["4", "5", "6"],
            "q:delayed": {"7": 1},
            "q:waiting-children": {"8": 1, "9": 1},
        }
    )
    states = ["waiting-children", "waiting", "wait", "paused", "active", "delayed", "failed", "no"]

    assert await stage.run(read.counts(stage.keys(), states)) == [2, 2, 2, 1, 3, 1, 0, 0]

    await stage.expect({})


async def test_no_state_has_no_counts(stage: Stage):
    assert await stage.run(read.counts(stage.keys(), [])) == []


@pytest.mark.parametrize(
    ("jobs", "count", "left"),
    [
        pytest.param(["0:0"], 0, ["0:0"], id="alone it stays"),
        pytest.param(["2", "1", "0:123"], 2, ["2", "1"], id="behind jobs it goes"),
        pytest.param(["0:0", "1"], 2, ["0:0", "1"], id="elsewhere it is no mark"),
    ],
)
@pytest.mark.parametrize("state", ["wait", "paused"])
async def test_the_wake_up_mark_of_bullmq_4_is_no_job(
    stage: Stage, state: str, jobs: list[str], count: int, left: Short
):
    await stage.set({f"q:{state}": jobs})

    assert await stage.run(read.counts(stage.keys(), [state])) == [count]

    await stage.expect({f"q:{state}": left})


async def test_active_jobs_are_counted_whatever_their_id(stage: Stage):
    await stage.set({"q:active": ["2", "0:1"]})

    assert await stage.run(read.counts(stage.keys(), ["active"])) == [2]

    await stage.expect({})
