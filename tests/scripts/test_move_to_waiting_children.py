from typing import Any

import pytest

from bullpy.errors import (
    FailedChildrenError,
    JobNotFoundError,
    LockMismatchError,
    LockMissingError,
    NotInStateError,
    ScriptError,
    UnrecoverableError,
)
from bullpy.scripts import jobs
from tests.fixtures.scripts import Stage

NOW = 1_700_000_000_000


async def test_a_parent_with_an_open_child_is_parked(stage: Stage):
    await stage.set(
        {
            "q:P": {"ats": "1"},
            "q:P:dependencies": {stage.key("c:1")},
            "q:P:lock": "token",
            "q:active": ["P"],
            "q:stalled": {"P"},
        }
    )

    assert await stage.run(jobs.move_to_waiting_children(stage.keys(), "P", "token", now=NOW))

    await stage.expect(
        {
            "q:P:lock": None,
            "q:active": None,
            "q:stalled": None,
            "q:waiting-children": {"P": NOW},
            "q:events": [{"event": "waiting-children", "jobId": "P", "prev": "active"}],
        }
    )


@pytest.mark.parametrize(("child", "parked"), [("c:1", True), ("c:2", False)])
async def test_a_parent_can_wait_for_one_child_only(stage: Stage, child: str, parked: bool):
    await stage.set(
        {"q:P": {"ats": "1"}, "q:P:dependencies": {stage.key("c:1")}, "q:active": ["P"]}
    )

    call = jobs.move_to_waiting_children(
        stage.keys(), "P", "0", now=NOW, child_key=stage.key(child)
    )

    assert await stage.run(call) is parked


async def test_without_an_open_child_nothing_changes_even_with_a_wrong_token(stage: Stage):
    await stage.set({"q:P": {"ats": "1"}, "q:P:lock": "token", "q:active": ["P"]})

    parked = await stage.run(jobs.move_to_waiting_children(stage.keys(), "P", "bad", now=NOW))

    assert parked is False
    await stage.expect({})


WAITING = {"q:P": {"ats": "1"}, "q:P:dependencies": {"child"}, "q:active": ["P"]}


@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        pytest.param(
            {"q:active": ["P"]},
            JobNotFoundError,
            "Missing key for job P. moveToWaitingChildren",
            id="no job",
        ),
        pytest.param(
            {**WAITING, "q:P:unsuccessful": {"child": 5}},
            FailedChildrenError,
            "Cannot complete job P because it has at least one failed child. moveToWaitingChildren",
            id="a failed child",
        ),
        pytest.param(
            WAITING,
            LockMissingError,
            "Missing lock for job P. moveToWaitingChildren",
            id="no lock",
        ),
        pytest.param(
            {**WAITING, "q:P:lock": "other"},
            LockMismatchError,
            "Lock mismatch for job P. Cmd moveToWaitingChildren from active",
            id="another's lock",
        ),
    ],
)
async def test_what_can_go_wrong_changes_nothing(
    stage: Stage, state: dict[str, Any], error: type[ScriptError], text: str
):
    await stage.set(state)

    with pytest.raises(error) as caught:
        await stage.run(jobs.move_to_waiting_children(stage.keys(), "P", "token", now=NOW))

    assert str(caught.value) == text
    await stage.expect({})


async def test_a_job_that_is_not_active_only_gives_its_lock_back(stage: Stage):
    await stage.set({**WAITING, "q:active": ["other"], "q:P:lock": "token"})

    with pytest.raises(NotInStateError, match="Job P is not in the active state"):
        await stage.run(jobs.move_to_waiting_children(stage.keys(), "P", "token", now=NOW))

    await stage.expect({"q:P:lock": None})


def test_a_failed_child_can_not_be_retried_away():
    assert issubclass(FailedChildrenError, UnrecoverableError)
