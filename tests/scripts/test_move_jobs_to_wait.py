import pytest

from bullpy.scripts import manage
from bullpy.types import State
from tests.fixtures.scripts import Short, Stage

FINISHED = {"finishedOn": "2", "processedOn": "1", "failedReason": "no", "returnvalue": "1"}


async def move(
    stage: Stage, state: State, *, count: int = 1000, until: float | None = None
) -> bool:
    return await stage.run(manage.move_jobs_to_wait(stage.keys(), state, count=count, until=until))


def waiting(state: str, *job_ids: str) -> list[dict[str, str]]:
    return [{"event": "waiting", "jobId": job_id, "prev": state} for job_id in job_ids]


@pytest.mark.parametrize(
    ("state", "kept"),
    [(State.FAILED, "returnvalue"), (State.COMPLETED, "failedReason")],
)
async def test_finished_jobs_forget_their_end_and_the_oldest_is_served_first(
    stage: Stage, state: State, kept: str
):
    spent = {"atm": "2", "ats": "2", "stacktrace": "[]", "priority": "3", "delay": "7"}
    await stage.set(
        {
            f"q:{state}": {"b": 20, "a": 10},
            "q:a": {**spent, **FINISHED},
            "q:b": FINISHED,
            "q:wait": ["earlier"],
        }
    )

    assert await move(stage, state) is False

    await stage.expect(
        {
            f"q:{state}": None,
            "q:a": {**spent, kept: FINISHED[kept]},
            "q:b": {kept: FINISHED[kept]},
            "q:wait": ["b", "a", "earlier"],
            "q:marker": {"0": 0},
            "q:events": waiting(state, "a", "b"),
        }
    )


async def test_delayed_jobs_keep_what_their_hash_says(stage: Stage):
    job = {"delay": "5000", "priority": "3"}
    far = 1_700_000_000_000 * 4096
    await stage.set({"q:delayed": {"1": far}, "q:1": job, "q:marker": {"1": 9}})

    assert await move(stage, State.DELAYED) is False

    await stage.expect(
        {
            "q:delayed": None,
            "q:wait": ["1"],
            "q:marker": {"0": 0, "1": 9},
            "q:events": waiting("delayed", "1"),
        }
    )


async def test_only_those_that_finished_until_a_moment_go(stage: Stage):
    await stage.set({"q:failed": {"a": 10, "b": 20, "c": 21}})

    assert await move(stage, State.FAILED, until=20) is False

    await stage.expect(
        {
            "q:failed": {"c": 21},
            "q:wait": ["b", "a"],
            "q:marker": {"0": 0},
            "q:events": waiting("failed", "a", "b"),
        }
    )


@pytest.mark.parametrize(
    "hindrance", [{"paused": "1"}, {"concurrency": "1"}], ids=["paused", "at its concurrency"]
)
async def test_where_nothing_may_start_nobody_is_woken(stage: Stage, hindrance: dict[str, str]):
    await stage.set(
        {
            "q:meta": {"opts.maxLenEvents": "10000", **hindrance},
            "q:active": ["x"],
            "q:failed": {"a": 10},
        }
    )

    await move(stage, State.FAILED)

    await stage.expect({"q:failed": None, "q:wait": ["a"], "q:events": waiting("failed", "a")})


async def test_nothing_to_move_changes_nothing(stage: Stage):
    await stage.set({"q:completed": {"1": 1}})

    assert await move(stage, State.FAILED) is False

    await stage.expect({})


async def test_many_jobs_go_in_rounds(stage: Stage):
    await stage.set({"q:failed": {f"{n:06}": n for n in range(stage.many)}})

    rounds = 1
    while await move(stage, State.FAILED, count=stage.many // 2):
        rounds += 1

    assert rounds == 3
    assert await stage.redis.exists(stage.key("q:failed")) == 0
    order = await stage.redis.lrange(stage.key("q:wait"), 0, -1)
    assert order == [f"{n:06}" for n in reversed(range(stage.many))]


@pytest.mark.parametrize(
    ("state", "noted"),
    [
        pytest.param(State.FAILED, {"unsuccessful": {"q:1": 5}}, id="failed its parent"),
        pytest.param(State.FAILED, {"failed": {"q:1": "why"}}, id="was ignored"),
        pytest.param(State.COMPLETED, {"processed": {"q:1": "1"}}, id="completed"),
    ],
)
async def test_a_parent_that_noted_the_end_waits_for_its_child_again(
    stage: Stage, state: State, noted: dict[str, dict[str, object]]
):
    ((part, entry),) = noted.items()
    ((child, value),) = entry.items()
    note: dict[str, Short] = {f"p:P:{part}": {stage.key(child): value}}
    await stage.set(
        {
            f"q:{state}": {"1": 1},
            "q:1": {"parentKey": stage.key("p:P")},
            "p:P": {"name": "n"},
            "p:failed": {"P": 1},
            **note,
        }
    )

    await move(stage, state)

    await stage.expect(
        {
            f"q:{state}": None,
            "q:wait": ["1"],
            "q:marker": {"0": 0},
            "q:events": waiting(state, "1"),
            f"p:P:{part}": None,
            "p:P:dependencies": {stage.key("q:1")},
        }
    )
