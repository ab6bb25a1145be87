from typing import Any

import pytest

from bullpy.errors import BelongsToSchedulerError
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage

NOW = 1_700_000_000_000


def removed(job_id: str, prev: str) -> dict[str, str]:
    return {"event": "removed", "jobId": job_id, "prev": prev}


def released(parent_id: str) -> dict[str, str]:
    return {"event": "waiting", "jobId": parent_id, "prev": "waiting-children"}


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("completed", {"1": 5, "2": 6}),
        ("waiting-children", {"1": 5, "2": 6}),
        ("delayed", {"1": 5, "2": 6}),
        ("failed", {"1": 5, "2": 6}),
        ("prioritized", {"1": 5, "2": 6}),
        ("wait", ["1", "2"]),
        ("paused", ["1", "2"]),
        ("active", ["1", "2"]),
    ],
)
async def test_all_of_a_job_goes_wherever_it_is(stage: Stage, place: str, content: Any):
    await stage.set(
        {
            "q:1": {"name": "n", "deid": "d"},
            "q:1:logs": ["row"],
            "q:1:dependencies": {"a"},
            "q:1:processed": {"b": "1"},
            "q:1:failed": {"c": "boom"},
            "q:1:unsuccessful": {"d": 5},
            "q:de:d": "1",
            "q:dn:d": {"name": "parked"},
            f"q:{place}": content,
        }
    )

    assert await stage.run(jobs.remove_job(stage.keys(), "1", remove_children=False)) == 1

    await stage.expect(
        {
            **dict.fromkeys(["q:1", "q:1:logs", "q:1:dependencies", "q:1:processed"]),
            **dict.fromkeys(["q:1:failed", "q:1:unsuccessful", "q:de:d", "q:dn:d"]),
            f"q:{place}": ["2"] if isinstance(content, list) else {"2": 6},
            "q:events": [removed("1", place)],
        }
    )


async def test_a_deduplication_id_that_another_job_owns_by_now_stays(stage: Stage):
    await stage.set({"q:1": {"deid": "d"}, "q:failed": {"1": 5}, "q:de:d": "2"})

    await stage.run(jobs.remove_job(stage.keys(), "1"))

    await stage.expect({"q:1": None, "q:failed": None, "q:events": [removed("1", "failed")]})


async def test_a_job_that_is_not_there_is_gone_without_a_word(stage: Stage):
    await stage.set({"q:2": {"name": "n"}})

    assert await stage.run(jobs.remove_job(stage.keys(), "1")) == 1

    await stage.expect({})


async def test_a_job_that_is_nowhere_is_removed_from_unknown(stage: Stage):
    await stage.set({"q:1": {"name": "n"}})

    await stage.run(jobs.remove_job(stage.keys(), "1"))

    await stage.expect({"q:1": None, "q:events": [removed("1", "unknown")]})


@pytest.mark.parametrize("lock", ["q:P:lock", "c:1:lock", "g:2:lock"])
async def test_a_lock_anywhere_in_the_tree_keeps_all_of_it(stage: Stage, lock: str):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:P:dependencies": {stage.key("c:1")},
            "c:1": {"parentKey": stage.key("q:P")},
            "c:1:dependencies": {stage.key("g:2")},
            "g:2": {"parentKey": stage.key("c:1")},
            lock: "token",
        }
    )

    assert await stage.run(jobs.remove_job(stage.keys(), "P")) == 0

    await stage.expect({})


async def test_a_childs_lock_does_not_keep_a_parent_that_goes_alone(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:waiting-children": {"P": 5},
            "q:P:dependencies": {stage.key("c:1")},
            "c:1": {"parentKey": stage.key("q:P")},
            "c:1:lock": "token",
        }
    )

    assert await stage.run(jobs.remove_job(stage.keys(), "P", remove_children=False)) == 1

    await stage.expect(
        {
            "q:P": None,
            "q:P:dependencies": None,
            "q:waiting-children": None,
            "q:events": [removed("P", "waiting-children")],
        }
    )


async def test_a_tree_goes_children_first(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:waiting-children": {"P": 5},
            "q:P:dependencies": {stage.key("c:open")},
            "q:P:processed": {stage.key("c:done"): "1"},
            "q:P:failed": {stage.key("c:ignored"): "boom"},
            "q:P:unsuccessful": {stage.key("c:broken"): 5},
            "c:done": {"parentKey": stage.key("q:P")},
            "c:ignored": {"parentKey": stage.key("q:P")},
            "c:broken": {"parentKey": stage.key("q:P")},
            "c:open": {"parentKey": stage.key("q:P")},
            "c:completed": {"done": 5},
            "c:failed": {"ignored": 5, "broken": 6},
            "c:waiting-children": {"open": 5},
            "c:open:dependencies": {stage.key("q:deep")},
            "q:deep": {"parentKey": stage.key("c:open")},
            "q:delayed": {"deep": 5},
        }
    )

    assert await stage.run(jobs.remove_job(stage.keys(), "P")) == 1

    jobs_gone = ["q:P", "c:done", "c:ignored", "c:broken", "c:open", "q:deep"]
    lists_gone = ["q:P:dependencies", "q:P:processed", "q:P:failed", "q:P:unsuccessful"]
    states_gone = ["c:completed", "c:failed", "q:waiting-children", "q:delayed"]
    await stage.expect(
        {
            **dict.fromkeys([*jobs_gone, *lists_gone, *states_gone, "c:open:dependencies"]),
            "c:waiting-children": None,
            "q:events": [released("P"), removed("deep", "delayed"), removed("P", "wait")],
            "q:marker": {"0": 0},
            "c:events": [
                removed("done", "completed"),
                removed("ignored", "failed"),
                removed("broken", "failed"),
                released("open"),
                removed("open", "wait"),
            ],
            "c:marker": {"0": 0},
        }
    )


async def test_the_last_open_child_lets_its_parent_go_first_whatever_its_priority(stage: Stage):
    await stage.set(
        {
            "q:P": {"priority": "4", "delay": "500"},
            "q:waiting-children": {"P": 5},
            "q:wait": ["9"],
            "q:P:dependencies": {stage.key("c:1")},
            "c:1": {"parentKey": stage.key("q:P")},
            "c:wait": ["1"],
        }
    )

    await stage.run(jobs.remove_job(stage.keys("c"), "1"))

    await stage.expect(
        {
            "q:waiting-children": None,
            "q:wait": ["9", "P"],
            "q:P:dependencies": None,
            "q:marker": {"0": 0},
            "q:events": [released("P")],
            "c:1": None,
            "c:wait": None,
            "c:events": [removed("1", "wait")],
        }
    )


async def test_a_child_whose_id_holds_colons_is_taken_out_of_its_own_queue(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:P:processed": {stage.key("c:a:b:1"): "1"},
            "c:a:b:1": {"parentKey": stage.key("q:P")},
            "c:completed": {"a:b:1": 5},
        }
    )

    await stage.run(jobs.remove_job(stage.keys(), "P"))

    await stage.expect(
        {
            "q:P": None,
            "q:P:processed": None,
            "q:events": [removed("P", "unknown")],
            "c:a:b:1": None,
            "c:completed": None,
            "c:events": [removed("a:b:1", "completed")],
        }
    )


async def test_a_child_of_a_queue_that_has_no_meta_hash_goes_too(stage: Stage):
    await stage.redis.hset(stage.key("c:1"), "parentKey", stage.key("q:P"))
    await stage.redis.rpush(stage.key("c:wait"), "1")
    await stage.set({"q:P": {"name": "n"}, "q:P:failed": {stage.key("c:1"): "why"}})

    await stage.run(jobs.remove_job(stage.keys(), "P"))

    await stage.expect(
        {
            "q:P": None,
            "q:P:failed": None,
            "q:events": [removed("P", "unknown")],
            "c:1": None,
            "c:wait": None,
            "c:meta": {"opts.maxLenEvents": "10000"},
            "c:events": [removed("1", "wait")],
        }
    )


async def test_jobs_that_name_each_other_as_children_both_go(stage: Stage):
    await stage.set(
        {
            "q:1": {"name": "n"},
            "q:2": {"name": "n"},
            "q:1:dependencies": {stage.key("q:2")},
            "q:2:dependencies": {stage.key("q:1")},
        }
    )

    assert await stage.run(jobs.remove_job(stage.keys(), "1")) == 1

    await stage.expect(
        {
            **dict.fromkeys(["q:1", "q:2", "q:1:dependencies", "q:2:dependencies"]),
            "q:events": [removed("2", "unknown"), removed("1", "unknown")],
        }
    )


async def test_a_tree_deeper_than_any_call_stack_goes(stage: Stage):
    depth = stage.many
    await stage.set({"q:meta": {"opts.maxLenEvents": "0"}})
    async with stage.redis.pipeline(transaction=False) as pipe:
        for level in range(depth):
            pipe.hset(stage.key(f"q:{level}"), "name", "n")
            pipe.sadd(stage.key(f"q:{level}:dependencies"), stage.key(f"q:{level + 1}"))
        await pipe.execute()

    assert await stage.run(jobs.remove_job(stage.keys(), "0")) == 1

    left = [key async for key in stage.redis.scan_iter(f"{stage.prefix}:*", count=1000)]
    assert sorted(left) == [stage.keys().events, stage.keys().meta]


async def test_the_next_run_of_a_scheduler_can_not_be_removed(stage: Stage):
    job_id = f"repeat:s:{NOW}"
    await stage.set({f"q:{job_id}": {"rjk": "s"}, "q:repeat": {"s": NOW}})

    with pytest.raises(BelongsToSchedulerError) as caught:
        await stage.run(jobs.remove_job(stage.keys(), job_id))

    assert str(caught.value) == (
        f"Job {job_id} belongs to a job scheduler and cannot be removed directly. removeJob"
    )
    await stage.expect({})


@pytest.mark.parametrize("repeat", [{"s": NOW + 1}, {"another": NOW}])
async def test_a_former_run_of_a_scheduler_can_be_removed(stage: Stage, repeat: dict[str, int]):
    job_id = f"repeat:s:{NOW}"
    await stage.set({f"q:{job_id}": {"rjk": "s"}, "q:repeat": repeat})

    assert await stage.run(jobs.remove_job(stage.keys(), job_id)) == 1

    await stage.expect({f"q:{job_id}": None, "q:events": [removed(job_id, "unknown")]})
