import pytest

from bullpy.scripts import locks
from bullpy.scripts.spec import ScriptCall
from tests.fixtures.scripts import Expiring, Stage

NOW = 1_700_000_000_000
CHECKED = {"q:stalled-check": Expiring(str(NOW), 30_000)}
DOOM = "job stalled more than allowable limit"


def check(stage: Stage, *, max_stalled_count: int = 1) -> ScriptCall[list[str]]:
    return locks.recover_stalled(
        stage.keys(), now=NOW, interval_ms=30_000, max_stalled_count=max_stalled_count
    )


def events(*job_ids: str) -> list[dict[str, str]]:
    return [
        entry
        for job_id in job_ids
        for entry in (
            {"event": "waiting", "jobId": job_id, "prev": "active"},
            {"event": "stalled", "jobId": job_id},
        )
    ]


async def test_the_first_check_only_notes_who_is_active(stage: Stage):
    await stage.set({"q:active": ["1", "2"], "q:1": {"ats": "1"}, "q:2": {"ats": "1"}})

    assert await stage.run(check(stage)) == []

    await stage.expect({**CHECKED, "q:stalled": {"1", "2"}})


async def test_a_noted_job_without_a_lock_is_served_next_and_others_stay(stage: Stage):
    await stage.set(
        {
            "q:active": ["1", "2", "3"],
            "q:stalled": {"1", "2", "gone"},
            "q:1": {"priority": "7"},
            "q:2:lock": "token",
            "q:wait": ["4"],
        }
    )

    assert await stage.run(check(stage)) == ["1"]

    await stage.expect(
        {
            **CHECKED,
            "q:active": ["2", "3"],
            "q:stalled": {"2", "3"},
            "q:1": {"priority": "7", "stc": "1"},
            "q:wait": ["4", "1"],
            "q:marker": {"0": 0},
            "q:events": events("1"),
        }
    )


async def test_a_second_check_within_the_interval_does_nothing(stage: Stage):
    await stage.set({"q:active": ["1"], "q:stalled": {"1"}, "q:stalled-check": "1"})

    assert await stage.run(check(stage)) == []

    await stage.expect({})


async def test_a_job_that_stalls_too_often_is_doomed(stage: Stage):
    await stage.set({"q:active": ["1"], "q:stalled": {"1"}, "q:1": {"stc": "1"}})

    await stage.run(check(stage))

    await stage.expect(
        {
            **CHECKED,
            "q:active": None,
            "q:stalled": None,
            "q:1": {"stc": "2", "defa": DOOM},
            "q:wait": ["1"],
            "q:marker": {"0": 0},
            "q:events": events("1"),
        }
    )


@pytest.mark.parametrize(
    ("scheduler", "spared"),
    [
        pytest.param({"q:repeat": {"s": NOW}}, True, id="in the list"),
        pytest.param({"q:repeat:s": {"name": "n"}}, True, id="by its hash"),
        pytest.param({"q:repeat": {"another": NOW}}, False, id="removed"),
    ],
)
async def test_runs_are_spared_only_while_their_scheduler_lives(
    stage: Stage, scheduler: dict[str, dict[str, str]], spared: bool
):
    await stage.set(
        {"q:active": ["1"], "q:stalled": {"1"}, "q:1": {"rjk": "s", "stc": "5"}, **scheduler}
    )

    await stage.run(check(stage))

    doomed = await stage.redis.hget(stage.key("q:1"), "defa")
    assert doomed == (None if spared else DOOM)


async def test_in_a_paused_queue_no_worker_is_woken(stage: Stage):
    await stage.set(
        {
            "q:active": ["1"],
            "q:stalled": {"1"},
            "q:meta": {"opts.maxLenEvents": "10000", "paused": "1"},
        }
    )

    await stage.run(check(stage))

    await stage.expect(
        {
            **CHECKED,
            "q:active": None,
            "q:stalled": None,
            "q:1": {"stc": "1"},
            "q:wait": ["1"],
            "q:events": events("1"),
        }
    )


async def test_a_wake_up_mark_of_bullmq_4_is_dropped(stage: Stage):
    await stage.set({"q:active": ["0:5", "1"], "q:stalled": {"0:5"}})

    assert await stage.run(check(stage)) == []

    await stage.expect({**CHECKED, "q:active": ["1"], "q:stalled": {"1"}})


async def test_thousands_of_jobs_are_recovered_in_one_check(stage: Stage):
    ids = [str(number) for number in range(stage.many)]
    await stage.set({"q:active": [*ids, "busy"], "q:stalled": {*ids, "busy"}, "q:busy:lock": "t"})

    recovered = await stage.run(check(stage))

    assert sorted(recovered) == sorted(ids)
    assert await stage.redis.lrange(stage.keys().wait, 0, -1) == recovered
    assert await stage.redis.lrange(stage.keys().active, 0, -1) == ["busy"]
    assert await stage.redis.smembers(stage.keys().stalled) == {"busy"}
