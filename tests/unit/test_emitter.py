"""Local events: who is called, and what a failing or slow listener does to the others."""

import asyncio
import gc
import logging
import tracemalloc

import pytest

from bullpy.emitter import Emitter
from bullpy.errors import OptionError


@pytest.fixture
def emitter():
    return Emitter(owner="queue 'mail'")


# ---- listening


def test_listeners_are_called_in_the_order_they_came(emitter):
    heard = []
    emitter.on("completed", lambda *args: heard.append(("first", args)))
    emitter.on("completed", lambda *args: heard.append(("second", args)))

    emitter.emit("completed", "job", 1)

    assert heard == [("first", ("job", 1)), ("second", ("job", 1))]


def test_on_and_once_are_decorators_that_keep_the_function(emitter):
    heard = []

    @emitter.on("failed")
    def always(reason):
        heard.append(("always", reason))

    @emitter.once("failed")
    def first_time(reason):
        heard.append(("once", reason))

    emitter.emit("failed", 1)
    emitter.emit("failed", 2)

    assert heard == [("always", 1), ("once", 1), ("always", 2)]
    assert emitter.listeners("failed") == (always,)
    assert first_time.__name__ == "first_time"


def test_once_is_called_once_even_if_its_event_happens_within_its_event(emitter):
    heard = []
    emitter.once("drained", lambda: emitter.emit("drained"))
    emitter.once("drained", lambda: heard.append("drained"))

    emitter.emit("drained")

    assert heard == ["drained"]
    assert emitter.listeners("drained") == ()


def test_off_takes_away_the_last_of_two_equal_listeners_and_ignores_strangers(emitter):
    heard = []
    emitter.on("paused", heard.append)
    emitter.on("paused", heard.append)

    emitter.off("paused", heard.append)
    emitter.off("paused", print)
    emitter.off("resumed", print)
    emitter.emit("paused", 1)

    assert heard == [1]


def test_a_listener_may_come_and_go_while_its_event_is_told(emitter):
    heard = []

    def leaves(value):
        heard.append(("leaves", value))
        emitter.off("active", leaves)
        emitter.on("active", lambda value: heard.append(("came", value)))

    emitter.on("active", leaves)
    emitter.on("active", lambda value: heard.append(("stays", value)))

    emitter.emit("active", 1)

    assert heard == [("leaves", 1), ("stays", 1)]


def test_per_job_names_leave_nothing_behind(emitter):
    for number in range(100):
        emitter.on(f"completed:{number}", print)
        emitter.off(f"completed:{number}", print)

    assert emitter._subscriptions == {}


def test_an_unknown_name_is_refused_with_the_nearest_known_one():
    emitter = Emitter({"completed", "failed", "error"}, owner="worker of queue 'mail'")

    with pytest.raises(OptionError, match=r"worker of queue 'mail'.*'complete'; did you mean 'com"):
        emitter.on("complete", print)
    with pytest.raises(OptionError, match=r"'xyz'; there are \['completed', 'error', 'failed'\]"):
        emitter.once("xyz")


def test_a_listener_that_is_no_function_is_refused(emitter):
    with pytest.raises(OptionError, match="'failed' is a function, not 'print'"):
        emitter.on("failed", "print")


# ---- failing listeners


def test_a_raising_listener_becomes_an_error_event_and_the_others_are_called(emitter):
    failure = ValueError("boom")
    errors, heard = [], []

    def raises(_):
        raise failure

    emitter.on("error", errors.append)
    emitter.on("failed", raises)
    emitter.on("failed", heard.append)

    emitter.emit("failed", 7)

    assert errors == [failure]
    assert heard == [7]


def test_an_error_that_nobody_hears_is_logged_with_its_traceback(emitter, caplog):
    failure = ValueError("boom")

    emitter.emit("error", failure)

    (record,) = caplog.records
    assert record.name == "bullpy"
    assert record.levelno == logging.ERROR
    assert record.getMessage() == "Error of queue 'mail': boom"
    assert record.exc_info[1] is failure


def test_an_error_listener_that_raises_is_logged_and_not_called_again(emitter, caplog):
    calls = []

    @emitter.on("error")
    def raises(error):
        calls.append(error)
        raise RuntimeError("worse")

    emitter.emit("error", ValueError("boom"))

    assert len(calls) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "A listener of 'error' of queue 'mail' failed: worse"
    ]


def test_memory_stays_flat_while_a_listener_raises_ten_thousand_times(emitter):
    count = 0

    def raises(_):
        raise ValueError

    def counts(_):
        nonlocal count
        count += 1

    emitter.on("failed", raises)
    emitter.on("error", counts)
    for _ in range(100):
        emitter.emit("failed", "x")
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(10_000):
            emitter.emit("failed", "x")
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 10_100
    assert after - before < 100_000


def test_a_cancellation_within_a_listener_is_not_swallowed(emitter):
    def cancelled():
        raise asyncio.CancelledError

    emitter.on("drained", cancelled)

    with pytest.raises(asyncio.CancelledError):
        emitter.emit("drained")


# ---- async listeners


async def test_drain_waits_for_async_listeners_and_those_they_start(emitter):
    heard = []

    async def slow(value):
        await asyncio.sleep(0)
        heard.append(value)
        if value < 3:
            emitter.emit("progress", value + 1)

    emitter.on("progress", slow)
    emitter.emit("progress", 1)
    assert heard == []

    await emitter.drain()

    assert heard == [1, 2, 3]
    assert not emitter._tasks


async def test_an_async_listener_that_raises_becomes_an_error_event(emitter):
    errors = []

    async def raises():
        raise ValueError("boom")

    emitter.on("drained", raises)
    emitter.on("error", errors.append)
    emitter.emit("drained")
    await emitter.drain()

    assert [str(error) for error in errors] == ["boom"]


async def test_an_async_error_listener_that_raises_is_logged(emitter, caplog):
    async def raises(_):
        raise RuntimeError("worse")

    emitter.on("error", raises)
    emitter.emit("error", ValueError("boom"))
    await emitter.drain()

    assert [record.exc_info[1].args for record in caplog.records] == [("worse",)]


async def test_calls_beyond_the_bound_are_skipped_with_one_error_until_half_are_done():
    emitter = Emitter(max_running=4)
    gate = asyncio.Event()
    heard, errors = [], []

    async def waits(value):
        await gate.wait()
        heard.append(value)

    emitter.on("progress", waits)
    emitter.on("error", errors.append)
    for value in range(7):
        emitter.emit("progress", value)
    gate.set()
    await emitter.drain()
    emitter.emit("progress", 7)
    await emitter.drain()

    assert heard == [0, 1, 2, 3, 7]
    assert [str(error) for error in errors] == [
        "Skipped an async listener of 'progress': 4 calls are unfinished, more to follow"
    ]


async def test_room_waits_for_one_of_the_running_listeners():
    emitter = Emitter(max_running=2)
    gates = [asyncio.Event(), asyncio.Event()]

    async def waits(index):
        await gates[index].wait()

    emitter.on("progress", waits)
    emitter.emit("progress", 0)
    emitter.emit("progress", 1)
    waiters = [asyncio.ensure_future(emitter.room()) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(waiter.done() for waiter in waiters)

    waiters[0].cancel()
    gates[1].set()
    await asyncio.wait_for(waiters[1], 5)

    gates[0].set()
    await emitter.drain()
    await emitter.room()


async def test_drain_cancels_what_does_not_end_and_says_so(emitter, caplog):
    ended = []

    async def never():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    emitter.on("drained", never)
    emitter.emit("drained")
    await asyncio.sleep(0)
    await emitter.drain(patience_s=0.01)

    assert ended == ["cancelled"]
    assert "Cancelling 1 listeners of queue 'mail': unfinished after 0.01 s" in caplog.text


async def test_listeners_that_close_their_owner_do_not_wait_for_themselves(emitter):
    closed = []

    async def closes(name):
        await emitter.drain()
        closed.append(name)

    emitter.on("failed", closes)
    emitter.emit("failed", "a")
    emitter.emit("failed", "b")
    await emitter.drain()

    assert sorted(closed) == ["a", "b"]


def test_an_async_listener_without_an_event_loop_is_an_error_event(emitter):
    errors = []

    async def listener():
        raise AssertionError("never begun")

    emitter.on("drained", listener)
    emitter.on("error", errors.append)
    emitter.emit("drained")

    assert "there is no event loop" in str(errors[0])
