"""Calls over the shared connection of a healthy server."""

import asyncio
import gc
import hashlib
import shutil
import subprocess
import sys
import threading

import pytest
import redis.asyncio

from bullpy.connection import Client, pipeline
from bullpy.connection.link import SocketLink
from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.loader import ComposedScript
from bullpy.scripts.spec import Command, Script, ScriptCall
from tests.fixtures.servers import free_port, missing


def command(*words, repeatable=True):
    return Command(words, decode=lambda reply: reply, repeatable=repeatable)


def script_call(text, *args, keys=()):
    script = Script("probe")
    sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    script._composed = ComposedScript("probe", text, sha, None, (("commands/probe.lua", 40),))
    return ScriptCall(script, keys, args, decode=lambda reply: reply)


def shared(client):
    return client._joined[asyncio.get_running_loop()]


async def connection_count(client):
    return len((await client.run(command("CLIENT", "LIST"))).splitlines())


@pytest.fixture
async def client(server):
    client = Client(server.url)
    yield client
    await client.close()


# ---- replies


async def test_a_thousand_concurrent_calls_get_their_own_replies(client):
    replies = await asyncio.gather(*(client.run(command("ECHO", f"{n}")) for n in range(1000)))

    assert replies == [f"{n}" for n in range(1000)]


async def test_calls_of_one_tick_leave_in_one_write(client, monkeypatch):
    await client.open()
    batches = []
    send = SocketLink.send
    monkeypatch.setattr(
        SocketLink, "send", lambda link, batch: (batches.append(len(batch)), send(link, batch))
    )

    await asyncio.gather(*(client.run(command("ECHO", f"{n}")) for n in range(50)))
    await client.run_all([command("PING")] * 20)

    assert batches == [50, 20]


async def test_replies_are_text_and_bytes_that_are_none_survive_a_round_trip(client, prefix):
    key = f"{prefix}:h"
    await client.run(command("HSET", key, "é", b"x\xff"))

    value = await client.run(command("HGET", key, "é"))
    await client.run(command("HSET", key, "copy", value))

    assert value == "x\udcff"
    assert await client.run(script_call("return #redis.call('HGET', KEYS[1], 'copy')", keys=(key,)))
    assert await client.run(command("HGET", key, "copy")) == value
    assert await client.run(command("EVAL", "return {1, {'a'}, false, {}}", 0)) == [
        1, ["a"], None, [],
    ]  # fmt: skip


async def test_the_answer_is_what_decode_makes_of_the_reply(client):
    assert await client.run(Command(("ECHO", "12"), decode=int)) == 12


async def test_a_refused_command_raises_and_leaves_its_neighbours_alone(client, prefix):
    await client.run(command("SET", prefix, "v"))

    before, wrong, after = await asyncio.gather(
        client.run(command("GET", prefix)),
        client.run(command("LPUSH", prefix, "x")),
        client.run(command("GET", prefix)),
        return_exceptions=True,
    )

    assert (before, after) == ("v", "v")
    assert type(wrong) is BullError
    assert str(wrong).startswith("Command LPUSH failed: WRONGTYPE ")


async def test_run_all_raises_the_first_error_once_all_are_done(client, prefix):
    text, number = f"{prefix}:text", f"{prefix}:number"
    await client.run(command("SET", text, "v"))

    with pytest.raises(BullError, match="LPUSH"):
        await client.run_all(
            [
                command("INCR", number), command("LPUSH", text, 1),
                command("SADD", text, 1), command("INCR", number),
            ]
        )  # fmt: skip

    assert await client.run(command("GET", number)) == "2"


# ---- scripts


async def test_a_script_goes_in_full_only_when_the_server_asks(private_server):
    client = Client(private_server().url)
    call = script_call("return ARGV[1]", "a")

    first = await asyncio.gather(*(client.run(call) for _ in range(50)))
    await client.run(command("CONFIG", "RESETSTAT"))
    second = await client.run(call)
    stats = await client.run(command("INFO", "commandstats"))
    await client.run(command("SCRIPT", "FLUSH"))
    third = await client.run(call)
    await client.close()

    assert [*first, second, third] == ["a"] * 52
    assert "cmdstat_evalsha:calls=1" in stats
    assert "cmdstat_eval:" not in stats


async def test_an_error_inside_a_script_points_at_its_source(client):
    with pytest.raises(BullError, match="Script probe failed") as caught:
        await client.run(script_call("return nothing.here"))

    assert "lua_scripts/commands/probe.lua:40" in str(caught.value)
    assert await client.run(command("ECHO", "a")) == "a"


# ---- callers that go away


async def test_cancelled_waiters_do_not_shift_the_replies_of_others(client):
    await client.open()
    line = shared(client)
    futures = [line.send(command("ECHO", f"{n}"), None) for n in range(100)]
    line._flush()
    for future in futures[::2]:
        future.cancel()

    replies = await asyncio.gather(*futures[1::2])

    assert replies == [f"{n}" for n in range(1, 100, 2)]
    assert await client.run(command("ECHO", "next")) == "next"


async def test_a_call_cancelled_before_it_left_is_not_sent(client, prefix):
    await client.open()

    shared(client).send(command("SET", prefix, "v"), None).cancel()

    assert await client.run(command("GET", prefix)) is None


# ---- bounds


async def test_calls_unanswered_at_a_time_are_bounded(client, monkeypatch):
    monkeypatch.setattr(pipeline, "LIMIT", 10)
    await client.open()
    link = shared(client)._link
    most = 0
    send = SocketLink.send

    def counting(link, batch):
        nonlocal most
        send(link, batch)
        most = max(most, len(link.sent))

    monkeypatch.setattr(SocketLink, "send", counting)

    singles = asyncio.gather(*(client.run(command("ECHO", f"{n}")) for n in range(200)))
    batch = client.run_all([command("ECHO", f"{n}") for n in range(200)])
    replies = await asyncio.gather(singles, batch)

    assert replies == [[f"{n}" for n in range(200)]] * 2
    assert most == 10
    assert not link.sent


async def test_a_slow_reader_holds_calls_back_instead_of_filling_memory(any_server, proxy_to):
    proxy = await proxy_to(any_server)
    client = Client(proxy.url)
    await client.open()
    line = shared(client)
    proxy.freeze()
    text = "x" * 1_000_000
    futures = []

    while line._writable:
        futures.append(line.send(command("ECHO", text), None))
        line._flush()
    futures += [line.send(command("ECHO", text), None) for _ in range(20)]
    line._flush()

    assert len(line._unsent) == 20
    proxy.thaw()
    assert await asyncio.gather(*futures) == [text] * len(futures)
    await client.close()


# ---- who shares what


async def test_equal_clients_share_one_connection_until_the_last_one_closes(private_server):
    server = private_server()
    watcher = Client(server.tcp_url)
    one, two = Client(server.url), Client({"unix_socket_path": str(server.socket)})
    await asyncio.gather(one.open(), two.open(), watcher.open())
    together = await connection_count(watcher)

    await one.close()
    await one.close()
    still = await two.run(command("ECHO", "two"))
    after_one = await connection_count(watcher)
    await two.close()
    while await connection_count(watcher) > 1:  # the server notices in its own time
        pass
    await watcher.close()

    assert (together, after_one, still) == (2, 2, "two")


async def test_a_closed_client_opens_again_when_it_is_used(client):
    await client.open()
    await client.close()

    assert await client.run(command("ECHO", "again")) == "again"


async def test_closing_fails_the_calls_under_way_and_leaves_no_task(any_server, proxy_to):
    proxy = await proxy_to(any_server)
    client = Client(proxy.url)
    await client.open()
    proxy.freeze()
    under_way = asyncio.ensure_future(client.run(command("INCR", "never", repeatable=False)))
    await asyncio.sleep(0)
    shared(client)._flush()

    await client.close()

    with pytest.raises(ConnectionError, match="was closed") as caught:
        await under_way
    assert caught.value.maybe_stored
    names = {task.get_name() for task in asyncio.all_tasks()}
    assert not [name for name in names if name.startswith("bullpy")]


@pytest.mark.parametrize("text_replies", [True, False], ids=["text client", "bytes client"])
async def test_a_users_own_client_lends_its_settings_and_stays_open(any_server, text_replies):
    async with redis.asyncio.Redis.from_url(
        any_server.url, db=3, decode_responses=text_replies
    ) as own:
        await own.ping()
        client = Client(own)

        info = await client.run(command("CLIENT", "INFO"))
        await client.close()

        assert " db=3 " in info
        assert await own.ping()


async def test_an_acl_user_logs_in_over_tcp_and_unix_socket(private_server):
    server = private_server()
    admin = Client(server.url)
    await admin.run(command("ACL", "SETUSER", "ann", "on", ">hu/sh", "~*", "+@all", "-client"))
    user = Client(f"redis://ann:hu%2Fsh@127.0.0.1:{server.port}/2")
    other = Client(f"unix://{server.socket}?username=ann&password=hu/sh")

    names = [await client.run(command("ACL", "WHOAMI")) for client in (user, other)]

    assert names == ["ann", "ann"]
    for client in (admin, user, other):
        await client.close()


@pytest.fixture
def tls_server(private_server, tmp_path):
    """A server with an encrypted port, and the certificate to trust."""
    program = shutil.which("openssl") or missing("openssl", "apt-get install openssl")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = "-subj /CN=localhost -addext subjectAltName=DNS:localhost"
    certificate, key, port = tmp_path / "certificate", tmp_path / "key", free_port()
    subprocess.run(
        [program, *words.split(), *names.split(), "-keyout", key, "-out", certificate],
        check=True, capture_output=True, timeout=10,
    )  # fmt: skip
    private_server(
        "redis70",
        options=(
            "--tls-port", str(port), "--tls-auth-clients", "no",
            "--tls-cert-file", str(certificate), "--tls-key-file", str(key),
        ),
    )  # fmt: skip
    return port, certificate


async def test_calls_and_reads_travel_encrypted(tls_server):
    port, certificate = tls_server
    client = Client(f"rediss://localhost:{port}?ssl_ca_certs={certificate}")
    reader = client.blocking("reader")
    large = "x" * 1_000_000

    replies = await client.run_all([command("ECHO", f"{n}") for n in range(100)])

    assert replies == [f"{n}" for n in range(100)]
    assert await client.run(command("ECHO", large)) == large
    assert await reader.run(command("CLIENT", "GETNAME"), timeout=1) == "reader"
    await reader.close()
    await client.close()


async def test_a_server_without_a_trusted_certificate_is_not_talked_to(tls_server):
    port, _ = tls_server
    client = Client(f"rediss://localhost:{port}", patience_ms=5000)

    with pytest.raises(ConnectionError, match="certificate verify failed"):
        await client.open()

    await client.close()


# ---- event loops and processes


def test_a_client_made_without_a_loop_works_in_one_after_another(any_server, prefix):
    client = Client(any_server.url)

    async def closing():
        try:
            return await client.run(command("INCR", prefix))
        finally:
            await client.close()

    async def forgetting():
        return await client.run(command("INCR", prefix))

    counts = [asyncio.run(use()) for use in (closing, closing, forgetting, forgetting, closing)]
    gc.collect()  # a forgotten socket would be reported now

    assert counts == [1, 2, 3, 4, 5]


def test_a_client_works_in_loops_of_several_threads_at_once(any_server):
    client = Client(any_server.url)
    meet = threading.Barrier(3, timeout=10)
    replies = []

    async def use(number):
        await client.open()
        meet.wait()  # all three loops are connected
        replies.append(await client.run(command("ECHO", number)))
        await client.close()

    threads = [threading.Thread(target=lambda n=n: asyncio.run(use(n))) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    assert sorted(replies) == ["0", "1", "2"]


FORKING = """
import asyncio, os, sys
from bullpy.connection import Client
from bullpy.scripts.spec import Command

client = Client(sys.argv[1])

async def client_id():
    return await client.run(Command(("CLIENT", "ID"), decode=int))

async def parent():
    before = await client_id()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        own = asyncio.run(client_id())
        os.write(write, str(own).encode())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    assert int(os.read(read, 99)) != before
    assert await client_id() == before
    await client.close()

asyncio.run(parent())
"""


def test_a_forked_child_gets_a_connection_of_its_own(any_server):
    done = subprocess.run(
        [sys.executable, "-c", FORKING, any_server.url],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
