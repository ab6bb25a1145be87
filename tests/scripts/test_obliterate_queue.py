import pytest

from bullpy.errors import BullError
from bullpy.scripts import manage
from tests.fixtures.scripts import Short, Stage

PAUSED = {"opts.maxLenEvents": "10000", "paused": "1"}
STATES: dict[str, Short] = {
    "q:active": ["a1", "a2"],
    "q:delayed": {"d1": 1, "d2": 2},
    "q:repeat": {"s1": 9, "s2": 9},
    "q:completed": {"c1": 1, "c2": 2},
    "q:wait": ["w1", "w2"],
    "q:paused": ["o1", "o2"],
    "q:prioritized": {"p1": 1, "p2": 2},
    "q:failed": {"f1": 1, "f2": 2},
}
JOBS = [f"{state}{number}" for state in "adcwopf" for number in (1, 2)]
OWN: dict[str, Short] = {
    "q:repeat:s1": {"name": "n"},
    "q:repeat:s2": {"name": "n"},
    "q:delay": "of old",
    "q:stalled-check": "1",
    "q:stalled": {"a1"},
    "q:id": "7",
    "q:pc": "7",
    "q:marker": {"0": 0},
    "q:metrics:completed": {"count": "1"},
    "q:metrics:completed:data": ["1"],
    "q:metrics:failed": {"count": "1"},
    "q:metrics:failed:data": ["1"],
}
WHOLE: dict[str, Short] = {
    "q:meta": PAUSED,
    **STATES,
    **OWN,
    **{f"q:{job_id}": {"name": "n"} for job_id in JOBS},
    "q:a1:lock": "token",
    "q:d1:logs": ["row"],
}


async def obliterate(stage: Stage, *, force: bool = False, count: int = 1000) -> int:
    calls = 1
    while await stage.run(manage.obliterate(stage.keys(), force=force, count=count)):
        calls += 1
    return calls


async def test_a_running_queue_is_refused(stage: Stage):
    await stage.set({"q:wait": ["1"]})

    with pytest.raises(BullError, match="Cannot obliterate non-paused queue q"):
        await obliterate(stage)

    await stage.expect({})


async def test_jobs_being_worked_on_are_in_the_way(stage: Stage):
    await stage.set({"q:meta": PAUSED, "q:active": ["1"], "q:wait": ["2"]})

    with pytest.raises(BullError, match="Cannot obliterate queue with active jobs q"):
        await obliterate(stage)

    await stage.expect({})


@pytest.mark.parametrize(("count", "calls"), [(1000, 1), (3, 6), (1, 17), (16, 2)])
async def test_everything_goes_in_steps_of_any_size(stage: Stage, count: int, calls: int):
    await stage.redis.xadd(stage.key("q:events"), {"event": "paused"})
    await stage.set(WHOLE)

    assert await obliterate(stage, force=True, count=count) == calls

    await stage.expect({"q:events": None, **dict.fromkeys(WHOLE)})


async def test_a_step_takes_those_being_worked_on_first_and_leaves_the_queue_as_it_is(
    stage: Stage,
):
    await stage.set(WHOLE)

    assert await stage.run(manage.obliterate(stage.keys(), force=True, count=3)) is True

    gone = ("active", "a1", "a1:lock", "a2", "d1", "d1:logs")
    await stage.expect({**{f"q:{key}": None for key in gone}, "q:delayed": {"d2": 2}})


async def test_parents_of_children_elsewhere_and_foreign_claims_stay(stage: Stage):
    stays: dict[str, Short] = {
        "q:waiting-children": {"P": 1},
        "q:P": {"name": "n"},
        "q:P:dependencies": {stage.key("c:1")},
        "q:limiter": "1",
        "q:de:foreign": "77",
    }
    await stage.set({"q:meta": PAUSED, **stays})

    await obliterate(stage)

    await stage.expect({"q:meta": None})


async def test_parents_go_with_their_last_child_or_are_released_elsewhere(stage: Stage):
    await stage.set(
        {
            "q:meta": PAUSED,
            "q:wait": ["1", "2"],
            "q:waiting-children": {"P": 1},
            "q:P": {"name": "n"},
            "q:P:dependencies": {stage.key("q:1")},
            "q:1": {"parentKey": stage.key("q:P"), "deid": "d"},
            "q:de:d": "1",
            "p:waiting-children": {"R": 1},
            "p:R": {"name": "n"},
            "p:R:dependencies": {stage.key("q:2")},
            "q:2": {"parentKey": stage.key("p:R")},
        }
    )

    await obliterate(stage)

    gone = ("meta", "wait", "waiting-children", "P", "P:dependencies", "1", "2", "de:d")
    await stage.expect(
        {
            **{f"q:{key}": None for key in gone},
            "p:waiting-children": None,
            "p:R:dependencies": None,
            "p:wait": ["R"],
            "p:marker": {"0": 0},
        }
    )
