"""All commands, gathered. A new group is a file beside this one and a line below."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from bullpy.cli.demo import demo
from bullpy.cli.server import server
from bullpy.version import __version__

app = typer.Typer(
    help="Job queues and job trees on Redis, speaking BullMQ's protocol.",
    epilog="Exit codes: 0 done, 1 the work failed, 2 wrong usage, 3 no Redis, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(server)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bullpy {__version__}")
        raise typer.Exit


@app.callback()
def _options(  # pyright: ignore[reportUnusedFunction] - Typer calls it
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None: ...


def run() -> None:
    """Run the command of this process, and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # better a `?` than an error
    app(prog_name="bullpy")
