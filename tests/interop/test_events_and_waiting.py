"""One language listens or waits, the other works."""

import asyncio

import pytest

from tests.interop.sides import ECHO, HOLD, WaitFailedError

QUEUE = "mail"
TTL = 10_000


async def test_a_job_is_told_from_its_adding_to_its_end(roles):
    heard = await roles.here.listen(QUEUE)
    await roles.there.work(QUEUE, ECHO)
    job = await roles.here.add(QUEUE, "mail", {"n": 1})

    completed = await heard.until("completed", jobId=job["id"])
    await heard.until("drained")

    assert heard.names(job["id"]) == ["added", "waiting", "active", "completed"]
    assert heard.of("added")[0].fields == {"jobId": job["id"], "name": "mail"}
    assert heard.of("active")[0].fields == {"jobId": job["id"], "prev": "waiting"}
    result = {"by": roles.there.language, "data": {"n": 1}}
    assert completed.fields == {"jobId": job["id"], "returnvalue": result, "prev": "active"}


async def test_a_delayed_event_carries_the_due_time_as_a_number(roles):
    heard = await roles.here.listen(QUEUE)
    job = await roles.there.add(QUEUE, "mail", delay=60_000, timestamp=1_700_000_000_000)

    delayed = await heard.until("delayed", jobId=job["id"])

    assert delayed.fields["delay"] == 1_700_000_060_000


async def test_pausing_resuming_and_removing_are_told(roles):
    heard = await roles.here.listen(QUEUE)
    await roles.there.pause(QUEUE)
    await roles.there.resume(QUEUE)
    job = await roles.there.add(QUEUE, "mail", jobId="a")
    await roles.there.add(QUEUE, "mail", jobId="a")
    await roles.there.add(QUEUE, "mail", deduplication={"id": "d"})
    await roles.there.add(QUEUE, "mail", deduplication={"id": "d"})
    await roles.there.remove(QUEUE, job["id"])

    removed = await heard.until("removed", jobId="a")

    assert [note.event for note in heard.all] == [
        "paused",
        "resumed",
        "added",
        "waiting",
        "duplicated",
        "added",
        "waiting",
        "deduplicated",
        "removed",
    ]
    assert removed.fields["prev"] == "wait"


async def test_custom_events_reach_the_other(roles):
    heard = await roles.here.listen(QUEUE, "invoice-paid")

    await roles.there.publish(QUEUE, "invoice-paid", {"invoice": "7", "note": "ünï"})

    assert (await heard.until("invoice-paid")).fields == {"invoice": "7", "note": "ünï"}


async def test_waiting_for_a_job_that_runs_meanwhile(roles):
    worker = await roles.there.work(QUEUE, HOLD)
    job = await roles.here.add(QUEUE, "mail", "data")
    await worker.notes.until("holding", jobId=job["id"])

    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(roles.here.wait(QUEUE, job["id"], TTL))
        await worker.release()

    assert waiting.result() == {"by": roles.there.language, "data": "data"}


async def test_waiting_for_a_job_that_finished_before(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    job = await roles.here.add(QUEUE, "mail", "data")
    await worker.notes.until("completed", jobId=job["id"])

    assert await roles.here.wait(QUEUE, job["id"], TTL) == {
        "by": roles.there.language,
        "data": "data",
    }


@pytest.mark.parametrize("finished", [False, True], ids=["running", "over"])
async def test_waiting_for_a_job_that_fails_gives_its_reason(roles, finished):
    worker = await roles.there.work(QUEUE, {"do": "fail", "message": "no such user"})
    job = await roles.here.add(QUEUE, "mail")
    if finished:
        await worker.notes.until("failed", jobId=job["id"])

    with pytest.raises(WaitFailedError, match="no such user"):
        await roles.here.wait(QUEUE, job["id"], TTL)


async def test_waiting_ends_with_its_ttl_in_both_languages_words(roles):
    job = await roles.here.add(QUEUE, "mail")

    words = (
        f"Job wait mail timed out before finishing, no finish notification arrived after 50ms "
        f"\\(id={job['id']}\\)"
    )
    with pytest.raises(WaitFailedError, match=words):
        await roles.here.wait(QUEUE, job["id"], 50)
    with pytest.raises(WaitFailedError, match=words):
        await roles.there.wait(QUEUE, job["id"], 50)


async def test_many_jobs_are_awaited_side_by_side(roles):
    await roles.there.work(QUEUE, ECHO, concurrency=5)
    jobs = [await roles.here.add(QUEUE, "mail", n) for n in range(20)]

    results = await asyncio.gather(*(roles.here.wait(QUEUE, job["id"], TTL) for job in jobs))

    assert [result["data"] for result in results] == list(range(20))
