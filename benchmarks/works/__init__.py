"""What is measured: one file per question, each with a `WORK`."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import redis

QUEUE: Final = "bull:bench"
SAMPLES: Final = 5
NAMES: Final = ("add", "add-concurrent", "add-bulk", "process")


class WrongResultError(Exception):
    """A peer did not do what it was asked to; its figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Work:
    """One question.

    Attributes:
        name: As in `--works`.
        question: What a reader learns from it.
        jobs: How many jobs a run takes.
        quick_jobs: How many with `--quick`.
        verify: Given a client and the number of jobs, raises `WrongResultError` unless Redis holds
            what it should.
        has_latencies: Whether single operations are timed.
    """

    name: str
    question: str
    jobs: int
    quick_jobs: int
    verify: Callable[[redis.Redis, int], None]
    has_latencies: bool = False


def work_named(name: str) -> Work:
    """Find a work."""
    module = importlib.import_module(f"benchmarks.works.{name.replace('-', '_')}")
    work: Work = module.WORK
    return work


def expect(what: str, found: object, wanted: object) -> None:
    """Hold a fact against what it should be.

    Raises:
        WrongResultError: It is something else.
    """
    if found != wanted:
        raise WrongResultError(f"{what}: {found!r} instead of {wanted!r}")


def samples(ids: list[str]) -> list[str]:
    """Some ids, evenly spread."""
    return ids[:: max(1, len(ids) // SAMPLES)]
