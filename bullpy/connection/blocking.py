"""A connection for commands that wait inside the server: markers and event streams."""

import asyncio
import logging
from typing import TypeVar

from bullpy.connection.faults import is_away, server_error
from bullpy.connection.link import open_link
from bullpy.connection.pending import Link, Pending
from bullpy.connection.settings import Settings
from bullpy.errors import BullError, ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Command

T = TypeVar("T")

GRACE_S = 1.0  # Redis ends a block up to 0.1 s late; the rest is for the network and busy servers

_log = logging.getLogger("bullpy")


class Interrupted(BullError):  # noqa: N818 - somebody's wish, not a failure
    """The owner of a blocking client called it back from its wait."""


class BlockingClient:
    """A socket of its own, opened at first use and after each loss. One `run` at a time.

    Args:
        settings: Which server.
        name: What to be called in the server's client list. Redis takes no blanks: such a name is
            not set.
    """

    def __init__(self, settings: Settings, name: str = "") -> None:
        self._settings = settings
        self._name = name if all("!" <= letter <= "~" for letter in name) else ""
        self._link: Link | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scope: asyncio.Timeout | None = None
        self._interrupted = False
        self._name_refused = False

    async def run(self, command: Command[T], *, timeout: float) -> T:  # noqa: ASYNC109 - of the server
        """Run one command that may block.

        Args:
            command: What to run.
            timeout: Seconds for which the command itself blocks at most, over 0.

        Raises:
            Interrupted: `interrupt` or `close` was called.
            ConnectionError: The server went away, or is silent for longer than the block may take.
            BullError: The server refuses the command, or another `run` is under way.
        """
        if self._scope:
            raise BullError("A blocking client runs one command at a time")
        try:
            async with asyncio.timeout(None) as self._scope:
                reply = await self._ask(command, self._scope, timeout)
        except TimeoutError as error:
            await self._drop()
            if self._interrupted:
                raise Interrupted("Called back from a blocking command") from None
            raise self._silent(command, timeout) from error
        except (ConnectionError, asyncio.CancelledError):
            await self._drop()  # a late answer must not be taken for the next one's
            raise
        finally:
            self._scope = None
            self._interrupted = False
        return command.decode(reply)

    def interrupt(self) -> None:
        """Make a `run` that is under way raise `Interrupted` at once; else do nothing."""
        if self._scope:
            self._interrupted = True
            self._scope.reschedule(0)

    async def close(self) -> None:
        """End a `run` that is under way and the connection. May be called twice."""
        self.interrupt()
        await self._drop()

    async def _ask(self, command: Command[T], scope: asyncio.Timeout, block_s: float) -> object:
        link = await self._ready_link()
        loop = asyncio.get_running_loop()
        pending = Pending(command, loop.create_future(), None)
        if not self._interrupted:
            scope.reschedule(loop.time() + block_s + GRACE_S)
        link.send([pending])
        return await pending.future

    async def _ready_link(self) -> Link:
        if self._link and self._link.usable and self._loop is asyncio.get_running_loop():
            return self._link
        name = "" if self._name_refused else self._name
        self._link, refusal = await open_link(self._settings, self, quiet_s=None, name=name)
        self._loop = asyncio.get_running_loop()
        if refusal:
            self._name_refused = True
            _log.warning(
                "Redis refused the connection name %r, so this worker is in no worker list: %s",
                self._name, refusal,
            )  # fmt: skip
        return self._link

    async def _drop(self) -> None:
        link, self._link = self._link, None
        if link and self._loop is asyncio.get_running_loop():
            await link.close()

    def _silent(self, command: Command[T], timeout: float) -> ConnectionError:
        return ConnectionError(
            f"Redis at {self._settings.address} was silent for {timeout + GRACE_S:g} s "
            f"after {command.args[0]} with a block of {timeout:g} s"
        )

    # ---- for the link

    def refused(self, pending: Pending, text: str) -> None:
        """The command met an error reply."""
        if is_away(text):
            pending.fail(ConnectionError(f"Redis at {self._settings.address} is away: {text}"))
        else:
            pending.fail(server_error(pending.call, text))

    def heard(self) -> None:
        """Nothing to do: there is one command at a time."""

    def set_writable(self, writable: bool) -> None:
        """Nothing to do: there is one command at a time."""

    def lost(self, link: Link, error: ConnectionError) -> None:
        """The link is over."""
        for pending in link.sent:
            pending.fail(ConnectionError(str(error), maybe_stored=True))
        link.sent.clear()
