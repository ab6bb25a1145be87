import json

import pytest

from bullpy.scripts import schedulers
from bullpy.scripts.schedulers import Run
from tests.fixtures.scripts import Stage

B = 1_700_000_000_000
FIRST = f"repeat:s:{B}"
OPTS = '{"repeat":{"every":2000,"count":2}}'


def follow(stage: Stage, *, now: int, producer: str = FIRST, due: int | None = None):
    return schedulers.next_run(
        stage.keys(), "s", producer, Run(due, OPTS, 0, "LPUSH"), every=2000, offset=None, now=now
    )


@pytest.mark.parametrize(
    ("previous", "interval", "now", "due"),
    [
        (B + 321, (2000, 321), B + 400, B + 2321),
        (B + 4321, (2000, 321), B + 9000, B + 10_321),
        (B + 2500, (2000, 500), B + 11_000, B + 12_500),
        (B + 7, (2000, 0), B + 9100, B + 10_000),
        (B + 3500, (1000, 2500), B + 10_100, B + 12_500),
        (B, (1000, 0), B - 500, B + 1000),
        (B, (1000, 0), B + 1000, B + 1000),
    ],
)
async def test_an_interval_goes_on_from_the_run_before_and_skips_what_passed(
    stage: Stage, previous, interval, now, due
):
    every, offset = interval
    definition = {"name": "n", "every": str(every), "offset": str(offset)}
    await stage.set({"q:repeat": {"s": previous}, "q:repeat:s": definition})

    new = await stage.run(follow(stage, now=now, producer=f"repeat:s:{previous}"))

    assert new == f"repeat:s:{due}"
    assert await stage.redis.zscore(stage.key("q:repeat"), "s") == due


async def test_the_new_run_has_name_and_data_of_the_scheduler(stage: Stage):
    await stage.set({"q:repeat": {"s": B}, "q:repeat:s": {"name": "n", "ic": "1", "data": "[1]"}})

    await stage.run(follow(stage, now=B + 100))

    new = f"repeat:s:{B + 2000}"
    opts = await stage.redis.hget(stage.key(f"q:{new}"), "opts")
    assert json.loads(opts) == {"jobId": new, "delay": 1900, **json.loads(OPTS)}
    await stage.expect(
        {
            "q:id": "1",
            "q:repeat": {"s": B + 2000},
            "q:repeat:s": {"name": "n", "ic": "2", "data": "[1]"},
            f"q:{new}": {
                "name": "n",
                "data": "[1]",
                "opts": opts,
                "timestamp": str(B + 100),
                "delay": "1900",
                "priority": "0",
                "rjk": "s",
            },
            "q:delayed": {new: (B + 2000) * 4096},
            "q:marker": {"1": B + 2000},
            "q:events": [
                {"event": "added", "jobId": new, "name": "n"},
                {"event": "delayed", "jobId": new, "delay": str(B + 2000)},
            ],
        }
    )


async def test_only_the_current_run_is_followed(stage: Stage):
    await stage.set({"q:repeat": {"s": B + 2000}, "q:repeat:s": {"name": "n", "every": "2000"}})

    assert await stage.run(follow(stage, now=B + 100)) is None

    await stage.expect({})


async def test_nothing_follows_the_run_of_a_removed_scheduler(stage: Stage):
    await stage.set({"q:repeat": {"another": B}})

    assert await stage.run(follow(stage, now=B)) is None

    await stage.expect({})


async def test_a_slot_that_has_a_job_is_left_alone_and_told_of(stage: Stage):
    taken = f"repeat:s:{B + 2000}"
    await stage.set(
        {
            "q:repeat": {"s": B},
            "q:repeat:s": {"name": "n", "every": "2000"},
            f"q:{taken}": {"name": "old"},
        }
    )

    assert await stage.run(follow(stage, now=B)) is None

    await stage.expect({"q:events": [{"event": "duplicated", "jobId": taken}]})


async def test_a_moment_given_counts_where_there_is_no_interval(stage: Stage):
    await stage.set({"q:repeat": {"s": B}, "q:repeat:s": {"name": "n", "pattern": "* * * * *"}})
    run = Run(B + 60_000, OPTS, 0, "LPUSH")

    new = await stage.run(
        schedulers.next_run(stage.keys(), "s", FIRST, run, every=None, offset=None, now=B)
    )

    assert new == f"repeat:s:{B + 60_000}"
