"""Changes of a queue as a whole: bounded calls, looped over by the client until all is done."""

import pytest

from bullpy import BullError, OptionError
from bullpy.scripts.manage import CLEAN_BATCH
from tests.fixtures.work import NAME, hear

MANY = 2 * CLEAN_BATCH + 100  # jobs that take three calls


@pytest.fixture
async def queue(work, clock):
    return await work.queue(clock=clock)


async def add(queue, count, **opts):
    return await queue.add_bulk([{"name": f"n{n}", "opts": opts} for n in range(count)])


async def keys(client, queue):
    base = f"{queue.qualified_name}:"
    return {key.removeprefix(base) async for key in client.scan_iter(f"{base}*", count=1000)}


async def test_jobs_parked_by_an_older_bullmq_all_come_back(queue, any_redis_client):
    parked = [str(n) for n in range(15_000)]
    await any_redis_client.rpush(f"{queue.qualified_name}:paused", *parked)
    await any_redis_client.rpush(f"{queue.qualified_name}:wait", "first")
    resumed = hear(queue, "resumed")

    await queue.resume()

    line = await any_redis_client.lrange(f"{queue.qualified_name}:wait", 0, -1)
    assert line == ["first", *parked]
    assert len(resumed) == 1
    entries = await any_redis_client.xrange(f"{queue.qualified_name}:events")
    assert [fields["event"] for _, fields in entries] == ["resumed"]


async def test_draining_deletes_the_line_however_long(queue, any_redis_client):
    await add(queue, MANY)
    await add(queue, 3, priority=1)
    await queue.add("later", delay=1000)

    await queue.drain()
    assert await queue.get_job_counts("waiting", "prioritized", "delayed") == {
        "waiting": 0,
        "prioritized": 0,
        "delayed": 1,
    }

    await queue.drain(delayed=True)
    assert await keys(any_redis_client, queue) <= {"meta", "events", "id", "pc", "marker"}


async def test_draining_keeps_the_next_run_of_a_scheduler(queue):
    await queue.upsert_job_scheduler("s", {"every": 60_000})
    await add(queue, 3, delay=1000)

    await queue.drain(delayed=True)

    left = await queue.get_jobs()
    assert [job.repeat_job_key for job in left] == ["s"]
    assert (await queue.get_job_scheduler("s")).next == left[0].timestamp + left[0].delay


async def test_cleaning_without_a_limit_deletes_all_old_jobs_and_tells_in_batches(queue, clock):
    jobs = await add(queue, MANY)
    clock.advance(1000)
    young = await queue.add("young")
    cleaned = hear(queue, "cleaned")

    removed = await queue.clean(500, state="waiting")

    assert sorted(removed, key=int) == [job.id for job in jobs]
    assert [job.id for job in await queue.get_waiting()] == [young.id]
    assert [len(batch) for batch, _ in cleaned] == [CLEAN_BATCH, CLEAN_BATCH, 100]
    assert {state for _, state in cleaned} == {"waiting"}


@pytest.mark.parametrize("limit", [1, CLEAN_BATCH, CLEAN_BATCH + 100, MANY - 1])
async def test_cleaning_deletes_no_more_than_the_limit(queue, limit):
    jobs = await add(queue, MANY)

    removed = await queue.clean(0, limit, "wait")

    assert sorted(removed, key=int) == [job.id for job in jobs[:limit]]
    assert await queue.get_waiting_count() == MANY - limit


@pytest.mark.parametrize(("limit", "found"), [(0, 50), (CLEAN_BATCH + 30, 30), (CLEAN_BATCH, 0)])
@pytest.mark.parametrize("opts", [{}, {"priority": 1}, {"delay": 5}])
async def test_old_jobs_behind_many_young_ones_are_cleaned_as_far_as_the_limit_reaches(
    queue, clock, opts, limit, found
):
    young = {**opts, "timestamp": clock.now_ms() + 1}
    await add(queue, CLEAN_BATCH, **young)
    old = await add(queue, 50, **({"delay": 60_000} if "delay" in opts else opts))
    state = await old[0].get_state()

    removed = await queue.clean(0, limit, state)

    assert sorted(removed, key=int) == [job.id for job in old[:found]]
    assert await queue.get_job_counts(state) == {state: CLEAN_BATCH + 50 - found}


@pytest.mark.parametrize("state", ["completed", "nonsense"])
async def test_cleaning_nothing_is_told_once(queue, state):
    cleaned = hear(queue, "cleaned")

    assert await queue.clean(0, state=state) == []
    assert cleaned == [([], state)]


@pytest.mark.parametrize("count", [1, 2, 100])
async def test_finished_jobs_are_retried_round_by_round_the_oldest_first(work, queue, clock, count):
    worker = work.worker_not_started(clock=clock)
    jobs = await add(queue, 3)
    for _ in jobs:
        clock.advance(1)
        job = await worker.get_next_job("t")
        await job.move_to_failed(ValueError("no"), "t", fetch_next=False)

    await queue.retry_jobs(count=count)

    assert [job.id for job in await queue.get_waiting()] == [job.id for job in jobs]
    assert await queue.get_failed_count() == 0


async def test_only_jobs_that_finished_until_a_moment_are_retried(work, queue, clock):
    worker = work.worker_not_started(clock=clock)
    jobs = await add(queue, 2)
    for _ in jobs:
        job = await worker.get_next_job("t")
        await job.move_to_completed(1, "t", fetch_next=False)
        clock.advance(1000)

    await queue.retry_jobs(state="completed", timestamp=clock.now_ms() - 1500)

    assert [job.id for job in await queue.get_waiting()] == [jobs[0].id]


async def test_all_delayed_jobs_are_promoted(queue):
    jobs = await add(queue, 5, delay=1000)

    await queue.promote_jobs(count=2)

    assert [job.id for job in await queue.get_waiting()] == [job.id for job in jobs]


async def test_obliterating_leaves_nothing_behind(work, queue, any_redis_client):
    worker = work.worker_not_started(metrics={"max_data_points": 5})
    await add(queue, MANY)
    await add(queue, 3, delay=1000)
    await add(queue, 3, priority=1)
    await queue.upsert_job_scheduler("s", {"every": 60_000})
    await (await worker.get_next_job("t")).move_to_completed(1, "t", fetch_next=False)
    await worker.get_next_job("t")

    await queue.obliterate(force=True, count=100)

    assert await keys(any_redis_client, queue) == set()


async def test_a_queue_with_running_jobs_is_paused_but_not_obliterated(work, queue):
    worker = work.worker_not_started()
    await add(queue, 2)
    await worker.get_next_job("t")

    with pytest.raises(BullError, match="Cannot obliterate queue with active jobs"):
        await queue.obliterate()

    assert await queue.is_paused()
    assert await queue.get_job_counts("active", "waiting") == {"active": 1, "waiting": 1}


@pytest.fixture
async def with_orphans(work, queue, any_redis_client):
    """A queue with jobs, metrics, a deduplication, and what is left of four lost jobs."""
    worker = work.worker_not_started(metrics={"max_data_points": 5})
    await add(queue, 3)
    await queue.upsert_job_scheduler("s", {"every": 60_000})
    await queue.add("n", deduplication={"id": "failed"})
    job = await worker.get_next_job("t")
    await job.move_to_failed(ValueError("no"), "t", fetch_next=False)
    await worker.get_next_job("t")
    base = queue.qualified_name
    # Laid down as a Node worker does for `keepLastIfActive`.
    await any_redis_client.hset(f"{base}:dn:failed", mapping={"name": "n"})
    for n in range(3):
        await any_redis_client.hset(f"{base}:lost{n}", mapping={"name": "n"})
    await any_redis_client.rpush(f"{base}:lost3:logs", "row")
    await any_redis_client.set(f"{base}:lost2:lock", "t")
    return queue


@pytest.mark.parametrize("count", [1, 3, 1000])
async def test_what_is_left_of_lost_jobs_goes_and_nothing_else(
    with_orphans, any_redis_client, count
):
    before = await keys(any_redis_client, with_orphans)

    assert await with_orphans.remove_orphaned_jobs(count=count) == 4

    after = await keys(any_redis_client, with_orphans)
    assert before - after == {"lost0", "lost1", "lost2", "lost2:lock", "lost3:logs"}
    assert await with_orphans.remove_orphaned_jobs() == 0


async def test_a_sweep_stops_at_its_limit(with_orphans):
    assert await with_orphans.remove_orphaned_jobs(count=1, limit=1) == 1
    assert await with_orphans.remove_orphaned_jobs() == 3


async def test_waiting_jobs_are_no_orphans_however_many(queue, monkeypatch):
    monkeypatch.setattr("bullpy.orphans.IDS_PER_CALL", 100)
    await add(queue, 250)

    assert await queue.remove_orphaned_jobs(count=50) == 0
    assert await queue.get_waiting_count() == 250


async def test_a_queue_is_swept_by_its_own_name_only(work, queue, any_redis_client):
    other = await work.queue(f"{NAME}[x]*")
    lost = f"{other.qualified_name}:lost"
    await any_redis_client.hset(lost, mapping={"name": "n"})
    await any_redis_client.hset(f"{queue.qualified_name}x*:lost", mapping={"name": "n"})

    assert await queue.remove_orphaned_jobs() == 0
    assert await other.remove_orphaned_jobs() == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda q: q.clean(0, -1), "limit must be a whole number from 0 on, not -1"),
        (lambda q: q.clean("soon"), "grace"),
        (lambda q: q.retry_jobs(count=0), "count must be a whole number from 1 on, not 0"),
        (lambda q: q.retry_jobs(count=1.5), "count must be a whole number from 1 on, not 1.5"),
        (lambda q: q.promote_jobs(count=True), "count must be .* not True"),
        (lambda q: q.remove_orphaned_jobs(count=0), "count must be .* not 0"),
        (lambda q: q.remove_orphaned_jobs(limit=-1), "limit must be .* not -1"),
        (lambda q: q.trim_events(-1), "max_length must be .* not -1"),
        (lambda q: q.set_global_concurrency("2"), "concurrency must be a number, not '2'"),
        (lambda q: q.set_global_rate_limit(None, 5), "max must be a number, not None"),
        (lambda q: q.set_global_rate_limit(5, "1s"), "duration"),
        (lambda q: q.rate_limit(None), "duration"),
    ],
)
async def test_what_makes_no_sense_is_refused_by_name_and_changes_nothing(
    queue, any_redis_client, change, said
):
    before = await keys(any_redis_client, queue)

    with pytest.raises(OptionError, match=rf"{said}.*queue work"):
        await change(queue)

    assert await keys(any_redis_client, queue) == before
