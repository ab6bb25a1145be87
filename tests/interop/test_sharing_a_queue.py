"""Workers of both languages on one queue: each job once, one set of locks, limits and pauses."""

import asyncio
from itertools import chain

import pytest

from tests.interop.sides import ECHO, HOLD

QUEUE = "mail"
TTL = 10_000
SHORT_LOCK = {"lockDuration": 400, "stalledInterval": 100, "maxStalledCount": 3}


def ids_of(notes, event):
    return [note.fields["jobId"] for note in notes.of(event)]


async def test_competing_workers_do_each_job_exactly_once(python, node):
    heard = await python.listen(QUEUE)
    workers = [await side.work(QUEUE, ECHO, concurrency=4) for side in (python, node, python, node)]
    added = await asyncio.gather(
        *(side.add_bulk(QUEUE, [{"name": "mail"}] * 150) for side in (python, node))
    )
    ids = [job["id"] for job in chain(*added)]

    await heard.until_all("completed", ids)
    for worker in workers:
        await worker.close()  # then its notes are complete, too

    assert sorted(ids_of(heard, "completed"), key=int) == sorted(ids, key=int)
    started = list(chain(*(ids_of(worker.notes, "active") for worker in workers)))
    assert sorted(started, key=int) == sorted(ids, key=int)
    counts = await node.counts(QUEUE)
    assert counts["completed"] == len(ids)
    assert counts["active"] == counts["waiting"] == counts["failed"] == 0


async def test_both_languages_get_jobs(python, node):
    """One job each: a worker that holds its only slot leaves the next job to the other."""
    workers = [await side.work(QUEUE, HOLD) for side in (python, node)]
    await python.add_bulk(QUEUE, [{"name": "mail"}] * 2)

    for worker in workers:
        await worker.notes.until("holding")
    for worker in workers:
        await worker.release()
        await worker.notes.until("completed")


async def test_each_language_finds_the_workers_of_both(python, node):
    for side in (python, node):
        worker = await side.work(QUEUE, HOLD, name=f"{side.language}'s")
        await worker.notes.until("drained")

    for side in (python, node):
        found = await side.workers(QUEUE)

        assert len(found) == 2
        assert {worker["name"] for worker in found} == {QUEUE}
        assert sorted(worker["rawname"].rpartition(":w:")[2] for worker in found) == [
            "node's",
            "python's",
        ]


async def test_a_paused_queue_lets_neither_language_start(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    await worker.notes.until("drained")
    await roles.here.pause(QUEUE)
    first = await roles.here.add(QUEUE, "mail")
    second = await roles.there.add(QUEUE, "mail")

    assert await roles.there.is_paused(QUEUE)
    by_hand = await roles.there.work(QUEUE, None)
    assert await by_hand.take("token") is None
    assert not worker.notes.of("active")

    await roles.there.resume(QUEUE)
    await worker.notes.until_all("completed", [first["id"], second["id"]])
    assert not await roles.here.is_paused(QUEUE)


async def test_a_paused_worker_leaves_the_jobs_to_the_other_language(roles):
    paused = await roles.there.work(QUEUE, ECHO)
    await paused.notes.until("drained")
    await paused.pause()
    other = await roles.here.work(QUEUE, ECHO)
    jobs = await roles.here.add_bulk(QUEUE, [{"name": "mail"}] * 3)

    await other.notes.until_all("completed", [job["id"] for job in jobs])

    assert not paused.notes.of("active")


async def test_a_resumed_worker_goes_on(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    await worker.notes.until("drained")
    await worker.pause()
    job = await roles.here.add(QUEUE, "mail")

    await worker.resume()

    await worker.notes.until("completed", jobId=job["id"])


async def test_the_global_concurrency_binds_both_languages(python, node):
    await python.set_concurrency(QUEUE, 1)
    workers = [await side.work(QUEUE, HOLD, concurrency=3) for side in (python, node)]
    await node.add_bulk(QUEUE, [{"name": "mail"}] * 4)
    heard = await python.listen(QUEUE)

    for number in range(1, 5):
        await heard.until("active", times=number)
        assert (await node.counts(QUEUE))["active"] == 1
        await _release_one(workers)
        await heard.until("completed", times=number)


async def _release_one(workers):
    """Let the one held job go on, whichever worker has it."""
    async with asyncio.timeout(TTL / 1000):
        while not sum([await worker.release() for worker in workers]):
            pass


async def test_a_lock_cannot_be_used_by_the_other_language(roles):
    await roles.here.add(QUEUE, "mail")
    holder = await roles.here.work(QUEUE, None)
    job = await holder.take("holders-token")

    assert await (await roles.there.work(QUEUE, None)).take("others-token") is None
    with pytest.raises(Exception, match=r"[Ll]ock"):
        await holder.complete(job["id"], None, "others-token")
    assert await roles.there.remove(QUEUE, job["id"]) == 0

    await holder.complete(job["id"], "done", "holders-token")
    assert (await roles.there.job(QUEUE, job["id"]))["returnvalue"] == "done"


@pytest.mark.slow
async def test_a_job_whose_worker_vanished_is_done_by_the_other(roles):
    """Taken by hand and never finished: no lock renewal, as if its process had been killed."""
    vanished = await roles.there.work(QUEUE, None, lockDuration=200)
    job = await roles.here.add(QUEUE, "mail")
    heard = await roles.there.listen(QUEUE)
    await vanished.take("token")
    rescuer = await roles.here.work(QUEUE, ECHO, **SHORT_LOCK)

    await rescuer.notes.until("completed", jobId=job["id"])
    await heard.until("completed", jobId=job["id"])

    assert heard.names(job["id"]) == [
        "added",
        "waiting",
        "active",
        "waiting",
        "stalled",
        "active",
        "completed",
    ]
    assert rescuer.notes.of("stalled", jobId=job["id"])
    job = await roles.there.job(QUEUE, job["id"])
    assert job["stalledCounter"] == 1
    assert job["attemptsStarted"] == 2


@pytest.mark.slow
async def test_a_worker_that_lost_its_lock_cannot_finish_what_the_other_has_done(roles):
    """It does not renew its lock, so the other language takes the job while it still runs."""
    slow = await roles.there.work(
        QUEUE, HOLD, lockDuration=200, skipLockRenewal=True, skipStalledCheck=True
    )
    job = await roles.here.add(QUEUE, "mail")
    await slow.notes.until("holding", jobId=job["id"])
    rescuer = await roles.here.work(QUEUE, ECHO, **SHORT_LOCK)
    await rescuer.notes.until("completed", jobId=job["id"])

    await slow.release()
    await slow.notes.until("error")

    assert not slow.notes.of("completed")
    job = await roles.there.job(QUEUE, job["id"])
    assert job["returnvalue"]["by"] == roles.here.language
    assert (await roles.there.counts(QUEUE))["failed"] == 0


@pytest.mark.slow
async def test_a_renewed_lock_keeps_the_other_away(roles):
    """The job takes several times its lock's duration; the other language checks all the while."""
    holder = await roles.there.work(QUEUE, HOLD, **SHORT_LOCK)
    job = await roles.here.add(QUEUE, "mail")
    await holder.notes.until("holding", jobId=job["id"])
    waiter = await roles.here.work(QUEUE, ECHO, **SHORT_LOCK)

    # A delayed job that the other one does is a clock that both languages share.
    tick = await roles.here.add(QUEUE, "tick", delay=3 * SHORT_LOCK["lockDuration"])
    await waiter.notes.until("completed", jobId=tick["id"])
    await holder.release()
    await holder.notes.until("completed", jobId=job["id"])

    assert ids_of(waiter.notes, "active") == [tick["id"]]
    assert not waiter.notes.of("stalled")


async def test_a_job_may_be_taken_here_and_finished_with_its_token_there(roles):
    """The lock is all that counts: one language's token works for the other."""
    await roles.here.add(QUEUE, "mail")
    await roles.here.add(QUEUE, "mail")
    here, there = await roles.here.work(QUEUE, None), await roles.there.work(QUEUE, None)
    first, second = await here.take("one"), await there.take("two")

    await here.fail(first["id"], "by hand", "one")
    await there.complete(second["id"], {"by": "hand"}, "two")

    assert (await roles.there.job(QUEUE, first["id"]))["failedReason"] == "by hand"
    assert (await roles.here.job(QUEUE, second["id"]))["returnvalue"] == {"by": "hand"}
