"""Runs the code of documents: what a page claims to print is what its blocks print, in order."""

import ast
import contextlib
import importlib
import inspect
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(python|output)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Block:
    """A block of code, and what it prints."""

    line: int
    code: str
    output: str = ""


def blocks_of(page):
    """The code blocks of a page, each with the output block that follows it, if one does."""
    text = page.read_text()
    blocks = []
    for found in BLOCK.finditer(text):
        language, body = found.groups()
        if language == "python":
            blocks.append(Block(text.count("\n", 0, found.start()) + 2, body))
        else:
            blocks[-1].output = body
    return blocks


async def run(block, names, page):
    """Run a block as `python -m asyncio` does: what it prints."""
    padded = "\n" * (block.line - 1) + block.code  # a traceback then points into the page
    code = compile(padded, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        coroutine = eval(code, names)
        if inspect.iscoroutine(coroutine):
            await coroutine
    return printed.getvalue()


@pytest.fixture
def empty_server(private_server, monkeypatch):
    """A server without jobs, found as a newcomer's programs find theirs."""
    server = private_server()
    monkeypatch.setenv("BULLPY_REDIS_URL", server.url)


@pytest.mark.usefixtures("empty_server")
async def test_the_tutorial_prints_what_it_says():
    page = ROOT / "docs" / "tutorial.md"
    names = {}

    for block in blocks_of(page):
        assert await run(block, names, page) == block.output, f"{page.name}, line {block.line}"


def test_the_tutorials_blocks_can_be_pasted_into_a_prompt():
    """At Python 3.11's prompt a blank line ends a compound statement, and only that does."""
    for block in blocks_of(ROOT / "docs" / "tutorial.md"):
        lines = block.code.splitlines()
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        statements = compile(block.code, "block", "exec", flags=flags).body
        for statement in statements:
            of_statement = lines[statement.lineno - 1 : statement.end_lineno]
            assert all(of_statement), f"blank line within {of_statement[0]!r}"
            if hasattr(statement, "body") and statement is not statements[-1]:
                assert not lines[statement.end_lineno], f"no blank line after {of_statement[0]!r}"


def test_the_program_of_the_readme_is_the_example_that_is_run():
    [program] = [b.code for b in blocks_of(ROOT / "README.md")]

    assert program == (ROOT / "examples" / "hello.py").read_text()


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: str(p.relative_to(ROOT / "docs"))
)
def test_the_code_of_a_page_is_python_and_imports_what_there_is(page):
    for block in blocks_of(page):
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        tree = compile(block.code, f"{page.name}, line {block.line}", "exec", flags=flags)
        for statement in ast.walk(tree):
            if isinstance(statement, ast.ImportFrom):
                module = importlib.import_module(statement.module)
                missing = [name.name for name in statement.names if not hasattr(module, name.name)]
                assert not missing, f"{page.name}, line {block.line}"
