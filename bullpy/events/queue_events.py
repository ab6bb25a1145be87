"""Reads a queue's event stream, for listeners, for those who wait for a job, and for `async for`.

One loop on one blocking connection reads and tells listeners and waiters. Whoever iterates reads
at a pace of his own from the stream itself, and is only woken by that loop: a slow reader holds
nobody up and fills no memory.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any, Final, Self

from bullpy.connection import Client, ConnectionLike
from bullpy.emitter import ERROR
from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.events.dispatch import Dispatcher
from bullpy.events.entry import StreamEvent, decode_entry
from bullpy.events.place import checked_place, gap
from bullpy.events.waiters import Ending
from bullpy.keys import DEFAULT_PREFIX, QueueKeys
from bullpy.options import milliseconds
from bullpy.scripts import stream

PAGE: Final = 500  # entries, some 100 KB; BullMQ takes a whole backlog in one reply
BLOCK_MS: Final = 10_000  # BullMQ's blockingTimeout
FIRST_RETRY_S: Final = 0.05
LAST_RETRY_S: Final = 5.0  # BullMQ's pause


class QueueEvents:
    """What happens in a queue, whoever makes it happen.

        async with QueueEvents("mail") as events:
            events.on("completed", lambda args, event_id: print(args["jobId"]))
            result = await job.wait_until_finished(events)

    Ready on entry: nothing is missed that happens after that line, nor while Redis is away.
    Listeners get `(args, event_id)`, and `drained` only the id; args are as in `StreamEvent`. An
    event with a `jobId` is also told under `<name>:<jobId>`. An `error` event has an exception:
    one for each failed attempt to read, one for each entry that can't be read, one if the stream
    was trimmed faster than it was read. None of them ends the reading.

    Args:
        name: The queue's name, without a colon.
        connection: URL, mapping of redis-py's arguments, or a client; None for
            `$BULLPY_REDIS_URL`, else `redis://127.0.0.1:6379`.
        prefix: What all keys begin with.
        last_event_id: Read on behind this entry; `0-0` reads all there is. None: only what is new.
        blocking_timeout: For how long one read waits in the server: int ms or a `timedelta`, over
            0. Behind it a connection that died silently is noticed.
        autorun: Begin to read on entry; else with `run`, or the first `async for`.

    Raises:
        OptionError: The name or an option is not usable.

    BullMQ: `QueueEvents`.
    """

    def __init__(
        self,
        name: str,
        *,
        connection: ConnectionLike = None,
        prefix: str = DEFAULT_PREFIX,
        last_event_id: str | None = None,
        blocking_timeout: int | timedelta = BLOCK_MS,
        autorun: bool = True,
    ) -> None:
        self.name = name
        self._keys = QueueKeys(prefix, name)
        self._cursor = checked_place(last_event_id, name)
        self._behind = self._cursor is not None  # what follows may have been trimmed away since
        self._block_ms = _checked_block(blocking_timeout, name)
        self._autorun = autorun
        self._client = Client(connection)
        self._reader = self._client.blocking(self._keys.events_reader_name)
        self._dispatcher = Dispatcher(name)
        self._emitter = self._dispatcher.emitter
        self._iterated = stream.BEGINNING
        self._task: asyncio.Task[None] | None = None
        self._news: asyncio.Future[None] | None = None  # rung at each page; None until opened
        self._death: BaseException | None = None
        self._closed = False

    # ---- listening

    @property
    def last_event_id(self) -> str | None:
        """Id of the last entry that was told to listeners, or behind which they began."""
        return self._cursor

    def on(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """Call a listener whenever the event happens; without one, a decorator."""
        return self._emitter.on(event, listener)

    def once(self, event: str, listener: Callable[..., Any] | None = None) -> Any:
        """As `on`, for the next time only."""
        return self._emitter.once(event, listener)

    def off(self, event: str, listener: Callable[..., Any]) -> None:
        """Stop calling a listener."""
        self._emitter.off(event, listener)

    def waiting_for(self, job_id: str) -> AbstractContextManager[Ending]:
        """Listen to a job's end for as long as the block lasts.

        Enter it before you ask for the job's state, and you miss nothing. The future gets the
        fields of the first `completed`, `failed` or `removed` event, with its name as `event`.

        Raises:
            BullError: These events are not open; or, out of the future, were closed meanwhile.
        """
        self._must_be_open()
        return self._dispatcher.waiters.waiting_for(job_id)

    async def __aiter__(self) -> AsyncGenerator[StreamEvent]:
        """All events, one after the other, until `close`.

        The first iteration begins where these events were opened, another one behind the last
        event that one has got. Up to 500 entries are read ahead, and further ones when these are
        used up: whoever is slow finds them in the stream, where an `error` event tells if they
        were trimmed away before he came.

        Raises:
            BullError: These events are not open, or Redis refuses to read the stream.
        """
        news = self._must_be_open()
        if not self._reading:
            self._start()
        while not self._closed:
            page = await self._page_for_iteration()
            for event_id, fields in page:
                self._iterated = event_id
                try:
                    event = decode_entry(event_id, fields)
                except BullError:
                    continue  # the reading loop reports it
                yield event
                if self._closed:
                    break
            if not page:
                await asyncio.wait([news])
            news = self._news or news
        self._raise_death()

    # ---- life

    async def open(self) -> None:
        """Connect and find the place in the stream: nothing after it will be missed.

        Raises:
            ConnectionError: Redis stayed away.
            BullError: Redis refuses to read the stream, or these events were closed.
        """
        if self._closed:
            raise self._not_open()
        if self._news is not None:
            return
        try:
            if self._cursor is None:
                # `$` would mean "now" anew with each read, and lose what falls between two.
                newest = await self._client.run(stream.last_event_id(self._keys))
                self._cursor = newest or stream.BEGINNING
            else:
                await self._client.open()
        except BaseException:
            await self._client.close()
            raise
        self._iterated = self._cursor
        self._news = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Open, if need be, and read until `close`.

        Raises:
            BullError: It reads already, or was closed.
            ConnectionError: Redis stayed away while opening; later on it is waited for.
        """
        await self.open()
        if self._reading:
            raise BullError("Queue Events is already running.")
        task = self._start()
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
        self._raise_death()

    async def close(self) -> None:
        """Stop at once, also in the middle of a read. May be called twice.

        Iterations end, and those who wait for a job get a `BullError`. `async` listeners that
        still run are waited for, up to 5 s.
        """
        self._closed = True
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._end_all()
        await self._reader.close()
        await self._emitter.drain()
        await self._client.close()

    async def __aenter__(self) -> Self:
        await self.open()
        if self._autorun and not self._reading:
            self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # ---- the reading loop

    @property
    def _reading(self) -> bool:
        return self._task is not None and not self._task.done()

    def _start(self) -> asyncio.Task[None]:
        self._task = asyncio.create_task(  # noqa: TID251 - the one task of this room; close ends it
            self._read_on(), name=f"bullpy events of {self._keys.qualified}"
        )
        self._task.add_done_callback(self._ended)
        return self._task

    async def _read_on(self) -> None:
        failures = 0
        while True:
            try:
                page = await self._next_page()
            except BullError as error:
                failures += 1
                self._behind = True
                self._emitter.emit(ERROR, error)
                await asyncio.sleep(_pause_s(failures))
                continue
            failures = 0
            for event_id, fields in page:
                await self._emitter.room()
                self._cursor = event_id
                self._dispatcher.tell(event_id, fields)
            self._ring()

    async def _next_page(self) -> list[stream.Entry]:
        after = self._cursor or stream.BEGINNING
        page = await self._reader.run(
            stream.read_events(self._keys, after, count=PAGE, block_ms=self._block_ms),
            timeout=self._block_ms / 1000,
        )
        if page and self._behind:
            self._report_gap(after, await self._client.run(stream.first_event_id(self._keys)))
        if page:
            self._behind = len(page) == PAGE
        return page

    # ---- helpers

    async def _page_for_iteration(self) -> list[stream.Entry]:
        after = self._iterated
        try:
            # In this order: what is there after the page was read, was there before.
            page, first = await self._client.run_all(
                [
                    stream.read_events(self._keys, after, count=PAGE),
                    stream.first_event_id(self._keys),
                ]
            )
        except ConnectionError:
            return []  # the reading loop reports it, and rings when Redis is back
        if page:
            self._report_gap(after, first)
        return page

    def _report_gap(self, after: str, first: str | None) -> None:
        if error := gap(self.name, after=after, first=first):
            self._emitter.emit(ERROR, error)

    def _ring(self) -> None:
        """Wake those who iterate."""
        news, self._news = self._news, asyncio.get_running_loop().create_future()
        if news and not news.done():
            news.set_result(None)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A bug ended the loop: nobody may wait for it any more."""
        if task.cancelled() or not (error := task.exception()):
            return
        self._death = error
        self._closed = True
        self._emitter.emit(ERROR, error)
        self._end_all()

    def _end_all(self) -> None:
        if self._news:
            self._ring()
        self._dispatcher.waiters.fail(self._not_open)

    def _raise_death(self) -> None:
        if self._death:
            raise self._not_open()

    def _must_be_open(self) -> asyncio.Future[None]:
        if self._news is None or self._closed:
            raise self._not_open()
        return self._news

    def _not_open(self) -> BullError:
        if self._death:
            state = f"ended by {self._death!r}"
        else:
            state = "closed" if self._closed else "not open: use `async with`"
        error = BullError(f"The events of queue {self.name!r} are {state}")
        error.__cause__ = self._death
        return error


def _checked_block(blocking_timeout: int | timedelta, name: str) -> int:
    where = f"the events of queue {name!r}"
    block_ms = int(milliseconds(blocking_timeout, name="blocking_timeout", where=where))
    if block_ms <= 0:
        raise OptionError(
            f"blocking_timeout of {where}: over 0, not {blocking_timeout!r}; a read that waits for "
            "ever never notices a dead connection"
        )
    return block_ms


def _pause_s(failures: int) -> float:
    """Doubling, and spread so that readers don't march in step."""
    longest = min(FIRST_RETRY_S * 2 ** min(failures - 1, 10), LAST_RETRY_S)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - a spread, no secret
