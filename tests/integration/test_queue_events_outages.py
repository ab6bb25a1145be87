"""Event readers whose Redis restarts, is cut off, hangs or refuses: nothing is lost in silence."""

import asyncio

import pytest

from bullpy.errors import ConnectionError  # noqa: A004 - ours is one
from tests.fixtures.events import WAIT_S, EventStream, Heard


async def test_reading_goes_on_after_a_restart_without_a_gap(private_server, prefix):
    server = private_server(persist=True)
    heard, errors = Heard(), Heard()
    async with server.client() as client:
        stream = EventStream(server.url, client, prefix)
        async with stream.events() as events:
            events.on("active", heard)
            events.on("error", errors)
            await stream.wait_for_read()
            server.kill()
            await errors.reach(2)
            server.start()
            await stream.write("active", jobId="1")
            await heard.reach(1)

            with events.waiting_for("1") as ending:
                await stream.write("failed", jobId="1", failedReason="boom")
                async with asyncio.timeout(WAIT_S):
                    assert (await ending)["failedReason"] == "boom"

    assert all(isinstance(error, ConnectionError) for (error,) in errors)
    assert [args["jobId"] for args, _ in heard] == ["1"]


async def test_events_written_while_the_connection_was_cut_arrive(any_stream, any_server, proxy_to):
    proxy = await proxy_to(any_server)
    heard, errors = Heard(), Heard()
    async with any_stream.events(connection=proxy.url) as events:
        events.on("active", heard)
        events.on("error", errors)
        await any_stream.wait_for_read()
        proxy.refuse()
        proxy.cut()
        await errors.reach(3)
        for number in range(3):
            await any_stream.write("active", jobId=str(number))
        proxy.refuse(False)
        await heard.reach(3)

    assert [args["jobId"] for args, _ in heard] == ["0", "1", "2"]


async def test_an_iteration_goes_on_after_an_outage(any_stream, any_server, proxy_to):
    proxy = await proxy_to(any_server)
    errors = Heard()
    async with any_stream.events(connection=proxy.url) as events:
        events.on("error", errors)
        events._client._patience_s = 0.01
        iterator = aiter(events)
        waiting = asyncio.ensure_future(anext(iterator))
        await any_stream.wait_for_read()
        proxy.refuse()
        proxy.cut()
        await errors.reach(2)
        await any_stream.write("active", jobId="1")
        proxy.refuse(False)

        async with asyncio.timeout(WAIT_S):
            assert (await waiting).job_id == "1"
        await iterator.aclose()


@pytest.mark.slow
async def test_a_connection_that_dies_silently_is_noticed(any_stream, any_server, proxy_to):
    proxy = await proxy_to(any_server)
    heard, errors = Heard(), Heard()
    async with any_stream.events(connection=proxy.url, blocking_timeout=200) as events:
        events.on("active", heard)
        events.on("error", errors)
        await any_stream.wait_for_read()
        proxy.freeze()
        await any_stream.write("active", jobId="1")
        await errors.reach(1)
        proxy.thaw()
        proxy.cut()
        await heard.reach(1)

    assert "was silent for 1.2 s" in str(errors[0][0])


async def test_what_was_trimmed_while_redis_was_away_is_reported(any_stream, any_server, proxy_to):
    proxy = await proxy_to(any_server)
    heard, errors = Heard(), Heard()
    async with any_stream.events(connection=proxy.url) as events:
        events.on("active", heard)
        events.on("error", errors)
        await any_stream.write("active", jobId="0")
        await heard.reach(1)
        proxy.refuse()
        proxy.cut()
        await errors.reach(1)
        for number in range(1, 4):
            await any_stream.write("active", jobId=str(number))
        await any_stream.client.xtrim(any_stream.keys.events, maxlen=1, approximate=False)
        proxy.refuse(False)
        await heard.reach(2)

    assert [args["jobId"] for args, _ in heard] == ["0", "3"]
    assert "Events of queue 'mail' may be lost" in str(errors[-1][0])


async def test_a_stream_that_redis_refuses_to_read_is_an_error_until_it_is_readable(any_stream):
    heard, errors = Heard(), Heard()
    async with any_stream.events(blocking_timeout=20) as events:
        events.on("error", errors)
        events.on("active", heard)
        await any_stream.client.set(any_stream.keys.events, "no stream")
        await errors.reach(2)
        await any_stream.client.delete(any_stream.keys.events)
        await any_stream.write("active", jobId="1")
        await heard.reach(1)

    assert "WRONGTYPE" in str(errors[0][0])
