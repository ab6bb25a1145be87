"""Cron patterns as BullMQ's cron library reads them: all values were taken from it."""

from datetime import UTC, datetime, timedelta

import pytest

from bullpy.cron import next_match
from bullpy.errors import OptionError


def moment(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def matches(pattern, tz, after, count):
    found = []
    for _ in range(count):
        after = next_match(pattern, tz=tz, after=after)
        found.append(f"{datetime.fromtimestamp(after / 1000, UTC):%Y-%m-%dT%H:%M:%S}")
    return found


@pytest.mark.parametrize(
    ("pattern", "after", "expected"),
    [
        ("*/10 * * * * *", "2024-01-01T00:00:00", "2024-01-01T00:00:10 2024-01-01T00:00:20"),
        ("*/10 * * * * *", "2024-01-01T00:00:09.999", "2024-01-01T00:00:10"),
        ("* * * * *", "2024-01-01T00:00:00", "2024-01-01T00:01:00"),
        ("", "2024-01-01T00:00:00", "2024-01-01T00:01:00"),
        ("0 15 3 * * *", "2024-01-01T03:15:00", "2024-01-02T03:15:00"),
        ("0 9 * * 1-5", "2024-01-05T09:00:00", "2024-01-08T09:00:00"),
        ("5 6", "2024-01-01T00:00:00", "2024-05-04T00:00:00"),
        ("0 0 L * *", "2024-01-15T00:00:00", "2024-01-31T00:00:00 2024-02-29T00:00:00"),
        ("0 0 * * 5L", "2024-01-15T00:00:00", "2024-01-26T00:00:00 2024-02-23T00:00:00"),
        ("0 0 * * 1#2", "2024-01-15T00:00:00", "2024-02-12T00:00:00 2024-03-11T00:00:00"),
        ("0 0 13 * 5", "2024-01-06T00:00:00", "2024-01-12T00:00:00 2024-01-13T00:00:00"),
        ("0 0 29 2 *", "2024-03-01T00:00:00", "2028-02-29T00:00:00 2032-02-29T00:00:00"),
        ("0 0 * jan,FEB 7", "2024-01-01T00:00:00", "2024-01-07T00:00:00"),
        ("1/20 * * * *", "2024-01-01T00:00:00", "2024-01-01T00:01:00 2024-01-01T00:21:00"),
        ("@hourly", "2024-01-01T00:00:00", "2024-01-01T01:00:00"),
    ],
)
def test_a_pattern_matches_strictly_after_a_moment(pattern, after, expected):
    wanted = expected.split()

    assert matches(pattern, "UTC", moment(after), len(wanted)) == wanted


@pytest.mark.parametrize(
    ("pattern", "tz", "after", "expected"),
    [
        pytest.param(
            "30 2 * * *",
            "America/New_York",
            "2024-03-09T00:00:00",
            "2024-03-09T07:30:00 2024-03-10T07:30:00 2024-03-11T06:30:00",
            id="jumped over: an hour later",
        ),
        pytest.param(
            "0 * * * *",
            "America/New_York",
            "2024-03-10T05:30:00",
            "2024-03-10T06:00:00 2024-03-10T07:00:00 2024-03-10T08:00:00",
            id="any hour: each real hour of a short day",
        ),
        pytest.param(
            "30 1 * * *",
            "America/New_York",
            "2024-11-02T12:00:00",
            "2024-11-03T05:30:00 2024-11-04T06:30:00",
            id="repeated: once",
        ),
        pytest.param(
            "0 * * * *",
            "America/New_York",
            "2024-11-03T04:30:00",
            "2024-11-03T05:00:00 2024-11-03T06:00:00 2024-11-03T07:00:00",
            id="any hour: each real hour of a long day",
        ),
        pytest.param(
            "30 2 * * *",
            "Europe/Madrid",
            "2024-10-26T12:00:00",
            "2024-10-27T00:30:00 2024-10-28T01:30:00",
            id="the first of two equal times",
        ),
        pytest.param(
            "0 0 * * *",
            "America/Sao_Paulo",
            "2018-11-03T12:00:00",
            "2018-11-05T02:00:00",
            id="a day without midnight is left out",
        ),
        pytest.param(
            "0 0 * * *",
            "Asia/Kolkata",
            "2024-01-01T00:00:00",
            "2024-01-01T18:30:00",
            id="half an hour off",
        ),
    ],
)
def test_a_pattern_follows_the_clocks_of_its_zone(pattern, tz, after, expected):
    wanted = expected.split()

    assert matches(pattern, tz, moment(after), len(wanted)) == wanted


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("0 0 0 * *", "got value 0 expected range 1-31"),
        ("0 0 30 2 *", "Invalid explicit day of month definition"),
        ("60 * * * * *", "got value 60 expected range 0-59"),
        ("* * * * * * *", "too many fields"),
        ("not a pattern", "'not' is no value"),
        ("*/0 * * * *", "empty range"),
        ("5-1 * * * *", "empty range"),
        ("0 0 * * 1#6", "expected range 1-5"),
    ],
)
def test_a_pattern_that_cannot_be_read_is_refused_with_the_reason(pattern, why):
    with pytest.raises(OptionError, match=why):
        next_match(pattern, tz="UTC", after=0)


@pytest.mark.parametrize("tz", ["Bad/Zone", "+05:30", ""])
def test_an_unknown_time_zone_is_refused(tz):
    with pytest.raises(OptionError, match="is not known"):
        next_match("* * * * *", tz=tz, after=0)


def test_what_lies_beyond_all_calendars_never_comes():
    assert next_match("* * * * *", tz="UTC", after=1e18) is None


def test_without_a_zone_the_machines_clock_counts():
    after = moment("2024-06-01T00:00:00")

    found = datetime.fromtimestamp(next_match("0 12 * * *", tz=None, after=after) / 1000, UTC)

    assert found.astimezone().hour == 12
    assert found - datetime.fromtimestamp(after / 1000, UTC) <= timedelta(days=1)
