from typing import Any

import pytest

from bullpy.scripts import jobs
from bullpy.types import State
from tests.fixtures.scripts import Stage


@pytest.mark.parametrize(
    ("place", "content", "state"),
    [
        ("completed", {"1": 5}, State.COMPLETED),
        ("failed", {"1": 5}, State.FAILED),
        ("delayed", {"1": 5}, State.DELAYED),
        ("prioritized", {"1": 5}, State.PRIORITIZED),
        ("active", ["1"], State.ACTIVE),
        ("wait", ["1"], State.WAITING),
        ("paused", ["1"], State.WAITING),
        ("waiting-children", {"1": 5}, State.WAITING_CHILDREN),
    ],
)
async def test_a_job_is_found_wherever_it_is(stage: Stage, place: str, content: Any, state: State):
    await stage.set({f"q:{place}": content, "q:2": {"name": "n"}})
    others = set(State) - {state}

    assert await stage.run(jobs.get_state(stage.keys(), "1")) is state
    assert await stage.run(jobs.is_in_state(stage.keys(), "1", state))
    assert not any([await stage.run(jobs.is_in_state(stage.keys(), "1", o)) for o in others])
    await stage.expect({})


async def test_a_job_that_is_nowhere_is_unknown(stage: Stage):
    await stage.set({"q:1": {"name": "n"}})

    assert await stage.run(jobs.get_state(stage.keys(), "1")) is State.UNKNOWN
    await stage.expect({})
