import pytest

from bullpy.scripts import manage
from tests.fixtures.scripts import Short, Stage


async def remove(stage: Stage, *job_ids: str) -> int:
    return await stage.run(manage.remove_orphans(stage.keys(), job_ids))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"q:x": {"name": "n"}}, id="hash"),
        pytest.param({"q:x:logs": ["row"]}, id="logs"),
        pytest.param({"q:x:lock": "token"}, id="lock"),
        pytest.param({"q:x:dependencies": {"c"}}, id="open children"),
        pytest.param({"q:x:processed": {"c": "1"}}, id="results"),
        pytest.param({"q:x:failed": {"c": "why"}}, id="ignored failures"),
        pytest.param({"q:x:unsuccessful": {"c": 1}}, id="failures"),
    ],
)
async def test_what_is_left_of_a_job_in_no_state_goes(stage: Stage, content: dict[str, Short]):
    await stage.set({"q:wait": ["another"], **content})

    assert await remove(stage, "x", "never was") == 1

    await stage.expect(dict.fromkeys(content))


@pytest.mark.parametrize("also", [0, 20], ids=["alone", "among many"])
@pytest.mark.parametrize(
    "place",
    [
        *[
            pytest.param({f"q:{name}": {"x": 1}}, id=name)
            for name in (
                "completed",
                "failed",
                "delayed",
                "prioritized",
                "waiting-children",
                "repeat",
            )
        ],
        *[
            pytest.param({f"q:{name}": ["1", "x", "2"]}, id=name)
            for name in ("wait", "active", "paused")
        ],
        pytest.param({"q:stalled": {"x"}}, id="stalled"),
    ],
)
async def test_a_job_that_is_somewhere_stays(stage: Stage, place: dict[str, Short], also: int):
    orphans = [f"o{n}" for n in range(also)]
    await stage.set(
        {
            "q:x": {"name": "n"},
            "q:x:lock": "token",
            **place,
            **{f"q:{o}:logs": ["r"] for o in orphans},
        }
    )

    assert await remove(stage, "x", *orphans) == also

    await stage.expect({f"q:{orphan}:logs": None for orphan in orphans})


async def test_many_suspects_are_looked_for_in_long_lists_to_their_ends(stage: Stage):
    read_at_once = 5000
    waiting = [f"w{n}" for n in range(2 * read_at_once + 1)]
    at_the_edges = [*waiting[::read_at_once], *waiting[read_at_once - 1 :: read_at_once]]
    orphans: dict[str, Short] = {f"q:o{n}": {"name": "n"} for n in range(20)}
    jobs: dict[str, Short] = {f"q:{job_id}": {"name": "n"} for job_id in at_the_edges}
    await stage.set({"q:wait": waiting, **orphans, **jobs})

    assert await remove(stage, *at_the_edges, *[f"o{n}" for n in range(20)]) == 20

    await stage.expect(dict.fromkeys(orphans))


async def test_nothing_to_look_at_removes_nothing(stage: Stage):
    assert await remove(stage) == 0


async def test_looking_for_jobs_finds_those_with_anything_stored_and_no_other_keys(stage: Stage):
    jobs: dict[str, Short] = {
        "q:1": {"name": "n"},
        "q:2:lock": "token",
        "q:3:unsuccessful": {"c": 1},
        "q:3:logs": ["row"],
    }
    others: dict[str, Short] = {
        "q:wait": ["1"],
        "q:stalled-check": "1",
        "q:metrics:failed": {"count": "1"},
        "q:metrics:failed:data": ["1"],
        "q:de:failed": "1",
        "q:dn:failed": {"jid": "1"},
        "q:repeat:failed": {"name": "n"},
        "q:4:unknown part": "1",
        "q:a:b:c": {"name": "an id with colons"},
        "q2:5": {"name": "of another queue"},
    }
    await stage.set({**jobs, **others})

    cursor, found = "0", set[str]()
    while True:
        call = manage.scan_job_ids(stage.keys(), cursor=cursor, count=3)
        cursor, ids = await stage.run(call)
        found |= set(ids)
        if cursor == "0":
            break

    assert found == {"1", "2", "3"}


@pytest.mark.parametrize("name", ["a*", "a?", "[ab]c", "a\\b", "[^x]"])
async def test_a_queue_named_like_a_pattern_finds_its_own_jobs_alone(stage: Stage, name: str):
    await stage.set({f"{name}:1": {"name": "n"}, "ab:2": {"name": "n"}, "ac:3": {"name": "n"}})

    call = manage.scan_job_ids(stage.keys(name), cursor="0", count=1_000_000)
    _, found = await stage.run(call)

    assert found == ["1"]
