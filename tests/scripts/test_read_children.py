from typing import Any

import pytest

from bullpy.errors import JsonError, OptionError
from bullpy.keys import QueueKeys
from bullpy.scripts import flows
from bullpy.scripts.flows import Dependencies, Page
from tests.fixtures.scripts import Stage

FAMILY = {
    "q:P:dependencies": {"open"},
    "q:P:processed": {"done": '{"a":[]}', "empty": "null"},
    "q:P:failed": {"ignored": 'raw "text", no JSON'},
    "q:P:unsuccessful": {"first": 5, "second": 6, "third": 7},
}
SCAN_BEGINS_AT = 600  # above this every server's SCAN goes in steps


async def test_all_kinds_are_read_whole(stage: Stage):
    await stage.set(FAMILY)

    children = await stage.run(flows.dependencies(stage.keys(), "P", {}))

    assert children == Dependencies(
        processed={"done": {"a": []}, "empty": None},
        unprocessed=["open"],
        failed=["first", "second", "third"],
        ignored={"ignored": 'raw "text", no JSON'},
    )
    await stage.expect({})


async def test_a_job_without_children_has_none_of_any_kind(stage: Stage):
    children = await stage.run(flows.dependencies(stage.keys(), "P", {}))

    assert children == Dependencies({}, [], [], {})


async def test_only_the_kinds_asked_for_are_read_each_with_a_cursor(stage: Stage):
    await stage.set(FAMILY)

    children = await stage.run(
        flows.dependencies(stage.keys(), "P", {"ignored": {}, "failed": {"count": 5}})
    )

    assert children == Dependencies(
        ignored={"ignored": 'raw "text", no JSON'},
        next_ignored_cursor=0,
        failed=["first", "second", "third"],
        next_failed_cursor=5,
    )


@pytest.mark.parametrize(
    ("page", "failed", "next_cursor"),
    [
        ({"count": 2}, ["first", "second"], 2),
        ({"cursor": 1, "count": 1}, ["second"], 2),
        ({"cursor": 2, "count": 2}, ["third"], 0),
        ({"cursor": 3, "count": 2}, [], 0),
    ],
)
async def test_failed_children_are_paged_to_the_end(
    stage: Stage, page: Page, failed: list[str], next_cursor: int
):
    await stage.set(FAMILY)

    children = await stage.run(flows.dependencies(stage.keys(), "P", {"failed": page}))

    assert children == Dependencies(failed=failed, next_failed_cursor=next_cursor)


@pytest.mark.parametrize("kind", ["processed", "unprocessed", "ignored", "failed"])
async def test_reading_on_until_the_cursor_is_0_gives_every_child(stage: Stage, kind: str):
    names = [f"child-{number}" for number in range(SCAN_BEGINS_AT)]
    await stage.set(
        {
            "q:P:dependencies": set(names),
            "q:P:processed": dict.fromkeys(names, "1"),
            "q:P:failed": dict.fromkeys(names, "boom"),
            "q:P:unsuccessful": {name: number for number, name in enumerate(names)},
        }
    )

    seen: list[str] = []
    cursor, pages = 0, 0
    while pages == 0 or cursor:
        page: Page = {"cursor": cursor, "count": 100}
        children = await stage.run(flows.dependencies(stage.keys(), "P", {kind: page}))
        seen += getattr(children, kind)
        cursor = getattr(children, f"next_{kind}_cursor")
        pages += 1

    assert sorted(set(seen)) == sorted(names)
    assert pages > 1


async def test_child_keys_come_by_kind(stage: Stage):
    await stage.set(FAMILY)

    keys = await stage.run(flows.child_keys(stage.keys(), "P", count=2))

    assert sorted(keys[:2]) == ["done", "empty"]
    assert keys[2:] == ["open", "first", "second", "ignored"]


async def test_a_child_that_stands_twice_is_named_once(stage: Stage):
    await stage.set({"q:P:dependencies": {"a"}, "q:P:processed": {"a": "1"}})

    assert await stage.run(flows.child_keys(stage.keys(), "P", count=20)) == ["a"]


async def test_values_and_ignored_failures_are_read_by_themselves(stage: Stage):
    await stage.set(FAMILY)

    values = await stage.run(flows.children_values(stage.keys(), "P"))
    ignored = await stage.run(flows.ignored_failures(stage.keys(), "P"))

    assert values == {"done": {"a": []}, "empty": None}
    assert ignored == {"ignored": 'raw "text", no JSON'}


async def test_a_result_that_is_not_json_is_an_error_that_names_the_child(stage: Stage):
    await stage.set({"q:P:processed": {"good": "1", "bad": "no JSON"}})

    with pytest.raises(JsonError, match="result of child bad is not JSON"):
        await stage.run(flows.children_values(stage.keys(), "P"))


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        ({"procesed": {}}, r"not as procesed \(job P, queue q\)"),
        ({"failed": {"cursor": -1}}, r"failed children .* not -1 and 20 \(job P, queue q\)"),
        ({"failed": {"count": 0}}, r"failed children .* not 0 and 0 \(job P, queue q\)"),
    ],
)
def test_a_bad_page_is_refused_by_name(pages: dict[str, Any], text: str):
    with pytest.raises(OptionError, match=text):
        flows.dependencies(QueueKeys("bull", "q"), "P", pages)
