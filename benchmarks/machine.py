"""What the figures were measured on."""

import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.peers import NODE_MODULES
from benchmarks.server import SETTINGS, Server


def describe(server_program: str) -> dict[str, Any]:
    """Machine, versions and the server's settings."""
    with Server(server_program) as server:
        server_version = server.version
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "bullpy": _version("bullpy"),
        "commit": _said("git", "rev-parse", "--short", "HEAD"),
        "redis-py": _version("redis"),
        "hiredis": _version("hiredis"),
        "node": _said("node", "--version"),
        "bullmq": _node_version("bullmq"),
        "ioredis": _node_version("ioredis"),
        "server": f"{Path(server_program).name} {server_version}",
        "server settings": " ".join(word or '""' for word in SETTINGS),
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _node_version(package: str) -> str | None:
    file = NODE_MODULES / package / "package.json"
    return json.loads(file.read_text())["version"] if file.exists() else None


def _said(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    folder = Path(__file__).parent
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    return done.stdout.strip() or None
