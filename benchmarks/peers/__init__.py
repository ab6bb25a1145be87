"""Those that are compared: how a peer's process is started, and with which settings."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
NODE_RUNNER: Final = FOLDER / "bullmq_node" / "run.mjs"
NODE_MODULES: Final = FOLDER.parents[1] / "tests" / "interop" / "node" / "node_modules"


class MissingPeerError(Exception):
    """A peer is not installed; the text says how to get it."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One that is compared.

    Attributes:
        name: As in `--peers`.
        command: What runs a work of this peer; name of the work and settings (JSON) follow.
        settings: Work -> its best settings, found by trying (README.md).
    """

    name: str
    command: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def argv(self, work: str, settings: Mapping[str, Any], *, profile: Path | None) -> list[str]:
        """The command line for one run.

        Args:
            work: Which work.
            settings: Where the server is, how many jobs, and whatever the work wants to know.
            profile: Write the client's profile there.
        """
        words = list(self.command)
        given = {**self.settings.get(work, {}), **settings}
        if profile and self.name == "bullmq-node":
            words[1:1] = ["--cpu-prof", f"--cpu-prof-dir={profile.parent}"]
            words[2:2] = [f"--cpu-prof-name={profile.with_suffix('.cpuprofile').name}"]
        elif profile:
            given["profile"] = str(profile.with_suffix(".pstats"))
        return [*words, work, json.dumps(given)]


def peer_named(name: str) -> Peer:
    """Find a peer.

    Raises:
        MissingPeerError: There is no such peer, or it is not installed.
    """
    if name not in PEERS:
        raise MissingPeerError(f"there is no peer {name!r}; there are: {', '.join(PEERS)}")
    peer = PEERS[name]
    if name == "bullmq-node" and not (shutil.which("node") and NODE_MODULES.is_dir()):
        raise MissingPeerError("bullmq-node: install Node, then `npm ci` in tests/interop/node")
    return peer


PEERS: Final = {
    peer.name: peer
    for peer in (
        Peer(
            "bullpy",
            (sys.executable, "-m", "benchmarks.peers.bullpy"),
            {"process": {"concurrency": 100}},
        ),
        Peer(
            "bullmq-node",
            ("node", str(NODE_RUNNER)),
            {
                "add-concurrent": {"auto_pipelining": False},
                "process": {"concurrency": 100, "auto_pipelining": False},
            },
        ),
    )
}
