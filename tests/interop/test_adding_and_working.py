"""One language adds, the other works: what is stored, in which order, and what is kept."""

import pytest

from tests.interop.sides import ECHO

QUEUE = "mail"
TTL = 10_000
HOUR_MS = 3_600_000


async def finish(side, worker, jobs):
    """Wait until jobs are completed, and read them."""
    ids = [job["id"] for job in jobs]
    await worker.notes.until_all("completed", ids)
    return [await side.job(QUEUE, job_id) for job_id in ids]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"to": "a@example.com", "tries": 0, "rate": 0.1, "ok": True, "cc": None, "tags": []},
        {"text": 'ünï "quoted" \\ / \u2028 \x00 😀', "nested": [[{"a": [1, {"b": {}}]}]]},
        {"large": 9007199254740991, "small": 1e-9, "negative": -12.5},
        "text",
        [1, "two", None],
        7,
        None,
        False,
    ],
    ids=["empty", "usual", "odd-text", "numbers", "text", "list", "number", "null", "false"],
)
async def test_data_and_results_arrive_as_they_were(roles, data):
    job = await roles.here.add(QUEUE, "mail", data)
    await roles.there.work(QUEUE, ECHO)

    result = await roles.here.wait(QUEUE, job["id"], TTL)

    assert result == {"by": roles.there.language, "data": data}


async def test_a_job_without_data_has_an_empty_object(roles):
    job = await roles.here.add(QUEUE, "mail")
    await roles.there.work(QUEUE, ECHO)

    assert (await roles.here.wait(QUEUE, job["id"], TTL))["data"] == {}


@pytest.mark.parametrize("value", [None, 0, "", False, [], {}, 1.5, "done"], ids=repr)
async def test_any_json_value_can_be_a_result(roles, value):
    job = await roles.here.add(QUEUE, "mail")
    await roles.there.work(QUEUE, {"do": "return", "value": value})

    assert await roles.here.wait(QUEUE, job["id"], TTL) == value
    assert (await roles.here.job(QUEUE, job["id"]))["returnvalue"] == value


async def test_both_languages_read_a_finished_job_alike(roles):
    job = await roles.here.add(QUEUE, "mail", {"n": 1}, attempts=3, priority=2)
    worker = await roles.there.work(QUEUE, ECHO, name="postman")

    [read_here] = await finish(roles.here, worker, [job])
    read_there = await roles.there.job(QUEUE, job["id"])

    assert read_here == read_there
    assert read_here["processedBy"] == "postman"
    assert read_here["attemptsMade"] == read_here["attemptsStarted"] == 1
    assert read_here["timestamp"] <= read_here["processedOn"] <= read_here["finishedOn"]


async def test_lifo_goes_first_then_the_line_then_priorities(roles):
    one_of_each = [
        await roles.here.add(QUEUE, "low", priority=9),
        await roles.here.add(QUEUE, "first"),
        await roles.here.add(QUEUE, "high", priority=1),
        await roles.here.add(QUEUE, "second"),
        await roles.here.add(QUEUE, "also low", priority=9),
        await roles.here.add(QUEUE, "urgent", lifo=True),
    ]
    worker = await roles.there.work(QUEUE, ECHO)

    await finish(roles.here, worker, one_of_each)

    names = {job["id"]: job["name"] for job in one_of_each}
    assert [names[note.fields["jobId"]] for note in worker.notes.of("active")] == [
        "urgent",
        "first",
        "second",
        "high",
        "low",
        "also low",
    ]


async def test_equal_priorities_keep_their_order_over_languages(roles):
    jobs = [
        await side.add(QUEUE, "mail", priority=5)
        for side in (roles.here, roles.there, roles.there, roles.here)
    ]
    worker = await roles.there.work(QUEUE, ECHO)

    await finish(roles.here, worker, jobs)

    assert [note.fields["jobId"] for note in worker.notes.of("active")] == [
        job["id"] for job in jobs
    ]


async def test_a_delayed_job_is_not_started_before_its_time(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    await worker.notes.until("drained")
    later = await roles.here.add(QUEUE, "later", delay=200)
    soon = await roles.here.add(QUEUE, "soon")

    later, _ = await finish(roles.here, worker, [later, soon])

    assert later["processedOn"] - later["timestamp"] >= 200
    assert [note.fields["jobId"] for note in worker.notes.of("active")] == [
        soon["id"],
        later["id"],
    ]


async def test_a_promoted_job_runs_now(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    await worker.notes.until("drained")
    job = await roles.here.add(QUEUE, "mail", delay=HOUR_MS)
    assert await roles.there.state(QUEUE, job["id"]) == "delayed"

    await roles.here.promote(QUEUE, job["id"])

    await finish(roles.here, worker, [job])


async def test_a_custom_id_is_taken_for_both_languages(roles):
    first = await roles.here.add(QUEUE, "mail", {"n": 1}, jobId="welcome-7")
    again = await roles.there.add(QUEUE, "mail", {"n": 2}, jobId="welcome-7")

    assert first["id"] == again["id"] == "welcome-7"
    assert (await roles.here.job(QUEUE, "welcome-7"))["data"] == {"n": 1}
    assert (await roles.here.counts(QUEUE))["waiting"] == 1


async def test_deduplication_holds_over_languages_until_the_job_is_done(roles):
    first = await roles.here.add(QUEUE, "mail", deduplication={"id": "daily"})
    dropped = await roles.there.add(QUEUE, "mail", deduplication={"id": "daily"})
    worker = await roles.there.work(QUEUE, ECHO)
    [done] = await finish(roles.here, worker, [first])
    fresh = await roles.here.add(QUEUE, "mail", deduplication={"id": "daily"})

    assert dropped["id"] == first["id"]
    assert done["deduplicationId"] == "daily"
    assert fresh["id"] != first["id"]


async def test_ids_count_on_from_either_language(roles):
    jobs = [await side.add(QUEUE, "mail") for side in (roles.here, roles.there, roles.here)]

    assert [job["id"] for job in jobs] == ["1", "2", "3"]


async def test_a_bulk_is_worked_whole(roles):
    entries = [{"name": f"mail {n}", "data": {"n": n}} for n in range(40)]
    entries += [{"name": "prioritized", "opts": {"priority": 3}}]
    entries += [{"name": "delayed", "opts": {"delay": 20}}]
    entries += [{"name": "named", "opts": {"jobId": "mine"}}]
    worker = await roles.there.work(QUEUE, ECHO, concurrency=10)

    jobs = await roles.here.add_bulk(QUEUE, entries)
    done = await finish(roles.here, worker, jobs)

    assert [job["name"] for job in done] == [entry["name"] for entry in entries]
    assert [job["returnvalue"]["data"] for job in done[:40]] == [{"n": n} for n in range(40)]
    assert done[-1]["id"] == "mine"
    assert (await roles.here.counts(QUEUE))["completed"] == len(entries)


async def test_a_worker_keeps_as_many_jobs_as_their_adder_wants(roles):
    worker = await roles.there.work(QUEUE, ECHO)
    for n in range(5):
        job = await roles.here.add(QUEUE, "mail", {"n": n}, removeOnComplete={"count": 2})
        await worker.notes.until("completed", jobId=job["id"])

    assert await roles.here.ids(QUEUE, "completed") == ["4", "5"]
    assert await roles.there.job(QUEUE, "3") is None


async def test_a_job_can_leave_nothing_behind(roles):
    worker = await roles.there.work(QUEUE, {"by_name": {"good": ECHO, "bad": {"do": "fail"}}})
    good = await roles.here.add(QUEUE, "good", removeOnComplete=True)
    bad = await roles.here.add(QUEUE, "bad", removeOnFail=True)

    await worker.notes.until("completed", jobId=good["id"])
    await worker.notes.until("failed", jobId=bad["id"])

    assert await roles.here.job(QUEUE, good["id"]) is None
    assert await roles.here.job(QUEUE, bad["id"]) is None


async def test_the_workers_retention_counts_where_the_job_has_none(roles):
    worker = await roles.there.work(QUEUE, ECHO, removeOnComplete={"count": 1})
    for _ in range(3):
        job = await roles.here.add(QUEUE, "mail")
        await worker.notes.until("completed", jobId=job["id"])

    assert await roles.here.ids(QUEUE, "completed") == ["3"]


@pytest.mark.parametrize("steps", [[10, 100], [{"done": 1, "of": 3}], ["half"], [[1, 2]]], ids=repr)
async def test_progress_is_told_and_stored(roles, steps):
    heard = await roles.here.listen(QUEUE)
    worker = await roles.there.work(QUEUE, {"do": "progress", "steps": steps})
    job = await roles.here.add(QUEUE, "mail")

    [done] = await finish(roles.here, worker, [job])
    await heard.until("progress", jobId=job["id"], data=steps[-1])

    assert done["progress"] == steps[-1]
    assert [note.fields["data"] for note in heard.of("progress")] == steps
    assert [note.fields["progress"] for note in worker.notes.of("progress")] == steps


async def test_logs_are_kept_up_to_the_adders_bound(roles):
    worker = await roles.there.work(QUEUE, {"do": "log", "rows": ["one", "zwei", "três\n…"]})
    all_of_it = await roles.here.add(QUEUE, "mail")
    two_rows = await roles.here.add(QUEUE, "mail", keepLogs=2)

    await finish(roles.here, worker, [all_of_it, two_rows])

    assert await roles.here.logs(QUEUE, all_of_it["id"]) == ["one", "zwei", "três\n…"]
    assert await roles.here.logs(QUEUE, two_rows["id"]) == ["zwei", "três\n…"]


async def test_data_that_the_processor_changed_is_there(roles):
    worker = await roles.there.work(QUEUE, {"do": "update", "data": {"step": "ünd"}})
    job = await roles.here.add(QUEUE, "mail", {"step": None})

    [done] = await finish(roles.here, worker, [job])

    assert done["data"] == {"step": "ünd"}


async def test_a_waiting_job_can_be_removed_by_the_other(roles):
    job = await roles.here.add(QUEUE, "mail")

    assert await roles.there.remove(QUEUE, job["id"]) == 1
    assert await roles.here.job(QUEUE, job["id"]) is None
    assert (await roles.here.counts(QUEUE))["waiting"] == 0
