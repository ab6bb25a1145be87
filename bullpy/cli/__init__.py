"""The command `bullpy`.

One file per group of commands: it reads its arguments, calls what a user could call, and prints.
Typer and Rich are the extra `cli`; this file works without them, to say so.
"""

import importlib
import sys

_EXTRA = ("typer", "rich", "click")


def main() -> None:
    """Run the command that the program was called with, and exit with its code."""
    try:
        app = importlib.import_module("bullpy.cli.app")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        sys.exit('The command bullpy needs Typer and Rich: pip install "bullpy[cli]"')
    app.run()
