"""Finding, reading and composing Lua files, and telling where an error in them is."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from bullpy.scripts import loader
from bullpy.scripts.loader import compose, read_header

HEADER = """\
--- Do something.
---
--- @key    active        list of ids
--- @key    events        event stream
--- @keys   bases         one per queue
--- @arg    now           ms
--- @arg    token         lock token
--- @item   id            the job
--- @item   value         what of it
--- @return 0
--- @error  -1            no such job
--- @error  -6            somebody else's
--- @emits  completed | failed, drained
--- @bullmq moveToFinished, moveToActive
--- @include remove_lock
--- @include line_up
local active = KEYS[1] -- @arg is no tag here
"""


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Writes Lua files and composes from them: `scripts({"commands/a": "source"})`."""
    compose.cache_clear()
    monkeypatch.setattr(loader, "scripts_root", lambda: tmp_path)

    def write(files: dict[str, str]) -> None:
        for name, source in files.items():
            path = tmp_path / f"{name}.lua"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)

    yield write
    compose.cache_clear()


def test_a_header_is_read_in_its_order():
    header = read_header(HEADER)

    assert header.keys == ("active", "events")
    assert header.more_keys == "bases"
    assert header.args == ("now", "token")
    assert header.item == ("id", "value")
    assert header.errors == (-1, -6)
    assert header.emits == ("completed", "failed", "drained")
    assert header.bullmq == ("moveToFinished", "moveToActive")
    assert header.includes == ("remove_lock", "line_up")


def test_a_file_without_tags_has_an_empty_header():
    header = read_header("--- Just words.\nreturn 1")

    assert header.keys == header.args == header.errors == header.includes == ()
    assert header.more_keys is None


def test_an_include_stands_before_what_asks_for_it_and_only_once(scripts):
    scripts(
        {
            "commands/top": "--- @include a\n--- @include b\nreturn a() + b()",
            "includes/a": "--- @include c\nlocal function a() return c() end",
            "includes/b": "--- @include c\nlocal function b() return c() end",
            "includes/c": "local function c() return 1 end",
        }
    )

    assert compose("top").text.splitlines() == [
        "local function c() return 1 end",
        "local function a() return c() end",
        "local function b() return c() end",
        "return a() + b()",
    ]


def test_comments_and_empty_lines_are_not_sent(scripts):
    scripts({"commands/top": "-- why\n\nlocal x = 1   \n   -- more\nreturn x -- kept"})

    assert compose("top").text == "local x = 1\nreturn x -- kept"


def test_the_hash_is_the_one_the_server_gives_the_text(scripts):
    scripts({"commands/top": "return 'ü'"})

    assert compose("top").sha == hashlib.sha1(b"return '\xc3\xbc'").hexdigest()


def test_a_circle_of_includes_is_refused_by_name(scripts):
    scripts(
        {
            "commands/top": "--- @include a",
            "includes/a": "--- @include b",
            "includes/b": "--- @include a",
        }
    )

    with pytest.raises(ValueError, match=r"a\.lua -> includes/b\.lua -> includes/a\.lua"):
        compose("top")


@pytest.mark.parametrize("source", ["--- @include gone", ""], ids=["an include", "the script"])
def test_a_missing_file_is_named(scripts, source: str):
    scripts({"commands/top": source})

    with pytest.raises(FileNotFoundError, match="gone"):
        compose("top" if source else "gone")


@pytest.mark.parametrize(
    "message",
    [
        "ERR user_script:3: attempt to index a nil value script: 5e1f, on @user_script:3.",
        'ERR Error running script: [string "user_script"]:3: attempt to index a nil value',
    ],
    ids=["redis 7", "as lua names a chunk"],
)
def test_an_error_is_traced_to_its_file_and_line(scripts, message: str):
    scripts(
        {
            "commands/top": "--- @include a\n\nlocal x = a()\nreturn x.y",
            "includes/a": "-- says nothing\nlocal function a() return nil end",
        }
    )

    assert "lua_scripts/commands/top.lua:4: attempt" in compose("top").locate(message)


def test_a_line_that_is_not_of_the_script_is_left_alone(scripts):
    scripts({"commands/top": "return 1"})

    assert compose("top").locate("user_script:99: odd") == "user_script:99: odd"


def test_the_scripts_of_the_checkout_are_found():
    root = Path(__file__).parents[2] / "lua_scripts"

    assert loader.names("commands") == sorted(p.stem for p in root.glob("commands/*.lua"))


def run_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bullpy.scripts", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_script_can_be_shown_as_it_is_sent():
    shown = run_module("show", "extend_locks")

    assert (shown.returncode, shown.stdout) == (0, compose("extend_locks").text + "\n")


@pytest.mark.parametrize("arguments", [(), ("show",), ("show", "no_such_script")])
def test_a_wrong_command_lists_what_there_is(arguments: tuple[str, ...]):
    refused = run_module(*arguments)

    assert refused.returncode == 2
    assert "extend_locks" in refused.stderr
