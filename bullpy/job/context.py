"""What a queue, its jobs and its workers share: one small frozen value, made once per queue.

It keeps `Job` from holding its `Queue`, and so the two from importing each other.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from bullpy.clock import SYSTEM_CLOCK, Clock
from bullpy.connection import Client
from bullpy.emitter import Emitter
from bullpy.keys import QueueKeys
from bullpy.options import KeepJobs
from bullpy.scripts.move import WorkTerms
from bullpy.types import BackoffStrategy

DEFAULT_LOCK_MS: Final = 30_000  # BullMQ's lockDuration


@dataclass(frozen=True, slots=True)
class FinishRules:
    """How a worker ends jobs that don't say so themselves.

    Attributes:
        remove_on_complete: Retention of completed jobs; None keeps all.
        remove_on_fail: Retention of failed jobs; None keeps all.
        max_started_attempts: After how many starts a job is not retried any more; None or 0 for
            no bound.
        backoff_strategy: Delay of retries whose backoff type is not built in.
        timeout: How long one try may run, in ms; None for ever.
    """

    remove_on_complete: KeepJobs | None = None
    remove_on_fail: KeepJobs | None = None
    max_started_attempts: int | None = None
    backoff_strategy: BackoffStrategy | None = None
    timeout: int | float | None = None


@dataclass(frozen=True, slots=True)
class QueueContext:
    """One queue, seen from inside.

    Attributes:
        keys: Names of the queue's keys.
        client: Sends calls.
        clock: Tells the time.
        emitter: Where local events go.
        terms: On what terms jobs are taken into work.
        rules: How jobs are ended.
        random: Draws from [0, 1) for jitter.
    """

    keys: QueueKeys
    client: Client
    emitter: Emitter
    clock: Clock = SYSTEM_CLOCK
    terms: WorkTerms = field(default_factory=lambda: WorkTerms(lock_ms=DEFAULT_LOCK_MS))
    rules: FinishRules = field(default_factory=FinishRules)
    random: Callable[[], float] = random.random

    def now(self) -> int:
        """The clock's wall milliseconds."""
        return self.clock.now_ms()
