"""A task that is cancelled while it connects ends, however the cancellation meets the replies."""

import asyncio

import pytest

from bullpy.connection import Client
from bullpy.scripts.spec import Command

WAIT_S = 5.0
LONG_S = 20.0  # a block that no test waits for
TURNS = 60  # of the event loop: connecting takes some 30


@pytest.mark.parametrize("turns", range(TURNS))
async def test_a_blocking_read_ends_whenever_it_is_cancelled(any_server, prefix, turns):
    client = Client(any_server.url)
    reader = client.blocking("reader")
    pop = Command(("BZPOPMIN", prefix, LONG_S), decode=lambda reply: reply)
    task = asyncio.ensure_future(reader.run(pop, timeout=LONG_S))
    for _ in range(turns):
        await asyncio.sleep(0)

    task.cancel()
    done, _ = await asyncio.wait([task], timeout=WAIT_S)

    try:
        assert done
        assert task.cancelled()
    finally:
        task.cancel()
        await reader.close()
        await client.close()
