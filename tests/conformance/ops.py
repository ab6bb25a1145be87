"""The operations of FORMAT.md, section 4, by their names in the traces.

Most are one method of bullpy with its arguments renamed: the `CALLS` tables. The others are
functions marked with `@op`.
"""

import importlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import bullpy
from tests.conformance.cast import Cast, MissingOpError, ask
from tests.conformance.views import job_view, plain

Step: TypeAlias = dict[str, Any]
Op: TypeAlias = Callable[[Cast, Step], Awaitable[Any]]

OPS: dict[str, Op] = {}


def op(name: str) -> Callable[[Op], Op]:
    """Declare what an operation of the traces does."""

    def register(function: Op) -> Op:
        OPS[name] = function
        return function

    return register


def find(name: str) -> Op:
    """The operation of that name, or `MissingOpError`."""
    for module in ("ops_queue", "ops_worker", "ops_job", "ops_flow"):
        importlib.import_module(f"tests.conformance.{module}")
    if name not in OPS:
        raise MissingOpError(name)
    return OPS[name]


@dataclass(frozen=True)
class Call:
    """One method of bullpy.

    Attributes:
        method: Its name.
        args: Names of the trace's arguments that it takes by position; a name that ends in `*`
            is a list whose items are.
        options: The trace's optional arguments -> their names here.
        view: Turns the answer into the traces' shape.
    """

    method: str
    args: tuple[str, ...] = ()
    options: dict[str, str] | None = None
    view: Callable[[Any], Any] = plain

    async def run(self, owner: Any, step: Step) -> Any:
        """Call it as the step says: its own answer."""
        given: list[Any] = []
        for name in self.args:
            if name.endswith("*"):
                given += step.get(name[:-1], [])
            else:
                given.append(step[name])
        options = self.options or {}
        named = {ours: step[theirs] for theirs, ours in options.items() if theirs in step}
        return await ask(owner, self.method)(*given, **named)


def define(room: str, owner_of: Callable[[Cast, Step], Any], calls: dict[str, Call]) -> None:
    """Make operations `<room>.<name>` of a table of calls."""
    for name, call in calls.items():

        @op(f"{room}.{name}")
        async def run(cast: Cast, step: Step, call: Call = call) -> Any:
            return call.view(await call.run(owner_of(cast, step), step))


@op("clock.advance")
async def _advance(cast: Cast, step: Step) -> None:
    cast.clock.advance(step["ms"])


@op("redis.expire_now")
async def _expire_now(cast: Cast, step: Step) -> Any:
    return await cast.redis.delete(*step["keys"])


@op("redis.command")
async def _command(cast: Cast, step: Step) -> Any:
    words = [str(word) for word in step["args"]]
    # Without redis-py's callbacks: the traces hold the server's own answers.
    callbacks, cast.redis.response_callbacks = cast.redis.response_callbacks, {}
    try:
        answer = await cast.redis.execute_command(*words)
    finally:
        cast.redis.response_callbacks = callbacks
    return None if words[0].upper() == "XADD" else answer


@op("events.publish")
async def _publish(cast: Cast, step: Step) -> None:
    prefix = step.get("prefix", cast.prefix)
    producer = cast.keep(
        bullpy.QueueEventsProducer(step["queue"], connection=cast.connection, prefix=prefix)
    )
    bound = {"max_events": step["maxEvents"]} if "maxEvents" in step else {}
    await producer.publish_event(step["event"], **bound, **step["args"])


def bound_view(cast: Cast, step: Step, job: Any) -> Any:
    """Bind the job to the step's label, and show it."""
    cast.bind(step.get("as"), job)
    return job_view(job)
