"""bullpy does, step by step, what BullMQ was recorded doing: answers, errors and all of Redis."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import redis.asyncio

from bullpy.testing import fake_redis
from tests.conformance import plan
from tests.conformance.cast import MissingOpError
from tests.conformance.replay import Replay, ReplayError
from tests.fixtures.servers import KINDS, LocalServer, program_of

FAKE = "fakeredis"


@dataclass(frozen=True)
class Target:
    """An empty database.

    Attributes:
        name: The kind of server.
        connection: For bullpy.
        client: A plain client with text replies.
    """

    name: str
    connection: Any
    client: redis.asyncio.Redis


@pytest.fixture(scope="session")
def emptied_servers() -> Iterator[dict[str, LocalServer]]:
    """Servers that replays may flush, by kind; filled as they are asked for."""
    running: dict[str, LocalServer] = {}
    yield running
    for server in running.values():
        server.remove()


@pytest.fixture(params=[*KINDS, FAKE])
async def target(
    request: pytest.FixtureRequest, emptied_servers: dict[str, LocalServer]
) -> AsyncIterator[Target]:
    """An empty database of each kind."""
    name = request.param
    if name == FAKE:
        async with fake_redis(decode_responses=True, encoding_errors="surrogateescape") as client:
            yield Target(name, client, client)
        return
    if name not in emptied_servers:
        server = LocalServer(name, program_of(name))
        server.start()
        emptied_servers[name] = server
    server = emptied_servers[name]
    async with server.client() as client:
        await client.flushdb()
        yield Target(name, server.url, client)


@pytest.mark.parametrize("trace", plan.traces(), ids=lambda trace: trace.id)
async def test_bullpy_does_what_bullmq_did(
    trace: plan.Trace, target: Target, record_property: Callable[[str, object], None]
):
    replay = Replay(trace, target.connection, target.client)
    excuse = _excuse(trace, target)

    try:
        await replay.run()
    except MissingOpError as error:
        if trace.area in plan.built_areas():
            raise
        record_property("missing", f"{trace.area}/{error}")
        pytest.xfail(f"not built: {trace.area} needs {error}")
    except ReplayError:
        if excuse is None:
            raise
        pytest.xfail(excuse)

    if excuse is not None and target.name == FAKE and trace.area in plan.built_areas():
        pytest.fail(f"fakeredis can run it now; take it off the list ({excuse})")


def _excuse(trace: plan.Trace, target: Target) -> str | None:
    """Why this replay may go wrong."""
    if target.name == FAKE and trace.id in plan.beyond_fakeredis():
        return f"fakeredis: {plan.beyond_fakeredis()[trace.id]}"
    if trace.area not in plan.built_areas():
        return f"not built: {trace.area}, {plan.missing_areas().get(trace.area, 'unknown area')}"
    return None
