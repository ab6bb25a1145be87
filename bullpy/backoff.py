"""How long a retry waits: the built-in backoff types, as BullMQ computes them."""

import math
from collections.abc import Callable
from typing import Final, Protocol

MAX_DELAY_MS: Final = 8.64e15  # as far as JavaScript's dates go; nobody waits 270,000 years
MAX_DOUBLINGS: Final = 1000  # floats go up to 2^1024

_BUILT_IN: Final = frozenset({"fixed", "exponential"})


class BackoffRule(Protocol):
    """What is needed of a job's backoff option."""

    @property
    def type(self) -> str:
        """`fixed`, `exponential`, or a custom name."""
        ...

    @property
    def delay(self) -> int | float | None:
        """Base delay in ms."""
        ...

    @property
    def jitter(self) -> float:
        """Share of the delay that is drawn at random, 0 to 1."""
        ...


def is_built_in(rule: BackoffRule) -> bool:
    """Whether `next_delay` knows the rule's type; others are up to the worker's strategy."""
    return rule.type in _BUILT_IN


def next_delay(
    rule: BackoffRule, attempts_made: int, random: Callable[[], float]
) -> int | float | None:
    """Milliseconds to wait before the next try; None for at once.

    Args:
        rule: A built-in one.
        attempts_made: How many tries have failed, 1 after the first.
        random: Draws from [0, 1).

    BullMQ: 2^(n-1) * delay, rounded half up, for `exponential`; with jitter j the last share j of
    the delay is drawn at random.
    """
    if rule.delay is None:
        return None
    delay = rule.delay
    if rule.type == "exponential":
        exponent = min(attempts_made - 1, MAX_DOUBLINGS)
        delay = _rounded(min(2.0**exponent * delay, MAX_DELAY_MS))
    if rule.jitter > 0:
        certain = delay * (1 - rule.jitter)
        return math.floor(random() * delay * rule.jitter + certain)
    return delay


def _rounded(value: float) -> int:
    """To the nearest whole number, halves upwards, as JavaScript's Math.round."""
    below = math.floor(value)
    return below + (value - below >= 0.5)  # noqa: PLR2004 - value + 0.5 is inexact at both ends
