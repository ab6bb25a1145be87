"""Script, header, Python function and error codes agree, and includes keep their rules."""

import importlib
import pkgutil
import re

import pytest

import bullpy.scripts
from bullpy.errors import SCRIPT_CODES
from bullpy.scripts.loader import compose, names, read_header, scripts_root
from bullpy.scripts.spec import SCRIPTS

for module in pkgutil.iter_modules(bullpy.scripts.__path__):
    if module.name != "__main__":
        importlib.import_module(f"bullpy.scripts.{module.name}")

COMMANDS = names("commands")
INCLUDES = names("includes")
FILES = [("commands", name) for name in COMMANDS] + [("includes", name) for name in INCLUDES]
OWN_CODES = {"obliterate_queue": {-1, -2}}  # not of the table: they become other errors


def source(folder, name):
    return scripts_root().joinpath(folder, f"{name}.lua").read_text(encoding="utf-8")


def code(folder, name):
    lines = source(folder, name).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("--"))


def test_every_script_has_a_python_function_and_the_reverse():
    assert set(COMMANDS) == set(SCRIPTS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_header_names_what_the_script_returns_on_failure(name):
    """Each negative result that stands in the composed text is an `@error`, and the reverse."""
    header = compose(name).header
    declared = set(header.errors)
    text = compose(name).text
    written = {int(n) for n in re.findall(r"(?:return|=|and|or) (-[1-9][0-9]?)\b(?!\s*[*+])", text)}
    own = OWN_CODES.get(name, set())

    assert declared - own <= SCRIPT_CODES
    assert declared <= written


@pytest.mark.parametrize("name", COMMANDS)
def test_a_script_reads_each_of_its_arguments(name):
    header = compose(name).header
    text = code("commands", name)
    unread = [
        argument
        for number, argument in enumerate(header.args, start=1)
        if f"ARGV[{number}]" not in text
    ]

    assert not unread


@pytest.mark.parametrize("name", COMMANDS)
def test_a_script_declares_the_base_of_its_queues_and_nothing_else(name):
    """One declared key stands for all of a queue: they share its slot."""
    header = compose(name).header

    assert header.keys == ("base",) or header.more_keys == "bases"


@pytest.mark.parametrize("name", INCLUDES)
def test_an_include_is_one_local_function_named_like_its_file(name):
    text = code("includes", name)
    top_level = re.findall(r"^local function (\w+)|^function (\w+)", text, re.MULTILINE)

    assert [local or stray for local, stray in top_level] == [name]


@pytest.mark.parametrize(("folder", "name"), FILES)
def test_a_file_names_just_the_includes_it_uses(folder, name):
    text = code(folder, name)
    declared = set(read_header(source(folder, name)).includes)
    used = {other for other in INCLUDES if other != name and re.search(rf"\b{other}\(", text)}

    assert used == declared


def test_no_include_is_unused():
    reached = {path for name in COMMANDS for path, _ in compose(name).origins}

    assert {f"includes/{name}.lua" for name in INCLUDES} <= reached


@pytest.mark.parametrize(("folder", "name"), FILES)
def test_the_forbidden_is_not_used(folder, name):
    text = code(folder, name)

    for word in ('"KEYS"', "struct.", "bit.", "sha1hex", "os.time", "math.random", '"TIME"'):
        assert word not in text
