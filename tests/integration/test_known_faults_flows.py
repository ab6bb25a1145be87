"""Faults of job queues that users have met, absent here: parents and their children."""

import asyncio

import pytest

from bullpy import UnrecoverableError
from tests.fixtures.work import NAME, hear, within


def node(name, *children, **opts):
    return {"name": name, "queue_name": NAME, "opts": opts, "children": children}


async def fail_the_bad(job):
    if job.name == "bad":
        raise UnrecoverableError("boom")
    return job.name


@pytest.mark.parametrize("remove", [True, False], ids=["removed", "kept"])
@pytest.mark.parametrize("depth", [1, 3])
async def test_a_failed_grandchild_fails_all_above_it(work, depth, remove):
    flows, events = await work.flows(), await work.events()
    policy = {"fail_parent_on_failure": True, "remove_on_fail": remove}
    tree = node("bad", **policy)
    for level in range(depth):
        tree = node(f"level {level}", tree, **(policy if level < depth - 1 else {}))
    failed = hear(events, "failed")
    top = (await flows.add(tree)).job
    await work.worker(fail_the_bad)
    await failed.reach(depth + 1)

    assert await top.get_state() == "failed"
    assert failed[-1][0]["jobId"] == top.id
    assert failed[-1][0]["failedReason"].startswith("child ")


@pytest.mark.parametrize("remove", [True, False], ids=["removed", "kept"])
@pytest.mark.parametrize("policy", ["ignore_dependency_on_failure", "remove_dependency_on_failure"])
async def test_a_parent_runs_though_a_child_failed_that_it_may_lose(work, policy, remove):
    flows, queue = await work.flows(), await work.queue()
    completed = hear(await work.events(), "completed")
    bad = node("bad", **{policy: True, "remove_on_fail": remove})
    tree = await flows.add(node("top", bad, node("good")))
    await work.worker(fail_the_bad)
    await completed.reach(2)

    assert await tree.job.get_state() == "completed"
    ignored = list((await tree.job.get_ignored_children_failures()).values())
    assert ignored == (["boom"] if policy.startswith("ignore") else [])
    assert list((await tree.job.get_children_values()).values()) == ["good"]
    assert await queue.get_waiting_children_count() == 0


async def test_a_parent_that_goes_on_at_once_can_drop_the_children_still_open(work):
    async def process(job):
        if job.name == "top":
            await job.remove_unprocessed_children()
        return await fail_the_bad(job)

    flows, queue = await work.flows(), await work.queue()
    events = await work.events()
    failed, completed = hear(events, "failed"), hear(events, "completed")
    policy = {"continue_parent_on_failure": True}
    slow = [node("slow", delay=3_600_000, **policy) for _ in range(2)]
    tree = await flows.add(node("top", node("bad", **policy), *slow))
    await work.worker(process)
    await completed.reach(1)

    assert len(failed) == 1
    assert await tree.job.get_state() == "completed"
    assert await queue.get_delayed_count() == 0


async def test_a_child_removed_on_failure_does_not_hold_its_parent_for_ever(work):
    flows = await work.flows()
    completed = hear(await work.events(), "completed")
    tree = await flows.add(node("top", node("bad", remove_on_fail=True)))
    await work.worker(fail_the_bad)
    await completed.reach(1)

    assert await tree.job.get_state() == "completed"


async def test_retrying_a_failed_child_and_then_its_parent_repairs_the_tree(work):
    broken = True

    async def process(job):
        if broken and job.name == "child":
            raise RuntimeError("boom")
        return list((await job.get_children_values()).values())

    flows, queue = await work.flows(), await work.queue()
    events = await work.events()
    failed, completed = hear(events, "failed"), hear(events, "completed")
    tree = await flows.add(node("top", node("child", fail_parent_on_failure=True)))
    await work.worker(process)
    await failed.reach(2)

    broken = False
    [child] = tree.children
    await child.job.retry()
    await completed.reach(1)
    await tree.job.retry()
    await completed.reach(2)

    assert (await queue.get_job(tree.job.id)).returnvalue == [[]]


async def test_a_tree_added_again_over_finished_children_runs_its_new_parent(work):
    flows = await work.flows()
    completed = hear(await work.events(), "completed")
    await work.worker(fail_the_bad)
    await flows.add(node("top", node("good", job_id="child"), job_id="first"))
    await completed.reach(2)
    await (await work.queue()).remove("first", remove_children=False)
    again = await flows.add(node("top", node("good", job_id="child"), job_id="second"))
    await completed.reach(3)

    assert await again.job.get_state() == "completed"


async def test_a_parent_with_a_delay_and_a_priority_keeps_both(work):
    flows, queue = await work.flows(), await work.queue()
    worker = await work.worker(fail_the_bad)
    completed = hear(worker, "completed")
    tree = await flows.add(node("top", node("good"), delay=300, priority=7))
    await completed.reach(2)

    [child, parent] = [await queue.get_job(completed[n][0].id) for n in (0, 1)]
    assert parent.id == tree.job.id
    assert parent.priority == 7
    assert parent.processed_on >= child.finished_on + 300


async def test_a_tree_is_not_removed_by_half_while_a_child_is_worked_on(work):
    started, gate = asyncio.Event(), asyncio.Event()

    async def hold(_job):
        started.set()
        await gate.wait()

    flows, queue = await work.flows(), await work.queue()
    tree = await flows.add(node("top", node("one"), node("two")))
    await work.worker(hold)
    await within(started.wait())

    before = await queue.get_job_counts()
    assert await queue.remove(tree.job.id) == 0
    assert await queue.get_job_counts() == before
    gate.set()
