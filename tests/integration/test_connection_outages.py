"""Servers that die, hang, refuse, or are not ready: who waits, who is told what, what is resent."""

import asyncio
import re

import hiredis
import pytest

from bullpy.connection import Client, parse_connection, pipeline
from bullpy.connection.pipeline import Pipeline
from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Command

WAIT_S = 10.0


def command(*words, repeatable=True):
    return Command(words, decode=lambda reply: reply, repeatable=repeatable)


def once(*words):
    return command(*words, repeatable=False)


class Errors(list):
    """The errors a client reports; a test can wait for them."""

    def __init__(self):
        super().__init__()
        self._more = asyncio.Event()

    def __call__(self, error):
        self.append(error)
        self._more.set()

    async def reach(self, count):
        async with asyncio.timeout(WAIT_S):
            while len(self) < count:
                self._more.clear()
                await self._more.wait()


class ScriptedServer:
    """Speaks RESP and answers as a function of the command's words says; None hangs up."""

    def __init__(self, answer):
        self.answer = answer
        self.accepted = 0
        self._open = set()

    async def __aenter__(self):
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._listener.sockets[0].getsockname()[1]
        self.url = f"redis://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_):
        self._listener.close()
        for writer in self._open:
            writer.transport.abort()
        await self._listener.wait_closed()

    async def _serve(self, reader, writer):
        self.accepted += 1
        self._open.add(writer)
        requests = hiredis.Reader(encoding="utf-8")
        while data := await reader.read(65536):
            requests.feed(data)
            while words := requests.gets():
                reply = b"+OK\r\n" if words[0] == "CLIENT" else self.answer(words)
                if reply is None:
                    writer.transport.abort()
                    return
                writer.write(reply)
        writer.close()


@pytest.fixture
async def client_of():
    clients = []

    def make(url, **options):
        clients.append(Client(url, **options))
        return clients[-1]

    yield make
    for client in clients:
        await client.close()


@pytest.fixture
async def line_of():
    lines = []

    def make(url, **options):
        lines.append(Pipeline(parse_connection(url), **options))
        return lines[-1]

    yield make
    for line in lines:
        await line.close()


# ---- away and back


async def test_calls_wait_for_a_killed_server_and_go_out_when_it_is_back(private_server, client_of):
    server = private_server(persist=True)
    errors = Errors()
    client = client_of(server.url, patience_ms=None, on_error=errors)
    await client.run(once("INCR", "k"))
    link = client._joined[asyncio.get_running_loop()]._link
    server.kill()
    await asyncio.wait_for(link._over.wait(), WAIT_S)

    waiting = [asyncio.ensure_future(client.run(once("INCR", "k"))) for _ in range(5)]
    await errors.reach(3)
    server.start()

    assert sorted(await asyncio.gather(*waiting)) == [2, 3, 4, 5, 6]
    assert all(str(server.socket) in str(error) for error in errors)


async def test_each_failed_attempt_is_reported_once_to_each_client(private_server, client_of):
    server = private_server()
    server.kill()
    mine, yours = Errors(), Errors()
    one = client_of(server.url, patience_ms=None, on_error=mine)
    two = client_of(server.url, patience_ms=None, on_error=yours)

    waiting = [asyncio.ensure_future(c.run(command("PING"))) for c in (one, two, one, two)]
    await asyncio.gather(mine.reach(3), yours.reach(3))
    server.start()
    await asyncio.gather(*waiting)

    assert mine == yours
    assert len(mine) < 20  # attempts, not calls or loops


async def test_a_failing_error_listener_does_not_stop_the_reconnecting(
    private_server, client_of, caplog
):
    server = private_server()
    server.kill()
    errors = Errors()

    def listener(error):
        errors(error)
        raise RuntimeError("listener")

    client = client_of(server.url, patience_ms=None, on_error=listener)
    waiting = asyncio.ensure_future(client.run(command("ECHO", "a")))
    await errors.reach(2)
    server.start()

    assert await waiting == "a"
    assert "listener for connection errors failed" in caplog.text


async def test_a_killed_connection_is_replaced_at_the_next_call(private_server, client_of):
    client = client_of(private_server().url)
    first = await client.run(command("CLIENT", "ID"))
    killer = client_of({**_path(client), "db": 1})

    await killer.run(command("CLIENT", "KILL", "ID", first))

    assert await client.run(command("CLIENT", "ID")) != first


def _path(client):
    return {"unix_socket_path": client.address}


async def test_a_server_that_always_hangs_up_is_not_hammered(client_of):
    def answer(words):
        return b"+PONG\r\n" if words == ["PING"] else None

    async with ScriptedServer(answer) as server:
        client = client_of(server.url, patience_ms=500)

        with pytest.raises(ConnectionError, match="stayed away"):
            await client.run(command("GET", "k"))

        assert 2 <= server.accepted < 20


# ---- patience


async def test_a_call_that_was_never_sent_gives_up_after_its_patience(private_server, client_of):
    server = private_server()
    server.kill()
    client = client_of(f"redis://ann:hush@127.0.0.1:{server.port}/1", patience_ms=150)

    with pytest.raises(ConnectionError) as caught:
        await client.run(once("INCR", "k"))

    assert not caught.value.maybe_stored
    assert re.search(
        rf"127\.0\.0\.1:{server.port}/1 stayed away for 0\.15 s; last cause: .*{server.port}",
        str(caught.value), re.IGNORECASE,
    )  # fmt: skip
    assert "hush" not in str(caught.value)


async def test_the_patient_wait_on_when_the_impatient_have_left(private_server, client_of):
    server = private_server()
    server.kill()
    hasty = client_of(server.url, patience_ms=100)
    patient = client_of(server.url, patience_ms=None)

    waiting = asyncio.ensure_future(patient.run(command("ECHO", "a")))
    with pytest.raises(ConnectionError):
        await hasty.run(command("ECHO", "b"))
    server.start()

    assert await waiting == "a"


async def test_nobody_knocks_when_nobody_waits(private_server, client_of):
    server = private_server()
    server.kill()
    errors = Errors()
    client = client_of(server.url, patience_ms=500, on_error=errors)
    with pytest.raises(ConnectionError):
        await client.run(command("PING"))

    attempts = [task for task in asyncio.all_tasks() if task.get_name().startswith("bullpy")]
    await asyncio.wait(attempts, timeout=WAIT_S)
    assert all(task.done() for task in attempts)

    server.start()
    patient = client_of(server.url, patience_ms=None)
    assert await patient.run(command("ECHO", "a")) == "a"


async def test_who_finds_the_queue_of_waiting_calls_full_waits_no_longer_than_others(
    private_server, client_of, monkeypatch
):
    monkeypatch.setattr(pipeline, "LIMIT", 2)
    server = private_server()
    server.kill()
    patient = client_of(server.url, patience_ms=None)
    hasty = client_of(server.url, patience_ms=100)
    waiting = [asyncio.ensure_future(patient.run(command("ECHO", f"{n}"))) for n in range(4)]
    await asyncio.sleep(0)  # the tasks have begun

    with pytest.raises(ConnectionError, match="stayed away"):
        await hasty.run(command("PING"))
    server.start()

    assert await asyncio.gather(*waiting) == ["0", "1", "2", "3"]


async def test_open_raises_if_the_server_stays_away(private_server, client_of):
    server = private_server()
    server.kill()

    with pytest.raises(ConnectionError, match="stayed away"):
        await client_of(server.url, patience_ms=100).open()


# ---- cut while a call is under way


async def test_a_repeatable_call_is_sent_again_after_a_cut_in_its_reply(
    any_server, proxy_to, client_of, prefix
):
    proxy = await proxy_to(any_server)
    client = client_of(proxy.url)
    await client.run(command("SET", prefix, "x" * 1000))
    proxy.cut_replies_after(100)

    value = await client.run(command("GET", prefix))

    assert value == "x" * 1000
    assert proxy.accepted == 2


async def test_a_call_that_must_not_repeat_tells_that_it_may_be_stored(
    any_server, proxy_to, client_of, prefix
):
    proxy = await proxy_to(any_server)
    client = client_of(proxy.url)
    await client.open()
    proxy.cut_replies_after(0)

    with pytest.raises(ConnectionError, match="may have been carried out") as caught:
        await client.run(once("INCR", prefix))

    assert caught.value.maybe_stored
    assert await client.run(command("GET", prefix)) == "1"


async def test_only_what_must_not_repeat_fails_among_many(any_server, proxy_to, client_of, prefix):
    proxy = await proxy_to(any_server)
    client = client_of(proxy.url)
    await client.open()
    proxy.cut_replies_after(9)
    calls = [once("INCR", prefix) if n % 2 else command("ECHO", f"{n}") for n in range(20)]

    replies = await asyncio.gather(*map(client.run, calls), return_exceptions=True)

    # 9 bytes are the replies "0" and 1 and the beginning of the third.
    assert replies[0::2] == [f"{n}" for n in range(0, 20, 2)]
    assert all(isinstance(reply, ConnectionError) and reply.maybe_stored for reply in replies[3::2])


async def test_a_call_waiting_during_a_cut_goes_out_exactly_once(
    any_server, proxy_to, client_of, prefix
):
    proxy = await proxy_to(any_server)
    errors = Errors()
    client = client_of(proxy.url, on_error=errors)
    proxy.refuse()
    waiting = asyncio.ensure_future(client.run(once("INCR", prefix)))
    await errors.reach(2)

    proxy.refuse(False)

    assert await waiting == 1
    assert await client.run(command("GET", prefix)) == "1"


# ---- mute


async def test_a_mute_connection_is_torn_down_and_told(any_server, proxy_to, line_of, prefix):
    proxy = await proxy_to(any_server)
    line = line_of(proxy.url, quiet_s=0.1)
    await line.send(command("PING"), None)
    proxy.freeze()

    again = line.send(command("ECHO", "again"), None)
    with pytest.raises(ConnectionError, match=r"silent for 0\.1 s") as caught:
        await line.send(once("INCR", prefix), None)
    proxy.thaw()

    assert caught.value.maybe_stored
    assert await again == "again"


async def test_silence_while_nothing_is_asked_is_no_fault(any_server, line_of):
    line = line_of(any_server.url)
    await line.send(command("PING"), None)
    link = line._link
    assert link._watch
    link._watch.cancel()

    link._check_silence(10)  # what happens at the end of a period

    assert link._watch is None
    assert line._link is link
    assert link.usable


async def test_a_slow_answer_in_pieces_is_no_silence(any_server, proxy_to, line_of):
    proxy = await proxy_to(any_server)
    line = line_of(proxy.url, quiet_s=0.3)
    await line.send(command("PING"), None)
    proxy.delay_s = 0.05

    # Twenty pieces, one after the other, take 2 s; each comes well within the limit.
    for n in range(20):
        assert await line.send(command("ECHO", f"{n}"), None) == f"{n}"

    assert proxy.accepted == 1


async def test_a_port_that_accepts_and_never_greets_does_not_hold_a_client(
    any_server, proxy_to, client_of
):
    proxy = await proxy_to(any_server)
    proxy.freeze()
    errors = Errors()
    client = client_of(
        {"port": proxy.port, "socket_connect_timeout": 0.05}, patience_ms=None, on_error=errors
    )
    waiting = asyncio.ensure_future(client.run(command("ECHO", "a")))
    await errors.reach(2)
    proxy.thaw()

    assert await waiting == "a"
    assert "does not answer" in str(errors[0])


# ---- there, but not able to serve


async def test_a_demoted_server_is_waited_out_and_nothing_is_done_twice(private_server, client_of):
    server = private_server()
    errors = Errors()
    client = client_of(server.url, on_error=errors)
    admin = client_of(server.tcp_url)
    await client.run(once("SET", "k", "7"))
    await admin.run(command("REPLICAOF", "127.0.0.1", "1"))

    read = asyncio.ensure_future(client.run(command("GET", "k")))
    writes = [asyncio.ensure_future(client.run(once("INCR", "k"))) for _ in range(3)]
    await errors.reach(2)
    await admin.run(command("REPLICAOF", "NO", "ONE"))

    assert await read == "7"
    assert await asyncio.gather(*writes) == [8, 9, 10]
    assert "READONLY" in str(errors[0])


async def test_a_loading_server_is_waited_for(client_of):
    replies = [b"-LOADING Redis is loading the dataset in memory\r\n"] * 2 + [b"+PONG\r\n"]

    def answer(words):
        return replies.pop(0) if words == ["PING"] else b"$1\r\na\r\n"

    async with ScriptedServer(answer) as server:
        assert await client_of(server.url).run(once("GET", "k")) == "a"
        assert not replies


async def test_what_was_refused_for_now_gives_up_in_time_and_says_why(client_of):
    def answer(words):
        busy = b"-BUSY Redis is busy running a script.\r\n"
        return b"+PONG\r\n" if words == ["PING"] else busy

    async with ScriptedServer(answer) as server:
        with pytest.raises(ConnectionError, match=r"last cause: .*BUSY") as caught:
            await client_of(server.url, patience_ms=200).run(once("INCR", "k"))

        assert not caught.value.maybe_stored
        assert 2 <= server.accepted < 20


@pytest.mark.parametrize("noise", [b"HTTP/1.1 400 Bad Request\r\n", b"$1\r\na\r\n:1\r\n"])
async def test_a_garbled_connection_is_replaced(client_of, noise):
    answers = iter([noise, b"$1\r\nb\r\n", b"$1\r\nc\r\n", b"$1\r\nd\r\n"])

    def answer(words):
        return b"+PONG\r\n" if words == ["PING"] else next(answers)

    async with ScriptedServer(answer) as server:
        client = client_of(server.url)
        await client.run(command("GET", "k"))

        assert await client.run(command("GET", "k")) in {"b", "c"}
        assert server.accepted == 2


# ---- no access


@pytest.fixture
async def locked_server(private_server, client_of):
    server = private_server()
    server.admin = client_of(server.url)
    await server.admin.run(command("CONFIG", "SET", "requirepass", "hush"))
    return server


@pytest.mark.parametrize("way", ["tcp", "unix"])
async def test_a_wrong_password_is_told_at_once(locked_server, client_of, way):
    client = client_of(
        {"port": locked_server.port, "password": "secret"}
        if way == "tcp"
        else {"unix_socket_path": str(locked_server.socket), "password": "secret"}
    )

    with pytest.raises(ConnectionError, match=r"refuses access: WRONGPASS") as caught:
        await client.run(command("PING"))

    assert "secret" not in str(caught.value)


async def test_a_missing_password_is_told_at_once(locked_server, client_of):
    with pytest.raises(ConnectionError, match=r"refuses access: NOAUTH"):
        await client_of(locked_server.tcp_url).open()


async def test_a_database_that_does_not_exist_is_told_at_once(any_server, client_of):
    with pytest.raises(ConnectionError, match=r"refuses access: .*DB index is out of range"):
        await client_of(f"{any_server.url}?db=9999").open()


async def test_the_ever_patient_outlast_a_wrong_password(locked_server, client_of):
    errors = Errors()
    settings = {"port": locked_server.port, "password": "new"}
    worker = client_of(settings, patience_ms=None, on_error=errors)

    waiting = asyncio.ensure_future(worker.run(command("ECHO", "a")))
    await errors.reach(2)
    await locked_server.admin.run(command("CONFIG", "SET", "requirepass", "new"))

    assert await waiting == "a"


async def test_a_forbidden_command_is_told_at_once(private_server, client_of):
    server = private_server()
    admin = client_of(server.url)
    await admin.run(
        command("ACL", "SETUSER", "ann", "on", ">hush", "~*", "+@all", "-incr", "-ping")
    )
    user = client_of(f"redis://ann:hush@127.0.0.1:{server.port}")

    await user.open()
    with pytest.raises(BullError, match="Command INCR failed: NOPERM") as caught:
        await user.run(once("INCR", "k"))

    assert not isinstance(caught.value, ConnectionError)
    assert await user.run(command("ECHO", "a")) == "a"
