"""Faults of job queues that users have met, absent here: jobs lost or done twice."""

import asyncio
from collections import Counter

import pytest

from bullpy import Queue, QueueEvents, Worker
from tests.fixtures.work import NAME, hear, within

MANY = 5000


@pytest.mark.slow
async def test_no_job_is_lost_or_done_twice_when_redis_is_killed_and_comes_back(private_server):
    server = private_server(persist=True)
    where = {"connection": server.tcp_url}
    runs = Counter()

    async def process(job):
        runs[job.id] += 1
        await asyncio.sleep(0.02)  # so that jobs are running whenever the server dies

    async with (
        Queue(NAME, **where) as queue,
        QueueEvents(NAME, **where) as events,
        Worker(NAME, process, concurrency=10, **where) as one,
        Worker(NAME, process, concurrency=10, **where) as other,
    ):
        for emitter in (events, one, other):
            hear(emitter, "error")
        completed = hear(events, "completed")
        jobs = await queue.add_bulk([{"name": "n"}] * 200)
        for kills in range(3):
            await completed.reach(30 * (kills + 1))
            await asyncio.to_thread(server.restart)
        await within(completed.reach(200), 60)
        counts = await queue.get_job_counts("completed", "active", "failed")

    assert runs == {job.id: 1 for job in jobs}
    assert counts == {"completed": 200, "active": 0, "failed": 0}


async def test_scripts_that_redis_forgot_are_loaded_again_without_a_word(work, any_redis_client):
    runs = Counter()

    async def process(job):
        runs[job.id] += 1
        if len(runs) % 10 == 0:
            await any_redis_client.script_flush()

    queue = await work.queue()
    completed = hear(await work.events(), "completed")
    for _ in range(2):
        await work.worker(process, concurrency=5)
    jobs = [await queue.add("n") for _ in range(100)]
    await completed.reach(100)

    assert runs == {job.id: 1 for job in jobs}
    assert not work.errors


@pytest.mark.slow
async def test_two_busy_workers_run_each_of_many_jobs_once(work):
    runs = Counter()

    async def process(job):
        runs[job.id] += 1

    queue = await work.queue()
    completed = hear(await work.events(), "completed")
    jobs = await queue.add_bulk([{"name": "n"}] * MANY)
    for _ in range(2):
        await work.worker(process, concurrency=50)
    await within(completed.reach(MANY), 60)

    assert runs == {job.id: 1 for job in jobs}
    assert await queue.get_job_counts("completed", "active") == {"completed": MANY, "active": 0}


async def test_two_limited_workers_keep_one_limit_between_them(work):
    starts = []

    async def process(job):
        starts.append(job.processed_on)

    queue = await work.queue()
    completed = hear(await work.events(), "completed")
    await queue.add_bulk([{"name": "n"}] * 8)
    for _ in range(2):
        await work.worker(process, concurrency=10, limiter={"max": 2, "duration": 200})
    await completed.reach(8)

    starts.sort()
    # Starts are noted by the client's clock, windows by the server's.
    assert all(starts[i + 2] - starts[i] > 100 for i in range(0, 6, 2))


@pytest.mark.slow
@pytest.mark.parametrize("move", ["move_to_delayed", "move_to_wait", "move_to_waiting_children"])
async def test_a_processor_that_lost_its_lock_neither_moves_its_job_nor_leaves_it_active(
    work, any_redis_client, move
):
    async def process(job):
        if job.attempts_started == 1:
            await any_redis_client.delete(f"{job.key}:lock")
            await getattr(job, move)(*([1] if move == "move_to_delayed" else []))

    queue = await work.queue()
    worker = await work.worker(process, stalled_interval=200)
    stalled, completed = hear(worker, "stalled"), hear(worker, "completed")
    job = await queue.add("n")
    await completed.reach(1)

    assert stalled[0] == (job.id, "active")
    assert await job.get_state() == "completed"


async def test_a_closing_worker_leaves_its_global_slot_to_the_others(work):
    started, gate = asyncio.Event(), asyncio.Event()

    async def hold(_job):
        started.set()
        await gate.wait()

    async def quick(_job):
        return None

    queue = await work.queue()
    await queue.set_global_concurrency(1)
    leaving = await work.worker(hold, drain_delay=60)
    await queue.add_bulk([{"name": "n"}] * 3)
    await within(started.wait())
    staying = await work.worker(quick, drain_delay=60)
    completed = hear(staying, "completed")
    await hear(staying, "drained").reach(1)

    closing = asyncio.ensure_future(leaving.close())
    gate.set()
    await within(closing)

    await completed.reach(2)


def test_a_queue_and_its_workers_live_in_one_event_loop_after_another(any_server, prefix):
    where = {"connection": any_server.url, "prefix": prefix}
    queue = Queue(NAME, **where)

    async def process(_job):
        return None

    async def once(worker):
        await queue.add("n")
        return await within(worker.run(burst=True))

    made_outside = Worker(NAME, process, **where)
    assert asyncio.run(once(made_outside)) == 1

    async def made_inside():
        return await once(Worker(NAME, process, **where))

    assert asyncio.run(made_inside()) == 1
