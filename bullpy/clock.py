"""The one source of time.

Wall milliseconds for what is stored, monotonic seconds for durations. Everything that needs
time is handed a `Clock`, so tests own it (`ManualClock`).
"""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, as stored in Redis."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never runs backwards."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        """Seconds from an arbitrary start."""
        return time.monotonic()


class ManualClock:
    """A clock that stands still until it is moved.

    Args:
        start: Wall milliseconds to begin with.
    """

    def __init__(self, start: int = 1_700_000_000_000) -> None:
        self._now_ms = start

    def now_ms(self) -> int:
        """The wall milliseconds it was last moved to."""
        return self._now_ms

    def monotonic(self) -> float:
        """The wall milliseconds, in seconds."""
        return self._now_ms / 1000

    def advance(self, ms: int) -> None:
        """Move forward by `ms` milliseconds."""
        self._now_ms += ms


SYSTEM_CLOCK = SystemClock()
