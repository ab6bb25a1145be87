"""What a command's end means to the shell: one table of exit codes, one way to report errors."""

import logging
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import typer
from rich.console import Console
from rich.text import Text

from bullpy.errors import BullError, ConnectionError, OptionError  # noqa: A004 - ours is one

FAILED: Final = 1
WRONG_USAGE: Final = 2
NO_REDIS: Final = 3
INTERRUPTED: Final = 130  # 128 + SIGINT, as shells say it


@contextmanager
def reported() -> Generator[None]:
    """Turn errors into a line on stderr and an exit code.

    Raises:
        typer.Exit: The block raised one of ours, or was interrupted.
    """
    log = logging.getLogger("bullpy")
    handler = _OncePerText()
    log.addHandler(handler)
    log.propagate = False
    try:
        yield
    except BullError as error:
        _tell(f"Error: {error}")
        raise typer.Exit(_code_of(error)) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(FAILED) from None
    finally:
        log.removeHandler(handler)


class _OncePerText(logging.Handler):
    """Errors that nobody hears, a line each and once: that a server is away stays no news."""

    def __init__(self) -> None:
        super().__init__()
        self._told = set[str]()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in self._told:
            self._told.add(text)
            _tell(text)


def _tell(text: str) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    first, separator, rest = text.partition(":")
    console.print(Text.assemble((first + separator, "red"), rest))


def _code_of(error: BullError) -> int:
    if isinstance(error, ConnectionError):
        return NO_REDIS
    return WRONG_USAGE if isinstance(error, OptionError) else FAILED
