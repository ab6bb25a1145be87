"""Where the demo plays: its queues, what it prints, and the live line of counts below."""

import ast
import asyncio
import inspect
import textwrap
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any, Final, Self

from rich.console import Console
from rich.live import Live
from rich.rule import Rule
from rich.syntax import Syntax
from rich.text import Text

from bullpy.errors import BullError
from bullpy.events import QueueEvents
from bullpy.flow import FlowProducer
from bullpy.job import Job
from bullpy.queue import Queue
from bullpy.worker import Worker

QUEUES: Final = ("emails", "desk", "shops", "countries", "reports")
PATIENCE_MS: Final = 3000  # somebody watches: better an error soon than a long silence
STYLES: Final = {
    "waiting": "yellow",
    "prioritized": "yellow",
    "delayed": "magenta",
    "waiting-children": "magenta",
    "active": "cyan",
    "completed": "green",
    "failed": "red",
}


class Stage:
    """The demo's queues, open for as long as the block lasts, and deleted behind it.

    Args:
        console: Where to print. Not a terminal: plain text, and no live line.
        url: The server.
        prefix: What all keys begin with.
    """

    def __init__(self, console: Console, url: str, prefix: str) -> None:
        self.console = console
        self.options: dict[str, Any] = {"connection": url, "prefix": prefix}
        self.queues: dict[str, Queue[Any, Any]] = {}
        self.events: dict[str, QueueEvents] = {}
        self.flows = FlowProducer(**self.options)
        self._told = asyncio.Queue[str]()
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for name in QUEUES:
                await self._open(name, stack)
            await stack.enter_async_context(self.flows)
            if self.console.is_terminal:
                stack.enter_context(self._live)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    async def _open(self, name: str, stack: AsyncExitStack) -> None:
        queue = Queue[Any, Any](name, **self.options, patience_ms=PATIENCE_MS)
        await stack.enter_async_context(queue)
        stack.push_async_callback(queue.obliterate, force=True)
        events = await stack.enter_async_context(QueueEvents(name, **self.options))
        if self.console.is_terminal:
            for event in ("waiting", "delayed", "active", "completed", "failed"):
                events.on(event, self._refresh)
        self.queues[name], self.events[name] = queue, events

    async def employ(self, *workers: Worker[Any, Any]) -> None:
        """Let workers work until the demo ends."""
        for worker in workers:
            await self._stack.enter_async_context(worker)

    # --- what one sees -------------------------------------------------------------------------

    def begin(self, title: str) -> None:
        """Open a chapter."""
        self.console.print()
        self.console.print(Rule(Text(title, "bold"), align="left", style="blue"))

    def show(self, *functions: Callable[..., Any]) -> None:
        """Print functions as code, without their docstrings."""
        code = "\n".join(source_of(function) for function in functions)
        text = Syntax("", "python", theme="ansi_dark").highlight(textwrap.indent(code, "    "))
        self.console.print(Text("\n").append_text(text), soft_wrap=True)

    def say(self, text: str, *, sign: str = "-", style: str = "") -> None:
        """Print what happened."""
        self.console.print(Text.assemble((f"  {sign} ", style), text), soft_wrap=True)

    def good(self, text: str) -> None:
        """Print what went well."""
        self.say(text, sign="✔", style="green")

    def bad(self, text: str) -> None:
        """Print what went wrong, as it should."""
        self.say(text, sign="✘", style="red")

    def tell_end(self, job: Job[Any, Any]) -> None:
        """Note that a job's end has been printed."""
        self._told.put_nowait(job.id)

    async def ends_told(self, *jobs: Job[Any, Any]) -> None:
        """Wait until the ends of these jobs have been printed.

        They are printed as the workers tell of them, which may be after the queue's events do.
        """
        missing = {job.id for job in jobs}
        while missing:
            missing.discard(await self._told.get())

    async def _refresh(self, *_: object) -> None:
        line = Text("  now:", "dim")
        for name, queue in self.queues.items():
            counts = await queue.get_job_counts()
            shown = [(f" {n} {state}", STYLES[state]) for state, n in counts.items() if n]
            if shown:
                line.append_text(Text.assemble((f"  {name}", "bold"), *shown))
        self._live.update(line, refresh=True)


def check(happened: object, claim: str) -> None:
    """Hold the demo to what it claims.

    Raises:
        BullError: It did not happen.
    """
    if not happened:
        raise BullError(f"The demo failed, for it claims that {claim}")


def source_of(function: Callable[..., Any]) -> str:
    """A function's source without its docstring."""
    source = textwrap.dedent(inspect.getsource(function))
    lines = source.splitlines()
    match ast.parse(source).body[0]:
        case ast.FunctionDef(body=[docstring, *_]) | ast.AsyncFunctionDef(body=[docstring, *_]):
            first = docstring.lineno - 1
            del lines[first : docstring.end_lineno]
            if not lines[first]:
                del lines[first]
        case _:
            pass
    return "\n".join(lines) + "\n"
