"""Faults of job queues that users have met, absent here: a worker's pauses, limits and end."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bullpy import Queue, Worker
from tests.fixtures.work import NAME, hear, within

ROOT = Path(__file__).parents[2]


async def noop(_job):
    return None


async def test_a_worker_does_not_spin_once_a_rate_limit_is_over(work, any_redis_client):
    async def scripts_run():
        return (await any_redis_client.info("commandstats"))["cmdstat_evalsha"]["calls"]

    queue = await work.queue()
    worker = await work.worker(noop, limiter={"max": 1, "duration": 50})
    completed = hear(worker, "completed")
    await queue.add_bulk([{"name": "n"}] * 3)
    await completed.reach(3)

    before = await scripts_run()
    await queue.add("n", delay=500)
    await completed.reach(4)

    assert await scripts_run() - before < 30


@pytest.mark.parametrize("leave", ["close", "pause"])
async def test_a_job_handed_out_while_its_worker_leaves_is_not_stuck(
    work, proxy_to, any_server, leave
):
    proxy = await proxy_to(any_server)
    queue = await work.queue()
    worker = await work.worker(noop, connection=proxy.url, drain_delay=60, skip_stalled_check=True)
    await hear(worker, "drained").reach(1)
    await worker.pause()
    job = await queue.add("n")
    await proxy.has_passed(b"EVALSHA")
    proxy.delay_s = 0.2
    await worker.resume()
    await proxy.has_passed(b"EVALSHA")

    await within(getattr(worker, leave)())

    assert await job.get_state() == "completed"


async def test_a_forced_close_gives_back_jobs_that_have_not_begun(work):
    ran = []

    async def process(job):
        ran.append(job.id)
        await asyncio.Event().wait()

    queue = await work.queue()
    worker = work.worker_not_started(process, concurrency=5)
    closing = asyncio.get_running_loop().create_future()

    def close(_job, _before):
        if not closing.done():
            closing.set_result(asyncio.ensure_future(worker.close(force=True)))

    worker.on("active", close)
    await queue.add_bulk([{"name": "n"}] * 5)
    await worker.start()
    await within(await within(closing))

    assert await queue.get_job_counts("active", "waiting") == {"active": 0, "waiting": 5}


async def test_forcing_twice_still_gives_the_jobs_back(work):
    started = asyncio.Event()

    async def hang(_job):
        started.set()
        await asyncio.Event().wait()

    queue = await work.queue()
    worker = await work.worker(hang, concurrency=5)
    await queue.add_bulk([{"name": "n"}] * 5)
    await within(started.wait())

    closings = []
    for _ in range(20):
        closings.append(asyncio.ensure_future(worker.close(force=True)))
        await asyncio.sleep(0)  # lets the one before get a step further
    await within(asyncio.gather(*closings))

    assert await queue.get_job_counts("active", "waiting") == {"active": 0, "waiting": 5}


async def test_plain_functions_run_side_by_side_after_concurrency_was_raised(work):
    meeting = threading.Barrier(3, timeout=15)

    def meet(_job):
        meeting.wait()

    queue = await work.queue()
    worker = await work.worker(meet)
    completed = hear(worker, "completed")
    worker.concurrency = 3
    await queue.add_bulk([{"name": "n"}] * 3)

    await completed.reach(3)


def test_a_function_that_never_returns_does_not_outlive_a_forced_close(any_server, prefix):
    program = f"""
import asyncio, threading
from bullpy import Queue, Worker
started = threading.Event()
def hang(job):
    started.set()
    threading.Event().wait()
async def main():
    where = dict(connection={any_server.url!r}, prefix={prefix!r})
    async with Queue({NAME!r}, **where) as queue, Worker({NAME!r}, hang, **where) as worker:
        await queue.add("n")
        await asyncio.to_thread(started.wait)
        await worker.close(force=True)
        print(await queue.get_job_counts("active", "waiting"))
asyncio.run(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert ended.stdout == "{'active': 0, 'waiting': 1}\n"


@pytest.mark.parametrize("text", ["half \ud800", "bytes \udc80", "nul \0", "pair \ud83d\ude00"])
async def test_an_error_with_any_text_fails_its_job(work, text):
    async def process(_job):
        raise RuntimeError(text)

    queue = await work.queue()
    worker = await work.worker(process)
    failed = hear(worker, "failed")
    job = await queue.add("n")
    await failed.reach(1)

    stored = await queue.get_job(job.id)
    assert stored.failed_reason.split()[0] == text.split()[0]
    assert await job.get_state() == "failed"


async def test_an_idle_worker_closes_though_redis_is_gone_for_good(work, proxy_to, any_server):
    proxy = await proxy_to(any_server)
    worker = await work.worker(noop, connection=proxy.url)
    await hear(worker, "drained").reach(1)
    proxy.refuse()
    proxy.cut()
    await work.errors.reach(1)
    worker.concurrency = 2  # has a look, which nobody answers

    await within(worker.close(), 30)


@pytest.mark.slow
async def test_a_finished_job_keeps_its_lock_until_the_end_is_stored(work):
    """The event loop is blocked for three lock durations right after the first job's end."""
    ready = asyncio.Event()

    async def process(job):
        if job.name == "quick":
            await ready.wait()
            return
        ready.set()
        await asyncio.sleep(0)  # lets the other one end
        until = time.monotonic() + 1.8
        while time.monotonic() < until:
            pass

    queue = await work.queue()
    worker = await work.worker(process, concurrency=2, lock_duration=600)
    completed = hear(worker, "completed")
    await queue.add("quick")
    await queue.add("blocker")
    await completed.reach(2)

    assert not work.errors


@pytest.mark.parametrize("attempts", [1, 2])
async def test_a_failure_is_stored_though_redis_is_out_of_memory(private_server, attempts):
    server = private_server()
    started, gate = asyncio.Event(), asyncio.Event()

    async def fail(_job):
        started.set()
        await gate.wait()
        raise RuntimeError("boom")

    async with (
        server.client() as client,
        Queue(NAME, connection=server.url) as queue,
        Worker(NAME, fail, connection=server.url) as worker,
    ):
        failed, errors = hear(worker, "failed"), hear(worker, "error")
        job = await queue.add("n", attempts=attempts, backoff=3_600_000)
        await within(started.wait())
        await client.config_set("maxmemory", "100kb")
        gate.set()
        await failed.reach(1)
        state = await job.get_state()
        await client.config_set("maxmemory", "0")

    assert state == ("failed" if attempts == 1 else "delayed")
    assert not errors
