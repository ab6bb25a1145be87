"""Running jobs that are told to stop: by hand, by their time limit, by a lost lock."""

import asyncio
import threading

import pytest
from redis.asyncio import Redis

from bullpy import (
    AbortController,
    AbortError,
    JobTimeoutError,
    LockLostError,
    OptionError,
    UnrecoverableError,
)
from tests.fixtures.work import hear, within

FOR_EVER = asyncio.Event  # nobody sets it


class Steps:
    """A processor that waits until it is stopped, and notes what it saw."""

    def __init__(self):
        self.started = asyncio.Queue()
        self.signals = []

    async def with_signal(self, job, _token, signal):
        self.signals.append(signal)
        self.started.put_nowait(job.id)
        await signal.wait()
        signal.throw_if_aborted()

    async def without_signal(self, job):
        self.started.put_nowait(job.id)
        await FOR_EVER().wait()


@pytest.mark.parametrize("kind", ["with_signal", "without_signal"])
@pytest.mark.parametrize(
    ("reason", "stored"),
    [
        ("the order was withdrawn", "the order was withdrawn"),
        (None, "This operation was aborted"),
        (ValueError("out of stock"), "out of stock"),
    ],
    ids=["text", "none", "error"],
)
async def test_a_cancelled_job_fails_with_the_reason(work, kind, reason, stored):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(getattr(steps, kind))
    failed = hear(worker, "failed")
    job = await queue.add("long")
    await within(steps.started.get())

    told = worker.cancel_job(job.id, reason)
    await failed.reach(1)

    assert told
    assert (await queue.get_job(job.id)).failed_reason == stored
    assert await queue.get_job_state(job.id) == "failed"


async def test_a_cancelled_job_is_retried_with_a_fresh_signal(work):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(steps.with_signal)
    completed = hear(worker, "failed")
    job = await queue.add("long", attempts=2, backoff=10)
    await within(steps.started.get())

    worker.cancel_job(job.id, "not now")
    await completed.reach(1)
    await within(steps.started.get())

    assert [signal.aborted for signal in steps.signals] == [True, False]


@pytest.mark.parametrize("kind", ["with_signal", "without_signal"])
async def test_a_job_cancelled_for_good_is_not_retried(work, kind):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(getattr(steps, kind))
    failed = hear(worker, "failed")
    job = await queue.add("long", attempts=5)
    await within(steps.started.get())

    worker.cancel_job(job.id, UnrecoverableError("never again"))
    await failed.reach(1)

    assert await queue.get_job_state(job.id) == "failed"


async def test_the_processor_decides_what_becomes_of_a_job_that_was_asked_to_stop(work):
    async def finish_early(_job, _token, signal):
        started.set()
        await signal.wait()
        return "what there was"

    started = asyncio.Event()
    queue = await work.queue()
    worker = await work.worker(finish_early)
    completed = hear(worker, "completed")
    job = await queue.add("long")
    await within(started.wait())

    told = [worker.cancel_job(job.id, "first"), worker.cancel_job(job.id, "second")]
    await completed.reach(1)

    assert told == [True, True]
    assert (await queue.get_job(job.id)).returnvalue == "what there was"
    assert worker.cancel_job(job.id) is False


async def test_an_async_processor_may_clean_up_and_still_return_a_result(work):
    async def cleans_up(_job):
        started.set()
        try:
            await FOR_EVER().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "saved"

    started = asyncio.Event()
    queue = await work.queue()
    worker = await work.worker(cleans_up)
    completed = hear(worker, "completed")
    job = await queue.add("long")
    await within(started.wait())

    worker.cancel_job(job.id)
    await completed.reach(1)

    assert (await queue.get_job(job.id)).returnvalue == "saved"


async def test_all_running_jobs_are_cancelled_at_once_and_the_worker_goes_on(work):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(steps.with_signal, concurrency=3)
    failed = hear(worker, "failed")
    jobs = await queue.add_bulk([{"name": "long"}] * 3)
    for _ in jobs:
        await within(steps.started.get())

    worker.cancel_all_jobs("r")
    await failed.reach(3)
    later = await queue.add("long")

    assert [str(error) for _job, error, _prev in failed] == ["r"] * 3
    assert await within(steps.started.get()) == later.id


async def test_a_job_that_does_not_run_here_cannot_be_cancelled(work):
    queue = await work.queue()
    worker = await work.worker(Steps().with_signal)
    await worker.pause()
    job = await queue.add("waits")

    assert worker.cancel_job(job.id) is False
    assert worker.cancel_job("no such job") is False


async def test_a_plain_function_without_a_signal_cannot_be_cancelled(work):
    def blocks(_job):
        started.set()
        return end.wait(20)

    started, end = threading.Event(), threading.Event()
    queue = await work.queue()
    worker = await work.worker(blocks)
    completed = hear(worker, "completed")
    job = await queue.add("long")
    await within(asyncio.to_thread(started.wait, 10))

    told = worker.cancel_job(job.id)
    end.set()
    await completed.reach(1)

    assert told is False


async def test_a_plain_function_sees_its_signal(work):
    def waits(_job, _token, signal):
        started.set()
        assert signal.wait(20)
        assert signal.aborted
        signal.throw_if_aborted()

    started = threading.Event()
    queue = await work.queue()
    worker = await work.worker(waits)
    failed = hear(worker, "failed")
    job = await queue.add("long")
    await within(asyncio.to_thread(started.wait, 10))

    worker.cancel_job(job.id, "enough")
    await failed.reach(1)

    assert (await queue.get_job(job.id)).failed_reason == "enough"


async def test_a_job_that_cancels_itself_stops_where_it_waits_next(work):
    async def gives_up(job):
        assert worker.cancel_job(job.id, "by myself")
        if job.name == "returns at once":
            return "done"
        return await FOR_EVER().wait()

    queue = await work.queue()
    worker = await work.worker(gives_up)
    failed, completed = hear(worker, "failed"), hear(worker, "completed")
    waits = await queue.add("waits")
    returns = await queue.add("returns at once")

    await failed.reach(1)
    await completed.reach(1)

    assert (await queue.get_job(waits.id)).failed_reason == "by myself"
    assert (await queue.get_job(returns.id)).returnvalue == "done"


# --- time limits -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["with_signal", "without_signal"])
@pytest.mark.parametrize("whose", ["job", "worker"])
async def test_a_job_that_runs_too_long_fails_with_its_time_limit(work, kind, whose):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(
        getattr(steps, kind), **({"timeout": 20} if whose == "worker" else {})
    )
    failed = hear(worker, "failed")

    job = await queue.add("long", **({"timeout": 20} if whose == "job" else {}))
    await failed.reach(1)

    ((_job, error, _prev),) = failed
    assert isinstance(error, JobTimeoutError)
    assert (await queue.get_job(job.id)).failed_reason == (
        f"Job {job.id} of queue work ran longer than its timeout of 20 ms"
    )


async def test_a_jobs_own_time_limit_goes_before_the_workers(work):
    async def process(_job):
        await done.wait()

    done = asyncio.Event()
    queue = await work.queue()
    worker = await work.worker(process, timeout=10, concurrency=2)
    failed, completed = hear(worker, "failed"), hear(worker, "completed")

    patient = await queue.add("patient", timeout=60_000)
    hasty = await queue.add("hasty")
    await failed.reach(1)
    done.set()
    await completed.reach(1)

    assert [job.id for job, _, _ in failed] == [hasty.id]
    assert [job.id for job, _, _ in completed] == [patient.id]


async def test_a_job_that_ran_too_long_is_retried_and_may_succeed(work):
    async def process(job):
        if job.attempts_started == 1:
            await FOR_EVER().wait()
        return job.attempts_started

    queue = await work.queue()
    worker = await work.worker(process)
    completed = hear(worker, "completed")

    job = await queue.add("long", timeout=20, attempts=2)
    await completed.reach(1)

    assert (await queue.get_job(job.id)).returnvalue == 2


async def test_a_function_on_a_thread_fails_at_its_limit_and_is_stopped_at_its_next_call(work):
    def late(job):
        go_on.wait(20)
        try:
            job.update_progress(50)
        except JobTimeoutError as error:
            seen.append(error)
        ended.set()

    go_on, ended, seen = threading.Event(), threading.Event(), []
    queue = await work.queue()
    worker = await work.worker(late, timeout=20)
    failed = hear(worker, "failed")
    job = await queue.add("late")

    await failed.reach(1)
    go_on.set()
    await within(asyncio.to_thread(ended.wait, 10))

    assert len(seen) == 1
    assert (await queue.get_job(job.id)).progress == 0


async def test_a_time_limit_does_not_outlive_its_job(work):
    async def process(job, _token, signal):
        signals.append(signal)
        if job.name == "slow":
            await FOR_EVER().wait()

    signals = []
    queue = await work.queue()
    worker = await work.worker(process, timeout=30)
    failed = hear(worker, "failed")

    await queue.add("quick")
    await queue.add("slow")
    await failed.reach(1)  # later than the limit of the first

    assert [signal.aborted for signal in signals] == [False, True]


@pytest.mark.parametrize("value", [0, -5, "soon", float("nan")])
async def test_a_time_limit_that_is_none_is_refused(work, value):
    queue = await work.queue()

    with pytest.raises(OptionError, match="timeout"):
        await queue.add("x", timeout=value)
    with pytest.raises(OptionError, match="timeout"):
        work.worker_not_started(Steps().with_signal, timeout=value)


# --- lost locks, closing, by hand --------------------------------------------------------------


async def test_a_lost_lock_is_told_to_the_job_by_its_signal(work):
    steps = Steps()
    queue = await work.queue()
    worker = await work.worker(
        steps.with_signal, lock_duration=400, lock_renew_time=40, skip_stalled_check=True
    )
    lost = hear(worker, "lockRenewalFailed")
    job = await queue.add("long")
    await within(steps.started.get())

    async with Redis.from_url(work.url) as redis:
        await redis.delete(f"{work.prefix}:work:{job.id}:lock")
    await lost.reach(1)
    await within(steps.signals[0].wait())

    assert isinstance(steps.signals[0].reason, LockLostError)
    assert job.id in str(steps.signals[0].reason)


async def test_a_forced_close_gives_a_job_back_also_while_it_is_being_cancelled(work):
    async def holds_on(_job):
        started.set()
        try:
            await FOR_EVER().wait()
        except asyncio.CancelledError:
            cancelled.set()
            await FOR_EVER().wait()

    started, cancelled = asyncio.Event(), asyncio.Event()
    queue = await work.queue()
    worker = await work.worker(holds_on)
    job = await queue.add("long")
    await within(started.wait())
    worker.cancel_job(job.id, "please")
    await within(cancelled.wait())

    await within(worker.close(force=True))

    assert await queue.get_job_state(job.id) == "waiting"


async def test_a_job_worked_by_hand_can_be_cancelled_and_its_caller_lives_on(work):
    steps = Steps()
    queue = await work.queue()
    worker = work.worker_not_started(steps.without_signal)
    job = await queue.add("long")
    taken = await worker.get_next_job("token")
    working = asyncio.ensure_future(worker.process_job(taken, "token"))
    await within(steps.started.get())

    told = worker.cancel_job(job.id, "by hand")
    await within(working)

    assert told
    assert (await queue.get_job(job.id)).failed_reason == "by hand"


# --- the signal itself -------------------------------------------------------------------------


async def test_listeners_hear_an_abort_once_and_late_ones_at_once():
    controller, heard = AbortController(), []
    controller.signal.on_abort(lambda: heard.append("early"))
    controller.signal.on_abort(lambda: heard.append("taken back"))()

    controller.abort("first")
    controller.abort("second")
    controller.signal.on_abort(lambda: heard.append("late"))

    assert heard == ["early", "late"]
    assert str(controller.signal.reason) == "first"
    with pytest.raises(AbortError, match="first"):
        controller.signal.throw_if_aborted()


async def test_a_waiter_is_woken_by_an_abort_from_another_thread():
    controller = AbortController()
    waiting = asyncio.ensure_future(controller.signal.wait())
    await asyncio.sleep(0)

    await asyncio.to_thread(controller.abort)
    await within(waiting)

    assert controller.signal.aborted
