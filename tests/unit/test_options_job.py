"""Options of a job: what is accepted, what it comes to, and what is refused."""

import math
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

import pytest

from bullpy.errors import OptionError
from bullpy.options import (
    PLAIN,
    Backoff,
    Deduplication,
    KeepJobs,
    ParentRef,
    check_size,
    parse_job_options,
)
from tests.fixtures.naming import stable

WHERE = "job 'n' of queue mail"
TOGETHER = "The following options cannot be used together"
TOKYO = timezone(timedelta(hours=9))


def parsed(**options):
    """The settings of a job with these options."""
    return parse_job_options(options, where=WHERE)


def refusal(options, defaults=None):
    """What is said about options that are refused."""
    with pytest.raises(OptionError) as error:
        parse_job_options(options, where=WHERE, defaults=defaults)
    return str(error.value)


# --- accepted ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "attribute", "expected"),
    [
        ({"attempts": 3}, "attempts", 3),
        ({"attempts": 3.0}, "attempts", 3),
        ({"delay": 1500}, "delay", 1500),
        ({"delay": -1000}, "delay", -1000),
        ({"delay": 1500.25}, "delay", 1500.25),
        ({"delay": timedelta(seconds=1.5)}, "delay", 1500),
        ({"delay": timedelta(microseconds=500)}, "delay", 0.5),
        ({"delay": timedelta(days=36_500)}, "delay", 3_153_600_000_000),
        ({"delay": 10**300}, "delay", 1e300),
        ({"priority": 2_097_151}, "priority", 2_097_151),
        ({"priority": 5.0}, "priority", 5),
        ({"priority": -1}, "priority", -1),
        ({"lifo": True}, "lifo", True),
        ({"timestamp": 1_600_000_000_000}, "timestamp", 1_600_000_000_000),
        ({"timestamp": datetime(2030, 1, 1, tzinfo=UTC)}, "timestamp", 1_893_456_000_000),
        ({"timestamp": datetime(2030, 1, 1, 9, tzinfo=TOKYO)}, "timestamp", 1_893_456_000_000),
        (
            {"timestamp": datetime(2030, 1, 1, 0, 0, 0, 1999, tzinfo=UTC)},
            "timestamp",
            1_893_456_000_001,
        ),
        ({"backoff": 500}, "backoff", Backoff("fixed", 500)),
        ({"backoff": 0}, "backoff", Backoff("fixed", 0)),
        ({"backoff": timedelta(seconds=2)}, "backoff", Backoff("fixed", 2000)),
        ({"backoff": {"type": "mine"}}, "backoff", Backoff("mine")),
        (
            {"backoff": {"type": "exponential", "delay": timedelta(seconds=1), "jitter": 0.5}},
            "backoff",
            Backoff("exponential", 1000, 0.5),
        ),
        ({"backoff": {"type": "fixed", "jitter": 1}}, "backoff", Backoff("fixed", None, 1)),
        ({"remove_on_complete": True}, "remove_on_complete", KeepJobs(count=0)),
        ({"remove_on_complete": False}, "remove_on_complete", KeepJobs(count=-1)),
        ({"remove_on_fail": 0}, "remove_on_fail", KeepJobs(count=0)),
        ({"remove_on_fail": 7}, "remove_on_fail", KeepJobs(count=7)),
        ({"remove_on_fail": -1}, "remove_on_fail", KeepJobs(count=-1)),
        ({"remove_on_fail": {}}, "remove_on_fail", KeepJobs()),
        (
            {"remove_on_fail": {"age": timedelta(days=1), "count": 5, "limit": 9}},
            "remove_on_fail",
            KeepJobs(5, 86_400, 9),
        ),
        ({"keep_logs": 0}, "keep_logs", 0),
        ({"stack_trace_limit": 0}, "stack_trace_limit", 0),
        ({"size_limit": 10}, "size_limit", 10),
        ({"timeout": timedelta(seconds=2)}, "timeout", 2000),
        ({"parent": {"id": "7", "queue": "bull:q"}}, "parent", ParentRef("7", "bull:q")),
        ({"deduplication": {"id": "a:b"}}, "deduplication", Deduplication("a:b")),
        (
            {"deduplication": {"id": "x", "ttl": timedelta(seconds=1), "extend": True}},
            "deduplication",
            Deduplication("x", 1000, extend=True),
        ),
        ({"fail_parent_on_failure": True}, "fail_parent_on_failure", True),
        ({"telemetry": {"metadata": "m"}}, "telemetry_metadata", "m"),
        ({"telemetry": {"omit_context": True}}, "omit_context", True),
    ],
    ids=stable,
)
def test_an_option_comes_to_a_setting(given, attribute, expected):
    found = getattr(parsed(**given), attribute)

    assert found == expected
    assert type(found) is type(expected)


def test_without_options_all_jobs_share_the_same_settings():
    assert parse_job_options(None, where=WHERE) is parse_job_options({}, where=WHERE) is PLAIN


@pytest.mark.parametrize(
    ("snake", "camel"),
    [
        ({"remove_on_fail": 3}, {"removeOnFail": 3}),
        ({"job_id": "x"}, {"jobId": "x"}),
        ({"job_id": "x", "keep_logs": 1}, {"jobId": "x", "keep_logs": 1}),
        ({"telemetry": {"omit_context": True}}, {"telemetry": {"omitContext": True}}),
        (
            {"deduplication": {"id": "x", "keep_last_if_active": True}},
            {"deduplication": {"id": "x", "keepLastIfActive": True}},
        ),
    ],
    ids=stable,
)
def test_bullmqs_spelling_means_the_same(snake, camel):
    one, two = parsed(**snake), parsed(**camel)

    assert one == two
    assert one.public == two.public


def test_any_mapping_will_do():
    given = MappingProxyType({"job_id": "x", "attempts": 3})

    assert parse_job_options(given, where=WHERE) == parsed(job_id="x", attempts=3)


@pytest.mark.parametrize(
    "job_id",
    [
        *("00", "007", "1.5", "1e3", " 12", "12 ", "0x1F", "-0", "+5", "1_000"),
        *("123456789012345678", "1" + "0" * 21, "abc", "a b", "é", "-"),
        *("a:b:c", "::", "a::b", "a0:b:c", "repeat:x:123"),
    ],
)
def test_a_custom_id_is_taken(job_id):
    settings = parsed(job_id=job_id)

    assert settings.job_id == job_id
    assert settings.public["jobId"] == job_id


def test_an_empty_id_means_that_the_queue_counts():
    assert parsed(job_id="").job_id is None


# --- refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("job_id", "message"),
    [
        ("7", "Custom Id cannot be integers"),
        ("-5", "Custom Id cannot be integers"),
        ("0", "Custom Id cannot be integers"),
        ("NaN", "Custom Id cannot be integers"),
        ("123456789012345680", "Custom Id cannot be integers"),
        ("1" + "0" * 20, "Custom Id cannot be integers"),
        ("0:", "JobId cannot be '0' or start with '0:'"),
        ("0:1", "JobId cannot be '0' or start with '0:'"),
        ("0:1:2", "JobId cannot be '0' or start with '0:'"),
        ("a:b", "Custom Id cannot contain :"),
        ("a:b:c:d", "Custom Id cannot contain :"),
        (":", "Custom Id cannot contain :"),
        ("wait", "Custom Id cannot be the name of a key of the queue"),
        ("waiting-children", "Custom Id cannot be the name of a key of the queue"),
        ("de:x:y", "Custom Id cannot be the name of a key of the queue"),
        ("metrics:completed:data", "Custom Id cannot be the name of a key of the queue"),
        ("\ud800", "Option job_id holds half a surrogate pair"),
        (5, "Option job_id must be a string"),
        (True, "Option job_id must be a string"),
        (b"x", "Option job_id must be a string"),
    ],
)
def test_an_id_that_would_clash_is_refused(job_id, message):
    for options in ({"job_id": job_id}, {"jobId": job_id, "attempts": 2}):
        assert refusal(options).startswith(message)
        assert repr(job_id) in refusal(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        # In BullMQ's words.
        ({"priority": 1.5}, "Priority should not be float"),
        ({"priority": 0.1}, "Priority should not be float"),
        ({"priority": 2_097_152}, "Priority should be between 0 and 2097151"),
        ({"priority": -2_097_152}, "Priority should be between 0 and 2097151"),
        ({"priority": 10**400}, "Option priority must be a finite number"),
        ({"backoff": {"type": "fixed", "jitter": 1.1}}, "Jitter should be between 0 and 1"),
        ({"backoff": {"type": "fixed", "jitter": -0.1}}, "Jitter should be between 0 and 1"),
        ({"deduplication": {}}, "Deduplication id must be provided"),
        ({"deduplication": {"id": ""}}, "Deduplication id must be provided"),
        ({"deduplication": {"id": None}}, "Deduplication id must be provided"),
        (
            {"deduplication": {"id": "x"}, "parent": {"id": "7", "queue": "bull:q"}},
            "Deduplication and parent options cannot be used together",
        ),
        (
            {"ignore_dependency_on_failure": True, "remove_dependency_on_failure": True},
            f"{TOGETHER}: removeDependencyOnFailure, ignoreDependencyOnFailure",
        ),
        (
            {"continue_parent_on_failure": True, "fail_parent_on_failure": True},
            f"{TOGETHER}: failParentOnFailure, continueParentOnFailure",
        ),
        (
            {"debounce": {"id": "x"}},
            "Debounce option has been removed. Use deduplication option instead",
        ),
        ({"debounce": None}, "Debounce option has been removed"),
        ({"repeat": {"every": 5}}, "Option repeat has been removed"),
        # In bullpy's: BullMQ stores these, and comes to grief later.
        ({"delay": "5"}, "Option delay must be a finite number, not '5'"),
        ({"delay": math.nan}, "Option delay must be a finite number, not nan"),
        ({"delay": math.inf}, "Option delay must be a finite number, not inf"),
        ({"delay": True}, "Option delay must be a finite number, not True"),
        ({"delay": 10**400}, "Option delay must be a finite number"),
        ({"attempts": 1.5}, "Option attempts must be a whole number"),
        ({"attempts": -1}, "Option attempts must be at least 0"),
        ({"attempts": 10**20}, "Option attempts must be a whole number"),
        ({"attempts": "3"}, "Option attempts must be a finite number"),
        ({"priority": True}, "Option priority must be a finite number"),
        ({"lifo": 1}, "Option lifo must be True or False"),
        ({"keep_logs": -1}, "Option keep_logs must be at least 0"),
        ({"timestamp": "now"}, "Option timestamp must be a finite number"),
        ({"timestamp": datetime(2030, 1, 1)}, "Option timestamp must be an aware datetime"),  # noqa: DTZ001 - that is the point
        ({"backoff": "fixed"}, "Option backoff must be a finite number"),
        ({"backoff": -1}, "Option backoff must be at least 0"),
        ({"backoff": {}}, "Option backoff needs a type"),
        ({"backoff": {"type": ""}}, "Option backoff needs a type"),
        ({"backoff": {"type": 5}}, "Option backoff.type must be a string"),
        ({"backoff": {"type": "fixed", "delay": -1}}, "Option backoff.delay must be at least 0"),
        ({"backoff": {"type": "fixed", "dealy": 1}}, "Unknown option backoff.dealy"),
        ({"remove_on_fail": "yes"}, "Option remove_on_fail must be True, False, a number or"),
        ({"remove_on_fail": 1.5}, "Option remove_on_fail must be a whole number"),
        ({"remove_on_fail": {"age": -1}}, "Option remove_on_fail.age must be at least 0"),
        ({"remove_on_fail": {"limit": 0}}, "Option remove_on_fail.limit must be at least 1"),
        ({"parent": {"id": "7"}}, "Option parent needs an id and a queue with its prefix"),
        ({"parent": {"id": "7", "queue": "q"}}, "Option parent needs an id and a queue with its"),
        ({"parent": "7"}, "Option parent must be a mapping of options, not '7'"),
        ({"deduplication": "x"}, "Option deduplication must be a mapping of options, not 'x'"),
        ({"attempts": 1, 5: 2}, "Unknown option 5"),
        ([("attempts", 1)], "Job options must be a mapping of options"),
    ],
    ids=stable,
)
def test_what_is_wrong_is_refused_with_option_and_job(options, message):
    said = refusal(options)

    assert said.startswith(message)
    assert said.endswith(f"({WHERE})")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("dealy", "delay"),
        ("remove_on_completed", "remove_on_complete"),
        ("removeOnFailure", "remove_on_fail"),
        ("jobid", "job_id"),
        ("Attempts", "attempts"),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest_known_one(name, near):
    assert refusal({name: 1}) == f"Unknown option {name}, did you mean {near}? ({WHERE})"


def test_an_option_unlike_any_other_is_refused_without_a_guess():
    assert refusal({"zzz": 1}) == f"Unknown option zzz ({WHERE})"


def test_all_that_is_wrong_is_told_at_once():
    said = refusal({"dealy": 5, "attempts": "3", "backoff": {"jitter": 2}, "job_id": "7"})

    for problem in ("dealy", "attempts", "Jitter", "needs a type", "Custom Id"):
        assert problem in said


@pytest.mark.parametrize(
    "options",
    [{"remove_on_fail": 1, "removeOnFail": 1}, {"job_id": "x", "jobId": "y"}],
    ids=stable,
)
def test_an_option_given_in_two_spellings_is_refused(options):
    assert "is given twice, in two spellings" in refusal(options)


# --- defaults ----------------------------------------------------------------------------------

DEFAULTS = {"attempts": 3, "backoff": {"type": "fixed", "delay": 5}, "removeOnComplete": True}


@pytest.mark.parametrize(
    ("options", "public"),
    [
        ({}, DEFAULTS),
        (None, DEFAULTS),
        ({"attempts": 5}, {**DEFAULTS, "attempts": 5}),
        # One level deep: BullMQ does not mix a default's mapping with a given one.
        ({"backoff": {"type": "mine"}}, {**DEFAULTS, "backoff": {"type": "mine"}}),
        ({"job_id": "x"}, {**DEFAULTS, "jobId": "x"}),
    ],
    ids=stable,
)
def test_defaults_hold_unless_given(options, public):
    assert parse_job_options(options, where=WHERE, defaults=DEFAULTS).public == public


def test_an_explicit_none_removes_a_default():
    settings = parse_job_options(
        {"attempts": None, "remove_on_complete": None}, where=WHERE, defaults=DEFAULTS
    )

    assert settings.public == {"backoff": {"type": "fixed", "delay": 5}}
    assert (settings.attempts, settings.remove_on_complete) == (0, None)


def test_a_default_and_an_option_can_exclude_each_other():
    said = refusal({"fail_parent_on_failure": True}, {"ignoreDependencyOnFailure": True})

    assert said.startswith(TOGETHER)


# --- sharing -----------------------------------------------------------------------------------


def test_equal_options_share_their_settings():
    options = {"attempts": 2, "backoff": {"type": "fixed", "delay": timedelta(seconds=1)}}
    named = {"attempts": 2, "backoff": {"type": "fixed", "delay": 1000}, "job_id": "x"}

    assert parsed(attempts=2, lifo=True) is parsed(attempts=2, lifo=True)
    assert parsed(**options) == parsed(**options)
    assert parsed(**named).unnamed is parsed(**{**named, "job_id": "y"}).unnamed


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"remove_on_fail": True}, {"remove_on_fail": 1}),
        ({"remove_on_fail": False}, {"remove_on_fail": 0}),
        ({"remove_on_fail": {"count": 1}}, {"remove_on_complete": {"count": 1}}),
        ({"attempts": None}, {"attempts": 0}),
    ],
    ids=stable,
)
def test_options_that_only_look_equal_do_not_share(one, two):
    assert repr(parsed(**one).public) != repr(parsed(**two).public)


def test_equal_options_under_other_defaults_do_not_share():
    plain = parsed(lifo=True)

    tried = parse_job_options({"lifo": True}, where=WHERE, defaults={"attempts": 3})

    assert (plain.attempts, tried.attempts) == (0, 3)


def test_what_was_refused_once_is_refused_again():
    assert refusal({"attempts": -1}) == refusal({"attempts": -1})


def test_an_object_changed_afterwards_does_not_change_the_settings():
    backoff = {"type": "fixed", "delay": 1}
    settings = parsed(backoff=backoff)

    backoff["delay"] = 2

    assert settings.backoff == Backoff("fixed", 1)
    assert settings.public["backoff"] == {"type": "fixed", "delay": 1}
    assert parsed(backoff=backoff).backoff == Backoff("fixed", 2)


def test_ever_new_options_do_not_fill_the_memory(monkeypatch):
    shared = {}
    monkeypatch.setattr("bullpy.options.job_parse._shared", shared)
    monkeypatch.setattr("bullpy.options.job_parse.MAX_SHARED", 10)

    for delay in range(100):
        assert parsed(delay=delay).delay == delay

    assert len(shared) <= 10


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        parsed(attempts=3).attempts = 5


def test_deduplication_is_stored_without_what_is_not_set():
    rule = Deduplication("x", ttl=5, keep_last_if_active=True)

    assert rule.stored() == {"id": "x", "ttl": 5, "keepLastIfActive": True}


# --- size --------------------------------------------------------------------------------------


def test_data_may_have_as_many_bytes_of_utf8_as_its_limit():
    check_size('"é"', parsed(size_limit=4), name="n", queue="mail")


def test_data_over_its_limit_is_refused_with_job_and_queue():
    with pytest.raises(OptionError, match=r"The size of job n exceeds the limit 3 bytes .*mail"):
        check_size('"é"', parsed(size_limit=3), name="n", queue="mail")


@pytest.mark.parametrize("options", [{}, {"size_limit": 0}])
def test_data_without_a_limit_may_have_any_size(options):
    check_size("x" * 100_000, parsed(**options), name="n", queue="mail")
