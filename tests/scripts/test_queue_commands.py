"""What is no script: single commands, and what they make of the answers."""

from typing import Any

import pytest

from bullpy.scripts import manage, read
from tests.fixtures.scripts import Expiring, Stage

BARE = {"opts.maxLenEvents": "10000"}
K = 4096  # scores of delayed jobs per ms
P = 2**32  # scores of prioritized jobs per priority


async def test_what_is_known_of_a_queue_is_written_over_what_was(stage: Stage):
    await stage.set({"q:meta": {"opts.maxLenEvents": "5", "version": "old", "paused": "1"}})

    await stage.run(manage.write_meta(stage.keys(), max_len_events=7, version="bullpy:1"))

    written = {"opts.maxLenEvents": "7", "version": "bullpy:1", "paused": "1"}
    await stage.expect({"q:meta": written})


async def test_global_limits_are_set_and_lifted(stage: Stage):
    keys = stage.keys()
    await stage.set({"q:meta": BARE})

    await stage.run(manage.set_global_concurrency(keys, 3))
    await stage.run(manage.set_global_rate_limit(keys, 5, 1000))
    await stage.expect({"q:meta": {**BARE, "concurrency": "3", "max": "5", "duration": "1000"}})

    await stage.run(manage.remove_global_concurrency(keys))
    await stage.expect({"q:meta": {**BARE, "max": "5", "duration": "1000"}})

    await stage.run(manage.remove_global_rate_limit(keys))
    await stage.expect({"q:meta": BARE})


@pytest.mark.parametrize(("duration", "ttl"), [(60_000, 60_000), (60_000.9, 60_000)])
async def test_a_manual_rate_limit_uses_the_window_up(stage: Stage, duration: float, ttl: int):
    await stage.set({"q:limiter": "1"})

    await stage.run(manage.rate_limit(stage.keys(), duration))

    await stage.expect({"q:limiter": Expiring("9007199254740991", ttl)})


@pytest.mark.parametrize("duration", [0, 0.5, -3])
def test_a_manual_rate_limit_lasts_a_millisecond_at_least(stage: Stage, duration: float):
    assert manage.rate_limit(stage.keys(), duration).args[-1] == 1


async def test_the_window_is_forgotten(stage: Stage):
    await stage.set({"q:limiter": "1"})

    answers = [await stage.run(manage.remove_rate_limit_key(stage.keys())) for _ in range(2)]

    assert answers == [1, 0]
    await stage.expect({"q:limiter": None})


async def test_a_deduplication_id_is_known_and_freed_whoever_holds_it(stage: Stage):
    keys = stage.keys()
    await stage.set({"q:de:d": "7", "q:dn:d": {"jid": "8"}})

    assert await stage.run(read.deduplication_owner(keys, "d")) == "7"
    assert await stage.run(read.deduplication_owner(keys, "other")) is None
    assert await stage.run(manage.remove_deduplication_key(keys, "d")) == 1
    assert await stage.run(manage.remove_deduplication_key(keys, "d")) == 0

    await stage.expect({"q:de:d": None})


async def test_the_event_stream_is_cut(stage: Stage):
    for number in range(5):
        await stage.redis.xadd(stage.key("q:events"), {"event": str(number)})

    gone = await stage.run(manage.trim_events(stage.keys(), 0))

    assert gone == 5 - await stage.redis.xlen(stage.key("q:events"))
    assert gone == 5


@pytest.mark.parametrize(
    ("moment", "count"), [(0, 0), (10, 0), (11, 2), (20, 2), (21, 3), (10**13, 3)]
)
async def test_delayed_jobs_due_before_a_moment_are_counted(stage: Stage, moment: int, count: int):
    await stage.set({"q:delayed": {"a": 10 * K, "b": 10 * K + K - 1, "c": 20 * K}})

    assert await stage.run(read.delayed_before(stage.keys(), moment)) == count


@pytest.mark.parametrize(("priority", "count"), [(0, 2), (1, 2), (2, 1), (3, 0)])
async def test_jobs_of_a_priority_are_counted(stage: Stage, priority: int, count: int):
    line = {"a": P, "b": P + 7, "c": 2 * P}
    await stage.set({"q:wait": ["x", "y"], "q:prioritized": line})

    assert await stage.run(read.count_of_priority(stage.keys(), priority)) == count


@pytest.mark.parametrize(("meta", "paused"), [(BARE, False), ({"paused": "0"}, True)])
async def test_a_queue_is_paused_whatever_the_field_says(
    stage: Stage, meta: dict[str, str], paused: bool
):
    await stage.set({"q:meta": meta})

    assert await stage.run(read.is_paused(stage.keys())) is paused
    assert await stage.run(read.meta(stage.keys())) == meta


async def test_jobs_being_worked_on_are_counted(stage: Stage):
    await stage.set({"q:active": ["1", "2"]})

    assert await stage.run(read.active_count(stage.keys())) == 2
    assert await stage.run(read.active_count(stage.keys("other"))) == 0


async def test_metrics_are_read_with_zeros_for_what_is_not_there(stage: Stage):
    keys = stage.keys()
    await stage.set(
        {
            "q:metrics:failed": {"count": "9", "prevTS": "5", "prevCount": "4"},
            "q:metrics:failed:data": ["3", "0", "1"],
        }
    )
    answers = {
        read.metrics_totals(keys, "failed"): [9, 5, 4],
        read.metrics_totals(keys, "completed"): [0, 0, 0],
        read.metrics_data(keys, "failed", start=0, end=-1): [3, 0, 1],
        read.metrics_data(keys, "failed", start=1, end=1): [0],
        read.metrics_data(keys, "completed", start=0, end=-1): [],
        read.metrics_length(keys, "failed"): 3,
        read.metrics_length(keys, "completed"): 0,
    }

    assert {call: await stage.run(call) for call in answers} == answers


@pytest.mark.parametrize(
    ("text", "clients"),
    [
        pytest.param("", [], id="none"),
        pytest.param(
            "id=3 name=bull:cQ== age=1\nid=4 name= cmd=a=b\n",
            [
                {"id": "3", "name": "bull:cQ==", "age": "1"},
                {"id": "4", "name": "", "cmd": "a=b"},
            ],
            id="each field up to its first equals sign",
        ),
    ],
)
def test_clients_are_told_apart_field_by_field(text: str, clients: list[dict[str, str]]):
    assert read.client_list().decode(text) == clients


async def test_the_servers_own_list_of_clients_can_be_read(any_redis_client: Any):
    any_redis_client.response_callbacks = {}
    await any_redis_client.execute_command("CLIENT", "SETNAME", "bull:cQ==:w:me")

    reply = await any_redis_client.execute_command(*read.client_list().args)

    assert "bull:cQ==:w:me" in [client["name"] for client in read.client_list().decode(reply)]


async def test_jobs_are_looked_for_in_a_sorted_set(stage: Stage):
    await stage.set({"q:waiting-children": {"a": 0, "b": 5}})
    keys = stage.keys()

    assert await stage.run(read.are_in(keys, "waiting-children", ["x", "a", "b"])) == [
        False,
        True,
        True,
    ]
    assert await stage.run(read.are_in(keys, "delayed", ["x"])) == [False]
