import json

import pytest

from bullpy import SchedulerBusyError, SchedulerCollisionError
from bullpy.scripts import schedulers
from bullpy.scripts.schedulers import Run
from tests.fixtures.scripts import Stage

B = 1_700_000_000_000


def upsert(stage: Stage, *, now: int, due: int | None = None, priority: int = 0, **definition):
    place = "prioritized" if priority else "LPUSH"
    run = Run(due, '{"repeat":{"count":1}}', priority, place)
    return schedulers.upsert_scheduler(
        stage.keys(), "s", {"name": "n", **definition}, run, data="{}", now=now
    )


async def hash_of(stage: Stage, short: str) -> dict[str, str]:
    return await stage.redis.hgetall(stage.key(short))


@pytest.mark.parametrize(
    ("definition", "now", "due", "offset"),
    [
        ({"every": 2000}, B + 321, B + 321, "321"),
        ({"every": 2000, "offset": 500}, B + 321, B + 500, "500"),
        ({"every": 2000, "offset": 500}, B + 1321, B + 2500, "500"),
        ({"every": 2000, "startDate": B + 5000}, B + 321, B + 5000, "1000"),
        ({"every": 2000, "startDate": B - 5000}, B + 321, B + 321, "321"),
        ({"every": 1000, "offset": 300, "startDate": B}, B, B, "300"),
        ({"every": 1000, "offset": 2500}, B, B + 2500, "2500"),
        ({"every": 1000, "offset": -200}, B + 100, B + 100, "-200"),
        ({"every": 1000.5}, B + 7, B + 7, "795"),
    ],
)
async def test_the_first_run_of_an_interval(stage: Stage, definition, now, due, offset):
    await stage.set({"q:other": "x"})

    answer = await stage.run(upsert(stage, now=now, **definition))

    assert answer == (f"repeat:s:{due}", due - now)
    assert await stage.redis.zscore(stage.key("q:repeat"), "s") == due
    assert (await hash_of(stage, "q:repeat:s"))["offset"] == offset


async def test_what_is_stored_of_a_scheduler_and_its_run(stage: Stage):
    await stage.set({"q:other": "x"})

    await stage.run(upsert(stage, now=B, due=B + 5000, pattern="* * * * *", tz="UTC"))

    job_id = f"repeat:s:{B + 5000}"
    opts = (await hash_of(stage, f"q:{job_id}"))["opts"]
    assert json.loads(opts) == {"jobId": job_id, "delay": 5000, "repeat": {"count": 1}}
    await stage.expect(
        {
            "q:id": "1",
            "q:repeat": {"s": B + 5000},
            "q:repeat:s": {
                "name": "n",
                "ic": "1",
                "offset": "0",
                "pattern": "* * * * *",
                "tz": "UTC",
            },
            f"q:{job_id}": {
                "name": "n",
                "data": "{}",
                "opts": opts,
                "timestamp": str(B),
                "delay": "5000",
                "priority": "0",
                "rjk": "s",
            },
            "q:delayed": {job_id: (B + 5000) * 4096},
            "q:marker": {"1": B + 5000},
            "q:events": [
                {"event": "added", "jobId": job_id, "name": "n"},
                {"event": "delayed", "jobId": job_id, "delay": str(B + 5000)},
            ],
        }
    )


@pytest.mark.parametrize("priority", [0, 5])
async def test_the_same_interval_again_replaces_the_run_in_its_slot(stage: Stage, priority: int):
    await stage.set({"q:other": "x"})
    await stage.run(upsert(stage, now=B + 321, priority=priority, every=2000))

    answer = await stage.run(upsert(stage, now=B + 500, priority=priority, every=2000))

    assert answer == (f"repeat:s:{B + 321}", 0)
    waiting = await stage.redis.lrange(stage.key("q:wait"), 0, -1)
    waiting += await stage.redis.zrange(stage.key("q:prioritized"), 0, -1)
    assert waiting == [f"repeat:s:{B + 321}"]
    assert (await hash_of(stage, "q:repeat:s"))["ic"] == "1"


async def test_another_interval_is_due_now_and_keeps_count_and_offset(stage: Stage):
    await stage.set(
        {
            "q:repeat": {"s": B + 2321},
            "q:repeat:s": {"name": "n", "ic": "7", "every": "2000", "offset": "321", "limit": "9"},
            f"q:repeat:s:{B + 2321}": {"rjk": "s"},
            "q:delayed": {f"repeat:s:{B + 2321}": (B + 2321) * 4096},
        }
    )

    assert await stage.run(upsert(stage, now=B + 1000, every=3000)) == (f"repeat:s:{B + 1000}", 0)

    assert await hash_of(stage, "q:repeat:s") == {
        "name": "n",
        "ic": "7",
        "every": "3000",
        "offset": "321",
    }
    assert await stage.redis.exists(stage.key(f"q:repeat:s:{B + 2321}")) == 0


@pytest.mark.parametrize(("taken", "due"), [(1, B + 1000), (32, B + 32_000), (33, None)])
async def test_an_interval_moves_on_to_a_free_slot_but_not_for_ever(stage: Stage, taken, due):
    await stage.set({f"q:repeat:s:{B + 1000 * n}": {"name": "old"} for n in range(taken)})

    if due is None:
        with pytest.raises(SchedulerBusyError):
            await stage.run(upsert(stage, now=B, every=1000))
        await stage.expect({})
    else:
        assert await stage.run(upsert(stage, now=B, every=1000)) == (f"repeat:s:{due}", due - B)


async def test_a_pattern_whose_moment_has_a_job_is_refused(stage: Stage):
    await stage.set({f"q:repeat:s:{B}": {"name": "old"}})

    with pytest.raises(SchedulerCollisionError, match="job ID already exists"):
        await stage.run(upsert(stage, now=B - 1, due=B, pattern="* * * * *"))

    await stage.expect({})
