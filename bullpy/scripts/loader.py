"""Finds the Lua scripts and composes them from their includes.

A script is a file in `commands/`; a `--- @include NAME` line pulls in `includes/NAME.lua`, once,
before the file that asks for it. Comments are dropped on the way out; each composed line
remembers the file and line it came from, so that an error inside Redis points at real source.
"""

import hashlib
import importlib.resources
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

_TAG = re.compile(r"^---\s+@(\w+)\s+(\S+)\s*(.*)$")
_ERROR_LINE = re.compile(r"(?:user_script|@user_script|\[string [^\]]*\]):(\d+)")


@dataclass(frozen=True, slots=True)
class Header:
    """The contract at the head of a Lua file.

    Attributes:
        keys: `@key` names, in KEYS order.
        more_keys: `@keys` name where further keys follow, else None.
        args: `@arg` names, in ARGV order.
        item: `@item` names, the fields of each item of a batch behind the arguments.
        errors: Negative results it can return, from `@error`.
        emits: Names of events, from `@emits`.
        bullmq: BullMQ's names of the operations, from `@bullmq`.
        includes: `@include` names, in order.
    """

    keys: tuple[str, ...]
    more_keys: str | None
    args: tuple[str, ...]
    item: tuple[str, ...]
    errors: tuple[int, ...]
    emits: tuple[str, ...]
    bullmq: tuple[str, ...]
    includes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComposedScript:
    """A script as it is sent.

    Attributes:
        name: Its file name without `.lua`.
        text: What EVAL gets.
        sha: What EVALSHA gets.
        header: The contract.
        origins: Per line of `text`, the file (relative to the scripts' root) and line it is from.
    """

    name: str
    text: str
    sha: str
    header: Header
    origins: tuple[tuple[str, int], ...]

    def locate(self, message: str) -> str:
        """Replace the line numbers in a server's error message by file and line."""

        def real(match: re.Match[str]) -> str:
            index = int(match.group(1)) - 1
            if not 0 <= index < len(self.origins):
                return match.group(0)
            return "lua_scripts/{}:{}".format(*self.origins[index])

        return _ERROR_LINE.sub(real, message)


def scripts_root() -> Traversable:
    """Where the scripts lie: inside an installed package, else beside it in a checkout."""
    packaged = importlib.resources.files("bullpy") / "lua_scripts"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "lua_scripts"


def names(folder: str) -> list[str]:
    """The Lua files of `commands` or `includes`, without ending, sorted."""
    files = (scripts_root() / folder).iterdir()
    return sorted(f.name.removesuffix(".lua") for f in files if f.name.endswith(".lua"))


def read_header(source: str) -> Header:
    """Read the `--- @tag` lines of a Lua file."""
    found: dict[str, list[str]] = {}
    for line in source.splitlines():
        if match := _TAG.match(line):
            tag, first, rest = match.groups()
            whole = f"{first} {rest}" if tag in {"emits", "bullmq"} else first
            found.setdefault(tag, []).append(whole)

    def words(tag: str) -> tuple[str, ...]:
        text = " ".join(found.get(tag, [])).replace("|", ",")
        return tuple(word.strip() for word in text.split(",") if word.strip())

    return Header(
        keys=tuple(found.get("key", [])),
        more_keys=next(iter(found.get("keys", [])), None),
        args=tuple(found.get("arg", [])),
        item=tuple(found.get("item", [])),
        errors=tuple(int(code) for code in found.get("error", [])),
        emits=words("emits"),
        bullmq=words("bullmq"),
        includes=tuple(found.get("include", [])),
    )


@cache
def compose(name: str) -> ComposedScript:
    """Put the script `commands/NAME.lua` together with all it includes.

    Raises:
        FileNotFoundError: The script or an include is missing.
        ValueError: Includes form a circle.
    """
    lines: list[str] = []
    origins: list[tuple[str, int]] = []
    header = _pull(f"commands/{name}.lua", lines, origins, done=set(), above=())
    text = "\n".join(lines)
    sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()  # EVALSHA's own hash
    return ComposedScript(name, text, sha, header, tuple(origins))


def _pull(
    path: str,
    lines: list[str],
    origins: list[tuple[str, int]],
    *,
    done: set[str],
    above: tuple[str, ...],
) -> Header:
    if path in above:
        raise ValueError(f"Includes form a circle: {' -> '.join((*above, path))}")
    source = scripts_root().joinpath(path).read_text(encoding="utf-8")
    header = read_header(source)
    for include in header.includes:
        include_path = f"includes/{include}.lua"
        if include_path not in done:
            _pull(include_path, lines, origins, done=done, above=(*above, path))
    done.add(path)
    for number, line in enumerate(source.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("--"):
            lines.append(line.rstrip())
            origins.append((path, number))
    return header
