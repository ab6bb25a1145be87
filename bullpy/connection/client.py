"""What queues, workers and event readers hold to talk to Redis."""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

from bullpy.connection.blocking import BlockingClient
from bullpy.connection.pipeline import OnError, Pipeline
from bullpy.connection.settings import ConnectionLike, parse_connection
from bullpy.connection.shared import join, leave
from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Call, Command
from bullpy.types import RedisReply

T = TypeVar("T")

PATIENCE_MS = 10_000  # outlasts a restart or a failover, and no user waits longer for an answer


class Client:
    """Sends calls over the connection it shares with its like.

    Making one does no I/O and needs no event loop; it works in every loop it is used in.

    Args:
        connection: A URL, a mapping of redis-py's arguments, a `redis.asyncio.Redis`, or None for
            `$BULLPY_REDIS_URL`, else `redis://127.0.0.1:6379`. A client is never closed.
        patience_ms: How long a call waits for a server that is away; None for ever.
        on_error: Told once about each failed attempt to reach the server.

    Raises:
        OptionError: The connection or the patience makes no sense.
    """

    def __init__(
        self,
        connection: ConnectionLike = None,
        *,
        patience_ms: int | None = PATIENCE_MS,
        on_error: OnError | None = None,
    ) -> None:
        if patience_ms is not None and patience_ms <= 0:
            raise OptionError(f"patience_ms: more than 0, or None for ever, not {patience_ms!r}")
        self._settings = parse_connection(connection)
        self._patience_s = None if patience_ms is None else patience_ms / 1000
        self._on_error = on_error
        self._joined: dict[asyncio.AbstractEventLoop, Pipeline] = {}

    @property
    def address(self) -> str:
        """The server's name for messages, without secrets."""
        return self._settings.address

    async def open(self) -> None:
        """Connect now.

        Raises:
            ConnectionError: The server stayed away, or refuses access.
        """
        try:
            await self.run(Command(("PING",), decode=_anything))
        except ConnectionError:
            raise
        except BullError:
            return  # forbidden to this user, yet answered: the connection stands

    async def run(self, call: Call[T]) -> T:
        """Send a call and read its answer.

        Raises:
            ConnectionError: The server stayed away for longer than the patience, refuses access,
                or took a call and went without an answer (`maybe_stored`).
            ScriptError: The script refused to change the state.
            BullError: The server refuses the call. A bug or a missing permission.
        """
        pipeline = self._joined.get(asyncio.get_running_loop()) or self._join()
        if pipeline.is_full:
            await pipeline.room(self._patience_s)
        return call.decode(await pipeline.send(call, self._patience_s))

    def post(self, call: Call[Any]) -> "asyncio.Future[RedisReply]":
        """Send a call that others wait for; its raw answer arrives in the future.

        It does not wait for room in the connection: those who wait for the answer bound it.
        """
        pipeline = self._joined.get(asyncio.get_running_loop()) or self._join()
        return pipeline.send(call, self._patience_s)

    async def run_all(self, calls: Sequence[Call[Any]]) -> list[Any]:
        """Send calls in one write and wait for all of them.

        Returns:
            Their answers, in order.

        Raises:
            BullError: The first error of them, as in `run`; the others are done as well.
        """
        pipeline = self._joined.get(asyncio.get_running_loop()) or self._join()
        futures: list[asyncio.Future[RedisReply]] = []
        for call in calls:
            if pipeline.is_full:
                await pipeline.room(self._patience_s)
            futures.append(pipeline.send(call, self._patience_s))
        replies = await asyncio.gather(*futures, return_exceptions=True)
        answers: list[Any] = []
        for call, reply in zip(calls, replies, strict=True):
            if isinstance(reply, BaseException):
                raise reply
            answers.append(call.decode(reply))
        return answers

    def blocking(self, name: str = "") -> BlockingClient:
        """A client with a socket of its own, for commands that block.

        Args:
            name: What it is called in the server's client list.
        """
        return BlockingClient(self._settings, name)

    async def close(self) -> None:
        """Leave the shared connection of the running loop; it closes with its last user.

        May be called twice. A later call opens it again.
        """
        pipeline = self._joined.pop(asyncio.get_running_loop(), None)
        if pipeline:
            await leave(pipeline, self)

    def _join(self) -> Pipeline:
        for loop in [loop for loop in self._joined if loop.is_closed()]:
            del self._joined[loop]
        pipeline = join(self._settings, self, self._on_error)
        self._joined[asyncio.get_running_loop()] = pipeline
        return pipeline


def _anything(reply: RedisReply) -> RedisReply:
    return reply
