"""`bullpy server`: a Valkey for development, until Ctrl-C."""

import signal
import socket
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer
from rich.console import Console

from bullpy.cli.outcome import reported
from bullpy.errors import BullError
from bullpy.server import EmbeddedServer

DEFAULT_PORT: Final = 6379  # where every part of bullpy looks if nobody says otherwise
CONNECT_S: Final = 1.0  # a server on the same machine answers at once, or is gone

_ENDS: Final = frozenset({signal.SIGINT, signal.SIGTERM})


def server(
    *,
    port: Annotated[int, typer.Option(help="The loopback port to listen on.")] = DEFAULT_PORT,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep data in this folder; else in memory only."),
    ] = None,
) -> None:
    """Run a Valkey for development until Ctrl-C.

    It has no password and listens on the loopback interface only.
    """
    console = Console(highlight=False, soft_wrap=True)
    with reported():
        embedded = EmbeddedServer(data, port=port)
        # Until it is up, SIGTERM ends this as Ctrl-C does: by way of the `with` block.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with embedded as running:
            console.print(f"Valkey listens on [bold green]{running.url}[/]; Ctrl-C ends it.")
            where = f"in {data}, synced every second" if data else "in memory only (see --data)"
            console.print(f"Data is kept {where}.", markup=False)
            if port != DEFAULT_PORT:
                console.print(f"Elsewhere: export BULLPY_REDIS_URL={running.url}")
            _wait_for_end(running.url)
        console.print("Ended.")


def _wait_for_end(url: str) -> None:
    """Wait for Ctrl-C or SIGTERM.

    Raises:
        BullError: The server ended by itself.
    """
    waited_for = {*_ENDS, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)  # its children were started without
    while _answers(url):
        if signal.sigwait(waited_for) in _ENDS:
            return
    raise BullError(f"The server at {url} has ended")


def _answers(url: str) -> bool:
    place = urlsplit(url)
    try:
        socket.create_connection((place.hostname, place.port), CONNECT_S).close()
    except OSError:
        return False
    return True
