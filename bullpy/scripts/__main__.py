"""For those who work on the Lua: `python -m bullpy.scripts show NAME`, or `check`.

`show` prints a script as it is sent. `check` runs luacheck over all of them as they are sent, and
tells problems by file and line of the source.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from bullpy.scripts.loader import compose, names

_GLOBALS: Final = ("redis", "cjson", "cmsgpack", "KEYS", "ARGV")
_PLACE: Final = re.compile(r"^\s*\S*?([a-z_]+)\.lua:(\d+):(\d+): (.*)$")
USAGE: Final = 2


def main(arguments: list[str]) -> int:
    """Run one command; 0 if all is well."""
    match arguments:
        case ["show", name] if name in names("commands"):
            print(compose(name).text)  # noqa: T201 - what it is for
            return 0
        case ["check"]:
            return _check()
        case _:
            print(__doc__, *names("commands"), sep="\n", file=sys.stderr)  # noqa: T201 - as above
            return USAGE


def _check() -> int:
    program = shutil.which("luacheck")
    if program is None:
        print("luacheck is not installed", file=sys.stderr)  # noqa: T201 - as above
        return USAGE
    with tempfile.TemporaryDirectory() as folder:
        files: list[str] = []
        for name in names("commands"):
            file = Path(folder) / f"{name}.lua"
            file.write_text(compose(name).text + "\n", encoding="utf-8")
            files.append(str(file))
        options = ("--std", "lua51", "--no-max-line-length", "--no-color", "--formatter", "plain")
        found = subprocess.run(  # noqa: S603 - a linter on files made above
            [program, *options, "--read-globals", *_GLOBALS, "--", *files],
            capture_output=True,
            text=True,
            check=False,
        )
    for line in found.stdout.splitlines():
        place = _PLACE.match(line)
        if place:
            name, number, _column, what = place.groups()
            file, real = compose(name).origins[int(number) - 1]
            line = f"lua_scripts/{file}:{real}: {what}"  # noqa: PLW2901 - the same, better placed
        print(line)  # noqa: T201 - as above
    return found.returncode


sys.exit(main(sys.argv[1:]))
