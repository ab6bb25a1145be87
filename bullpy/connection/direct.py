"""The link to a server without a socket: fakeredis, for users' tests.

It runs call by call through the connection object that the user's client would make.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Any, cast

import redis
from redis.asyncio.connection import AbstractConnection

from bullpy.connection.background import Background
from bullpy.connection.faults import error_text
from bullpy.connection.pending import LinkOwner, Pending
from bullpy.connection.settings import Settings
from bullpy.errors import ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Arg
from bullpy.types import RedisReply


class DirectLink:
    """A link over redis-py's own connection object."""

    def __init__(
        self, connection: AbstractConnection, settings: Settings, owner: LinkOwner
    ) -> None:
        self.sent: deque[Pending] = deque()
        self._connection = connection
        self._settings = settings
        self._owner = owner
        self._over = False
        self._client_id: RedisReply = None
        self._background = Background(self._died)

    @property
    def usable(self) -> bool:
        """Whether it has not ended."""
        return not self._over

    def send(self, batch: Sequence[Pending]) -> None:
        """Work calls off, one after the other."""
        self.sent.extend(batch)
        if not self._background.running:
            self._background.start(self._work(), "bullpy direct link")

    def abort(self, error: ConnectionError) -> None:
        """End it; there is no socket to wait for."""
        if not self._over:
            self._over = True
            self._background.cancel()
            asyncio.get_running_loop().call_soon(self._owner.lost, self, error)

    async def close(self) -> None:
        """End it."""
        self._over = True
        await self._background.stop()
        await self._connection.disconnect()

    async def _work(self) -> None:
        try:
            self._client_id = self._client_id or await self._ask("CLIENT", "ID")
            await self._work_off()
        except asyncio.CancelledError:
            await self._unblock()
            raise

    async def _unblock(self) -> None:
        """End a blocking command that would else take away what the next one waits for."""
        other = self._settings.make_connection()
        await other.connect()
        await other.send_command("CLIENT", "UNBLOCK", self._client_id)
        await other.read_response()
        await other.disconnect()

    async def _ask(self, *words: Arg) -> RedisReply:
        await self._connection.send_command(*words)
        return cast("Any", await self._connection.read_response(disable_decoding=True))

    async def _work_off(self) -> None:
        while self.sent:
            pending = self.sent[0]
            text: str | None = None
            reply: RedisReply = None
            try:
                reply = await self._ask(*pending.words())
            except redis.ResponseError as error:
                text = error_text(error)
            self.sent.popleft()
            if text is not None:
                self._owner.refused(pending, text)
            elif not pending.future.done():
                pending.future.set_result(_as_text(reply))
            self._owner.heard()

    def _died(self, cause: BaseException) -> None:
        error = ConnectionError(f"Lost the connection to {self._settings.address}: {cause}")
        error.__cause__ = cause
        self.abort(error)


def _as_text(reply: Any) -> RedisReply:
    if isinstance(reply, bytes):
        return reply.decode("utf-8", "surrogateescape")
    if isinstance(reply, list):
        return [_as_text(item) for item in cast("list[Any]", reply)]
    return reply
