"""One call on its way: what is sent for it, who waits for the answer, and what carries it."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import hiredis

from bullpy.errors import ConnectionError, OptionError  # noqa: A004 - ours is one
from bullpy.scripts.spec import Arg, Call, Command
from bullpy.types import RedisReply


class Pending:
    """A call that is unsent or unanswered.

    Attributes:
        call: What is asked.
        packed: The same as bytes on the wire.
        future: Gets the raw reply.
        patience_s: How long it waits for a lost server; None for ever.
        in_full: The script's source goes along, since the server asked for it.
        deadline: Loop time at which a call held back gives up; set when it is first held.
        timer: Runs at the deadline, while the call is held back.
    """

    __slots__ = ("call", "deadline", "future", "in_full", "packed", "patience_s", "timer")

    def __init__(
        self, call: Call[Any], future: asyncio.Future[RedisReply], patience_s: float | None
    ) -> None:
        self.call = call
        self.packed = pack(call_words(call))
        self.future = future
        self.patience_s = patience_s
        self.in_full = False
        self.deadline: float | None = None
        self.timer: asyncio.TimerHandle | None = None

    def send_in_full(self) -> None:
        """From now on, send the script's source instead of its hash."""
        self.in_full = True
        self.packed = pack(call_words(self.call, in_full=True))

    def words(self) -> tuple[Arg, ...]:
        """The words of the command, as they are to be sent."""
        return call_words(self.call, in_full=self.in_full)

    def fail(self, error: Exception) -> None:
        """Tell the caller, who may be gone."""
        self.calm()
        if not self.future.done():
            self.future.set_exception(error)

    def calm(self) -> None:
        """Stop the timer: the call is about to be sent, or over."""
        if self.timer:
            self.timer.cancel()
            self.timer = None


class LinkOwner(Protocol):
    """Whom a link reports to."""

    def refused(self, pending: Pending, text: str) -> None:
        """A call met an error reply."""
        ...

    def heard(self) -> None:
        """Replies have come in."""
        ...

    def set_writable(self, writable: bool) -> None:
        """The server takes no more bytes for now, or takes them again."""
        ...

    def lost(self, link: "Link", error: ConnectionError) -> None:
        """The link is over; `link.sent` holds the calls that had no answer."""
        ...


class Link(Protocol):
    """An open connection, over a socket or not."""

    sent: deque[Pending]

    @property
    def usable(self) -> bool:
        """Whether sending makes sense."""
        ...

    def send(self, batch: Sequence[Pending]) -> None:
        """Send calls in one write; their futures get the replies."""
        ...

    def abort(self, error: ConnectionError) -> None:
        """End it at once; the owner hears of it by `lost`."""
        ...

    async def close(self) -> None:
        """End it and see it end."""
        ...


def call_words(call: Call[Any], *, in_full: bool = False) -> tuple[Arg, ...]:
    """The words of the command that carries a call."""
    if isinstance(call, Command):
        return call.args
    composed = call.script.composed
    if in_full:
        return ("EVAL", composed.text, len(call.keys), *call.keys, *call.args)
    return ("EVALSHA", composed.sha, len(call.keys), *call.keys, *call.args)


# hiredis' stub wants a tuple of exactly one word.
_pack_words = cast("Callable[[tuple[Arg, ...]], bytes]", cast("Any", hiredis).pack_command)


def pack(words: tuple[Arg, ...]) -> bytes:
    """A command as bytes on the wire.

    Raises:
        OptionError: A word has no UTF-8 form.
        TypeError: A word is neither text, bytes nor number. A bug.
    """
    if float in map(type, words):  # C speed: 20 ns a word, beside 40 for packing it
        words = tuple(_shortest(word) for word in words)
    try:
        return _pack_words(words)
    except UnicodeEncodeError:
        return _pack_words(tuple(_encoded(word) for word in words))


def _shortest(word: Arg) -> Arg:
    return int(word) if isinstance(word, float) and word.is_integer() else word


def _encoded(word: Arg) -> Arg:
    """Bytes that came in as undecodable go out as they were."""
    if not isinstance(word, str):
        return word
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise OptionError(f"Redis can't store half a surrogate pair: {word[:50]!a}") from error
