"""Schedules go on under workers, whoever made them; what can't go on is told."""

import json

import pytest

from bullpy import OptionError
from bullpy.clock import SYSTEM_CLOCK
from tests.fixtures.work import hear, within

EVERY_MS = 50


async def echo(job):
    return job.data


async def store_run(queue, redis, repeat):
    """What a Node process leaves in Redis when it makes a scheduler whose first run is due."""
    base, now = f"{queue.qualified_name}:", SYSTEM_CLOCK.now_ms()
    job_id = f"repeat:s:{now}"
    opts = {"repeatJobKey": "s", "jobId": job_id, "timestamp": now, "delay": 0, "attempts": 0}
    if repeat is not None:
        opts["repeat"] = {**repeat, "count": 1}
    await redis.zadd(f"{base}repeat", {"s": now})
    fields = {"name": "tick", "ic": 1, "data": '{"n":1}', **(repeat or {})}
    await redis.hset(f"{base}repeat:s", mapping=fields)
    run = {"name": "tick", "data": '{"n":1}', "opts": json.dumps(opts), "rjk": "s"}
    more = {"timestamp": now, "delay": 0, "priority": 0}
    await redis.hset(f"{base}{job_id}", mapping={**run, **more})
    await redis.lpush(f"{base}wait", job_id)
    return job_id


async def test_a_schedule_that_another_made_goes_on_under_a_worker(work, any_redis_client):
    queue = await work.queue()
    await store_run(queue, any_redis_client, {"every": EVERY_MS})
    worker = await work.worker(echo)
    completed = hear(worker, "completed")

    await completed.reach(4)

    assert [job.data for job, _, _ in completed[:4]] == [{"n": 1}] * 4
    due = [int(job.id.rpartition(":")[2]) for job, _, _ in completed[:4]]
    assert due == sorted(set(due))
    assert all(job.opts.public["repeat"]["every"] == EVERY_MS for job, _, _ in completed)
    assert work.errors == []


async def test_a_schedule_ends_with_its_limit(work):
    queue = await work.queue()
    worker = await work.worker(echo)
    completed = hear(worker, "completed")

    await queue.upsert_job_scheduler("s", {"every": EVERY_MS, "limit": 3}, {"data": 7})
    await completed.reach(3)

    assert await queue.get_job_counts("delayed", "waiting", "active") == {
        "delayed": 0,
        "waiting": 0,
        "active": 0,
    }
    assert (await queue.get_job_scheduler("s")).iteration_count == 3


async def test_a_pattern_that_cannot_be_read_is_told_and_its_job_is_run(work, any_redis_client):
    queue = await work.queue()
    job_id = await store_run(queue, any_redis_client, {"pattern": "when it suits"})
    worker = await work.worker(echo)
    completed = hear(worker, "completed")

    await completed.reach(1)

    assert completed[0][0].id == job_id
    [error] = [heard for (heard,) in work.errors]
    assert str(error).startswith("Failed to add repeatable job for next iteration: Cron pattern")
    assert job_id in str(error)
    assert isinstance(error.__cause__, OptionError)


async def test_a_run_that_does_not_say_how_it_repeats_is_not_worked_on(work, any_redis_client):
    queue = await work.queue()
    job_id = await store_run(queue, any_redis_client, None)
    worker = await work.worker(echo)
    completed = hear(worker, "completed")

    await within(work.errors.reach(1))
    await queue.add("other")
    await completed.reach(1)

    assert completed[0][0].name == "other"  # and the slot was free for it
    assert await queue.get_job_state(job_id) == "active"


async def test_a_job_by_hand_is_followed_when_it_is_taken(work):
    queue = await work.queue()
    first = await queue.upsert_job_scheduler("s", {"every": 3_600_000}, {"name": "tick"})
    worker = work.worker_not_started(echo)

    job = await worker.get_next_job("token")

    assert job.id == first.id
    [following] = await queue.get_delayed()
    assert following.name == "tick"
    assert following.opts.public["repeat"] == {"every": 3_600_000, "count": 2}
    assert following.opts.public["jobId"] == following.id


@pytest.mark.parametrize(
    ("repeat", "why"),
    [
        ({"every": -1}, "every must be greater than 0"),
        ({"every": 0}, "every must be greater than 0"),
        ({"every": 1000, "start_date": 2e12, "end_date": 1.9e12}, "greater than start date"),
        ({"every": 1000, "end_date": 1}, "greater than current timestamp"),
        ({"every": 1000, "pattern": "* * * * *"}, "Both .pattern and .every"),
        ({}, "Either .pattern or .every"),
        ({"pattern": "* * * * *", "immediately": True, "start_date": 2e12}, "Both .immediately"),
        ({"pattern": "* * * * *", "start_date": "soon"}, "start_date must be a time"),
        ({"pattern": "* * * * *", "start_date": "2030-01-01T00:00:00"}, "needs a time zone"),
        ({"pattern": "61 * * * *"}, "got value 61"),
        ({"evry": 1000}, "did you mean every"),
    ],
)
async def test_a_schedule_that_makes_no_sense_is_refused_and_nothing_stored(work, repeat, why):
    queue = await work.queue()

    with pytest.raises(OptionError, match=why) as caught:
        await queue.upsert_job_scheduler("nightly", repeat)

    assert "nightly" in str(caught.value)
    assert queue.name in str(caught.value)
    assert await queue.get_job_schedulers_count() == 0
