"""The scripts reach users: the wheel works in an empty environment, far from the checkout."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from bullpy.scripts.loader import names

ROOT = Path(__file__).parents[2]
COMPOSE_ALL = """
from bullpy.scripts.loader import compose, names, scripts_root
assert "site-packages" in str(scripts_root()), scripts_root()
for name in names("commands"):
    compose(name)
print(len(names("commands")))
"""


def run(*command, cwd):
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), cwd=folder)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_installed_wheel_composes_every_script(built, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    wheel = next(built.glob("*.whl"))
    run(str(python), "-m", "pip", "install", "--quiet", str(wheel), cwd=tmp_path)

    assert run(str(python), "-c", COMPOSE_ALL, cwd=tmp_path).strip() == str(len(names("commands")))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_source_distribution_carries_the_scripts(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        carried = [member.rpartition("/")[2] for member in archive.getnames()]

    assert {f"{name}.lua" for name in names("commands")} <= set(carried)
