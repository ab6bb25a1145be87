"""A fakeredis client in place of a server: what users test with."""

import asyncio
import hashlib

import fakeredis
import pytest

from bullpy.connection import Client, Interrupted
from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.loader import ComposedScript
from bullpy.scripts.spec import Command, Script, ScriptCall


def command(*words):
    return Command(words, decode=lambda reply: reply)


@pytest.fixture(params=[True, False], ids=["text client", "bytes client"])
async def client(request):
    client = Client(fakeredis.FakeAsyncRedis(decode_responses=request.param))
    yield client
    await client.close()


async def test_replies_are_plain_text_in_the_shape_of_the_wire(client):
    await client.open()

    await client.run_all([command("HSET", "h", "a", "1"), command("SET", "raw", b"x\xff")])

    assert await client.run(command("HGETALL", "h")) == ["a", "1"]
    assert await client.run(command("GET", "raw")) == "x\udcff"
    assert await client.run(command("GET", "none")) is None
    assert await client.run(command("EVAL", "return {1, {'a'}, false}", 0)) == [1, ["a"], None]


async def test_concurrent_calls_get_their_own_replies(client):
    replies = await asyncio.gather(*(client.run(command("ECHO", f"{n}")) for n in range(100)))

    assert replies == [f"{n}" for n in range(100)]


async def test_a_script_unknown_to_the_server_is_sent_in_full(client):
    text = "return KEYS[1] .. ARGV[1]"
    script = Script("probe")
    sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    script._composed = ComposedScript("probe", text, sha, None, ())

    for _ in range(2):
        assert await client.run(ScriptCall(script, ("k",), ("v",), decode=str)) == "kv"


async def test_a_refused_command_raises_and_the_next_one_works(client):
    await client.run(command("SET", "k", "v"))

    with pytest.raises(BullError, match="Command LPUSH failed: WRONGTYPE"):
        await client.run(command("LPUSH", "k", "v"))

    assert await client.run(command("GET", "k")) == "v"


async def test_an_interrupted_reader_takes_nothing_with_it(client):
    reader = client.blocking("reader")
    reading = asyncio.ensure_future(reader.run(command("BZPOPMIN", "z", 20), timeout=20))
    while "name=reader" not in await client.run(command("CLIENT", "LIST")):
        pass
    await client.run(command("PING"))
    reader.interrupt()

    with pytest.raises(Interrupted):
        await reading
    await client.run(command("ZADD", "z", 1, "member"))

    assert await reader.run(command("BZPOPMIN", "z", 20), timeout=20) == ["z", "member", "1"]
    assert await reader.run(command("CLIENT", "GETNAME"), timeout=1) == "reader"
    await reader.close()


async def test_a_server_switched_off_is_a_lost_connection():
    server = fakeredis.FakeServer()
    client = Client(fakeredis.FakeAsyncRedis(server=server), patience_ms=200)
    await client.open()
    server.connected = False

    with pytest.raises(ConnectionError):
        await client.run(command("SET", "k", "v"))

    server.connected = True
    await client.close()


def test_a_client_works_in_one_event_loop_after_another():
    client = Client(fakeredis.FakeAsyncRedis())

    async def count():
        return await client.run(command("INCR", "k"))

    assert [asyncio.run(count()), asyncio.run(count())] == [1, 2]
