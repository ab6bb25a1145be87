"""Operations on a worker that does not run; its processor plays what the trace says."""

from collections.abc import Awaitable, Callable
from typing import Any

import bullpy
from tests.conformance.cast import Cast, Stand
from tests.conformance.ops import Call, Step, bound_view, define, op

define(
    "worker",
    lambda cast, step: cast.stands[step["worker"]].worker,
    {
        "check_stalled": Call("check_stalled"),
        "extend_job_locks": Call("extend_job_locks", ("ids", "tokens", "duration")),
    },
)


class GivenError(Exception):
    """An error that a trace gives, with the stack that it gives.

    `stack` is where bullpy looks for the trace of an error from elsewhere. Where the trace gives
    none, it is what BullMQ recorded: FORMAT.md, section 3.3.
    """


def given_error(failure: dict[str, Any]) -> Exception:
    """The error that a FAILURE of the traces describes."""
    name, message = failure.get("name", "Error"), failure["message"]
    bases = {"UnrecoverableError": bullpy.UnrecoverableError}
    kind = bases.get(name) or type(name, (GivenError,), {})
    error = kind(message)
    error.stack = failure.get("stack", f"{name}: {message}\n    at <oracle>")
    return error


@op("worker.open")
async def _open(cast: Cast, step: Step) -> None:
    async def play(job: Any, token: str) -> Any:
        [(kind, value)] = [pair for pair in stand.outcome.items() if pair[0] != "return"] or [
            ("return", None)
        ]
        await _PLAYS[kind](cast, job, token, value)
        return stand.outcome.get("return")

    worker = cast.keep(
        bullpy.Worker(
            step["queue"],
            play,
            connection=cast.connection,
            prefix=step.get("prefix", cast.prefix),
            clock=cast.clock,
            opts=step.get("opts"),
        )
    )
    stand = Stand(worker)
    worker.on("error", stand.emitted.append)
    cast.stands[step["worker"]] = stand


@op("worker.get_next_job")
async def _get_next_job(cast: Cast, step: Step) -> Any:
    worker = cast.stands[step["worker"]].worker
    return bound_view(cast, step, await worker.get_next_job(step["token"], block=False))


@op("worker.process_job")
async def _process_job(cast: Cast, step: Step) -> Any:
    stand = cast.stands[step["worker"]]
    stand.outcome = step["outcome"]
    job = await stand.worker.process_job(
        cast.job(step["job"]), step["token"], fetch_next=step.get("fetchNext", False)
    )
    return bound_view(cast, step, job)


async def _return(*_unused: Any) -> None:
    """The processor returns the outcome's value by itself."""


async def _throw(_cast: Cast, _job: Any, _token: str, failure: Any) -> None:
    raise given_error(failure)


async def _rate_limit(cast: Cast, job: Any, _token: str, ms: Any) -> None:
    await cast.queue_of(job).rate_limit(ms)
    raise bullpy.RateLimitError


async def _delay_to(_cast: Cast, job: Any, token: str, timestamp: Any) -> None:
    await job.move_to_delayed(timestamp, token)
    raise bullpy.DelayedError


async def _to_wait(_cast: Cast, job: Any, token: str, _true: Any) -> None:
    await job.move_to_wait(token)
    raise bullpy.WaitingError


async def _to_waiting_children(_cast: Cast, job: Any, token: str, _true: Any) -> None:
    if await job.move_to_waiting_children(token):
        raise bullpy.WaitingChildrenError


_PLAYS: dict[str, Callable[..., Awaitable[None]]] = {
    "return": _return,
    "throw": _throw,
    "rateLimit": _rate_limit,
    "delayTo": _delay_to,
    "toWait": _to_wait,
    "toWaitingChildren": _to_waiting_children,
}
