"""One language adds, the other fails the job: reasons, traces, retries."""

import pytest

from tests.interop.sides import ECHO

QUEUE = "mail"
TTL = 10_000


async def fail(roles, recipe=None, **opts):
    """Let a job fail for good, and read it."""
    worker = await roles.there.work(QUEUE, {"do": "fail", **(recipe or {})})
    heard = await roles.here.listen(QUEUE)
    job = await roles.here.add(QUEUE, "mail", **opts)
    await heard.until("failed", jobId=job["id"])
    return await roles.here.job(QUEUE, job["id"]), worker, heard


@pytest.mark.parametrize(
    "reason",
    ["boom", "ünï 😀", 'with "quotes"', "two\nlines", "[1, 2]", "null", '{"a": 1}', "x" * 5000],
    ids=["word", "unicode", "quotes", "lines", "list", "null", "object", "long"],
)
async def test_the_reason_is_the_raw_text_of_the_error(roles, reason):
    job, _, heard = await fail(roles, {"message": reason})

    assert job["failedReason"] == reason
    assert heard.of("failed")[0].fields["failedReason"] == reason
    assert await roles.there.job(QUEUE, job["id"]) == job


async def test_each_failed_attempt_leaves_its_stack_trace(roles):
    job, worker, _ = await fail(roles, {"message": "no route"}, attempts=3)
    await worker.notes.until("failed", times=3)

    assert job["attemptsMade"] == job["attemptsStarted"] == 3
    assert len(job["stacktrace"]) == 3
    assert all("no route" in trace for trace in job["stacktrace"])
    assert [note.fields["attemptsMade"] for note in worker.notes.of("failed")] == [1, 2, 3]


@pytest.mark.parametrize(("limit", "kept"), [(0, 0), (1, 1), (2, 2)], ids=str)
async def test_only_the_newest_stack_traces_are_kept(roles, limit, kept):
    job, _, _ = await fail(roles, attempts=3, stackTraceLimit=limit)

    assert len(job["stacktrace"]) == kept


async def test_a_job_succeeds_on_its_last_attempt(roles):
    await roles.there.work(QUEUE, {"do": "fail", "times": 2})
    job = await roles.here.add(QUEUE, "mail", attempts=3)

    result = await roles.here.wait(QUEUE, job["id"], TTL)

    assert result == {"by": roles.there.language, "attemptsMade": 2}
    assert (await roles.here.job(QUEUE, job["id"]))["attemptsMade"] == 3


async def test_an_unrecoverable_error_spends_no_more_attempts(roles):
    job, _, heard = await fail(roles, {"message": "never", "unrecoverable": True}, attempts=5)

    assert job["attemptsMade"] == 1
    assert job["failedReason"] == "never"
    assert not heard.of("retries-exhausted")


@pytest.mark.parametrize(
    ("backoff", "pauses"),
    [
        (40, [40, 40]),
        ({"type": "fixed", "delay": 40}, [40, 40]),
        ({"type": "exponential", "delay": 40}, [40, 80]),
    ],
    ids=["number", "fixed", "exponential"],
)
async def test_retries_wait_as_the_adder_said(roles, backoff, pauses):
    _, _, heard = await fail(roles, attempts=3, backoff=backoff)

    delayed = [note for note in heard.all if note.event == "delayed"]
    assert len(delayed) == len(pauses)
    assert len([n for n in heard.of("waiting") if n.fields.get("prev") == "delayed"]) == 2
    job = await roles.here.job(QUEUE, "1")
    assert job["finishedOn"] - job["timestamp"] >= sum(pauses)


async def test_either_language_takes_up_where_the_other_failed(roles):
    """The first attempt is made there, the second here, after a backoff that both understand."""
    first = await roles.there.work(QUEUE, {"do": "fail", "message": "first"})
    job = await roles.here.add(QUEUE, "mail", attempts=2, backoff={"type": "fixed", "delay": 300})
    await first.notes.until("failed", jobId=job["id"])
    await first.close()
    second = await roles.here.work(QUEUE, {"do": "fail", "times": 1})

    done = await second.notes.until("completed", jobId=job["id"])

    assert done.fields["result"] == {"by": roles.here.language, "attemptsMade": 1}
    job = await roles.there.job(QUEUE, job["id"])
    assert (job["attemptsMade"], job["attemptsStarted"]) == (2, 2)
    assert len(job["stacktrace"]) == 1


async def test_a_failed_job_can_be_retried_by_the_other(roles):
    job, worker, _ = await fail(roles)
    await worker.close()
    fresh = await roles.there.work(QUEUE, ECHO)

    await roles.here.retry(QUEUE, job["id"])
    await fresh.notes.until("completed", jobId=job["id"])

    job = await roles.here.job(QUEUE, job["id"])
    assert job["failedReason"] is None
    assert job["attemptsMade"] == 2
    assert await roles.there.state(QUEUE, job["id"]) == "completed"


async def test_exhausted_attempts_are_announced(roles):
    job, _, heard = await fail(roles, attempts=2)

    exhausted = await heard.until("retries-exhausted", jobId=job["id"])

    assert exhausted.fields["attemptsMade"] == "2"
    assert heard.names(job["id"]) == [
        "added",
        "waiting",
        "active",
        "waiting",
        "active",
        "failed",
        "retries-exhausted",
    ]
