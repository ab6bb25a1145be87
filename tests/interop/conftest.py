"""Both languages on one server: the server and the Node process live for a test module."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fixtures.node import NodeBullmq
from tests.fixtures.servers import LocalServer, an_installed_kind, program_of
from tests.interop.driver import Driver
from tests.interop.node_side import NodeSide
from tests.interop.python_side import PythonSide
from tests.interop.sides import Roles


@pytest.fixture(scope="module")
def shared_server() -> Iterator[LocalServer]:
    """The module's own server."""
    kind = an_installed_kind()
    server = LocalServer(kind, program_of(kind))
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def driver(node_bullmq: NodeBullmq, shared_server: LocalServer) -> Iterator[Driver]:
    """The module's own Node process."""
    process = Driver(node_bullmq, shared_server.port)
    yield process
    process.end()


@pytest.fixture
async def node(driver: Driver, prefix: str) -> AsyncIterator[NodeSide]:
    """BullMQ, under the test's prefix."""
    yield NodeSide(driver, prefix)
    await driver.reset()


@pytest.fixture
async def python(shared_server: LocalServer, prefix: str) -> AsyncIterator[PythonSide]:
    """bullpy, under the same prefix."""
    side = PythonSide(shared_server.url, prefix)
    yield side
    await side.close()


@pytest.fixture(params=["python-to-node", "node-to-python"])
def roles(request: pytest.FixtureRequest, python: PythonSide, node: NodeSide) -> Roles:
    """Runs a test in either direction."""
    if request.param == "python-to-node":
        return Roles(here=python, there=node)
    return Roles(here=node, there=python)
