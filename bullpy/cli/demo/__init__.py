"""`bullpy demo`: what bullpy does, shown in some ten seconds on a server of its own."""

import asyncio
import contextlib
import uuid
from typing import Annotated, Final

import typer
from rich.console import Console

from bullpy.cli.demo.chapters import CHAPTERS
from bullpy.cli.demo.stage import Stage
from bullpy.cli.outcome import reported
from bullpy.errors import BullError
from bullpy.server import EmbeddedServer
from bullpy.version import __version__

CHAPTER_S: Final = 20.0  # the longest takes 2 s; the rest is for a crowded machine


def demo(
    *,
    redis: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Use this server instead of an embedded one."),
    ] = None,
) -> None:
    """See bullpy work: e-mails, retries, priorities and a job tree, on a server of its own.

    Everything shown is checked: the command fails if a step does not happen.
    """
    console = Console(highlight=False)
    with reported(), contextlib.ExitStack() as stack:
        if redis is None:
            url = stack.enter_context(EmbeddedServer()).url
            what = "an embedded Valkey"
        else:
            url, what = redis, "your server"
        console.print(f"[bold]bullpy {__version__}[/] on {what}. The code you see is what runs.")
        asyncio.run(_play(console, url))
        console.print("\n[bold green]All of it happened, and was checked.[/]")
        console.print(
            "Next: `bullpy server`, and the tutorial (docs/tutorial.md in the repository)."
        )


async def _play(console: Console, url: str) -> None:
    # A prefix of its own: on a server that others use too, it touches nobody's jobs.
    prefix = f"demo-{uuid.uuid4().hex[:8]}"
    async with Stage(console, url, prefix) as stage:
        for number, (title, play) in enumerate(CHAPTERS, start=1):
            stage.begin(f"{number}. {title}")
            try:
                async with asyncio.timeout(CHAPTER_S):
                    await play(stage)
            except TimeoutError:
                raise BullError(f"{title}: not done within {CHAPTER_S:g} s") from None
