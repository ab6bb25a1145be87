"""Replays one trace on bullpy: step, compare the answer, compare all that Redis holds."""

import copy
import time
from typing import Any

import redis.asyncio

from bullpy.clock import ManualClock
from bullpy.connection import ConnectionLike
from bullpy.errors import BullError
from tests.conformance import ops, plan
from tests.conformance.cast import Cast
from tests.conformance.compare import (
    emitted_differences,
    error_differences,
    result_differences,
    split_stacks,
    stack_differences,
)
from tests.conformance.ops import Step
from tests.fixtures.state import State, differences, dump

SHOWN_CHARACTERS = 400  # of the step, in a failed test's message
TTL_RENEWED_MS = 2500  # FORMAT.md, section 3.3: smaller moves of an expiry are not recorded


class ReplayError(AssertionError):
    """bullpy does something else than the trace says."""


class Replay:
    """One trace being replayed on an empty database.

    Args:
        trace: Which one.
        connection: What bullpy's objects are given.
        client: A plain client of the same database.
    """

    def __init__(
        self, trace: plan.Trace, connection: ConnectionLike, client: redis.asyncio.Redis
    ) -> None:
        self._id = trace.id
        self._trace = trace.load()
        self._client = client
        self._expected: State = {}
        self._began = 0.0
        self._stacks: list[tuple[str, list[list[str]], list[list[str]]]] = []
        self._cast = Cast(
            connection,
            client,
            prefix=self._trace["prefix"],
            clock=ManualClock(self._trace["start"]),
        )

    async def run(self) -> None:
        """Replay all steps.

        Raises:
            ReplayError: An answer or the state is another, or a deviation deviates no more.
            MissingOpError: bullpy lacks an operation of the trace.
        """
        self._began = time.monotonic()
        try:
            for index, step in enumerate(self._trace["steps"]):
                await self._run_step(index, step)
            self._compare_stacks()
        finally:
            await self._cast.close()

    async def _run_step(self, index: int, step: Step) -> None:
        answer = await self._answer(step)
        emitted = self._cast.take_emitted()
        held = await dump(self._client)
        deviation = plan.deviations().get((self._id, index))
        if deviation is not None:
            recorded = applied(self._expected, step["state"])
            if not self._differences(step, answer, emitted, recorded, held):
                raise ReplayError(f"step {index} does not deviate any more: {deviation.reason}")
            step = deviation.apply(step)
        self._expected = applied(self._expected, step["state"])
        lines = self._differences(step, answer, emitted, self._expected, held)
        place = f"step {index}: {_shown(step)}"
        if lines:
            raise ReplayError(f"{place}\n" + "\n".join(lines))
        recorded_stacks, stacks = split_stacks(step.get("result"))[1], split_stacks(answer)[1]
        self._stacks.append((place, recorded_stacks, stacks))

    def _compare_stacks(self) -> None:
        for place, expected, actual in self._stacks:
            lines = stack_differences(expected, actual)
            if lines:
                raise ReplayError(f"{place}\n" + "\n".join(lines))

    async def _answer(self, step: Step) -> Any:
        operation = ops.find(step["op"])
        try:
            return await operation(self._cast, step)
        except BullError as error:
            return error

    def _differences(
        self,
        step: Step,
        answer: Any,
        emitted: list[Exception],
        expected: State,
        held: State,
    ) -> list[str]:
        elapsed_ms = (time.monotonic() - self._began) * 1000
        lines = _answer_differences(step, answer, elapsed_ms)
        lines += emitted_differences(step.get("emitted", []), emitted)
        return lines + differences(expected, held, elapsed_ms=elapsed_ms)


def applied(before: State, changes: dict[str, Any]) -> State:
    """The keyspace after a step changed these keys."""
    after = dict(before)
    for key, value in changes.items():
        if value is None:
            after.pop(key, None)
        elif "append" in value:
            entries = before[key]["value"] + value["append"]
            after[key] = {**value, "value": entries}
        else:
            after[key] = copy.copy(value)
    return after


def _answer_differences(step: Step, answer: Any, elapsed_ms: float) -> list[str]:
    if isinstance(answer, BullError):
        if "error" not in step:
            return [f"raised {type(answer).__name__}: {answer}"]
        return error_differences(step["error"], answer)
    if "error" in step:
        return [f"did not raise {step['error']['message']!r} but answered {answer!r}"]
    recorded, answered = split_stacks(step["result"])[0], split_stacks(answer)[0]
    return result_differences(recorded, answered, elapsed_ms=elapsed_ms)


def _shown(step: Step) -> str:
    named = {n: v for n, v in step.items() if n not in {"result", "error", "state", "emitted"}}
    text = repr(named)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
