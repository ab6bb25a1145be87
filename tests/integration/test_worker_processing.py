"""What a worker makes of what its processor does."""

import asyncio
import threading

import pytest

from bullpy import (
    DelayedError,
    OptionError,
    RateLimitError,
    UnrecoverableError,
    WaitingError,
)
from tests.fixtures.work import hear, within


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("no text either")


class Odd(BaseException):
    pass


async def test_jobs_of_a_queue_are_worked_on_and_their_results_stored(work_everywhere):
    async def double(job):
        return job.data * 2

    queue = await work_everywhere.queue()
    worker = await work_everywhere.worker(double, concurrency=10)
    completed = hear(worker, "completed")
    jobs = await queue.add_bulk([{"name": "double", "data": n} for n in range(250)])

    await completed.reach(250)

    assert sorted(job.returnvalue for job, _, _ in completed) == [2 * n for n in range(250)]
    assert (await queue.get_job(jobs[7].id)).returnvalue == 14
    assert await queue.get_job_counts("active", "completed", "waiting") == {
        "active": 0,
        "completed": 250,
        "waiting": 0,
    }


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("bad"), "bad"),
        (TimeoutError(), "TimeoutError"),
        (UnprintableError(), "UnprintableError"),
        (Odd("odd"), "odd"),
        (SystemExit(3), "3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "CancelledError"),
        (GeneratorExit(), "GeneratorExit"),
        (StopAsyncIteration("end"), "end"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
@pytest.mark.parametrize("kind", ["async", "thread"])
async def test_whatever_a_processor_raises_fails_its_own_job_only(work, error, reason, kind):
    def on_thread(job):
        if job.name == "bad":
            raise error
        return "fine"

    async def on_loop(job):
        return on_thread(job)

    queue = await work.queue()
    worker = await work.worker(on_loop if kind == "async" else on_thread, concurrency=3)
    failed, completed = hear(worker, "failed"), hear(worker, "completed")

    await queue.add("good")
    bad = await queue.add("bad")
    await queue.add("good")
    await failed.reach(1)
    await completed.reach(2)

    job = await queue.get_job(bad.id)
    assert (job.failed_reason, await job.get_state()) == (reason, "failed")
    assert len(job.stacktrace) == 1
    assert worker.is_running


async def test_a_result_that_json_cannot_hold_fails_the_job_with_the_place_of_it(work):
    async def unsayable(_job):
        return {"rows": [1, object()]}

    queue = await work.queue()
    worker = await work.worker(unsayable)
    failed = hear(worker, "failed")

    job = await queue.add("report")
    await failed.reach(1)

    assert "$.rows[1]" in (await queue.get_job(job.id)).failed_reason
    assert await job.get_state() == "failed"


async def test_failures_are_retried_until_the_attempts_are_spent(work):
    starts = []

    async def fail_twice(job):
        starts.append(job.attempts_started)
        if job.attempts_made < 2:
            raise RuntimeError(f"try {job.attempts_made}")
        return "at last"

    queue = await work.queue()
    worker = await work.worker(fail_twice)
    completed, failed = hear(worker, "completed"), hear(worker, "failed")

    job = await queue.add("n", attempts=3, backoff={"type": "exponential", "delay": 20})
    await completed.reach(1)

    stored = await queue.get_job(job.id)
    assert starts == [1, 2, 3]
    assert [str(error) for _, error, _ in failed] == ["try 0", "try 1"]
    assert (stored.attempts_made, stored.returnvalue, len(stored.stacktrace)) == (3, "at last", 2)


@pytest.mark.parametrize(("answer", "runs"), [(5, 3), (0, 3), (-1, 1)])
async def test_a_custom_backoff_delays_retries_at_once_or_gives_up(work, answer, runs):
    asked = []

    def strategy(made, kind, error, job):
        asked.append((made, kind, str(error), job.id))
        return answer

    async def always(_job):
        raise RuntimeError("no")

    queue = await work.queue()
    events = await work.events()
    await work.worker(always, backoff_strategy=strategy)
    job = await queue.add("n", attempts=3, backoff={"type": "mine"})
    with pytest.raises(Exception, match="no"):
        await within(job.wait_until_finished(events))

    assert (await queue.get_job(job.id)).attempts_started == runs
    assert asked[0] == (1, "mine", "no", job.id)


async def test_a_backoff_nobody_knows_fails_the_job_instead_of_leaving_it_active(work):
    async def always(_job):
        raise RuntimeError("first")

    queue = await work.queue()
    worker = await work.worker(always)
    failed = hear(worker, "failed")

    job = await queue.add("n", attempts=3, backoff={"type": "mystery"})
    await failed.reach(1)

    stored = await queue.get_job(job.id)
    assert await stored.get_state() == "failed"
    assert "first" in stored.failed_reason
    assert "mystery" in stored.failed_reason


async def test_an_unrecoverable_error_spends_no_further_attempts(work):
    async def hopeless(_job):
        raise UnrecoverableError("no recipient")

    queue = await work.queue()
    worker = await work.worker(hopeless)
    failed = hear(worker, "failed")

    job = await queue.add("n", attempts=5)
    await failed.reach(1)

    assert await job.get_state() == "failed"
    assert (await queue.get_job(job.id)).attempts_made == 1


@pytest.mark.parametrize("raises", [True, False], ids=["raises the signal", "just returns"])
async def test_a_job_moved_by_its_processor_is_left_where_it_is(work, raises):
    runs = []

    async def sleep_once(job, token):
        runs.append(job.attempts_started)
        if len(runs) == 1:
            await job.move_to_delayed(0, token)
            if raises:
                raise DelayedError
        return "done"

    queue = await work.queue()
    worker = await work.worker(sleep_once)
    completed, failed = hear(worker, "completed"), hear(worker, "failed")

    job = await queue.add("n")
    await completed.reach(1)

    stored = await queue.get_job(job.id)
    assert (runs, stored.attempts_made, stored.returnvalue) == ([1, 2], 1, "done")
    assert not failed
    assert not work.errors


async def test_a_signal_without_the_move_fails_the_job_with_what_to_do(work):
    async def forgets(_job):
        raise WaitingError

    queue = await work.queue()
    worker = await work.worker(forgets)
    failed = hear(worker, "failed")

    job = await queue.add("n")
    await failed.reach(1)

    assert await job.get_state() == "failed"
    assert "job.move_to_wait" in (await queue.get_job(job.id)).failed_reason


async def test_a_rate_limit_puts_the_job_back_without_spending_an_attempt(work):
    runs = []
    queue = await work.queue()

    async def limited(_job):
        runs.append(1)
        if len(runs) == 1:
            await queue.rate_limit(50)
            raise RateLimitError
        return "later"

    worker = await work.worker(limited, limiter={"max": 10, "duration": 1000})
    completed = hear(worker, "completed")
    job = await queue.add("n")
    await completed.reach(1)

    stored = await queue.get_job(job.id)
    assert (stored.attempts_made, stored.attempts_started) == (1, 2)


async def test_a_job_that_cannot_be_read_fails_with_the_reason(work, any_redis_client):
    ran = []

    async def process(job):
        ran.append(job.id)

    queue = await work.queue()
    job = await queue.add("n", {"fine": True})
    await any_redis_client.hset(job.key, "data", "{broken")
    worker = await work.worker(process)
    failed = hear(worker, "failed")
    await failed.reach(1)

    stored = await queue.get_job(job.id)
    assert not ran
    assert await stored.get_state() == "failed"
    assert "data" in stored.failed_reason
    assert job.id in stored.failed_reason


async def test_a_plain_function_runs_on_a_thread_with_a_job_that_blocks(work):
    loop_thread = threading.get_ident()

    def process(job):
        job.update_progress(50)
        assert job.log("half way") == 1
        return threading.get_ident() != loop_thread

    queue = await work.queue()
    worker = await work.worker(process)
    completed = hear(worker, "completed")

    job = await queue.add("n")
    await completed.reach(1)

    stored = await queue.get_job(job.id)
    assert (stored.returnvalue, stored.progress) == (True, 50)


async def test_too_many_starts_end_a_job_that_keeps_going_back(work):
    runs = []

    async def forever(job, token):
        runs.append(1)
        await job.move_to_wait(token)
        raise WaitingError

    queue = await work.queue()
    worker = await work.worker(forever, max_started_attempts=3)
    failed = hear(worker, "failed")

    job = await queue.add("n")
    await failed.reach(1)

    assert len(runs) == 3
    assert (await queue.get_job(job.id)).failed_reason == "job started more than allowable limit"


async def test_a_raising_listener_hurts_neither_job_nor_worker(work):
    async def process(_job):
        return 1

    queue = await work.queue()
    worker = await work.worker(process)

    @worker.on("completed")
    def explode(*_args):
        raise RuntimeError("listener")

    job = await queue.add("n")
    await work.errors.reach(1)

    assert str(work.errors[0][0]) == "listener"
    assert await job.get_state() == "completed"


@pytest.mark.parametrize(
    "processor",
    [lambda: None, lambda _a, _b, _c, _d: None, "no function"],
    ids=["takes nothing", "takes four", "is text"],
)
def test_a_processor_that_cannot_be_called_with_a_job_is_refused(processor):
    from bullpy import Worker  # noqa: PLC0415 - not needed elsewhere

    with pytest.raises(OptionError, match="queue mail"):
        Worker("mail", processor)
