import pytest
import redis.exceptions

from bullpy.scripts import manage
from bullpy.scripts.manage import CLEAN_BATCH, Cleaned
from tests.fixtures.scripts import Stage

NOW = 1_700_000_000_000
OLD = {"timestamp": str(NOW - 1)}
YOUNG = {"timestamp": str(NOW + 1)}


def cleaned(count: int) -> list[dict[str, str]]:
    return [{"event": "cleaned", "count": str(count)}]


async def part(stage: Stage, state: str, *, first: int = 0, look: int = CLEAN_BATCH) -> Cleaned:
    call = manage.clean(stage.keys(), state, cutoff=NOW, first=first, look=look)
    return await stage.run(call)


async def clean(stage: Stage, state: str) -> list[str]:
    """Clean in one call."""
    done = await part(stage, state)
    assert done.rest is None
    return done.ids


@pytest.mark.parametrize("state", ["completed", "failed", "waiting-children"])
async def test_finished_jobs_go_by_their_end_whatever_their_hash_says(stage: Stage, state: str):
    await stage.set(
        {
            f"q:{state}": {"a": NOW - 5, "b": NOW, "c": NOW + 1},
            "q:a": YOUNG,
            "q:a:logs": ["row"],
            "q:b": YOUNG,
            "q:c": OLD,
        }
    )

    assert await clean(stage, state) == ["a", "b"]

    await stage.expect(
        {
            f"q:{state}": {"c": NOW + 1},
            "q:a": None,
            "q:a:logs": None,
            "q:b": None,
            "q:events": cleaned(2),
        }
    )


async def test_of_finished_jobs_a_part_takes_the_oldest(stage: Stage):
    await stage.set({"q:failed": {"a": 1, "b": 2, "c": 3}})

    assert await part(stage, "failed", look=2) == Cleaned(["a", "b"], 0)

    await stage.expect({"q:failed": {"c": 3}, "q:events": cleaned(2)})


@pytest.mark.parametrize(
    ("state", "key"), [("waiting", "wait"), ("paused", "paused"), ("active", "active")]
)
async def test_in_a_list_old_jobs_go_and_the_others_keep_their_order(
    stage: Stage, state: str, key: str
):
    await stage.set(
        {
            f"q:{key}": ["5", "4", "3", "2", "1"],
            "q:1": OLD,
            "q:2": YOUNG,
            "q:3": OLD,
            "q:4": YOUNG,
            "q:5": YOUNG,
        }
    )

    assert await clean(stage, state) == ["3", "1"]

    await stage.expect(
        {f"q:{key}": ["5", "4", "2"], "q:1": None, "q:3": None, "q:events": cleaned(2)}
    )


async def test_jobs_that_somebody_works_on_stay(stage: Stage):
    await stage.set({"q:active": ["2", "1"], "q:1": OLD, "q:1:lock": "token", "q:2": OLD})

    assert await clean(stage, "active") == ["2"]

    await stage.expect({"q:active": ["1"], "q:2": None, "q:events": cleaned(1)})


@pytest.mark.parametrize("state", ["delayed", "prioritized"])
async def test_a_line_is_cleaned_by_age_and_not_by_score(stage: Stage, state: str):
    await stage.set(
        {f"q:{state}": {"a": 1, "b": 2, "c": 3}, "q:a": YOUNG, "q:b": OLD, "q:c": YOUNG}
    )

    assert await clean(stage, state) == ["b"]

    await stage.expect({f"q:{state}": {"a": 1, "c": 3}, "q:b": None, "q:events": cleaned(1)})


@pytest.mark.parametrize(
    ("state", "fields", "goes"),
    [
        pytest.param("delayed", {"processedOn": NOW, **YOUNG}, True, id="delayed by its start"),
        pytest.param("delayed", {"processedOn": NOW + 1, **OLD}, False, id="delayed, started late"),
        pytest.param("prioritized", {"processedOn": NOW + 1, **OLD}, True, id="by its creation"),
        pytest.param("wait", {"finishedOn": NOW + 1, **OLD}, False, id="waiting by its end"),
        pytest.param("wait", {"processedOn": NOW, **YOUNG}, True, id="waiting by its start"),
        pytest.param("wait", {"timestamp": "5"}, True, id="a short number is an old time"),
        pytest.param("wait", {"timestamp": "no time"}, True, id="a time that is none"),
        pytest.param("wait", {"name": "n"}, True, id="without a time"),
    ],
)
async def test_the_first_known_time_of_a_job_counts_as_a_number(
    stage: Stage, state: str, fields: dict[str, object], goes: bool
):
    hashed = {name: str(value) for name, value in fields.items()}
    await stage.set({f"q:{state}": ["1"] if state == "wait" else {"1": 9}, "q:1": hashed})

    assert await clean(stage, state) == (["1"] if goes else [])


@pytest.mark.parametrize("state", ["wait", "delayed"])
async def test_schedulers_keep_their_next_run(stage: Stage, state: str):
    due, past, foreign = "repeat:a:b:9", "repeat:a:b:8", "repeat:gone:9"
    ids = [foreign, past, due]
    await stage.set(
        {
            f"q:{state}": ids if state == "wait" else dict.fromkeys(ids, 1),
            "q:repeat": {"a:b": 9},
            **{f"q:{job_id}": {"rjk": "a:b", **OLD} for job_id in (due, past)},
            f"q:{foreign}": {"rjk": "gone", **OLD},
        }
    )

    assert sorted(await clean(stage, state)) == [past, foreign]

    await stage.expect(
        {
            f"q:{state}": [due] if state == "wait" else {due: 1},
            f"q:{past}": None,
            f"q:{foreign}": None,
            "q:events": cleaned(2),
        }
    )


@pytest.mark.parametrize("state", ["wait", "delayed"])
async def test_a_part_is_looked_at_and_the_answer_says_where_to_go_on(stage: Stage, state: str):
    order = ["young", "old", "young2", "old2", "young3"]
    hashes = {f"q:{one}": OLD if one.startswith("old") else YOUNG for one in order}
    in_line = {one: n for n, one in enumerate(order)}
    await stage.set({f"q:{state}": order[::-1] if state == "wait" else in_line, **hashes})

    assert await part(stage, state, look=1) == Cleaned([], 1)
    assert await part(stage, state, first=1, look=2) == Cleaned(["old"], 2)
    assert await part(stage, state, first=2, look=3) == Cleaned(["old2"], None)

    del in_line["old"], in_line["old2"]
    await stage.expect(
        {
            f"q:{state}": ["young3", "young2", "young"] if state == "wait" else in_line,
            "q:old": None,
            "q:old2": None,
            "q:events": [entry for count in (0, 1, 1) for entry in cleaned(count)],
        }
    )


@pytest.mark.parametrize("state", ["active", "prioritized"])
async def test_a_part_beyond_the_first_that_cleans_nothing_is_not_told(stage: Stage, state: str):
    jobs = ["b", "a"] if state == "active" else {"a": 1, "b": 2}
    await stage.set({f"q:{state}": jobs, "q:a": YOUNG, "q:b": YOUNG})

    assert await part(stage, state, first=1, look=1) == Cleaned([], 2)
    assert await part(stage, state, first=2, look=1) == Cleaned([], None)

    await stage.expect({})


async def test_what_is_no_job_stops_cleaning_before_anything_is_changed(stage: Stage):
    await stage.set({"q:wait": ["odd", "1"], "q:1": OLD, "q:odd": "text"})

    with pytest.raises(redis.exceptions.ResponseError, match="WRONGTYPE"):
        await clean(stage, "wait")

    await stage.expect({})


async def test_part_after_part_cleans_a_long_list_and_keeps_its_order(stage: Stage):
    old = [f"o{number}" for number in range(stage.many)]
    young = [f"y{number}" for number in range(0, stage.many, 7)]
    jobs = [job_id for n in range(stage.many) for job_id in ([f"y{n}"] * (n % 7 == 0) + [old[n]])]
    await stage.set({"q:wait": jobs, **{f"q:{job_id}": YOUNG for job_id in young}})

    parts = [await part(stage, "wait")]
    while parts[-1].rest is not None:
        parts.append(await part(stage, "wait", first=parts[-1].rest))

    assert sorted(job_id for one in parts for job_id in one.ids) == sorted(old)
    await stage.expect(
        {"q:wait": young, "q:events": [entry for p in parts for entry in cleaned(len(p.ids))]}
    )


async def test_a_deduplication_id_is_free_afterwards_if_the_job_held_it(stage: Stage):
    await stage.set(
        {
            "q:completed": {"1": 1, "2": 2},
            "q:1": {"deid": "mine"},
            "q:2": {"deid": "another's"},
            "q:de:mine": "1",
            "q:dn:mine": {"name": "parked"},
            "q:de:another's": "3",
        }
    )

    await clean(stage, "completed")

    await stage.expect(
        {
            "q:completed": None,
            "q:1": None,
            "q:2": None,
            "q:de:mine": None,
            "q:dn:mine": None,
            "q:events": cleaned(2),
        }
    )


async def test_a_parent_in_the_same_queue_goes_with_its_last_child_and_so_do_those_above(
    stage: Stage,
):
    grandparent, parent = "g:with:colons", "p"
    await stage.set(
        {
            "q:waiting-children": {grandparent: 1, parent: 1},
            f"q:{grandparent}": {"name": "n", "deid": "d"},
            f"q:{grandparent}:dependencies": {stage.key("q:p")},
            "q:de:d": grandparent,
            "q:p": {
                "parentKey": stage.key(f"q:{grandparent}"),
                "parent": f'{{"id":"{grandparent}","queueKey":"{stage.key("q")}"}}',
            },
            "q:p:dependencies": {stage.key("q:1")},
            "q:1": {"parentKey": stage.key("q:p"), **OLD},
            "q:wait": ["1"],
        }
    )

    assert await clean(stage, "wait") == ["1"]

    gone = [
        "waiting-children",
        "wait",
        "1",
        "p",
        "p:dependencies",
        grandparent,
        f"{grandparent}:dependencies",
        "de:d",
    ]
    await stage.expect({**{f"q:{key}": None for key in gone}, "q:events": cleaned(1)})


async def test_a_parent_elsewhere_is_released_without_an_event(stage: Stage):
    await stage.set(
        {
            "p:waiting-children": {"P": 1},
            "p:P": {"name": "n"},
            "p:P:dependencies": {stage.key("q:1")},
            "q:failed": {"1": 1},
            "q:1": {"parentKey": stage.key("p:P")},
        }
    )

    assert await clean(stage, "failed") == ["1"]

    await stage.expect(
        {
            "p:waiting-children": None,
            "p:P:dependencies": None,
            "p:wait": ["P"],
            "p:marker": {"0": 0},
            "q:failed": None,
            "q:1": None,
            "q:events": cleaned(1),
        }
    )


@pytest.mark.parametrize("state", ["wait", "active", "delayed", "completed", "no such state"])
async def test_where_there_is_nothing_the_event_says_so(stage: Stage, state: str):
    await stage.set({"q:1": OLD})

    assert await clean(stage, state) == []

    await stage.expect({"q:events": cleaned(0)})
