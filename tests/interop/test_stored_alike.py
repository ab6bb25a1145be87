"""The same calls in either language leave the same in Redis."""

import json
import math

import pytest

from tests.fixtures.state import assert_same, dump
from tests.interop.node_side import NodeSide
from tests.interop.python_side import PythonSide

QUEUE = "mail"
NOW = 1_700_000_000_000

ADDED = {
    "bare": ("mail", {}, {}),
    "unicode": ("größe", {"text": "ü 😀 \u2028 / \\ \x7f"}, {}),
    "numbers": ("mail", [0, -0.5, 1e21, 1e-7, 123456789012345680, 0.1], {}),
    "delayed": ("mail", {"n": 1}, {"delay": 5000}),
    "prioritized": ("mail", {"n": 1}, {"priority": 7}),
    "retries": ("mail", {"n": 1}, {"attempts": 3, "backoff": {"type": "fixed", "delay": 10}}),
    "backoff-number": ("mail", {"n": 1}, {"attempts": 2, "backoff": 100}),
    "retention": ("mail", {"n": 1}, {"removeOnComplete": True, "removeOnFail": {"age": 60}}),
    "limits": ("mail", {"n": 1}, {"keepLogs": 5, "stackTraceLimit": 2, "sizeLimit": 1000}),
    "id-and-lifo": ("mail", {"n": 1}, {"jobId": "mine", "lifo": True}),
    "deduplication": ("mail", {"n": 1}, {"deduplication": {"id": "d", "ttl": 60_000}}),
}


@pytest.fixture
async def left_by(driver, shared_server, prefix):
    """Lets each language act under a prefix of its own: what Node, then what Python has left."""
    python = PythonSide(shared_server.url, f"{prefix}-python")
    node = NodeSide(driver, f"{prefix}-node")

    async def left(act, side):
        await act(side)
        own = f"{prefix}-{side.language}"
        async with shared_server.client() as client:
            state = await dump(client, own)
        return whole_seconds(json.loads(json.dumps(state).replace(own, "bull")))

    async def both(act):
        return await left(act, node), await left(act, python)

    yield both
    await python.close()
    await driver.reset()


@pytest.mark.parametrize(("name", "data", "opts"), ADDED.values(), ids=ADDED)
async def test_an_added_job(left_by, name, data, opts):
    async def act(side):
        await side.add(QUEUE, name, data, timestamp=NOW, **opts)

    by_node, by_python = await left_by(act)

    assert_same(by_node, by_python)
    job_key = f"bull:{QUEUE}:{opts.get('jobId', '1')}"
    for field in ("name", "data"):  # of `opts`, Lua's tables make the order
        assert by_python[job_key]["value"][field] == by_node[job_key]["value"][field]


async def test_a_bulk(left_by):
    entries = [
        {"name": f"mail {number}", "data": {"n": number}, "opts": {"timestamp": NOW, **opts}}
        for number, (_, _, opts) in enumerate(ADDED.values())
    ]

    async def act(side):
        await side.add_bulk(QUEUE, entries)

    assert_same(*await left_by(act))


async def test_a_tree(left_by):
    def a_node(name, *children, **opts):
        tree = {
            "name": name,
            "queueName": f"queue-of-{name}",
            "data": {"is": name},
            "opts": {"jobId": name, "timestamp": NOW, **opts},
        }
        return {**tree, "children": list(children)} if children else tree

    tree = a_node(
        "root",
        a_node("mid", a_node("leaf", failParentOnFailure=True), ignoreDependencyOnFailure=True),
        a_node("late", delay=1000),
        a_node("low", priority=9, attempts=2),
    )

    async def act(side):
        await side.add_tree(tree)

    by_node, by_python = await left_by(act)

    # A flow opens no queue, so BullMQ leaves its version in none of them.
    assert_same(by_node, by_python)


async def test_jobs_taken_and_finished_by_hand(left_by):
    async def act(side):
        await side.add(QUEUE, "good", timestamp=NOW)
        await side.add(QUEUE, "bad", timestamp=NOW)
        worker = await side.work(QUEUE, None, name="hand")
        await worker.take("token-1")
        await worker.take("token-2")
        await worker.complete("1", {"ok": ["ü"]}, "token-1")
        await worker.fail("2", "no ünit", "token-2")

    by_node, by_python = await left_by(act)

    assert_same(without_times(by_node), without_times(by_python))


def whole_seconds(state):
    """Round times to live up, as in recorded traces: they run while we look."""
    for value in state.values():
        if "ttl" in value:
            value["ttl"] = math.ceil(value["ttl"] / 1000) * 1000
    return state


def without_times(state):
    """Leave out what tells when, and how a language writes its traces."""
    for key, value in state.items():
        if value["type"] == "hash":
            for field in ("processedOn", "finishedOn", "stacktrace"):
                value["value"].pop(field, None)
        if key.endswith((":completed", ":failed")):
            value["value"] = [member for member, _ in value["value"]]
    return state
