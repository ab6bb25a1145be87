"""Local events: who listens to what, and what happens when a listener fails.

Emitting is synchronous and costs a dict lookup when nobody listens. Whatever a listener does, the
one who emits goes on: its exception becomes an `error` event, and an `error` that nobody hears is
logged. The tasks of `async` listeners are started, counted and awaited here and nowhere else.
"""

import asyncio
import difflib
import functools
import inspect
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar, cast, overload

from bullpy.errors import BullError, OptionError

Listener: TypeAlias = Callable[..., object]
"""A function, `async` or not, called with the arguments of the event."""

ListenerT = TypeVar("ListenerT", bound=Listener)

ERROR: Final = "error"
MAX_RUNNING: Final = 10_000  # some 30 MB of tasks; a listener that slow never catches up
DRAIN_S: Final = 5.0  # a listener that takes longer would keep its program from ending

_log = logging.getLogger("bullpy")


@dataclass(frozen=True, slots=True, eq=False)
class _Subscription:
    listener: Listener
    once: bool


class Emitter:
    """Calls the listeners of an event, in the order they came.

    `async` listeners start in that order and then run side by side. At most `max_running` calls of
    them are unfinished at a time: beyond that, calls are skipped, and one `error` event says so,
    until half of them are done. Who emits in a loop and can wait awaits `room` and skips nothing.

    Args:
        known: The names one may listen to; None for any.
        owner: Whose events these are, such as `worker of queue 'mail'`; for messages.
        max_running: How many calls of `async` listeners may be unfinished.
    """

    def __init__(
        self,
        known: Collection[str] | None = None,
        *,
        owner: str = "",
        max_running: int = MAX_RUNNING,
    ) -> None:
        self._known = known
        self._of_owner = f" of {owner}" if owner else ""
        self._max_running = max_running
        self._subscriptions: dict[str, tuple[_Subscription, ...]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining: set[asyncio.Task[Any] | None] = set()
        self._room: asyncio.Future[None] | None = None
        self._skipping = False

    # ---- listening

    @overload
    def on(self, event: str, listener: ListenerT) -> ListenerT: ...
    @overload
    def on(self, event: str, listener: None = None) -> Callable[[ListenerT], ListenerT]: ...
    def on(
        self, event: str, listener: ListenerT | None = None
    ) -> ListenerT | Callable[[ListenerT], ListenerT]:
        """Call a listener whenever the event happens; without one, a decorator.

        Raises:
            OptionError: There is no such event, or the listener can't be called.
        """
        return self._subscribe(event, listener, once=False)

    @overload
    def once(self, event: str, listener: ListenerT) -> ListenerT: ...
    @overload
    def once(self, event: str, listener: None = None) -> Callable[[ListenerT], ListenerT]: ...
    def once(
        self, event: str, listener: ListenerT | None = None
    ) -> ListenerT | Callable[[ListenerT], ListenerT]:
        """Call a listener when the event happens next; without one, a decorator.

        Raises:
            OptionError: There is no such event, or the listener can't be called.
        """
        return self._subscribe(event, listener, once=True)

    def off(self, event: str, listener: Listener) -> None:
        """Stop calling a listener; the last one added, if it was added twice."""
        for subscription in reversed(self._subscriptions.get(event, ())):
            if subscription.listener == listener:
                self._remove(event, subscription)
                return

    def listeners(self, event: str) -> tuple[Listener, ...]:
        """Who listens, in the order of their calls."""
        return tuple(entry.listener for entry in self._subscriptions.get(event, ()))

    # ---- emitting

    def emit(self, event: str, *args: object) -> None:
        """Tell everybody who listens. Never raises what a listener raises.

        An `error` event has the exception as its only argument.
        """
        subscriptions = self._subscriptions.get(event)
        if not subscriptions:
            if event == ERROR:
                self._log(f"Error{self._of_owner}", args[0] if args else None)
            return
        for subscription in subscriptions:
            if not subscription.once or self._remove(event, subscription):
                self._call(event, subscription.listener, args)

    async def room(self) -> None:
        """Wait until one more call of an `async` listener can be taken."""
        while len(self._tasks) >= self._max_running:
            if self._room is None or self._room.done():
                self._room = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._room])  # unlike a plain await, leaves it to other waiters

    async def drain(self, patience_s: float = DRAIN_S) -> None:
        """Wait for the `async` listeners that still run, their owner being closed.

        A listener may close its owner: it is not waited for while it does.

        Args:
            patience_s: Listeners that take longer are cancelled, and a warning is logged.
        """
        me = asyncio.current_task()
        self._draining.add(me)
        try:
            async with asyncio.timeout(patience_s):
                while running := self._running():
                    await asyncio.wait(running)
        except TimeoutError:
            await self._cancel(patience_s)
        finally:
            self._draining.discard(me)

    # ---- inside

    def _subscribe(self, event: str, listener: Listener | None, *, once: bool) -> Any:
        if self._known is not None and event not in self._known:
            near = difflib.get_close_matches(event, self._known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {sorted(self._known)}"
            raise OptionError(f"No event{self._of_owner} is called {event!r}; {hint}")
        if listener is None:
            return functools.partial(self._subscribe, event, once=once)
        if not callable(listener):
            raise OptionError(f"A listener of {event!r} is a function, not {listener!r}")
        before = self._subscriptions.get(event, ())
        self._subscriptions[event] = (*before, _Subscription(listener, once))
        return listener

    def _remove(self, event: str, subscription: _Subscription) -> bool:
        before = self._subscriptions.get(event, ())
        after = tuple(entry for entry in before if entry is not subscription)
        if after:
            self._subscriptions[event] = after
        else:  # names such as `completed:<job id>` must not pile up
            self._subscriptions.pop(event, None)
        return len(after) < len(before)

    def _call(self, event: str, listener: Listener, args: tuple[object, ...]) -> None:
        try:
            result = listener(*args)
        except Exception as error:  # noqa: BLE001 - foreign code
            self._listener_failed(event, error)
            return
        if result is not None and inspect.isawaitable(result):
            self._start(event, cast("Awaitable[object]", result))

    def _start(self, event: str, call: Awaitable[object]) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError as error:
            self._skip(event, call, f"there is no event loop: {error}")
            return
        if len(self._tasks) >= self._max_running:
            if not self._skipping:
                self._skipping = True
                self._skip(event, call, f"{len(self._tasks)} calls are unfinished, more to follow")
            else:
                _close(call)
            return
        task = loop.create_task(self._finish(event, call), name=f"bullpy listener of {event}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _skip(self, event: str, call: Awaitable[object], why: str) -> None:
        _close(call)
        text = f"Skipped an async listener of {event!r}{self._of_owner}: {why}"
        self._listener_failed(event, BullError(text))

    async def _finish(self, event: str, call: Awaitable[object]) -> None:
        try:
            await call
        except Exception as error:  # noqa: BLE001 - foreign code
            self._listener_failed(event, error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if len(self._tasks) <= self._max_running // 2:
            self._skipping = False
        if self._room and not self._room.done():
            self._room.set_result(None)

    def _listener_failed(self, event: str, error: Exception) -> None:
        if event == ERROR:  # an `error` event for it would come back here for ever
            self._log(f"A listener of 'error'{self._of_owner} failed", error)
        else:
            self.emit(ERROR, error)

    def _log(self, what: str, error: object) -> None:
        # Our own errors say all there is to know; a stack is for what nobody foresaw.
        cause: BaseException | None = None
        if isinstance(error, BaseException) and not isinstance(error, BullError):
            cause = error
        _log.error("%s: %s", what, error, exc_info=cause)

    def _running(self) -> set[asyncio.Task[None]]:
        loop = asyncio.get_running_loop()
        return {
            task for task in self._tasks if task not in self._draining and task.get_loop() is loop
        }

    async def _cancel(self, patience_s: float) -> None:
        running = self._running()
        _log.warning(
            "Cancelling %d listeners%s: unfinished after %g s",
            len(running), self._of_owner, patience_s,
        )  # fmt: skip
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=patience_s)


def _close(call: Awaitable[object]) -> None:
    """Give up a call that has not begun, without a warning that it was never awaited."""
    if inspect.iscoroutine(call):
        cast("Coroutine[Any, Any, object]", call).close()
