"""The `opts` field of a job's hash: how it is written, and how anybody's is read."""

import json

import pytest

from bullpy.codec import decode_options, encode_options, public_options
from bullpy.options import Backoff, Deduplication, KeepJobs, ParentRef, parse_job_options
from tests.fixtures.naming import stable


def stored(**options):
    """What a job with these options has in its hash."""
    return json.loads(encode_options(parse_job_options(options, where="a test")))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"attempts": 0}),
        ({"attempts": None}, {}),
        ({"keep_logs": 3}, {"attempts": 0, "kl": 3}),
        ({"fail_parent_on_failure": True}, {"attempts": 0, "fpof": True}),
        ({"continue_parent_on_failure": True}, {"attempts": 0, "cpof": True}),
        ({"ignore_dependency_on_failure": True}, {"attempts": 0, "idof": True}),
        ({"remove_dependency_on_failure": False}, {"attempts": 0, "rdof": False}),
        (
            {"telemetry": {"metadata": "trace", "omit_context": True}},
            {"attempts": 0, "tm": "trace", "omc": True},
        ),
        ({"telemetry": {"metadata": "trace"}}, {"attempts": 0, "tm": "trace"}),
        (
            {"deduplication": {"id": "x", "ttl": 5, "keep_last_if_active": True}},
            {"attempts": 0, "de": {"id": "x", "ttl": 5, "keepLastIfActive": True}},
        ),
        ({"backoff": 1000}, {"attempts": 0, "backoff": {"type": "fixed", "delay": 1000}}),
        ({"backoff": 0}, {"attempts": 0, "backoff": {"type": "fixed", "delay": 0}}),
        (
            {"parent": {"id": "7", "queue": "bull:q"}},
            {"attempts": 0, "parent": {"id": "7", "queue": "bull:q"}},
        ),
        ({"job_id": 'a"b'}, {"attempts": 0, "jobId": 'a"b'}),
        ({"job_id": "x", "attempts": None}, {"jobId": "x"}),
        (
            {"remove_on_fail": {"age": 10, "count": None}},
            {"attempts": 0, "removeOnFail": {"age": 10}},
        ),
    ],
    ids=stable,
)
def test_options_are_stored_under_bullmqs_names(options, expected):
    assert stored(**options) == expected


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (0.1, 0.1),
        (1 / 3, 0.33333333333333),
        (1_700_000_000_000, 1_700_000_000_000),
        (1_700_000_000_000.123, 1_700_000_000_000.1),
        (12_345_678_901_234_567, 1.2345678901235e16),
        (123_456_789_012_345, 123_456_789_012_340),
    ],
)
def test_numbers_keep_fourteen_digits(given, kept):
    assert stored(delay=given)["delay"] == kept


def test_lists_of_foreign_options_are_kept():
    foreign = decode_options('{"custom":[0.3333333333333333,null,{"a":null}]}')

    assert json.loads(encode_options(foreign))["custom"] == [0.33333333333333, None, {}]


def test_jobs_with_equal_options_share_one_text():
    one = parse_job_options({"attempts": 3, "backoff": {"type": "fixed"}}, where="one")
    two = parse_job_options({"attempts": 3, "backoff": {"type": "fixed"}}, where="two")

    assert one is two
    assert encode_options(one) is encode_options(two)


def test_a_parents_child_does_not_inherit_its_sisters_text():
    settings = parse_job_options({"attempts": 3}, where="a test")
    encode_options(settings)

    child = json.loads(encode_options(settings.under("7", "bull:q")))

    assert child == {"attempts": 3, "parent": {"id": "7", "queue": "bull:q"}}
    assert json.loads(encode_options(settings)) == {"attempts": 3}


def test_a_named_child_keeps_id_and_parent():
    settings = parse_job_options({"job_id": "c", "lifo": True}, where="a test")
    encode_options(settings)

    child = json.loads(encode_options(settings.under("7", "bull:q")))

    assert child == {
        "attempts": 0,
        "jobId": "c",
        "lifo": True,
        "parent": {"id": "7", "queue": "bull:q"},
    }


def test_stored_options_are_read_back():
    settings = parse_job_options(
        {
            "job_id": "x",
            "attempts": 3,
            "backoff": {"type": "exponential", "delay": 100, "jitter": 0.5},
            "delay": 1.5,
            "priority": 7,
            "lifo": True,
            "timestamp": 1,
            "remove_on_complete": True,
            "remove_on_fail": {"count": 5, "age": 10, "limit": 2},
            "keep_logs": 3,
            "stack_trace_limit": 2,
            "size_limit": 100,
            "parent": {"id": "7", "queue": "bull:q"},
            "fail_parent_on_failure": True,
            "telemetry": {"metadata": "trace", "omit_context": True},
        },
        where="a test",
    )

    read = decode_options(encode_options(settings))

    assert read == settings
    assert public_options(read) == public_options(settings)
    assert read.backoff == Backoff("exponential", 100, 0.5)
    assert read.remove_on_complete == KeepJobs(count=0)
    assert read.remove_on_fail == KeepJobs(5, 10, 2)
    assert read.parent == ParentRef("7", "bull:q")
    assert read.telemetry_metadata == "trace"
    assert read.omit_context


def test_deduplication_is_read_back():
    given = {"id": "x", "ttl": 5, "extend": True, "replace": True, "reschedule": True}
    settings = parse_job_options({"deduplication": given}, where="a test")

    read = decode_options(encode_options(settings))

    assert read.deduplication == Deduplication(
        "x", ttl=5, extend=True, replace=True, reschedule=True
    )
    assert read.deduplication.stored() == given


def test_equal_texts_are_read_once():
    assert decode_options('{"attempts":3}') is decode_options('{"attempts":3}')


@pytest.mark.parametrize(
    "text",
    ['{"attempts":3,"jobId":"x"}', f'{{"attempts":3,"tm":"{"x" * 1000}"}}'],
    ids=["names its job", "is long"],
)
def test_a_text_that_no_other_job_has_is_not_kept(text):
    assert decode_options(text) is not decode_options(text)


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("{}", {"attempts": 0}),
        ('{"attempts":5,"kl":2}', {"attempts": 5, "keepLogs": 2}),
        ('{"backoff":500}', {"attempts": 0, "backoff": {"type": "fixed", "delay": 500}}),
        ('{"tm":"t"}', {"attempts": 0, "telemetry": {"metadata": "t"}}),
        ('{"omc":true}', {"attempts": 0, "telemetry": {"omitContext": True}}),
        (
            '{"repeat":{"every":5},"prevMillis":1}',
            {"attempts": 0, "repeat": {"every": 5}, "prevMillis": 1},
        ),
    ],
)
def test_the_public_view_has_bullmqs_names_and_keeps_what_is_unknown(text, public):
    assert public_options(decode_options(text)) == public


def test_the_public_view_is_a_copy():
    settings = decode_options('{"attempts":3}')

    public_options(settings)["attempts"] = 9

    assert public_options(settings) == {"attempts": 3}


@pytest.mark.parametrize(
    "text", ["", "no json", "null", "[]", "5", '"text"', "NaN", "[" * 10_000], ids=stable
)
def test_what_holds_no_options_reads_as_none_given(text):
    assert public_options(decode_options(text)) == {"attempts": 0}


@pytest.mark.parametrize(
    "text",
    [
        '{"attempts":"3","delay":"5","priority":null,"timestamp":"now","jobId":5}',
        '{"attempts":[],"keepLogs":{},"stackTraceLimit":"x","sizeLimit":false}',
        '{"attempts":1e999,"kl":-1e999,"delay":1e999,"removeOnComplete":1e999}',
        f'{{"attempts":1{"0" * 400},"delay":1{"0" * 400}}}',
        '{"backoff":"x","parent":"p","de":"d","telemetry":"t"}',
        '{"backoff":[1],"parent":[],"de":[]}',
    ],
)
def test_options_of_a_wrong_type_count_as_not_given(text):
    settings = decode_options(text)

    assert (settings.attempts, settings.delay, settings.priority) == (0, 0, 0)
    assert (settings.timestamp, settings.job_id, settings.keep_logs) == (None, None, None)
    assert (settings.backoff, settings.parent, settings.deduplication) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "keep"),
    [
        ("true", KeepJobs(count=0)),
        ("false", KeepJobs(count=-1)),
        ("0", KeepJobs(count=0)),
        ("5", KeepJobs(count=5)),
        ("-1", KeepJobs(count=-1)),
        ('""', KeepJobs(count=-1)),
        ('"yes"', KeepJobs(count=0)),
        ("{}", KeepJobs()),
        ('{"count":5,"age":10,"limit":2}', KeepJobs(5, 10, 2)),
        ('{"count":"5","age":null,"limit":true}', KeepJobs()),
        ("null", None),
    ],
)
def test_retention_is_read_as_bullmq_reads_it(text, keep):
    settings = decode_options(f'{{"removeOnComplete":{text},"removeOnFail":{text}}}')

    assert settings.remove_on_complete == keep
    assert settings.remove_on_fail == keep
