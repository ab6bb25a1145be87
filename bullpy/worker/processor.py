"""Calls a user's function with a job: on the event loop, or on a thread if it is a plain `def`."""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bullpy.abort import ThreadSignal
from bullpy.errors import OptionError
from bullpy.worker.run import Run

Processor: TypeAlias = Callable[..., Any]
"""`(job)`, `(job, token)` or `(job, token, signal)`; async on the loop, plain on a thread."""

TOKEN: Final = 2  # this many parameters: the second is the lock's token
SIGNAL: Final = 3  # this many: the third is the signal by which the job is asked to stop


@dataclass(frozen=True, slots=True)
class Bound:
    """A processor, whatever it is, as one thing to await.

    Attributes:
        call: Calls it for a run.
        interruptible: Whether cancelling the call stops the work.
    """

    call: Callable[[Run], Awaitable[Any]]
    interruptible: bool


class ThreadJob:
    """A job as a function on a thread sees it: what is awaited elsewhere simply blocks here.

    Attributes and methods are those of `Job`.
    """

    __slots__ = ("_job", "_loop", "_run")

    def __init__(self, run: Run, loop: asyncio.AbstractEventLoop) -> None:
        self._job = run.job
        self._run = run
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._job, name)
        if not inspect.iscoroutinefunction(value):
            return value

        @functools.wraps(value)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            if self._run.interrupted is not None:
                raise self._run.interrupted  # the job has failed meanwhile: this thread is late
            return asyncio.run_coroutine_threadsafe(value(*args, **kwargs), self._loop).result()

        return blocking

    def __repr__(self) -> str:
        return repr(self._job)


def parameters_of(processor: Processor, queue: str) -> int:
    """How many of `(job, token, signal)` the processor takes.

    Raises:
        OptionError: It can't be called, or takes none or more than these.
    """
    if not callable(processor):
        raise OptionError(f"The processor of queue {queue} is {processor!r}, which can't be called")
    try:
        parameters = inspect.signature(processor).parameters.values()
    except (TypeError, ValueError):
        return 1  # written in C: no signature to read
    positional = [
        p
        for p in parameters
        if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL}
    ]
    if any(p.kind is p.VAR_POSITIONAL for p in positional):
        return SIGNAL
    required = sum(p.default is p.empty for p in positional)
    if not positional or required > SIGNAL:
        raise OptionError(
            f"The processor of queue {queue} must take (job), (job, token) or "
            f"(job, token, signal), but takes {required} arguments"
        )
    return min(len(positional), SIGNAL)


def is_async(processor: Processor) -> bool:
    """Whether calling the processor makes a coroutine."""
    return inspect.iscoroutinefunction(processor) or inspect.iscoroutinefunction(
        getattr(processor, "__call__", None)  # noqa: B004 - an object with an async __call__
    )


def bind(processor: Processor, queue: str, executor: Executor) -> Bound:
    """The processor as one thing to await, whatever it is.

    Args:
        processor: The user's function.
        queue: The queue's name, for errors.
        executor: Where plain functions run.

    Raises:
        OptionError: See `parameters_of`.
    """
    takes = parameters_of(processor, queue)
    if not is_async(processor):
        return Bound(_on_a_thread(processor, takes, executor), interruptible=False)
    if takes == SIGNAL:
        return Bound(lambda run: processor(run.job, run.token, run.signal), interruptible=True)
    if takes == TOKEN:
        return Bound(lambda run: processor(run.job, run.token), interruptible=True)
    return Bound(lambda run: processor(run.job), interruptible=True)


def _on_a_thread(
    processor: Processor, takes: int, executor: Executor
) -> Callable[[Run], Awaitable[Any]]:
    async def call(run: Run) -> Any:
        loop = asyncio.get_running_loop()
        args: tuple[Any, ...] = (ThreadJob(run, loop), run.token)[:takes]
        if takes == SIGNAL:
            args += (ThreadSignal(run.signal),)
        result = await loop.run_in_executor(executor, _shielded, processor, args)
        return await result if inspect.isawaitable(result) else result

    return call


class ThreadExit(Exception):  # noqa: N818 - wraps an exit, isn't one
    """An exception that would end a thread or the process, on its way to fail a job only."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause) or type(cause).__name__)
        self.cause = cause


def _shielded(processor: Processor, args: tuple[Any, ...]) -> Any:
    """Call, so that StopIteration and exits, which futures can't carry, arrive as errors."""
    try:
        return processor(*args)
    except (StopIteration, SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise ThreadExit(error) from error
