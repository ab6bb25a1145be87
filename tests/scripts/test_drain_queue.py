import pytest

from bullpy.scripts import manage
from tests.fixtures.scripts import Short, Stage

CHUNK = 500  # jobs per call


async def drain(stage: Stage, *, delayed: bool = False) -> int:
    calls = 1
    while await stage.run(manage.drain(stage.keys(), delayed=delayed)):
        calls += 1
    return calls


def next_runs(count: int) -> dict[str, Short]:
    """Schedulers, with the hashes of their next runs `repeat:s<n>:9`."""
    runs: dict[str, Short] = {f"q:repeat:s{n}:9": {"rjk": f"s{n}"} for n in range(count)}
    return {"q:repeat": {f"s{n}": 9 for n in range(count)}, **runs}


@pytest.mark.parametrize("delayed", [False, True])
async def test_what_waits_in_line_goes_and_nothing_else(stage: Stage, delayed: bool):
    elsewhere = ("active", "completed", "failed", "waiting-children")
    await stage.set(
        {
            "q:wait": ["w"],
            "q:paused": ["o"],
            "q:prioritized": {"p": 1},
            "q:delayed": {"d": 1},
            "q:active": ["active"],
            **{f"q:{state}": {state: 1} for state in elsewhere[1:]},
            **{f"q:{job_id}": {"name": "n"} for job_id in ("w", "o", "p", "d", *elsewhere)},
            "q:w:logs": ["row"],
            "q:marker": {"0": 0},
        }
    )

    assert await drain(stage, delayed=delayed) == 1

    gone = ["wait", "w", "w:logs", "paused", "o", "prioritized", "p"]
    await stage.expect({f"q:{key}": None for key in [*gone, *["delayed", "d"] * delayed]})


@pytest.mark.parametrize("line", ["wait", "paused"])
async def test_a_list_keeps_just_the_next_runs_in_their_order(stage: Stage, line: str):
    first, second = "repeat:s0:9", "repeat:s1:9"
    await stage.set(
        {
            f"q:{line}": ["C", second, "B", first, "repeat:s0:8", "A"],
            "q:repeat:s0:8": {"rjk": "s0"},
            **next_runs(2),
        }
    )

    await drain(stage)

    await stage.expect({f"q:{line}": [second, first], "q:repeat:s0:8": None})


@pytest.mark.parametrize("line", ["prioritized", "delayed"])
async def test_a_set_keeps_just_the_next_runs(stage: Stage, line: str):
    await stage.set(
        {f"q:{line}": {"A": 1, "repeat:s0:9": 2, "B": 3}, "q:A": {"name": "n"}, **next_runs(1)}
    )

    await drain(stage, delayed=True)

    await stage.expect({f"q:{line}": {"repeat:s0:9": 2}, "q:A": None})


@pytest.mark.parametrize("line", ["wait", "paused", "prioritized", "delayed"])
async def test_more_next_runs_than_a_call_wipes_hide_nothing_behind_them(stage: Stage, line: str):
    runs = [f"repeat:s{n}:9" for n in range(CHUNK + 100)]
    is_list = line in {"wait", "paused"}
    jobs: Short = ["A", *runs] if is_list else {**dict.fromkeys(runs, 1), "A": 2}
    await stage.set({f"q:{line}": jobs, **next_runs(len(runs))})

    await drain(stage, delayed=True)

    await stage.expect({f"q:{line}": runs if is_list else dict.fromkeys(runs, 1)})


async def test_a_long_line_goes_in_steps(stage: Stage):
    jobs = [f"j{n}" for n in range(stage.many)]
    await stage.set(
        {
            "q:wait": [*jobs, "repeat:s0:9"],
            "q:delayed": {job_id + "d": n for n, job_id in enumerate(jobs)},
            **next_runs(1),
        }
    )

    assert await drain(stage, delayed=True) == 2 * stage.many // CHUNK + 1

    await stage.expect({"q:wait": ["repeat:s0:9"], "q:delayed": None})


async def test_deduplication_ids_are_free_afterwards(stage: Stage):
    await stage.set({"q:wait": ["1"], "q:1": {"deid": "d"}, "q:de:d": "1", "q:dn:d": {"jid": "2"}})

    await drain(stage)

    await stage.expect({f"q:{key}": None for key in ("wait", "1", "de:d", "dn:d")})


async def test_parents_go_with_their_last_child_or_are_released_elsewhere(stage: Stage):
    await stage.set(
        {
            "q:wait": ["1", "2", "3"],
            "q:waiting-children": {"P": 1, "R": 1},
            "q:P": {"name": "same queue"},
            "q:P:dependencies": {stage.key("q:1")},
            "q:1": {"parentKey": stage.key("q:P")},
            "q:R": {"name": "has another child"},
            "q:R:dependencies": {stage.key("q:3"), stage.key("c:9")},
            "q:3": {"parentKey": stage.key("q:R")},
            "p:waiting-children": {"P": 1},
            "p:P": {"name": "elsewhere"},
            "p:P:dependencies": {stage.key("q:2")},
            "q:2": {"parentKey": stage.key("p:P")},
        }
    )

    await drain(stage)

    await stage.expect(
        {
            **{f"q:{key}": None for key in ("wait", "1", "2", "3", "P", "P:dependencies")},
            "q:waiting-children": {"R": 1},
            "q:R:dependencies": {stage.key("c:9")},
            "p:waiting-children": None,
            "p:P:dependencies": None,
            "p:wait": ["P"],
            "p:marker": {"0": 0},
        }
    )
