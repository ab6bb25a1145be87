"""Arguments outside of options: what makes no sense is refused by name, before anything changes."""

from datetime import datetime, timedelta

import pytest

from bullpy import OptionError, State


@pytest.mark.parametrize("priority", ["high", 1.5, 3_000_000, None])
async def test_a_wrong_priority_leaves_the_job_in_line(work, priority):
    queue = await work.queue()
    job = await queue.add("n")

    with pytest.raises(OptionError, match="priority"):
        await job.change_priority(priority)

    assert await job.get_state() is State.WAITING
    assert (await queue.get_job(job.id)).priority == 0


@pytest.mark.parametrize("name", ["meta", "events", "stalled", "limiter"])
async def test_data_of_the_queues_own_is_no_state(work, name):
    queue = await work.queue()

    for call in (queue.clean(0, 0, name), queue.get_job_counts(name), queue.get_jobs([name])):
        with pytest.raises(OptionError, match=f"'{name}'"):
            await call


async def test_cleaning_never_takes_a_scheduler_for_a_job(work):
    queue = await work.queue()
    await queue.upsert_job_scheduler("hourly", {"every": 3_600_000})

    with pytest.raises(OptionError, match="'repeat'"):
        await queue.clean(0, 0, "repeat")

    assert await queue.get_job_schedulers_count() == 1


@pytest.mark.parametrize("state", ["complete", "waiting", "Failed", "unknown"])
async def test_only_finished_jobs_can_be_retried(work, state):
    queue = await work.queue()
    job = await queue.add("n")

    with pytest.raises(OptionError, match=f"'{state}'"):
        await queue.retry_jobs(state=state)
    with pytest.raises(OptionError, match=f"'{state}'"):
        await job.retry(state)


async def test_a_moment_without_a_time_zone_is_refused(work):
    queue = await work.queue()
    job = await queue.add("n")

    with pytest.raises(OptionError, match="aware"):
        await queue.retry_jobs(timestamp=datetime(2030, 1, 1))  # noqa: DTZ001 - what is refused
    with pytest.raises(OptionError, match="aware"):
        await job.move_to_delayed(datetime(2030, 1, 1))  # noqa: DTZ001 - what is refused


async def test_locks_are_extended_by_a_timedelta_too(work):
    queue = await work.queue()
    worker = work.worker_not_started()
    await queue.add("n")
    job = await worker.get_next_job("t")

    assert await job.extend_lock("t", timedelta(minutes=1)) == 1
    assert await worker.extend_job_locks([job.id], ["t"], timedelta(minutes=1)) == []
    with pytest.raises(OptionError, match="duration"):
        await job.extend_lock("t", "long")
