import pytest

from bullpy.errors import JobNotFoundError, ParentNotFoundError
from bullpy.scripts import flows
from tests.fixtures.scripts import Stage


async def test_the_last_open_child_releases_its_parent(stage: Stage):
    parent = stage.key("p:P")
    await stage.set(
        {
            "q:1": {"name": "n", "parentKey": parent, "parent": "{}"},
            "p:P": {"priority": "4"},
            "p:P:dependencies": {stage.key("q:1")},
            "p:waiting-children": {"P": 5},
        }
    )

    assert await stage.run(flows.remove_child_dependency(stage.keys(), "1", parent))

    await stage.expect(
        {
            "q:1": {"name": "n"},
            "p:P:dependencies": None,
            "p:waiting-children": None,
            "p:wait": ["P"],
            "p:marker": {"0": 0},
            "p:events": [{"event": "waiting", "jobId": "P", "prev": "waiting-children"}],
        }
    )


async def test_a_parent_with_another_open_child_keeps_waiting(stage: Stage):
    parent = stage.key("p:P")
    await stage.set(
        {
            "q:1": {"name": "n", "parentKey": parent},
            "p:P": {"name": "n"},
            "p:P:dependencies": {stage.key("q:1"), "another"},
            "p:waiting-children": {"P": 5},
        }
    )

    assert await stage.run(flows.remove_child_dependency(stage.keys(), "1", parent))

    await stage.expect({"q:1": {"name": "n"}, "p:P:dependencies": {"another"}})


async def test_a_parent_with_colons_in_its_id_is_found_by_the_childs_record(stage: Stage):
    parent = stage.key("p:a:b:c")
    stored = f'{{"id":"a:b:c","queueKey":"{stage.key("p")}"}}'
    await stage.set(
        {
            "q:1": {"name": "n", "parentKey": parent, "parent": stored},
            "p:a:b:c": {"name": "n"},
            "p:a:b:c:dependencies": {stage.key("q:1")},
            "p:waiting-children": {"a:b:c": 5},
        }
    )

    await stage.run(flows.remove_child_dependency(stage.keys(), "1", parent))

    await stage.expect(
        {
            "q:1": {"name": "n"},
            "p:a:b:c:dependencies": None,
            "p:waiting-children": None,
            "p:wait": ["a:b:c"],
            "p:marker": {"0": 0},
            "p:events": [{"event": "waiting", "jobId": "a:b:c", "prev": "waiting-children"}],
        }
    )


async def test_a_child_that_is_finished_stays_tied(stage: Stage):
    parent = stage.key("p:P")
    await stage.set(
        {
            "q:1": {"parentKey": parent},
            "p:P": {"name": "n"},
            "p:P:processed": {stage.key("q:1"): "1"},
        }
    )

    assert not await stage.run(flows.remove_child_dependency(stage.keys(), "1", parent))

    await stage.expect({})


async def test_a_missing_child_is_an_error(stage: Stage):
    await stage.set({"p:P": {"name": "n"}})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. removeChildDependency"):
        await stage.run(flows.remove_child_dependency(stage.keys(), "1", stage.key("p:P")))

    await stage.expect({})


async def test_a_missing_parent_is_an_error_with_bullmqs_text(stage: Stage):
    await stage.set({"q:1": {"name": "n"}})
    parent = stage.key("p:P")

    with pytest.raises(ParentNotFoundError) as gone:
        await stage.run(flows.remove_child_dependency(stage.keys(), "1", parent))
    with pytest.raises(ParentNotFoundError) as never:
        await stage.run(flows.remove_child_dependency(stage.keys(), "1", None))

    assert str(gone.value) == f"Missing key for parent job {parent}. removeChildDependency"
    assert str(never.value) == "Missing key for parent job undefined. removeChildDependency"
    await stage.expect({})
