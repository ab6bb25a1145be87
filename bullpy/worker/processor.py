"""Calls a user's function with a job: on the event loop, or on a thread if it is a plain `def`."""

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, Final, TypeAlias

from bullpy.errors import OptionError
from bullpy.job import Job

Processor: TypeAlias = Callable[..., Any]
"""`(job)` or `(job, token)`; async on the loop, plain on a thread."""

MAX_PARAMETERS: Final = 2


class ThreadJob:
    """A job as a function on a thread sees it: what is awaited elsewhere simply blocks here.

    Attributes and methods are those of `Job`.
    """

    __slots__ = ("_job", "_loop")

    def __init__(self, job: Job[Any, Any], loop: asyncio.AbstractEventLoop) -> None:
        self._job = job
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._job, name)
        if not inspect.iscoroutinefunction(value):
            return value

        @functools.wraps(value)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            return asyncio.run_coroutine_threadsafe(value(*args, **kwargs), self._loop).result()

        return blocking

    def __repr__(self) -> str:
        return repr(self._job)


def parameters_of(processor: Processor, queue: str) -> int:
    """How many of `(job, token)` the processor takes.

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
        return MAX_PARAMETERS
    required = sum(p.default is p.empty for p in positional)
    if not positional or required > MAX_PARAMETERS:
        raise OptionError(
            f"The processor of queue {queue} must take (job) or (job, token), "
            f"but takes {required} arguments"
        )
    return min(len(positional), MAX_PARAMETERS)


def is_async(processor: Processor) -> bool:
    """Whether calling the processor makes a coroutine."""
    return inspect.iscoroutinefunction(processor) or inspect.iscoroutinefunction(
        getattr(processor, "__call__", None)  # noqa: B004 - an object with an async __call__
    )


def bind(
    processor: Processor, queue: str, executor: Executor
) -> Callable[[Job[Any, Any], str], Awaitable[Any]]:
    """The processor as one thing to await, whatever it is.

    Args:
        processor: The user's function.
        queue: The queue's name, for errors.
        executor: Where plain functions run.

    Raises:
        OptionError: See `parameters_of`.
    """
    takes_token = parameters_of(processor, queue) > 1
    if is_async(processor):
        return processor if takes_token else lambda job, _token: processor(job)

    async def on_a_thread(job: Job[Any, Any], token: str) -> Any:
        loop = asyncio.get_running_loop()
        seen = ThreadJob(job, loop)
        args = (seen, token) if takes_token else (seen,)
        result = await loop.run_in_executor(executor, _shielded, processor, args)
        return await result if inspect.isawaitable(result) else result

    return on_a_thread


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
