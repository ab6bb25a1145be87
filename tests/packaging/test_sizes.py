"""Small units: limits of functions, modules, scripts and test files, with reasoned exceptions."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMITS = {"module": 500, "command": 150, "include": 80, "test": 700, "function": 50}
EXCEPTIONS = {
    "bullpy/job/job.py": "Job's surface is BullMQ's, wide by nature; each method is a few lines",
    "bullpy/worker/worker.py": "the one place that knows all parts of a worker and their order",
}

MODULES = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("bullpy/**/*.py"))]
TESTS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("tests/**/*.py"))]
LUA = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("lua_scripts/*/*.lua"))]


def length(name):
    return len((ROOT / name).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_held_in_ones_head(name):
    if name in EXCEPTIONS:
        assert length(name) > LIMITS["module"], f"{name} needs no exception any more"
    else:
        assert length(name) <= LIMITS["module"]


@pytest.mark.parametrize("name", MODULES)
def test_functions_are_short(name):
    """Without their docstrings, which are for readers of the reference."""
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [f.name for f in functions if lines_of(f) > LIMITS["function"]]

    assert not long


def lines_of(function):
    documented = ast.get_docstring(function) is not None
    body = function.body[1:] if documented and len(function.body) > 1 else function.body
    return body[-1].end_lineno - body[0].lineno + 1


@pytest.mark.parametrize("name", LUA)
def test_scripts_are_short(name):
    limit = LIMITS["command" if "/commands/" in name else "include"]

    assert length(name) <= limit


@pytest.mark.parametrize("name", TESTS)
def test_test_files_are_short(name):
    assert length(name) <= LIMITS["test"]
