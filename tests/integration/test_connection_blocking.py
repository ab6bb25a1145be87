"""Reads that wait inside the server, on a connection of their own."""

import asyncio
import re

import pytest

from bullpy.connection import Client, Interrupted, blocking
from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Command

WAIT_S = 10.0
LONG_S = 20.0  # a block that no test waits for


def command(*words):
    return Command(words, decode=lambda reply: reply)


def pop(key, timeout=LONG_S):
    return command("BZPOPMIN", key, timeout)


@pytest.fixture
async def client(server):
    client = Client(server.url)
    yield client
    await client.close()


@pytest.fixture
async def reader_of():
    readers = []

    def make(client, name=""):
        readers.append(client.blocking(name))
        return readers[-1]

    yield make
    for reader in readers:
        await reader.close()


async def listed(client, name):
    """The server's line on the connection of this name, once it blocks there."""
    async with asyncio.timeout(WAIT_S):
        while True:
            for line in (await client.run(command("CLIENT", "LIST"))).splitlines():
                if f" name={name} " in line and re.search(r" flags=\w*b", line):
                    return line


async def test_a_reader_gets_what_comes_and_none_after_the_block(client, reader_of, prefix):
    reader = reader_of(client)
    await client.run(command("ZADD", prefix, 1, "a"))

    assert await reader.run(pop(prefix), timeout=LONG_S) == [prefix, "a", "1"]
    assert await reader.run(pop(prefix, 0.01), timeout=0.01) is None


async def test_a_reader_waits_on_a_named_socket_of_its_own(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    await listed(client, prefix)

    await client.run(command("ZADD", prefix, 1, "a"))  # the shared connection is not blocked

    assert await reading == [prefix, "a", "1"]


async def test_a_name_that_redis_does_not_take_is_not_set(client, reader_of):
    reader = reader_of(client, "two words")

    assert not await reader.run(command("CLIENT", "GETNAME"), timeout=1)


# ---- interrupting


async def test_an_interrupted_read_raises_and_the_reader_serves_on(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    await listed(client, prefix)

    reader.interrupt()
    with pytest.raises(Interrupted):
        await asyncio.wait_for(reading, WAIT_S)
    await client.run(command("SET", f"{prefix}:other", "v"))

    assert await reader.run(command("GET", f"{prefix}:other"), timeout=1) == "v"
    assert await reader.run(command("CLIENT", "GETNAME"), timeout=1) == prefix


async def test_an_interrupt_while_connecting_is_heard(any_server, proxy_to, reader_of):
    proxy = await proxy_to(any_server)
    proxy.freeze()
    reader = reader_of(Client(proxy.url))
    reading = asyncio.ensure_future(reader.run(pop("k"), timeout=LONG_S))
    await proxy.has_accepted(1)

    reader.interrupt()

    with pytest.raises(Interrupted):
        await asyncio.wait_for(reading, WAIT_S)


async def test_an_interrupt_with_nothing_to_interrupt_does_nothing(client, reader_of):
    reader = reader_of(client)
    reader.interrupt()

    assert await reader.run(command("ECHO", "a"), timeout=1) == "a"


async def test_closing_ends_a_read_and_the_connection(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    await listed(client, prefix)

    await reader.close()
    await reader.close()

    with pytest.raises(Interrupted):
        await asyncio.wait_for(reading, WAIT_S)
    async with asyncio.timeout(WAIT_S):
        while f" name={prefix} " in await client.run(command("CLIENT", "LIST")):
            pass  # the server notices in its own time


async def test_a_late_answer_to_a_cancelled_read_is_not_the_next_ones(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    await listed(client, prefix)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert await reader.run(command("ECHO", "a"), timeout=1) == "a"


async def test_two_reads_at_once_are_refused(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    await listed(client, prefix)

    with pytest.raises(BullError, match="one command at a time"):
        await reader.run(command("PING"), timeout=1)

    await client.run(command("ZADD", prefix, 1, "a"))
    assert await reading == [prefix, "a", "1"]


# ---- faults


async def test_a_killed_reader_raises_and_reconnects_at_the_next_read(client, reader_of, prefix):
    reader = reader_of(client, prefix)
    reading = asyncio.ensure_future(reader.run(pop(prefix), timeout=LONG_S))
    line = await listed(client, prefix)
    number = line.split("id=")[1].split()[0]

    await client.run(command("CLIENT", "KILL", "ID", number))

    with pytest.raises(ConnectionError, match="Lost the connection") as caught:
        await asyncio.wait_for(reading, WAIT_S)
    assert caught.value.maybe_stored
    assert await reader.run(command("CLIENT", "GETNAME"), timeout=1) == prefix


async def test_a_read_that_is_silent_for_longer_than_its_block_is_given_up(
    any_server, proxy_to, reader_of, monkeypatch
):
    monkeypatch.setattr(blocking, "GRACE_S", 0.1)
    proxy = await proxy_to(any_server)
    reader = reader_of(Client(proxy.url))
    await reader.run(command("PING"), timeout=1)
    proxy.freeze()

    with pytest.raises(ConnectionError, match="silent for"):
        await reader.run(pop("k", 0.01), timeout=0.01)
    proxy.thaw()

    assert await reader.run(command("ECHO", "a"), timeout=1) == "a"


async def test_a_read_of_a_server_that_is_down_raises_and_works_when_it_is_back(
    private_server, reader_of
):
    server = private_server()
    reader = reader_of(Client(server.url))
    await reader.run(command("PING"), timeout=1)
    server.kill()

    for _ in range(2):
        with pytest.raises(ConnectionError):
            await reader.run(pop("k"), timeout=LONG_S)
    server.start()

    assert await reader.run(command("ECHO", "a"), timeout=1) == "a"


async def test_a_failover_during_a_read_is_a_lost_connection(private_server, reader_of):
    server = private_server()
    client = Client(server.url)
    reader = reader_of(client, "reader")
    reading = asyncio.ensure_future(reader.run(pop("k"), timeout=LONG_S))
    await listed(client, "reader")

    await client.run(command("REPLICAOF", "127.0.0.1", "1"))

    with pytest.raises(ConnectionError, match="UNBLOCKED"):
        await asyncio.wait_for(reading, WAIT_S)
    await client.close()


async def test_a_refused_read_raises_and_the_connection_serves_on(client, reader_of, prefix):
    reader = reader_of(client)
    await client.run(command("SET", prefix, "v"))
    first = await reader.run(command("CLIENT", "ID"), timeout=1)

    with pytest.raises(BullError, match="Command BZPOPMIN failed: WRONGTYPE"):
        await reader.run(pop(prefix), timeout=LONG_S)

    assert await reader.run(command("CLIENT", "ID"), timeout=1) == first


async def test_a_user_without_client_commands_reads_with_one_warning(
    private_server, reader_of, caplog
):
    server = private_server()
    admin = Client(server.url)
    await admin.run(command("ACL", "SETUSER", "ann", "on", ">hush", "~*", "+@all", "-client"))
    reader = reader_of(Client(f"redis://ann:hush@127.0.0.1:{server.port}"), "worker")

    assert await reader.run(command("ECHO", "a"), timeout=1) == "a"
    await reader.close()
    assert await reader.run(command("ECHO", "b"), timeout=1) == "b"

    warnings = [record for record in caplog.records if "connection name" in record.message]
    assert len(warnings) == 1
    await admin.close()


def test_a_reader_works_in_one_event_loop_after_another(any_server):
    reader = Client(any_server.url).blocking("reader")

    async def read():
        try:
            return await reader.run(command("ECHO", "a"), timeout=1)
        finally:
            await reader.close()

    assert [asyncio.run(read()), asyncio.run(read())] == ["a", "a"]
