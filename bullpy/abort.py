"""Signals by which work under way is asked to stop: a controller aborts, its signal tells.

The words are those of the web's `AbortController`, which BullMQ hands to its processors too.
"""

import asyncio
import threading
from collections.abc import Callable

from bullpy.errors import AbortError


class AbortSignal:
    """Tells whether work should stop, and why. Safe to read from any thread."""

    __slots__ = ("_listeners", "_lock", "_reason")

    def __init__(self) -> None:
        self._reason: BaseException | None = None
        self._listeners: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    @property
    def aborted(self) -> bool:
        """Whether work should stop."""
        return self._reason is not None

    @property
    def reason(self) -> BaseException | None:
        """Why: an `AbortError`, a `JobTimeoutError`, a `LockLostError`, or what the caller gave."""
        return self._reason

    def throw_if_aborted(self) -> None:
        """Raise the reason if work should stop.

        Raises:
            AbortError: Work should stop; or another reason, see `reason`.
        """
        if self._reason is not None:
            raise self._reason

    def on_abort(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` once, when work should stop: now, if it should already.

        It is called where `abort` is: on the event loop, for a worker's signals.

        Returns:
            A function that takes the listener back.
        """
        with self._lock:
            if self._reason is None:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    async def wait(self) -> None:
        """Wait until work should stop."""
        loop = asyncio.get_running_loop()
        told = asyncio.Event()
        forget = self.on_abort(lambda: loop.call_soon_threadsafe(told.set))
        try:
            await told.wait()
        finally:
            forget()

    def __repr__(self) -> str:
        return f"<AbortSignal {'aborted: ' + repr(self._reason) if self.aborted else 'quiet'}>"

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def _abort(self, reason: BaseException) -> None:
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()


class ThreadSignal:
    """A signal as a function on a thread sees it: `wait` blocks."""

    __slots__ = ("_signal",)

    def __init__(self, signal: AbortSignal) -> None:
        self._signal = signal

    @property
    def aborted(self) -> bool:
        """See `AbortSignal`."""
        return self._signal.aborted

    @property
    def reason(self) -> BaseException | None:
        """See `AbortSignal`."""
        return self._signal.reason

    def throw_if_aborted(self) -> None:
        """See `AbortSignal`."""
        self._signal.throw_if_aborted()

    def on_abort(self, listener: Callable[[], object]) -> Callable[[], None]:
        """See `AbortSignal`; the listener is called on the event loop's thread."""
        return self._signal.on_abort(listener)

    def wait(self, timeout: float | None = None) -> bool:
        """Block until work should stop, for `timeout` seconds at most; whether it should."""
        told = threading.Event()
        forget = self._signal.on_abort(told.set)
        try:
            return told.wait(timeout)
        finally:
            forget()

    def __repr__(self) -> str:
        return repr(self._signal)


class AbortController:
    """Owns a signal and aborts it."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str | BaseException | None = None) -> None:
        """Tell that work should stop; the first reason stays.

        Args:
            reason: Why. A text becomes an `AbortError`; None means `This operation was aborted`.
        """
        self.signal._abort(abort_reason(reason))  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - its own


def abort_reason(reason: str | BaseException | None) -> BaseException:
    """The error that a reason stands for."""
    if isinstance(reason, BaseException):
        return reason
    return AbortError(reason) if reason else AbortError()
