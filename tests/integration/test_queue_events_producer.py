"""Custom events: how they are stored, heard, bounded, and what is refused."""

import pytest

from bullpy.errors import JsonError, OptionError
from bullpy.events import QueueEventsProducer
from tests.fixtures.events import NAME, Heard
from tests.fixtures.naming import stable


async def test_custom_events_are_stored_as_bullmq_stores_them(stream):
    """The recorded trace `events/custom-events`."""
    async with stream.producer() as producer:
        first = await producer.publish_event("hello", who="world", n="1")
        await producer.publish_event("bye", max_events=10)
        await producer.publish_event("ünïcode", ключ="значение")

    stored = await stream.client.xrange(stream.keys.events)
    assert stored[0][0] == first
    assert [fields for _, fields in stored] == [
        {"event": "hello", "who": "world", "n": "1"},
        {"event": "bye"},
        {"event": "ünïcode", "ключ": "значение"},
    ]
    assert list(stored[0][1]) == ["event", "who", "n"]


async def test_values_other_than_text_are_published_as_json(any_stream):
    async with any_stream.producer() as producer:
        await producer.publish_event(
            "x", i=5, f=1.5, whole=2.0, yes=True, none=None, list=[1, "a"], map={"a": {"b": 1}}
        )

    ((_, fields),) = await any_stream.client.xrange(any_stream.keys.events)
    assert fields == {
        "event": "x", "i": "5", "f": "1.5", "whole": "2", "yes": "true", "none": "null",
        "list": '[1,"a"]', "map": '{"a":{"b":1}}',
    }  # fmt: skip


async def test_the_bound_cuts_the_stream(any_stream):
    async with any_stream.producer() as producer:
        for number in range(350):
            await producer.publish_event("x", max_events=10, n=number)

    assert 10 <= await any_stream.client.xlen(any_stream.keys.events) < 250


async def test_published_events_are_heard_by_name_and_job(stream):
    heard = Heard()
    async with stream.events() as events, stream.producer() as producer:
        events.on("custom", heard)
        events.on("custom:7", heard)
        event_id = await producer.publish_event("custom", jobId="7", map={"a": 1})
        await heard.reach(2)

    assert heard == [({"jobId": "7", "map": '{"a":1}'}, event_id)] * 2


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("", {}, OptionError, "event_name is a text, not ''"),
        (5, {}, OptionError, "event_name is a text, not 5"),
        ("x", {"max_events": -1}, OptionError, "max_events is an int from 0 on, not -1"),
        ("x", {"max_events": True}, OptionError, "max_events is an int from 0 on, not True"),
        ("x", {"event": "y"}, OptionError, "the field 'event' would take the place of 'x'"),
        ("x", {"at": object()}, JsonError, "object"),
    ],
    ids=stable,
)
async def test_what_cannot_be_published_is_refused_before_anything_is_sent(
    name, options, error, message
):
    producer = QueueEventsProducer(NAME, connection="redis://127.0.0.1:1")

    with pytest.raises(error, match=message):
        await producer.publish_event(name, **options)
    await producer.close()
