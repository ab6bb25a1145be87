"""QueueEvents on real servers: what arrives, when, and how it begins and ends."""

import asyncio
import subprocess
import sys
from datetime import timedelta

import pytest

from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.events import QueueEvents, StreamEvent
from bullpy.events import queue_events as module
from bullpy.scripts.stream import position
from tests.fixtures.events import NAME, WAIT_S, Heard
from tests.fixtures.naming import stable


async def collect(events, heard=lambda _: None):
    async for event in events:
        heard(event)


# ---- listening


async def test_listeners_get_decoded_events_in_order(stream):
    heard = {name: Heard() for name in ("completed", "completed:7", "progress", "drained")}
    async with stream.events() as events:
        for name, listener in heard.items():
            assert events.on(name, listener) is listener
        progress = await stream.write("progress", jobId="7", data="[50]")
        completed = await stream.write("completed", jobId="7", returnvalue='{"v":1}', prev="active")
        drained = await stream.write("drained")
        await heard["drained"].reach(1)

        assert events.last_event_id == drained

    args = {"jobId": "7", "returnvalue": {"v": 1}, "prev": "active"}
    assert heard == {
        "progress": [({"jobId": "7", "data": [50]}, progress)],
        "completed": [(args, completed)],
        "completed:7": [(args, completed)],
        "drained": [(drained,)],
    }


async def test_on_is_a_decorator_and_listeners_may_leave(any_stream):
    heard = Heard()
    async with any_stream.events() as events:

        @events.on("paused")
        def noisy(_args, _event_id):
            heard("noisy")

        events.once("paused", lambda *_: heard("once"))
        events.on("resumed", heard)
        await any_stream.write("paused")
        await any_stream.write("paused")
        await heard.reach(3)
        events.off("paused", noisy)
        await any_stream.write("paused")
        last = await any_stream.write("resumed")
        await heard.reach(4)

    assert heard == [("noisy",), ("once",), ("noisy",), ({}, last)]


async def test_only_what_is_new_is_told(stream):
    heard = Heard()
    await stream.write("completed", jobId="old", returnvalue="1")
    async with stream.events() as events:
        events.on("completed", heard)
        new = await stream.write("completed", jobId="new", returnvalue="2")
        await heard.reach(1)

    assert [event_id for _, event_id in heard] == [new]


@pytest.mark.parametrize("stream_exists", [False, True], ids=["no-stream-yet", "stream"])
async def test_nothing_is_missed_before_the_first_read(any_stream, stream_exists):
    """BullMQ's cursor stays `$` until its first event, and loses what comes between two reads."""
    if stream_exists:
        await any_stream.write("active", jobId="0")
    heard = Heard()
    events = any_stream.events(autorun=False, blocking_timeout=timedelta(milliseconds=20))
    async with events:
        events.on("active", heard)
        await any_stream.write("active", jobId="1")
        reading = asyncio.ensure_future(events.run())
        await heard.reach(1)
        await events.close()
        await reading

    assert [args["jobId"] for args, _ in heard] == ["1"]


async def test_reading_goes_on_after_empty_reads(any_stream):
    heard = Heard()
    async with any_stream.events(blocking_timeout=1) as events:
        events.on("active", heard)
        for number in range(20):
            await any_stream.write("active", jobId=str(number))
            await heard.reach(number + 1)

    assert [args["jobId"] for args, _ in heard] == [str(number) for number in range(20)]


async def test_a_reader_resumes_behind_its_last_event_id(stream):
    ids = [await stream.write("active", jobId=str(number)) for number in range(3)]
    heard = Heard()
    events = stream.events(last_event_id=ids[0])
    events.on("active", heard)
    events.on("error", heard)
    async with events:
        await heard.reach(2)

    assert [event_id for _, event_id in heard] == ids[1:]


async def test_a_backlog_is_read_in_pieces(any_stream, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 3)
    ids = [await any_stream.write("active", jobId=str(number)) for number in range(10)]
    heard, sizes = Heard(), []
    events = any_stream.events(last_event_id="0-0")
    events.on("active", heard)
    events.on("error", heard)
    next_page = events._next_page

    async def measured():
        page = await next_page()
        sizes.append(len(page))
        return page

    monkeypatch.setattr(events, "_next_page", measured)
    async with events:
        await heard.reach(10)

    assert [event_id for _, event_id in heard] == ids
    assert sizes == [3, 3, 3, 1]


async def test_an_unreadable_entry_is_one_error_and_reading_goes_on(stream):
    heard, errors = Heard(), Heard()
    async with stream.events() as events:
        events.on("error", errors)
        events.on("progress", heard)
        bad = await stream.write("progress", jobId="1", data="")
        nameless = await stream.client.xadd(stream.keys.events, {"jobId": "1"})
        await stream.write("progress", jobId="1", data="1")
        await heard.reach(1)

    assert [str(error).split(",")[0] for (error,) in errors] == [
        f"Can't read event {entry} of queue 'mail'" for entry in (bad, nameless)
    ]


async def test_a_raising_listener_does_not_stop_the_reading(any_stream):
    heard, errors = Heard(), Heard()

    def raises(*_):
        raise ValueError("boom")

    async with any_stream.events() as events:
        events.on("active", raises)
        events.on("active", heard)
        events.on("error", errors)
        await any_stream.write("active", jobId="1")
        await any_stream.write("active", jobId="2")
        await heard.reach(2)

    assert [str(error) for (error,) in errors] == ["boom", "boom"]


async def test_slow_async_listeners_hold_the_reading_back_and_lose_nothing(any_stream):
    gate, heard = asyncio.Event(), Heard()

    async def slow(args, _):
        heard(args["jobId"])
        await gate.wait()

    async with any_stream.events() as events:
        events._emitter._max_running = 2
        events.on("active", slow)
        for number in range(5):
            last = await any_stream.write("active", jobId=str(number))
        await heard.reach(2)
        assert position(events.last_event_id) < position(last)
        gate.set()
        await heard.reach(5)

    assert [job_id for (job_id,) in heard] == ["0", "1", "2", "3", "4"]


# ---- iterating


async def test_iteration_begins_where_the_events_were_opened(stream):
    await stream.write("active", jobId="old")
    async with stream.events() as events:
        heard = Heard()
        events.on("drained", heard)
        active = await stream.write("active", jobId="1")
        drained = await stream.write("drained")
        await heard.reach(1)  # listeners are ahead

        got = []
        async for event in events:
            got.append(event)
            if event.name == "drained":
                break

        assert got == [
            StreamEvent("active", {"jobId": "1"}, active),
            StreamEvent("drained", {}, drained),
        ]

        later = await stream.write("active", jobId="2")
        async for event in events:
            assert event.id == later
            break


async def test_iteration_waits_for_new_events_and_starts_the_reading(any_stream):
    async with any_stream.events(autorun=False) as events:
        iterator = aiter(events)
        first = asyncio.ensure_future(anext(iterator))
        await any_stream.wait_for_read()
        await any_stream.write("progress", jobId="1", data="")
        await any_stream.write("active", jobId="1")

        async with asyncio.timeout(WAIT_S):
            assert (await first).name == "active"
        await iterator.aclose()


async def test_a_slow_iteration_holds_nobody_up_and_loses_nothing(any_stream, monkeypatch):
    monkeypatch.setattr(module, "PAGE", 4)
    heard = Heard()
    async with any_stream.events() as events:
        events.on("active", heard)
        iterator = aiter(events)
        await any_stream.write("active", jobId="0")
        assert (await anext(iterator)).job_id == "0"
        for number in range(1, 50):
            await any_stream.write("active", jobId=str(number))
        await heard.reach(50)

        got = [(await anext(iterator)).job_id for _ in range(49)]
        await iterator.aclose()

    assert got == [str(number) for number in range(1, 50)]


async def test_an_iteration_tells_if_the_stream_was_trimmed_under_it(any_stream):
    errors, heard = Heard(), Heard()
    async with any_stream.events() as events:
        events.on("error", errors)
        events.on("active", heard)
        iterator = aiter(events)
        seen = await any_stream.write("active", jobId="0")
        await anext(iterator)
        for number in range(1, 5):
            last = await any_stream.write("active", jobId=str(number))
        await heard.reach(5)
        await any_stream.client.xtrim(any_stream.keys.events, maxlen=1, approximate=False)

        event = await anext(iterator)
        await iterator.aclose()

    assert event.id == last
    ((error,),) = errors
    assert f"may be lost: event {seen} was read last" in str(error)


async def test_two_iterations_each_get_everything(any_stream):
    async def three():
        got = []
        async for event in events:
            got.append(event.job_id)
            if len(got) == 3:
                return got
        return got

    async with any_stream.events() as events:
        both = asyncio.gather(three(), three())
        for number in range(3):
            await any_stream.write("active", jobId=str(number))
        async with asyncio.timeout(WAIT_S):
            assert await both == [["0", "1", "2"], ["0", "1", "2"]]


async def test_close_ends_iterations_and_fails_waiters(any_stream):
    async with any_stream.events() as events:
        got = Heard()
        collecting = asyncio.ensure_future(collect(events, got))
        await any_stream.write("active", jobId="1")
        await got.reach(1)
        with events.waiting_for("1") as ending:
            await events.close()

            with pytest.raises(BullError, match="events of queue 'mail' are closed"):
                await ending
        async with asyncio.timeout(WAIT_S):
            await collecting

    with pytest.raises(BullError, match="are closed"):
        events.waiting_for("1")
    with pytest.raises(BullError, match="are closed"):
        await anext(aiter(events))
    with pytest.raises(BullError, match="are closed"):
        await events.open()


async def test_close_between_two_events_of_one_page_ends_the_iteration(any_stream):
    async with any_stream.events() as events:
        await any_stream.write("active", jobId="1")
        await any_stream.write("active", jobId="2")
        got = []
        async for event in events:
            got.append(event.job_id)
            await events.close()

    assert got == ["1"]


# ---- waiting for a job


async def test_waiters_get_the_end_of_their_job(stream):
    async with stream.events() as events:
        with events.waiting_for("1") as done, events.waiting_for("2") as gone:
            await stream.write("completed", jobId="1", returnvalue="[1]")
            await stream.write("removed", jobId="2", prev="wait")
            async with asyncio.timeout(WAIT_S):
                assert (await done)["returnvalue"] == [1]
                assert (await gone)["event"] == "removed"


async def test_waiting_needs_open_events():
    with pytest.raises(BullError, match="not open: use `async with`"):
        QueueEvents(NAME).waiting_for("1")


# ---- life


async def test_the_connection_has_bullmqs_name_and_goes_with_close(stream):
    async with stream.events():
        await stream.wait_for_read()
        assert len(await stream.connections()) == 1

    async with asyncio.timeout(WAIT_S):
        while await stream.connections():
            pass


async def test_close_interrupts_a_read_at_once_and_may_be_called_again(any_stream):
    events = any_stream.events(blocking_timeout=3_600_000)
    async with events:
        await any_stream.wait_for_read()
        async with asyncio.timeout(WAIT_S):
            await events.close()
            await asyncio.gather(events.close(), events.close())

    assert [task for task in asyncio.all_tasks() if "bullpy" in task.get_name()] == []


async def test_an_async_listener_may_close_the_events(any_stream):
    closed = asyncio.Event()
    async with any_stream.events() as events:

        @events.on("drained")
        async def end(_):
            await events.close()
            closed.set()

        await any_stream.write("drained")
        async with asyncio.timeout(WAIT_S):
            await closed.wait()


async def test_run_reads_until_closed_and_refuses_to_run_twice(any_stream):
    heard = Heard()
    events = any_stream.events(last_event_id="0-0")
    events.on("active", heard)
    running = asyncio.ensure_future(events.run())
    await any_stream.write("active", jobId="1")
    await heard.reach(1)
    with pytest.raises(BullError, match=r"Queue Events is already running\."):
        await events.run()

    await events.close()
    async with asyncio.timeout(WAIT_S):
        await running


async def test_a_cancelled_run_stops_reading_and_may_run_again(any_stream):
    heard = Heard()
    events = any_stream.events(autorun=False)
    async with events:
        events.on("active", heard)
        running = asyncio.ensure_future(events.run())
        await any_stream.wait_for_read()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await any_stream.write("active", jobId="1")

        running = asyncio.ensure_future(events.run())
        await heard.reach(1)
    await running


async def test_opening_tells_if_there_is_no_redis_and_may_be_tried_again(
    private_server, prefix, monkeypatch
):
    server = private_server()
    monkeypatch.setattr("bullpy.connection.client.PATIENCE_MS", 10)
    events = QueueEvents(NAME, connection=server.url, prefix=prefix)
    events._client._patience_s = 0.05
    server.kill()
    with pytest.raises(ConnectionError):
        async with events:
            raise AssertionError("not reached")

    server.start()
    async with events:
        assert events.last_event_id == "0-0"


async def test_a_bug_in_the_loop_is_told_to_all_who_wait(any_stream, monkeypatch):
    errors = Heard()
    async with any_stream.events() as events:
        events.on("error", errors)
        monkeypatch.setattr(events._dispatcher, "tell", None)
        iterating = asyncio.ensure_future(collect(events))
        with events.waiting_for("1") as ending:
            await any_stream.write("active", jobId="1")
            with pytest.raises(BullError, match="are ended by TypeError"):
                await ending
        with pytest.raises(BullError, match="events of queue 'mail' are ended by TypeError"):
            await asyncio.wait_for(iterating, WAIT_S)
        with pytest.raises(BullError, match="are ended by TypeError"):
            await events.run()

    ((error,),) = errors
    assert isinstance(error, TypeError)


OPENS_AND_CLOSES = """
import asyncio, sys
from bullpy.events import QueueEvents
async def main():
    events = QueueEvents("mail", connection=sys.argv[1], prefix=sys.argv[2])
    await events.__aenter__()
    if sys.argv[3] == "closed":
        await events.close()
asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["closed", "forgotten"])
def test_a_program_ends_although_it_has_events(any_server, prefix, end):
    program = [sys.executable, "-W", "error", "-c", OPENS_AND_CLOSES, any_server.url, prefix, end]

    ended = subprocess.run(program, timeout=WAIT_S, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "Queue name must be provided"),
        ({"name": "a:b"}, "cannot contain :"),
        ({"last_event_id": "now"}, "last_event_id of the events of queue 'mail'"),
        ({"blocking_timeout": 0}, "blocking_timeout of the events of queue 'mail': over 0, not 0"),
        ({"blocking_timeout": -5}, "over 0, not -5"),
        ({"blocking_timeout": "5"}, "blocking_timeout"),
        ({"connection": 5}, "connection takes"),
    ],
    ids=stable,
)
def test_unusable_options_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        QueueEvents(**{"name": NAME, **options})
