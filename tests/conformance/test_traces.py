"""bullpy does, step by step, what BullMQ was recorded doing: answers, errors and all of Redis."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import redis.asyncio

from bullpy.testing import fake_redis
from tests.conformance import plan
from tests.conformance.cast import MissingOpError
from tests.conformance.replay import Replay
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
    lacking = plan.why_missing(trace)
    beyond, by_chance = _limits_of(target, trace)

    try:
        await replay.run()
    except MissingOpError as error:
        if lacking is None:
            raise
        record_property("missing", f"{trace.area}/{error}: {lacking}")
        pytest.xfail(f"missing: {trace.area}/{error}")
    except Exception as error:
        if beyond is None and by_chance is None:
            raise
        pytest.xfail(f"beyond fakeredis: {beyond or by_chance} ({error})")

    assert beyond is None, "fakeredis can run it now: take it off the list"
    assert trace.id not in plan.not_built(), "it is built now: take it off the list"


def _limits_of(target: Target, trace: plan.Trace) -> tuple[str | None, str | None]:
    """Why this trace fails there always, and why it does by chance."""
    if target.name != FAKE:
        return None, None
    return (
        plan.beyond_fakeredis().get(trace.id),
        plan.unpredictable_on_fakeredis().get(trace.id),
    )


def test_every_area_is_built_or_named_as_missing():
    areas = {trace.area for trace in plan.traces()}

    unnamed = areas - plan.built_areas() - plan.not_built().keys()

    assert unnamed == set(), "name them in areas.toml"
    assert plan.built_areas() & plan.not_built().keys() == set(), "an area is built or missing"


def test_the_lists_name_traces_that_exist():
    if plan.folder() != plan.HERE / "traces":
        pytest.skip("other traces than ours are replayed")
    known = {trace.id for trace in plan.traces()} | {trace.area for trace in plan.traces()}

    listed = {trace for trace, _ in plan.deviations()}
    listed |= plan.beyond_fakeredis().keys() | plan.unpredictable_on_fakeredis().keys()

    assert listed | plan.not_built().keys() <= known
