from typing import Any

import pytest

from bullpy.errors import JobNotFoundError, NotInStateError, OptionError
from bullpy.scripts import jobs
from bullpy.types import State
from tests.fixtures.scripts import Stage

ENDED = {"atm": "2", "ats": "3", "finishedOn": "9", "processedOn": "8", "stacktrace": "[]"}
FAILED = {**ENDED, "failedReason": "boom"}


def back_in_line(**changes: Any) -> dict[str, Any]:
    event = {"event": "waiting", "jobId": "1", "prev": "failed"}
    line = {"q:failed": None, "q:wait": ["1"], "q:marker": {"0": 0}, "q:events": [event]}
    return {**line, **changes}


async def test_a_failed_job_goes_on_counting_its_attempts(stage: Stage):
    await stage.set({"q:1": FAILED, "q:failed": {"1": 9}})

    await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    kept = {"atm": "2", "ats": "3", "stacktrace": "[]"}
    await stage.expect({**back_in_line(), "q:1": kept})


async def test_a_failed_job_forgets_attempts_and_starts_if_asked(stage: Stage):
    await stage.set({"q:1": FAILED, "q:failed": {"1": 9}})

    await stage.run(
        jobs.retry_job(
            stage.keys(),
            "1",
            State.FAILED,
            reset_attempts_made=True,
            reset_attempts_started=True,
        )
    )

    await stage.expect({**back_in_line(), "q:1": {"stacktrace": "[]"}})


async def test_a_completed_job_loses_its_result_and_keeps_its_last_failure(stage: Stage):
    await stage.set(
        {"q:1": {**FAILED, "returnvalue": "1"}, "q:completed": {"1": 9, "2": 9}, "q:wait": ["3"]}
    )

    await stage.run(jobs.retry_job(stage.keys(), "1", State.COMPLETED, lifo=True))

    await stage.expect(
        {
            "q:1": {"atm": "2", "ats": "3", "stacktrace": "[]", "failedReason": "boom"},
            "q:completed": {"2": 9},
            "q:wait": ["3", "1"],
            "q:marker": {"0": 0},
            "q:events": [{"event": "waiting", "jobId": "1", "prev": "completed"}],
        }
    )


async def test_a_job_with_a_priority_joins_behind_its_equals(stage: Stage):
    await stage.set({"q:1": {"priority": "2"}, "q:failed": {"1": 9}})

    await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect(
        {
            **back_in_line(),
            "q:wait": None,
            "q:prioritized": {"1": 2 * 2**32 + 1},
            "q:pc": "1",
        }
    )


@pytest.mark.parametrize(
    ("noted_in", "before"),
    [("unsuccessful", {"zset": 9}), ("failed", {"hash": "boom"})],
)
async def test_a_parent_that_noted_the_failure_waits_for_the_child_again(
    stage: Stage, noted_in: str, before: dict[str, Any]
):
    child = stage.key("q:1")
    value = next(iter(before.values()))
    await stage.set(
        {
            "q:1": {"parentKey": stage.key("p:P")},
            "q:failed": {"1": 9},
            "p:P": {"defa": "child failed"},
            f"p:P:{noted_in}": {child: value, "another": value},
        }
    )

    await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect(
        {
            **back_in_line(),
            f"p:P:{noted_in}": {"another": value},
            "p:P:dependencies": {child},
        }
    )


async def test_a_parent_that_has_the_result_waits_for_the_child_again(stage: Stage):
    child = stage.key("q:1")
    await stage.set(
        {
            "q:1": {"parentKey": stage.key("p:P"), "returnvalue": "1"},
            "q:completed": {"1": 9},
            "p:P": {"name": "n"},
            "p:P:processed": {child: "1"},
        }
    )

    await stage.run(jobs.retry_job(stage.keys(), "1", State.COMPLETED))

    await stage.expect(
        {
            "q:1": {"parentKey": stage.key("p:P")},
            "q:completed": None,
            "q:wait": ["1"],
            "q:marker": {"0": 0},
            "q:events": [{"event": "waiting", "jobId": "1", "prev": "completed"}],
            "p:P:processed": None,
            "p:P:dependencies": {child},
        }
    )


async def test_a_child_whose_failure_was_forgotten_stays_cut_off(stage: Stage):
    await stage.set(
        {
            "q:1": {"parentKey": stage.key("p:P")},
            "q:failed": {"1": 9},
            "p:P": {"name": "n"},
        }
    )

    await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect(back_in_line())


async def test_a_parent_that_is_gone_is_not_made_anew(stage: Stage):
    await stage.set(
        {
            "q:1": {"parentKey": stage.key("p:P")},
            "q:failed": {"1": 9},
            "p:P:failed": {stage.key("q:1"): "boom"},
        }
    )

    await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect(back_in_line())


async def test_a_job_in_another_state_is_an_error(stage: Stage):
    await stage.set({"q:1": {"name": "n"}, "q:completed": {"1": 9}})

    with pytest.raises(NotInStateError, match=r"Job 1 is not in the failed state\. reprocessJob"):
        await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect({})


async def test_a_missing_job_is_an_error(stage: Stage):
    await stage.set({"q:failed": {"1": 9}})

    with pytest.raises(JobNotFoundError, match=r"Missing key for job 1\. reprocessJob"):
        await stage.run(jobs.retry_job(stage.keys(), "1", State.FAILED))

    await stage.expect({})


async def test_only_finished_states_can_be_named(stage: Stage):
    with pytest.raises(OptionError, match=r"not delayed ones \(job 1, queue q\)"):
        jobs.retry_job(stage.keys(), "1", State.DELAYED)
