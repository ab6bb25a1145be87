import pytest

from bullpy.scripts import read
from tests.fixtures.scripts import Short, Stage
from tests.scripts.windows import AS_LIST, AS_SORTED_SET, NEWEST_FIRST, OLDEST_FIRST, WINDOWS


@pytest.mark.parametrize(
    ("asc", "expected"), [(True, OLDEST_FIRST), (False, NEWEST_FIRST)], ids=["oldest", "newest"]
)
@pytest.mark.parametrize("state", ["waiting", "paused", "active", "delayed", "completed"])
async def test_a_range_counts_from_the_oldest_or_the_newest(
    stage: Stage, state: str, asc: bool, expected: dict[tuple[int, int], str]
):
    jobs: Short = AS_LIST if state in {"waiting", "paused", "active"} else AS_SORTED_SET
    await stage.set({f"q:{'wait' if state == 'waiting' else state}": jobs})

    found = {
        (start, end): await stage.run(read.ids(stage.keys(), state, start=start, end=end, asc=asc))
        for start, end in WINDOWS
    }

    assert {window: "".join(ids) for window, ids in found.items()} == expected
    await stage.expect({})


@pytest.mark.parametrize("asc", [True, False])
async def test_the_wake_up_mark_of_bullmq_4_is_never_shown(stage: Stage, asc: bool):
    await stage.set({"q:wait": ["2", "1", "0:123"], "q:paused": ["0:0"]})

    waiting = await stage.run(read.ids(stage.keys(), "waiting", start=0, end=-1, asc=asc))
    parked = await stage.run(read.ids(stage.keys(), "paused", start=0, end=-1, asc=asc))

    assert (sorted(waiting), parked) == (["1", "2"], [])
    await stage.expect({"q:wait": ["2", "1"]})


@pytest.mark.parametrize("state", ["waiting", "failed", "no such state"])
async def test_an_empty_state_has_no_ids(stage: Stage, state: str):
    assert await stage.run(read.ids(stage.keys(), state, start=0, end=-1, asc=True)) == []
