"""The hash of a job as a record, whoever wrote it."""

import pytest

from bullpy.codec import JobRecord, ParentLink, decode_job
from bullpy.options import Backoff

MINIMAL = {
    "name": "welcome",
    "data": '{"to":"ann"}',
    "opts": '{"attempts":0}',
    "timestamp": "1700000000000",
    "delay": "0",
    "priority": "0",
}


def decoded(**fields):
    """A job's record with these fields beside the minimal ones; None leaves one of them out."""
    given = {name: text for name, text in {**MINIMAL, **fields}.items() if text is not None}
    return decode_job("17", [text for pair in given.items() for text in pair])


def test_the_least_that_bullmq_processes_is_a_whole_job():
    assert decoded() == JobRecord(
        "17", name="welcome", data={"to": "ann"}, timestamp=1_700_000_000_000
    )


def test_every_field_is_read():
    job = decoded(
        opts='{"attempts":3,"backoff":{"type":"fixed","delay":5}}',
        delay="1500.25",
        priority="-1",
        progress='{"done":5}',
        returnvalue='["ok"]',
        atm="2",
        ats="3",
        stc="1",
        processedOn="1700000000001",
        finishedOn="1700000000002",
        failedReason='"as it is"',
        stacktrace='["one","two"]',
        parentKey="bull:reports:7",
        parent='{"id":"7","queueKey":"bull:reports","fpof":true}',
        rjk="every-day",
        deid="d",
        defa="child failed",
        pb="w1",
    )

    assert job == JobRecord(
        "17",
        name="welcome",
        data={"to": "ann"},
        opts=job.opts,
        progress={"done": 5},
        returnvalue=["ok"],
        attempts_made=2,
        attempts_started=3,
        stalled_counter=1,
        delay=1500.25,
        priority=-1,
        timestamp=1_700_000_000_000,
        stacktrace=["one", "two"],
        processed_on=1_700_000_000_001,
        finished_on=1_700_000_000_002,
        failed_reason='"as it is"',
        parent_key="bull:reports:7",
        parent=ParentLink("7", "bull:reports", fail_parent_on_failure=True),
        repeat_job_key="every-day",
        deduplication_id="d",
        deferred_failure="child failed",
        processed_by="w1",
    )
    assert (job.opts.attempts, job.opts.backoff) == (3, Backoff("fixed", 5))


@pytest.mark.parametrize(
    ("flag", "policy"),
    [
        ("fpof", "fail_parent_on_failure"),
        ("cpof", "continue_parent_on_failure"),
        ("idof", "ignore_dependency_on_failure"),
        ("rdof", "remove_dependency_on_failure"),
    ],
)
def test_a_parents_policy_is_read_and_written_alike(flag, policy):
    link = decoded(parent=f'{{"id":"7","queueKey":"bull:q","{flag}":true}}').parent

    assert link == ParentLink("7", "bull:q", **{policy: True})
    assert link.stored() == {"id": "7", "queueKey": "bull:q", flag: True}
    assert link.key == "bull:q:7"


@pytest.mark.parametrize("missing", ["data", "opts", "timestamp", "delay", "priority"])
def test_a_missing_field_has_its_default(missing):
    job = decoded(**{missing: None})

    assert not job.problems
    assert getattr(job, missing) == getattr(JobRecord("17"), missing)


@pytest.mark.parametrize("name", ["data", "opts", "progress", "delay", "returnvalue", "parent"])
def test_an_empty_field_counts_as_missing(name):
    assert decoded(**{name: ""}) == decoded(**{name: None})


def test_empty_jobs_do_not_share_their_data():
    one, two = decoded(data=None), decoded(data=None)

    one.data["mine"] = True

    assert two.data == {}


@pytest.mark.parametrize(
    ("legacy", "newer", "made"), [("3", "1", 3), ("3", None, 3), ("", "1", 1), ("x", "1", 0)]
)
def test_the_attempts_of_bullmq_4_go_before_newer_ones(legacy, newer, made):
    assert decoded(attemptsMade=legacy, atm=newer).attempts_made == made


def test_a_later_copy_of_a_field_counts():
    fields = [text for pair in MINIMAL.items() for text in pair]

    assert decode_job("17", [*fields, "ats", "1", "ats", "2"]).attempts_started == 2


def test_fields_that_nobody_knows_are_passed_over():
    assert decoded(nrjid="x", stalledCounter="7", flowAttachmentFailed="1") == decoded()


@pytest.mark.parametrize("name", ["data", "opts", "progress", "parent"])
@pytest.mark.parametrize("text", ["no json", "{", "NaN", "[" * 10_000], ids=lambda t: t[:9])
def test_a_field_that_is_no_json_is_a_problem_and_the_rest_stays_readable(name, text):
    job = decoded(**{name: text})

    assert len(job.problems) == 1
    assert f"Field {name} of job 17 can't be read" in job.problems[0]
    assert getattr(job, name) == getattr(JobRecord("17"), name)
    assert job.name == "welcome"


@pytest.mark.parametrize(
    ("name", "text"),
    [("opts", "null"), ("opts", "[]"), ("parent", "[]"), ("parent", "{}"), ("parent", "5")],
)
def test_a_field_of_another_shape_is_a_problem(name, text):
    assert name in decoded(**{name: text}).problems[0]


def test_all_problems_are_told():
    assert len(decoded(data="x", opts="x", parent="x").problems) == 3


def test_a_hash_without_a_name_is_a_problem():
    assert "Job 17 has no name" in decoded(name=None).problems[0]
    assert "Job 17 has no name" in decode_job("17", []).problems[0]


def test_an_empty_name_is_a_name():
    assert not decoded(name="").problems


@pytest.mark.parametrize("text", ["no json", "undefined", "NaN"])
def test_a_result_or_stack_that_is_no_json_counts_as_none(text):
    job = decoded(returnvalue=text, stacktrace=text)

    assert (job.returnvalue, job.stacktrace, job.problems) == (None, [], ())


@pytest.mark.parametrize(
    ("text", "stacks"), [('{"a":1}', []), ("5", []), ('["a",5,null]', ["a", "5", "None"])]
)
def test_stack_traces_are_a_list_of_texts(text, stacks):
    assert decoded(stacktrace=text).stacktrace == stacks


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("-5", -5), ("0.5", 0.5), ("1e3", 1000), ("x", 0), ("nan", 0), ("inf", 0)],
)
def test_numbers_are_read_leniently(text, number):
    assert decoded(delay=text, atm=text).delay == number
    assert not decoded(delay=text).problems


def test_a_number_too_long_for_python_counts_as_none():
    assert decoded(delay="9" * 10_000).delay == 0
