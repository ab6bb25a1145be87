"""A worker's start, pause, limits and end."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bullpy import OptionError
from tests.fixtures.work import NAME, hear, within

ROOT = Path(__file__).parents[2]


async def test_concurrency_may_be_raised_and_lowered_while_running(work):
    gate, running, peak = asyncio.Event(), 0, 0
    reached = {3: asyncio.Event(), 6: asyncio.Event()}

    async def hold(_job):
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        if running in reached:
            reached[running].set()
        await gate.wait()
        running -= 1

    queue = await work.queue()
    worker = await work.worker(hold, concurrency=3)
    completed = hear(worker, "completed")
    await queue.add_bulk([{"name": "n"}] * 12)
    await within(reached[3].wait())
    assert len(worker.running_jobs) == 3

    worker.concurrency = 6
    await within(reached[6].wait())
    worker.concurrency = 1
    gate.set()
    await completed.reach(12)

    assert peak == 6


async def test_a_delayed_job_wakes_an_idle_worker_when_it_is_due(work):
    async def process(_job):
        return None

    queue = await work.queue()
    worker = await work.worker(process, drain_delay=60)
    drained, completed = hear(worker, "drained"), hear(worker, "completed")
    await drained.reach(1)

    await queue.add("far", delay=3_600_000)
    near = await queue.add("near", delay=50)
    await completed.reach(1)

    assert completed[0][0].id == near.id
    assert completed[0][0].processed_on >= near.timestamp + 50


async def test_a_near_retry_is_not_missed_while_a_far_job_sleeps(work):
    async def always(job):
        if job.name == "bad":
            raise RuntimeError("again")

    queue = await work.queue()
    worker = await work.worker(always, concurrency=2, drain_delay=60)
    failed = hear(worker, "failed")
    await queue.add("far", delay=3_600_000)
    job = await queue.add("bad", attempts=3, backoff=30)
    await failed.reach(3)

    assert await job.get_state() == "failed"


async def test_close_waits_for_running_jobs_and_takes_no_more(work):
    started, gate = asyncio.Event(), asyncio.Event()

    async def hold(_job):
        started.set()
        await gate.wait()
        return "finished"

    queue = await work.queue()
    worker = await work.worker(hold)
    first = await queue.add("n")
    await within(started.wait())
    second = await queue.add("n")

    closing = asyncio.ensure_future(worker.close())
    gate.set()
    await within(closing)

    assert (await queue.get_job(first.id)).returnvalue == "finished"
    assert await second.get_state() == "waiting"


async def test_a_forced_close_puts_its_jobs_back_to_the_front_at_once(work):
    started = asyncio.Event()

    async def hang(_job):
        started.set()
        await asyncio.Event().wait()

    queue = await work.queue()
    worker = await work.worker(hang)
    job = await queue.add("n")
    await within(started.wait())

    await within(worker.close(force=True))

    assert await job.get_state() == "waiting"
    assert await queue.get_job_counts("active") == {"active": 0}


async def test_an_idle_worker_closes_without_waiting_for_its_blocking_read(work):
    async def process(_job):
        return None

    worker = await work.worker(process, drain_delay=3600)
    drained, closed = hear(worker, "drained"), hear(worker, "closed")
    await drained.reach(1)

    await within(worker.close())
    await worker.close()

    assert len(closed) == 1


async def test_a_paused_worker_takes_nothing_until_it_resumes(work):
    async def process(_job):
        return None

    queue = await work.queue()
    worker = await work.worker(process)
    completed = hear(worker, "completed")
    await worker.pause()
    job = await queue.add("n")
    assert await worker.get_next_job("by-hand") is None
    assert await job.get_state() == "waiting"

    await worker.resume()
    await completed.reach(1)

    assert worker.is_running


async def test_a_paused_queue_stops_workers_until_it_resumes(work):
    async def process(_job):
        return None

    queue = await work.queue()
    await queue.pause()
    job = await queue.add("n")
    worker = await work.worker(process)
    drained, completed = hear(worker, "drained"), hear(worker, "completed")
    await drained.reach(1)
    assert await job.get_state() == "waiting"

    await queue.resume()
    await completed.reach(1)


async def test_a_burst_ends_when_nothing_is_left_to_run(work):
    done = []

    async def process(job):
        done.append(job.id)

    queue = await work.queue()
    await queue.add_bulk([{"name": "n"}] * 30)
    await queue.add("tomorrow", delay=86_400_000)

    worker = work.worker_not_started(process, concurrency=4)
    assert await within(worker.run(burst=True)) == 30
    assert len(done) == 30


async def test_a_burst_ends_after_so_many_jobs(work):
    async def process(_job):
        return None

    queue = await work.queue()
    await queue.add_bulk([{"name": "n"}] * 10)

    worker = work.worker_not_started(process, concurrency=4)
    assert await within(worker.run(max_jobs=7)) == 7
    assert await queue.get_waiting_count() == 3


async def test_a_burst_starts_nothing_once_its_budget_is_used(work):
    gate = asyncio.Event()

    async def hold(_job):
        await gate.wait()

    queue = await work.queue()
    await queue.add_bulk([{"name": "n"}] * 3)
    worker = work.worker_not_started(hold)
    closing = hear(worker, "closing")
    running = asyncio.ensure_future(worker.run(burst=True, budget=50))
    await closing.reach(1)
    gate.set()

    assert await within(running) == 1
    assert await queue.get_waiting_count() == 2


async def test_a_worker_cannot_be_run_twice_or_without_a_processor(work):
    with pytest.raises(OptionError, match="No process function"):
        await work.worker_not_started(None).run()

    async def process(_job):
        return None

    worker = work.worker_not_started(process)
    assert await within(worker.run(burst=True)) == 0
    with pytest.raises(OptionError, match="already running"):
        await worker.run()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_signal_ends_run_after_the_running_job(work, number):
    program = f"""
import asyncio, sys
from bullpy import Worker
async def process(job):
    print("started", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    return "kept"
async def main():
    worker = Worker({NAME!r}, process, connection={work.url!r}, prefix={work.prefix!r})
    print("ran", await worker.run(), flush=True)
asyncio.run(main())
"""
    queue = await work.queue()
    job = await queue.add("n")
    process = subprocess.Popen(  # noqa: ASYNC220 - read from a thread below
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert await asyncio.to_thread(process.stdout.readline) == "started\n"
        process.send_signal(number)
        output, _ = await within(asyncio.to_thread(process.communicate, "go on\n"))
    finally:
        process.kill()
        process.wait()

    assert output == "ran 1\n"
    assert (await queue.get_job(job.id)).returnvalue == "kept"


@pytest.mark.slow
async def test_the_job_of_a_killed_worker_runs_again_and_says_so(work):
    program = f"""
import asyncio
from bullpy import Worker
async def process(job):
    print("started", flush=True)
    await asyncio.Event().wait()
options = dict(lock_duration=1000, stalled_interval=500)
worker = Worker({NAME!r}, process, connection={work.url!r}, prefix={work.prefix!r}, **options)
asyncio.run(worker.run())
"""

    async def process(job):
        return job.stalled_counter

    queue = await work.queue()
    job = await queue.add("n")
    victim = await asyncio.to_thread(
        subprocess.Popen,
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert await asyncio.to_thread(victim.stdout.readline) == b"started\n"
    victim.kill()
    await asyncio.to_thread(victim.communicate)

    worker = await work.worker(process, stalled_interval=500)
    stalled, completed = hear(worker, "stalled"), hear(worker, "completed")
    await completed.reach(1)

    assert stalled[0] == (job.id, "active")
    assert (await queue.get_job(job.id)).returnvalue == 1


@pytest.mark.slow
async def test_a_blocked_event_loop_does_not_cost_other_jobs_their_locks(work, any_redis_client):
    """The loop is blocked for three lock durations; the other job's lock must still be there."""
    gate, ready = asyncio.Event(), asyncio.Event()
    seen = []

    async def process(job):
        if job.name == "blocker":
            await ready.wait()
            until = time.monotonic() + 1.8
            while time.monotonic() < until:
                pass
            seen.append(await any_redis_client.exists(f"{keys[0]}:lock"))
            gate.set()
            return "blocked"
        ready.set()
        await gate.wait()
        return "kept"

    queue = await work.queue()
    worker = await work.worker(process, concurrency=2, lock_duration=600)
    completed = hear(worker, "completed")
    victim = await queue.add("victim")
    keys = [victim.key]
    await queue.add("blocker")
    await completed.reach(2)

    assert seen == [1]
    assert (await queue.get_job(victim.id)).attempts_started == 1
    assert not work.errors


async def test_jobs_run_one_at_a_time_under_a_global_concurrency_of_one(work):
    running, peak = 0, 0

    async def process(_job):
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0)
        running -= 1

    queue = await work.queue()
    await queue.set_global_concurrency(1)
    workers = [await work.worker(process, concurrency=5) for _ in range(3)]
    completed = hear(await work.events(), "completed")
    await queue.add_bulk([{"name": "n"}] * 40)
    await completed.reach(40)

    assert peak == 1
    assert all(worker.is_running for worker in workers)


async def test_a_lost_reply_neither_loses_nor_doubles_a_job(proxy_to, any_server, work):
    """The reply to each exchange is cut in turn; each job still runs once."""
    proxy = await proxy_to(any_server)
    runs = []

    async def process(job):
        runs.append(job.id)
        if len(runs) % 5 == 0:
            proxy.cut_replies_after(0)

    queue = await work.queue()
    completed = hear(await work.events(), "completed")
    jobs = await queue.add_bulk([{"name": "n"}] * 20)
    worker = await work.worker(process, concurrency=2, connection=proxy.url)
    await completed.reach(20)

    assert sorted(runs, key=int) == [job.id for job in jobs]
    assert worker.is_running


@pytest.mark.slow
async def test_a_forced_close_ends_though_redis_is_gone_for_good(proxy_to, any_server, work):
    proxy = await proxy_to(any_server)
    started = asyncio.Event()

    async def hang(_job):
        started.set()
        await asyncio.Event().wait()

    queue = await work.queue()
    worker = await work.worker(hang, connection=proxy.url)
    await queue.add("n")
    await within(started.wait())
    proxy.refuse()
    proxy.cut()

    await within(worker.close(force=True), 60)

    assert not worker.is_running


async def test_jobs_are_driven_by_hand(work):
    queue = await work.queue()
    worker = work.worker_not_started()
    await queue.add_bulk([{"name": "n", "data": n} for n in range(2)])

    first = await worker.get_next_job("t1")
    fetched = await first.move_to_completed("one", "t1")
    await fetched.job.move_to_failed(RuntimeError("two"), "t1")

    assert await worker.get_next_job("t2") is None
    assert await queue.get_job_counts("completed", "failed") == {"completed": 1, "failed": 1}


async def test_a_burst_waits_out_a_rate_limit_while_jobs_are_left(work):
    async def process(_job):
        return None

    queue = await work.queue()
    await queue.add_bulk([{"name": "n"}] * 5)
    worker = work.worker_not_started(process, limiter={"max": 2, "duration": 50})

    assert await within(worker.run(burst=True)) == 5
    assert await queue.get_completed_count() == 5


async def test_a_closed_worker_cannot_be_resumed(work):
    async def process(_job):
        return None

    worker = await work.worker(process)
    resumed = hear(worker, "resumed")
    await worker.pause()
    await worker.close()

    await worker.resume()

    assert not resumed
    assert not worker.is_running


@pytest.mark.parametrize("end", ["close", "pause"])
async def test_waiting_for_a_job_by_hand_ends_with_the_worker(work, end, any_redis_client):
    worker = work.worker_not_started(drain_delay=3600)
    waiting = asyncio.ensure_future(worker.get_next_job("t", block=True))
    async with asyncio.timeout(15):
        while not any(row["cmd"] == "bzpopmin" for row in await any_redis_client.client_list()):
            pass

    await within(getattr(worker, end)())

    assert await within(waiting) is None


async def test_listeners_hear_the_time_of_the_end_that_is_stored(work):
    async def process(_job):
        return None

    queue = await work.queue()
    worker = await work.worker(process)
    completed = hear(worker, "completed")
    job = await queue.add("n")
    await completed.reach(1)

    assert completed[0][0].finished_on == (await queue.get_job(job.id)).finished_on
