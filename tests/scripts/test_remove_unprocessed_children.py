from bullpy.scripts import flows
from tests.fixtures.scripts import Stage


def removed(job_id: str, prev: str) -> dict[str, str]:
    return {"event": "removed", "jobId": job_id, "prev": prev}


RELEASED = {"event": "waiting", "jobId": "P", "prev": "waiting-children"}


async def test_idle_children_go_and_locked_failed_and_finished_ones_stay(stage: Stage):
    child = {"parentKey": stage.key("q:P")}
    names = ("idle", "busy", "broken")
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:waiting-children": {"P": 5},
            "q:P:dependencies": {stage.key(f"c:{name}") for name in names},
            "q:P:processed": {stage.key("c:done"): "1"},
            **{f"c:{name}": child for name in (*names, "done")},
            "c:wait": ["idle"],
            "c:active": ["busy"],
            "c:busy:lock": "token",
            "c:failed": {"broken": 5},
            "c:completed": {"done": 5},
        }
    )

    await stage.run(flows.remove_unprocessed_children(stage.keys(), "P"))

    await stage.expect(
        {
            "q:P:dependencies": {stage.key("c:busy"), stage.key("c:broken")},
            "c:idle": None,
            "c:wait": None,
            "c:events": [removed("idle", "wait")],
        }
    )


async def test_without_open_children_the_parent_is_released_once(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:waiting-children": {"P": 5},
            "q:P:dependencies": {stage.key("c:1"), stage.key("d:1")},
            "c:1": {"parentKey": stage.key("q:P"), "deid": "x"},
            "c:de:x": "1",
            "d:1": {"parentKey": stage.key("q:P")},
            "c:delayed": {"1": 5},
            "d:prioritized": {"1": 5},
        }
    )

    await stage.run(flows.remove_unprocessed_children(stage.keys(), "P"))

    await stage.expect(
        {
            **dict.fromkeys(["q:waiting-children", "q:P:dependencies"]),
            **dict.fromkeys(["c:1", "c:de:x", "c:delayed", "d:1", "d:prioritized"]),
            "q:wait": ["P"],
            "q:marker": {"0": 0},
            "q:events": [RELEASED],
            "c:events": [removed("1", "delayed")],
            "d:events": [removed("1", "prioritized")],
        }
    )


async def test_open_grandchildren_go_with_their_parent_and_finished_ones_stay(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:P:dependencies": {stage.key("c:1")},
            "c:1": {"parentKey": stage.key("q:P")},
            "c:1:dependencies": {stage.key("g:open")},
            "c:1:processed": {stage.key("g:done"): "1"},
            "g:open": {"parentKey": stage.key("c:1")},
            "g:done": {"parentKey": stage.key("c:1")},
        }
    )

    await stage.run(flows.remove_unprocessed_children(stage.keys(), "P"))

    await stage.expect(
        {
            **dict.fromkeys(["q:P:dependencies", "c:1", "c:1:dependencies", "c:1:processed"]),
            "g:open": None,
            "c:events": [removed("1", "unknown")],
            "g:events": [removed("open", "unknown")],
        }
    )


async def test_a_child_whose_record_is_lost_no_longer_holds_its_parent(stage: Stage):
    await stage.set(
        {
            "q:P": {"name": "n"},
            "q:waiting-children": {"P": 5},
            "q:P:dependencies": {stage.key("c:1")},
            "c:wait": ["1"],
        }
    )

    await stage.run(flows.remove_unprocessed_children(stage.keys(), "P"))

    await stage.expect(
        {
            **dict.fromkeys(["q:waiting-children", "q:P:dependencies", "c:wait"]),
            "q:wait": ["P"],
            "q:marker": {"0": 0},
            "q:events": [RELEASED],
        }
    )


async def test_a_job_without_children_stays_as_it_is(stage: Stage):
    await stage.set({"q:P": {"name": "n"}})

    await stage.run(flows.remove_unprocessed_children(stage.keys(), "P"))

    await stage.expect({})
