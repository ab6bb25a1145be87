from typing import Any

import pytest

from bullpy.errors import OptionError
from bullpy.keys import QueueKeys
from bullpy.scripts import flows
from bullpy.scripts.flows import Child, ChildrenPage
from tests.fixtures.scripts import Stage


async def test_processed_children_come_with_their_results_and_jobs(stage: Stage):
    await stage.set(
        {
            "q:P:processed": {stage.key("c:1"): '{"a":[]}', stage.key("c:2"): "null"},
            "c:1": {"name": "n"},
        }
    )

    page = await stage.run(flows.children_page(stage.keys(), "P", "processed"))

    first, second = sorted(page.children, key=lambda child: child.key)
    assert page.total == 2
    assert (first.key, first.value, first.problem) == (stage.key("c:1"), {"a": []}, None)
    assert first.job is not None
    assert (first.job.id, first.job.name) == ("1", "n")
    assert second == Child(stage.key("c:2"), None, None, None)
    await stage.expect({})


async def test_a_result_that_is_not_json_is_told_with_its_child(stage: Stage):
    await stage.set({"q:P:processed": {"c": "no JSON"}})

    page = await stage.run(flows.children_page(stage.keys(), "P", "processed"))

    assert page.children[0].problem is not None


async def test_pending_children_come_with_their_jobs(stage: Stage):
    await stage.set({"q:P:dependencies": {stage.key("c:1")}, "c:1": {"name": "n"}})

    page = await stage.run(flows.children_page(stage.keys(), "P", "pending"))

    (child,) = page.children
    assert (page.total, child.key, child.value) == (1, stage.key("c:1"), None)
    assert child.job is not None
    assert child.job.name == "n"


async def test_a_parent_without_children_has_an_empty_page(stage: Stage):
    page = await stage.run(flows.children_page(stage.keys(), "P", "processed"))

    assert page == ChildrenPage(0, [])


@pytest.mark.parametrize("kind", ["processed", "pending"])
async def test_ranges_one_after_the_other_give_every_child_once(stage: Stage, kind: Any):
    names = [stage.key(f"c:{number}") for number in range(2500)]
    await stage.set({"q:P:processed": dict.fromkeys(names, "1"), "q:P:dependencies": set(names)})

    pages = [
        await stage.run(flows.children_page(stage.keys(), "P", kind, start, start + 999))
        for start in (0, 1000, 2000, 3000)
    ]

    assert [len(page.children) for page in pages] == [1000, 1000, 500, 0]
    assert {page.total for page in pages} == {2500}
    assert sorted(child.key for page in pages for child in page.children) == sorted(names)


@pytest.mark.parametrize(("kind", "start"), [("failed", 0), ("pending", -1)])
def test_another_kind_or_a_start_before_the_first_is_refused(kind: Any, start: int):
    with pytest.raises(OptionError, match=rf"'{kind}' from {start} \(job P, queue q\)"):
        flows.children_page(QueueKeys("bull", "q"), "P", kind, start)
