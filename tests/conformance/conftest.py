"""Servers of the replayer's own: each trace empties its database."""

import pytest

from tests.fixtures.servers import LocalServer, program_of


@pytest.fixture(scope="session")
def trace_server():
    """A server by kind, started once, for nothing but traces."""
    servers = {}

    def get(kind):
        if kind not in servers:
            servers[kind] = LocalServer(kind, program_of(kind))
            servers[kind].start()
        return servers[kind]

    yield get
    for server in servers.values():
        server.remove()


def pytest_terminal_summary(terminalreporter):
    """Name the areas whose traces could not all be replayed."""
    missing = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if "missing: " in reason:
            name, _, needs = reason.split("missing: ")[1].partition(" needs ")
            missing.setdefault(name.split("/")[0], set()).update(needs.split(", "))
    for area, needs in sorted(missing.items()):
        terminalreporter.write_line(f"not built: area {area} needs {', '.join(sorted(needs))}")
