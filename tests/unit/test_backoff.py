"""How long a retry waits."""

import math

import pytest

from bullpy.backoff import MAX_DELAY_MS, is_built_in, next_delay
from bullpy.options import Backoff

ALMOST_ONE = 0.999_999


def never_drawn():
    """Stands for random numbers where there must be no need of any."""
    raise AssertionError("nothing is drawn without jitter")


@pytest.mark.parametrize(
    ("rule", "failed", "delay"),
    [
        (Backoff("fixed", 1000), 1, 1000),
        (Backoff("fixed", 1000), 9, 1000),
        (Backoff("fixed", 1.5), 1, 1.5),
        (Backoff("fixed", 0), 1, 0),
        (Backoff("fixed"), 1, None),
        (Backoff("exponential", 1000), 1, 1000),
        (Backoff("exponential", 1000), 2, 2000),
        (Backoff("exponential", 1000), 4, 8000),
        (Backoff("exponential", 0), 5, 0),
        (Backoff("exponential"), 5, None),
        # Rounded half up, as JavaScript's Math.round.
        (Backoff("exponential", 1.4), 2, 3),
        (Backoff("exponential", 1.25), 2, 3),
        (Backoff("exponential", 0.5), 1, 1),
        (Backoff("exponential", 2.5), 1, 3),
        (Backoff("exponential", -2.5), 1, -2),
        (Backoff("exponential", math.nextafter(0.5, 0)), 1, 0),
        (Backoff("exponential", 2**52 + 1), 1, 2**52 + 1),
    ],
)
def test_a_delay_follows_from_the_number_of_failures(rule, failed, delay):
    assert next_delay(rule, failed, never_drawn) == delay


@pytest.mark.parametrize(
    ("rule", "failed", "drawn", "delay"),
    [
        (Backoff("fixed", 1000, 0.5), 1, 0, 500),
        (Backoff("fixed", 1000, 0.5), 1, 0.5, 750),
        (Backoff("fixed", 1000, 0.5), 1, ALMOST_ONE, 999),
        (Backoff("fixed", 1000, 1), 1, 0, 0),
        (Backoff("fixed", 1000, 1), 1, ALMOST_ONE, 999),
        (Backoff("exponential", 100, 0.5), 3, 0, 200),
        (Backoff("exponential", 100, 0.5), 3, ALMOST_ONE, 399),
        (Backoff("fixed", 3, 0.5), 1, 0, 1),
    ],
)
def test_jitter_draws_the_last_share_of_the_delay(rule, failed, drawn, delay):
    assert next_delay(rule, failed, lambda: drawn) == delay


@pytest.mark.parametrize(("delay", "failed"), [(1000, 60), (1000, 10_000), (1e300, 2)])
def test_an_exponential_delay_does_not_overflow(delay, failed):
    assert next_delay(Backoff("exponential", delay), failed, never_drawn) == MAX_DELAY_MS


def test_other_types_are_up_to_a_strategy():
    assert [
        name for name in ("fixed", "exponential", "mine", "") if is_built_in(Backoff(name))
    ] == [
        "fixed",
        "exponential",
    ]
