"""The pure parts of the event reader: entries, places, waiters, and who is told what."""

import asyncio

import pytest

from bullpy.errors import BullError, OptionError
from bullpy.events.dispatch import Dispatcher
from bullpy.events.entry import StreamEvent, decode_entry
from bullpy.events.place import checked_place, gap
from bullpy.events.waiters import Waiters
from bullpy.keys import QueueKeys
from bullpy.scripts import stream

KEYS = QueueKeys("bull", "mail")


# ---- entries


@pytest.mark.parametrize(
    ("flat", "name", "fields"),
    [
        (
            ["event", "completed", "jobId", "1", "returnvalue", '{"v":1}', "prev", "active"],
            "completed",
            {"jobId": "1", "returnvalue": {"v": 1}, "prev": "active"},
        ),
        (
            ["event", "failed", "jobId", "1", "failedReason", '{"v":1}'],
            "failed",
            {"jobId": "1", "failedReason": '{"v":1}'},
        ),
        (["event", "progress", "jobId", "1", "data", "50"], "progress", {"jobId": "1", "data": 50}),
        (["event", "delayed", "delay", "123.5"], "delayed", {"delay": 123.5}),
        (["event", "delayed", "delay", "1700000000000"], "delayed", {"delay": 1_700_000_000_000}),
        (["event", "retries-exhausted", "attemptsMade", "1"], "retries-exhausted",
         {"attemptsMade": "1"}),
        (["event", "cleaned", "count", "3"], "cleaned", {"count": "3"}),
        (["event", "completed", "jobId", "1"], "completed", {"jobId": "1"}),
        (["who", "world", "event", "hello"], "hello", {"who": "world"}),
        (["event", "mine", "data", "{", "returnvalue", "{", "delay", "x"], "mine",
         {"data": "{", "returnvalue": "{", "delay": "x"}),
    ],
)  # fmt: skip
def test_an_entry_is_decoded_as_bullmq_does(flat, name, fields):
    assert decode_entry("1-0", flat) == StreamEvent(name, fields, "1-0")


@pytest.mark.parametrize(
    ("flat", "why"),
    [
        (["event", "progress", "jobId", "1", "data", ""], "field 'data' is not JSON: ''"),
        (["event", "completed", "returnvalue", "{"], "field 'returnvalue' is not JSON: '{'"),
        (["event", "delayed", "delay", "soon"], "field 'delay' is not JSON: 'soon'"),
        (["event", "delayed", "delay", '"1"'], "field 'delay' is no number"),
        (["event", "delayed", "delay", "true"], "field 'delay' is no number"),
        (["event", "completed", "returnvalue", "[" * 100_000], "field 'returnvalue' is not JSON"),
        (["jobId", "1"], "no field 'event'"),
    ],
    ids=["empty-progress", "result", "delay", "delay-text", "delay-bool", "deep", "nameless"],
)
def test_an_entry_that_cannot_be_read_says_which_field_is_wrong(flat, why):
    with pytest.raises(BullError, match=why):
        decode_entry("1-0", flat)


def test_an_event_knows_its_job():
    assert StreamEvent("completed", {"jobId": "7"}, "1-0").job_id == "7"
    assert StreamEvent("paused", {}, "1-0").job_id is None
    assert StreamEvent("odd", {"jobId": ""}, "1-0").job_id is None


# ---- places


@pytest.mark.parametrize("given", ["0", "0-0", "1700000000000", "1700000000000-12"])
def test_ids_of_entries_are_places(given):
    assert checked_place(given, "mail") == given


def test_the_end_of_the_stream_is_no_place_yet():
    assert checked_place(None, "mail") is None
    assert checked_place("$", "mail") is None


@pytest.mark.parametrize("given", ["", "x", "1-", "-1", "1-2-3", "+", "-5-1", "٣-0", 17, b"1-0"])
def test_what_is_no_id_is_refused(given):
    with pytest.raises(OptionError, match="last_event_id of the events of queue 'mail'"):
        checked_place(given, "mail")


def test_ids_are_ordered_by_number():
    assert stream.position("9-10") > stream.position("9-9") > stream.position("9")
    assert stream.position("10-0") > stream.position("9-999")


@pytest.mark.parametrize(
    ("after", "first", "lost"),
    [
        ("5-0", "5-1", True),
        ("5-0", "10-0", True),
        ("5-0", "5-0", False),
        ("5-3", "5-2", False),
        ("5-0", None, False),
        ("0-0", "5-0", False),
        ("0", "5-0", False),
    ],
)
def test_a_gap_is_seen_if_the_entry_read_last_is_gone(after, first, lost):
    found = gap("mail", after=after, first=first)

    assert (found is not None) is lost
    assert not lost or f"queue 'mail' may be lost: event {after} was read last" in str(found)


# ---- commands


def test_reading_is_bounded_and_blocks_only_if_told():
    assert stream.read_events(KEYS, "1-0", count=9, block_ms=50).args == (
        "XREAD", "COUNT", 9, "BLOCK", 50, "STREAMS", "bull:mail:events", "1-0"
    )  # fmt: skip
    assert "BLOCK" not in stream.read_events(KEYS, "1-0", count=9).args


def test_publishing_is_not_repeated_by_itself():
    command = stream.publish_event(KEYS, "hello", {"who": "world"}, max_events=5)

    assert command.args == (
        "XADD", "bull:mail:events", "MAXLEN", "~", 5, "*", "event", "hello", "who", "world"
    )  # fmt: skip
    assert not command.repeatable


def test_replies_of_empty_streams_are_read():
    assert stream.read_events(KEYS, "0-0", count=1).decode(None) == []
    assert stream.last_event_id(KEYS).decode([]) is None
    assert stream.first_event_id(KEYS).decode([["5-0", ["event", "x"]]]) == "5-0"


# ---- who is told


@pytest.fixture
def dispatcher():
    return Dispatcher("mail")


def record(dispatcher, *names):
    heard = []
    for name in names:
        dispatcher.emitter.on(name, lambda *args, name=name: heard.append((name, *args)))
    return heard


def test_an_event_is_told_by_name_and_by_job(dispatcher):
    heard = record(dispatcher, "custom", "custom:7", "custom:8")

    dispatcher.tell("1-0", ["event", "custom", "jobId", "7"])
    dispatcher.tell("2-0", ["event", "custom"])

    assert heard == [
        ("custom", {"jobId": "7"}, "1-0"),
        ("custom:7", {"jobId": "7"}, "1-0"),
        ("custom", {}, "2-0"),
    ]


def test_drained_is_told_with_the_id_alone(dispatcher):
    heard = record(dispatcher, "drained")

    dispatcher.tell("1-0", ["event", "drained"])

    assert heard == [("drained", "1-0")]


def test_an_unreadable_entry_is_one_error_that_names_it_and_its_queue(dispatcher):
    heard = record(dispatcher, "error", "progress", "progress:1")

    dispatcher.tell("1-0", ["event", "progress", "jobId", "1", "data", ""])

    ((_, error),) = heard
    assert "event 1-0 of queue 'mail'" in str(error)
    assert "'data' is not JSON" in str(error)


def test_a_custom_event_called_error_is_told_as_an_exception(dispatcher):
    heard = record(dispatcher, "error")

    dispatcher.tell("1-0", ["event", "error", "jobId", "1"])

    ((_, error),) = heard
    assert isinstance(error, BullError)
    assert "Event 1-0 of queue 'mail' is called 'error'" in str(error)


# ---- waiters


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("completed", {"jobId": "1", "returnvalue": [1]}),
        ("failed", {"jobId": "1", "failedReason": "boom"}),
        ("removed", {"jobId": "1", "prev": "wait"}),
    ],
)
async def test_all_who_wait_for_a_job_get_its_end(event, fields):
    waiters = Waiters()
    with waiters.waiting_for("1") as first, waiters.waiting_for("1") as second:
        waiters.tell(StreamEvent("active", {"jobId": "1"}, "1-0"))
        waiters.tell(StreamEvent(event, {**fields, "jobId": "2"}, "2-0"))
        assert not first.done()

        waiters.tell(StreamEvent(event, fields, "3-0"))
        waiters.tell(StreamEvent("failed", {"jobId": "1"}, "4-0"))

        assert first.result() == second.result() == {"event": event, **fields}


async def test_ten_thousand_waiters_leave_nothing_behind_and_are_not_searched():
    waiters = Waiters()
    blocks = [waiters.waiting_for(str(number)) for number in range(10_000)]
    endings = [block.__enter__() for block in blocks]

    waiters.tell(StreamEvent("completed", {"jobId": "77"}, "1-0"))

    assert [ending.done() for ending in endings].count(True) == 1
    assert endings[77].done()
    for block in blocks:
        block.__exit__(None, None, None)
    assert waiters._by_job == {}
    assert all(ending.done() for ending in endings)


async def test_a_failure_reaches_each_waiter_as_an_error_of_its_own():
    waiters = Waiters()
    with waiters.waiting_for("1") as first, waiters.waiting_for("1") as second:
        waiters.fail(lambda: BullError("closed"))

        with pytest.raises(BullError, match="closed"):
            await first
        assert second.exception() is not first.exception()


async def test_whoever_stops_waiting_is_not_warned_of_an_error_he_did_not_see():
    problems = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
    waiters = Waiters()

    with waiters.waiting_for("1"):
        waiters.fail(lambda: BullError("closed"))

    assert problems == []
    assert waiters._by_job == {}


async def test_a_waiter_that_was_cancelled_leaves_quietly():
    waiters = Waiters()

    with waiters.waiting_for("1") as ending:
        ending.cancel()

    assert waiters._by_job == {}
