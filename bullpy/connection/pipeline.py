"""All commands of one server on one event loop, over one connection that comes back.

Calls made within one tick of the loop leave in one write; replies match calls by order. While the
server is away calls wait, each as long as its caller is patient, and go out when it is back.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable
from typing import Any

from bullpy.connection.background import Background
from bullpy.connection.faults import AccessError, is_away, is_unknown_script, server_error
from bullpy.connection.link import QUIET_S, open_link
from bullpy.connection.pending import Link, Pending
from bullpy.connection.settings import Settings
from bullpy.errors import ConnectionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Call, ScriptCall
from bullpy.types import RedisReply

OnError = Callable[[Exception], None]

_log = logging.getLogger("bullpy")

LIMIT = 10_000  # calls unanswered, and again calls unsent; ~1 KB each, and more only adds latency
FIRST_RETRY_S = 0.05  # a restart or failover nearby takes tens of ms
LAST_RETRY_S = 2.0  # back at work within 2 s; a thousand clients knock 500 to 1000 times a second


class Pipeline:
    """The shared connection. Made and used on one event loop.

    Args:
        settings: Which server.
        quiet_s: See `open_link`.
    """

    def __init__(self, settings: Settings, *, quiet_s: float = QUIET_S) -> None:
        self.settings = settings
        self.users: dict[object, OnError | None] = {}
        self._quiet_s = quiet_s
        self._loop = asyncio.get_running_loop()
        self._link: Link | None = None
        self._unsent: list[Pending] = []
        self._refused: list[Pending] = []  # not carried out, since the server is away
        self._flush_due = False
        self._writable = True
        self._retiring: ConnectionError | None = None
        self._closed = False
        self._answered = False  # a call, over the present link
        self._failures = 0  # attempts since the server last answered a call
        self._last_attempt = 0.0  # loop time
        self._cause: ConnectionError | None = None
        self._room = asyncio.Event()
        self._background = Background(self._fail_all)
        self._end = self._close_with_loop()
        _enter(self._end)

    # ---- for the client

    def send(self, call: Call[Any], patience_s: float | None) -> asyncio.Future[RedisReply]:
        """Send a call with this tick's others.

        Args:
            call: What to send.
            patience_s: How long it may wait for a server that is away; None for ever.

        Returns:
            The raw reply, or a `BullError`. May be cancelled at any time.
        """
        pending = Pending(call, self._loop.create_future(), patience_s)
        self._unsent.append(pending)
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)
        return pending.future

    @property
    def is_full(self) -> bool:
        """Whether a caller should wait for `room` first."""
        return len(self._unsent) >= LIMIT

    async def room(self, patience_s: float | None) -> None:
        """Wait until the queue of unsent calls has shrunk.

        Raises:
            ConnectionError: It did not in time.
        """
        try:
            async with asyncio.timeout(patience_s):
                while self.is_full and not self._closed:
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError as error:
            raise self._gave_up(patience_s) from error

    async def close(self) -> None:
        """End the connection. Calls still waiting fail."""
        await self._end.aclose()

    # ---- for the link

    def refused(self, pending: Pending, text: str) -> None:
        """A call met an error reply."""
        if is_unknown_script(text) and isinstance(pending.call, ScriptCall) and not pending.in_full:
            pending.send_in_full()
            self._unsent.append(pending)
            self._flush_soon()
        elif is_away(text):
            self._refused.append(pending)
            self._retire(text)
        else:
            pending.fail(server_error(pending.call, text))

    def heard(self) -> None:
        """Replies have come in."""
        if self._retiring is None:
            self._answered = True
            self._failures = 0
            if self._unsent:  # held back by LIMIT
                self._flush_soon()
        elif self._link and not self._link.sent:
            self._link.abort(self._retiring)

    def set_writable(self, writable: bool) -> None:
        """Back-pressure from the socket."""
        self._writable = writable
        if writable:
            self._flush()

    def lost(self, link: Link, error: ConnectionError) -> None:
        """The link is over. What may be repeated waits for the next one."""
        if link is not self._link:
            return
        unanswered = [pending for pending in link.sent if not pending.future.done()]
        link.sent.clear()
        if self._retiring is None and (unanswered or self._unsent):
            self._report(error)
            self._failures += not self._answered
        self._link = self._retiring = None
        self._writable = True
        again = [pending for pending in unanswered if pending.call.repeatable]
        self._unsent[:0] = [*self._refused, *again]
        self._refused.clear()
        for pending in unanswered:
            if not pending.call.repeatable:
                pending.fail(_maybe_stored(error))
        if self._unsent:
            self._seek()

    # ---- sending

    def _flush_soon(self) -> None:
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        link = self._link
        if link is None:
            self._seek()
        elif self._writable and self._retiring is None and link.usable:
            window = max(LIMIT - len(link.sent), 0)
            batch = [pending for pending in self._unsent[:window] if not pending.future.done()]
            del self._unsent[:window]
            if batch:
                link.send(batch)
            if not self._room.is_set():
                self._room.set()

    # ---- while the server is away

    def _retire(self, text: str) -> None:
        """Let the connection answer what is under way, then look for a server that serves."""
        if self._retiring is None:
            self._retiring = ConnectionError(f"Redis at {self.settings.address} is away: {text}")
            self._failures += 1
            self._report(self._retiring)

    def _report(self, error: ConnectionError) -> None:
        self._cause = error
        for on_error in list(self.users.values()):
            try:
                if on_error is not None:
                    on_error(error)
            except Exception:  # noqa: BLE001 - somebody else's code must not stop the reconnecting
                _log.exception("The listener for connection errors failed")

    def _seek(self) -> None:
        """Hold calls back, and look for a connection unless that is under way."""
        if self._closed:
            self._fail_all(None)
            return
        for pending in self._unsent:
            if pending.timer is None:
                self._hold(pending)
        if self._unsent and not self._background.running:
            self._background.start(self._connect(), f"bullpy connects to {self.settings.address}")

    def _hold(self, pending: Pending) -> None:
        if pending.patience_s is None:
            return
        if pending.deadline is None:
            pending.deadline = self._loop.time() + pending.patience_s
        pending.timer = self._loop.call_at(pending.deadline, self._expire, pending)

    def _expire(self, pending: Pending) -> None:
        pending.fail(self._gave_up(pending.patience_s))

    def _gave_up(self, patience_s: float | None) -> ConnectionError:
        cause = f"; last cause: {self._cause}" if self._cause else ""
        error = ConnectionError(
            f"Redis at {self.settings.address} stayed away for {patience_s:g} s{cause}"
        )
        error.__cause__ = self._cause
        return error

    async def _connect(self) -> None:
        """Try until there is a connection, or nobody waits for one any more."""
        while self._anyone_waits():
            if self._failures:
                due = self._last_attempt + _pause(self._failures)
                await asyncio.sleep(max(due - self._loop.time(), 0))
            self._last_attempt = self._loop.time()
            try:
                link, _ = await open_link(self.settings, self, quiet_s=self._quiet_s)
            except ConnectionError as error:
                self._failures += 1
                self._report(error)
                if isinstance(error, AccessError):
                    self._turn_away(error)
            else:
                self._begin(link)
                return

    def _anyone_waits(self) -> bool:
        self._unsent = [pending for pending in self._unsent if not pending.future.done()]
        if not self.is_full:
            self._room.set()
        return bool(self._unsent)

    def _turn_away(self, error: AccessError) -> None:
        """Tell at once those who would give up anyway; a worker outlasts a wrong password."""
        for pending in self._unsent:
            if pending.patience_s is not None:
                pending.fail(_copy(error))

    def _begin(self, link: Link) -> None:
        self._link = link
        self._answered = False
        for pending in self._unsent:
            pending.calm()
        self._flush_soon()

    # ---- the end

    async def _close_with_loop(self) -> AsyncGenerator[None]:
        """Ends when closed, or else with the event loop, which closes its generators."""
        try:
            yield
        finally:
            self._closed = True
            await self._background.stop()
            link, self._link = self._link, None
            if link:
                for pending in link.sent:
                    pending.fail(self._closed_error(maybe_stored=True))
                await link.close()
            self._fail_all(None)

    def _fail_all(self, cause: BaseException | None) -> None:
        """Nobody may wait for what will not come."""
        for pending in [*self._refused, *self._unsent]:
            failed = self._closed_error()
            failed.__cause__ = cause
            pending.fail(failed)
        self._refused.clear()
        self._unsent.clear()
        self._room.set()

    def _closed_error(self, *, maybe_stored: bool = False) -> ConnectionError:
        return ConnectionError(
            f"The connection to Redis at {self.settings.address} was closed",
            maybe_stored=maybe_stored,
        )


def _enter(generator: AsyncGenerator[None]) -> None:
    """Run an asynchronous generator to its first yield, before which it awaits nothing."""
    try:
        generator.__anext__().send(None)
    except StopIteration:
        return


def _pause(failures: int) -> float:
    """Seconds before the next attempt: doubling, and spread so that clients don't march in step."""
    longest = min(FIRST_RETRY_S * 2 ** min(failures - 1, 10), LAST_RETRY_S)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - a spread, no secret


def _maybe_stored(cause: ConnectionError) -> ConnectionError:
    error = ConnectionError(
        f"{cause}; the command was sent before and may have been carried out", maybe_stored=True
    )
    error.__cause__ = cause
    return error


def _copy(error: AccessError) -> AccessError:
    """Each waiter raises its own object, since a traceback is written into it."""
    copy = AccessError(str(error))
    copy.__cause__ = error.__cause__
    return copy
