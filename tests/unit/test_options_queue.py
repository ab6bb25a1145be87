"""Options of a queue, and entries of a bulk add."""

import pytest

from bullpy.errors import OptionError
from bullpy.options import (
    ABSENT,
    BulkEntry,
    QueueSettings,
    check_name,
    milliseconds,
    parse_bulk_entry,
    parse_queue_options,
)
from tests.fixtures.naming import stable

WHERE = "queue mail"


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        (None, QueueSettings({}, 10_000, skip_metas_update=False)),
        ({"streams": {"events": {"max_len": 5}}}, QueueSettings(max_len_events=5)),
        ({"streams": {"events": {"maxLen": 0}}}, QueueSettings(max_len_events=0)),
        ({"streams": {"events": {}}}, QueueSettings()),
        ({"streams": {}}, QueueSettings()),
        ({"streams": None}, QueueSettings()),
        ({"skipMetasUpdate": True}, QueueSettings(skip_metas_update=True)),
        (
            {"default_job_options": {"attempts": 3, "remove_on_fail": 5}},
            QueueSettings({"attempts": 3, "removeOnFail": 5}),
        ),
        ({"default_job_options": None}, QueueSettings()),
        ({"skipVersionCheck": True, "skipWaitingForReady": True}, QueueSettings()),
    ],
    ids=stable,
)
def test_options_come_to_settings(given, settings):
    assert parse_queue_options(given, where=WHERE) == settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"default_job_options": {"dealy": 5}},
            "Unknown option default_job_options.dealy, did you mean delay?",
        ),
        (
            {"defaultJobOptions": {"attempts": "3"}},
            "Option default_job_options.attempts must be a finite number",
        ),
        ({"default_job_options": 5}, "Option default_job_options must be a mapping of options"),
        ({"streams": {"events": {"max_len": -1}}}, "Option streams.events.max_len must be at"),
        ({"streams": {"event": {}}}, "Unknown option streams.event, did you mean events?"),
        ({"skip_metas_update": 1}, "Option skip_metas_update must be True or False"),
        ({"connection": {}}, "Option connection is an argument of its own"),
        (5, "Queue options must be a mapping of options, not 5"),
    ],
    ids=stable,
)
def test_what_is_wrong_is_refused_with_option_and_queue(options, message):
    with pytest.raises(OptionError) as refusal:
        parse_queue_options(options, where=WHERE)

    assert str(refusal.value).startswith(message)
    assert str(refusal.value).endswith(f"({WHERE})")


def test_an_entry_of_a_bulk_has_a_name_and_may_have_data_and_options():
    bare = parse_bulk_entry({"name": "n"}, where=WHERE)
    full = parse_bulk_entry({"name": "n", "data": None, "opts": {"delay": 1}}, where=WHERE)

    assert bare == BulkEntry("n", ABSENT, None)
    assert full == BulkEntry("n", None, {"delay": 1})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "A job needs a name"),
        ({"name": ""}, "A job needs a name"),
        ({"name": 5}, "Option name must be a string"),
        ({"name": "n", "options": {}}, "Unknown option options, did you mean opts?"),
        ("n", "A job must be a mapping of options, not 'n'"),
    ],
    ids=stable,
)
def test_an_entry_of_another_shape_is_refused(entry, message):
    with pytest.raises(OptionError) as refusal:
        parse_bulk_entry(entry, where="job 3 of a bulk for queue mail")

    assert str(refusal.value).startswith(message)
    assert "job 3" in str(refusal.value)


def test_a_name_must_be_text():
    check_name("welcome", where=WHERE)
    with pytest.raises(OptionError, match="A job's name must be a string, not 5"):
        check_name(5, where=WHERE)


def test_a_name_must_be_text_that_redis_can_hold():
    with pytest.raises(OptionError, match="A job's name holds half a surrogate pair"):
        check_name("\ud800", where=WHERE)


def test_a_duration_by_itself_is_checked_alike():
    assert milliseconds(1.5, name="grace", where=WHERE) == 1.5
    with pytest.raises(OptionError, match=r"Option grace must be a finite number, not 'x' \(queue"):
        milliseconds("x", name="grace", where=WHERE)
