"""Faults of job queues that users have met, absent here: waiting, large bulks, large trees."""

import asyncio

import pytest

from bullpy import BulkAddError, JobNotFoundError, JsonError, WaitTimeoutError
from tests.fixtures.work import NAME, hear, within

MANY = 5000


async def echo(job):
    return job.data


@pytest.mark.parametrize("remove", [True, False], ids=["removed", "kept"])
@pytest.mark.parametrize("early", [True, False], ids=["worker-first", "waiting-first"])
async def test_waiting_for_fast_jobs_gives_each_its_result(work, remove, early):
    queue, events = await work.queue(), await work.events()
    if early:
        await work.worker(echo, concurrency=10)
    jobs = await queue.add_bulk(
        [{"name": "n", "data": n, "opts": {"remove_on_complete": remove}} for n in range(50)]
    )
    waiting = [asyncio.ensure_future(job.wait_until_finished(events)) for job in jobs]
    if not early:
        await work.worker(echo, concurrency=10)
    results = await within(asyncio.gather(*waiting, return_exceptions=True))

    # A job that was gone before anybody asked is told at once.
    assert all(
        result == n or (remove and isinstance(result, JobNotFoundError))
        for n, result in enumerate(results)
    )
    if remove:
        with pytest.raises(JobNotFoundError):
            await within(jobs[0].wait_until_finished(events))
    else:
        assert await within(jobs[0].wait_until_finished(events)) == 0


async def test_waiting_for_a_job_ends_when_somebody_removes_it(work):
    queue, events = await work.queue(), await work.events()
    job = await queue.add("n", delay=3_600_000)
    removed = hear(events, "removed")
    waiting = asyncio.ensure_future(job.wait_until_finished(events))
    await job.remove()
    await removed.reach(1)

    with pytest.raises(JobNotFoundError):
        await within(waiting)


async def test_waiting_for_no_time_at_all_times_out(work):
    queue, events = await work.queue(), await work.events()
    job = await queue.add("n", delay=3_600_000)

    with pytest.raises(WaitTimeoutError):
        await within(job.wait_until_finished(events, ttl=0))


async def test_a_large_bulk_with_one_bad_job_adds_nothing(work):
    queue = await work.queue()
    bulk = [{"name": "n", "data": n} for n in range(MANY)]
    bulk[4321] = {"name": "n", "data": {"deep": [object()]}}

    with pytest.raises(JsonError, match="deep"):
        await queue.add_bulk(bulk)

    assert await queue.get_waiting_count() == 0


async def test_a_large_bulk_with_a_refused_parent_says_which_and_adds_the_rest(work):
    queue = await work.queue()
    bulk = [{"name": "n", "data": n} for n in range(MANY)]
    nobody = {"id": "nobody", "queue": f"{work.prefix}:{NAME}"}
    bulk[4321] = {"name": "n", "opts": {"parent": nobody}}

    with pytest.raises(BulkAddError) as refusal:
        await queue.add_bulk(bulk)

    assert list(refusal.value.errors) == [4321]
    assert await queue.get_waiting_count() == MANY - 1


@pytest.mark.slow
async def test_a_tree_deeper_than_the_stack_is_added_read_shown_and_removed(work):
    flows, queue = await work.flows(), await work.queue()
    node = {"name": "0", "queue_name": NAME}
    for level in range(1, MANY):
        node = {"name": str(level), "queue_name": NAME, "children": [node]}
    tree = await flows.add(node)

    read = await flows.get_flow(queue_name=NAME, id=tree.job.id, depth=MANY)
    assert repr(read)
    names = [read.job.name]
    while read.children:
        [read] = read.children
        names.append(read.job.name)
    assert names == [str(level) for level in reversed(range(MANY))]

    await tree.job.remove()
    assert not any((await queue.get_job_counts()).values())


@pytest.mark.slow
async def test_a_parent_of_thousands_gets_all_results(work):
    async def process(job):
        return len(await job.get_children_values())

    flows, queue = await work.flows(), await work.queue()
    children = [{"name": "child", "queue_name": NAME}] * MANY
    tree = await flows.add({"name": "root", "queue_name": NAME, "children": children})
    completed = hear(await work.events(), "completed")
    await work.worker(process, concurrency=50)
    await within(completed.reach(MANY + 1), 60)

    assert (await queue.get_job(tree.job.id)).returnvalue == MANY


@pytest.mark.parametrize("delay", [float("inf"), float("-inf"), float("nan")])
async def test_a_backoff_without_an_end_fails_the_job(work, delay):
    async def fail(_job):
        raise RuntimeError("boom")

    queue = await work.queue()
    worker = await work.worker(fail, backoff_strategy=lambda *_: delay)
    failed = hear(worker, "failed")
    job = await queue.add("n", attempts=3, backoff={"type": "mine"})
    await failed.reach(1)

    assert await job.get_state() == "failed"
    assert "must answer milliseconds" in (await queue.get_job(job.id)).failed_reason
