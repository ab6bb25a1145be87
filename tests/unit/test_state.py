"""The comparison every conformance and script test rests on: it must see what is wrong."""

import copy

import pytest
import redis.asyncio

from tests.fixtures.state import State, assert_same, differences, dump

SEEN: State = {
    "bull:q:meta": {"type": "hash", "value": {"opts.maxLenEvents": "10000", "version": "bullmq"}},
    "bull:q:1": {
        "type": "hash",
        "value": {
            "name": "n",
            "data": '{"a":1,"b":[true,2.5]}',
            "opts": '{"attempts":3,"backoff":{}}',
            "stacktrace": '["Error: x\\n    at <oracle>","Error: Missing lock"]',
        },
    },
    "bull:q:1:lock": {"type": "string", "value": "token", "ttl": 30000},
    "bull:q:wait": {"type": "list", "value": ["2", "1"]},
    "bull:q:stalled": {"type": "set", "value": ["1", "2"]},
    "bull:q:delayed": {"type": "zset", "value": [["3", 6963200000001.0]]},
    "bull:q:events": {"type": "stream", "value": [{"event": "waiting", "jobId": "1"}]},
    "bull:q:p:processed": {"type": "hash", "value": {"bull:c:1": "[1,2]"}},
}

SAME_IN_OTHER_WORDS = {
    "json is parsed": ("bull:q:1", "data", '{"b": [true, 2.50], "a": 1.0}'),
    "an empty table may read as a list": ("bull:q:1", "opts", '{"backoff":[],"attempts":3}'),
    "a processed value is json": ("bull:q:p:processed", "bull:c:1", "[1, 2]"),
    "the version names the library": ("bull:q:meta", "version", "bullpy:1"),
    "bullmq's own failures have other texts": (
        "bull:q:1",
        "stacktrace",
        '["Error: x\\n    at <oracle>","Traceback ..."]',
    ),
}

WRONG = {
    "a plain field": ("bull:q:1", "name", "m"),
    "a value inside json": ("bull:q:1", "data", '{"a":2,"b":[true,2.5]}'),
    "true instead of 1": ("bull:q:1", "data", '{"a":true,"b":[true,2.5]}'),
    "order of a json list": ("bull:q:1", "data", '{"a":1,"b":[2.5,true]}'),
    "broken json": ("bull:q:1", "data", "{"),
    "a stack trace too few": ("bull:q:1", "stacktrace", '["Error: x\\n    at <oracle>"]'),
    "a given stack trace": ("bull:q:1", "stacktrace", '["Error: y","Error: Missing lock"]'),
    "spacing outside json": ("bull:q:meta", "opts.maxLenEvents", "10000 "),
    "an unknown field": ("bull:q:1", "surplus", "1"),
}


@pytest.mark.parametrize(
    ("key", "field", "text"), SAME_IN_OTHER_WORDS.values(), ids=SAME_IN_OTHER_WORDS
)
def test_other_words_for_the_same_state_are_no_difference(key: str, field: str, text: str):
    actual = copy.deepcopy(SEEN)
    actual[key]["value"][field] = text

    assert differences(SEEN, actual) == []


@pytest.mark.parametrize(("key", "field", "text"), WRONG.values(), ids=WRONG)
def test_a_changed_hash_field_is_named(key: str, field: str, text: str):
    actual = copy.deepcopy(SEEN)
    actual[key]["value"][field] = text

    [line] = differences(SEEN, actual)

    assert line.startswith(f"changed  {key} {field}: ")


@pytest.mark.parametrize("key", SEEN)
def test_a_missing_key_is_named(key: str):
    actual = {name: value for name, value in SEEN.items() if name != key}

    [line] = differences(SEEN, actual)

    assert line.startswith(f"missing  {key} ")


def test_an_added_key_is_named():
    actual = SEEN | {"bull:q:id": {"type": "string", "value": "1"}}

    assert differences(SEEN, actual) == ['added    bull:q:id {"type": "string", "value": "1"}']


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bull:q:wait", ["1", "2"]),
        ("bull:q:wait", ["2"]),
        ("bull:q:wait", ["2", "1", "1"]),
        ("bull:q:stalled", ["1"]),
        ("bull:q:delayed", [["3", 6963200000002.0]]),
        ("bull:q:events", [{"event": "waiting", "jobId": "1", "prev": "active"}]),
        ("bull:q:events", []),
        ("bull:q:1:lock", "other"),
    ],
)
def test_a_changed_element_is_a_difference(key: str, value: object):
    actual = SEEN | {key: {**SEEN[key], "value": value}}

    assert differences(SEEN, actual) != []


def test_another_type_is_a_difference():
    actual = SEEN | {"bull:q:wait": {"type": "set", "value": ["2", "1"]}}

    assert differences(SEEN, actual) == ["changed  bull:q:wait is a set, not a list"]


@pytest.mark.parametrize("ttl", [30000, 25001])
def test_an_expiry_may_have_run_down_a_little(ttl: int):
    actual = SEEN | {"bull:q:1:lock": {"type": "string", "value": "token", "ttl": ttl}}

    assert differences(SEEN, actual) == []


@pytest.mark.parametrize("ttl", [30001, 25000, None])
def test_another_expiry_is_a_difference(ttl: int | None):
    lock = {"type": "string", "value": "token"} | ({} if ttl is None else {"ttl": ttl})

    assert differences(SEEN, SEEN | {"bull:q:1:lock": lock}) == [
        f"changed  bull:q:1:lock ttl 30000 -> {ttl}"
    ]


def test_a_failed_comparison_shows_every_difference():
    actual = {name: value for name, value in SEEN.items() if name != "bull:q:wait"}

    with pytest.raises(AssertionError, match="missing  bull:q:wait"):
        assert_same(SEEN, actual)


async def _write_one_of_each(client: redis.asyncio.Redis, prefix: str) -> None:
    await client.hset(f"{prefix}h", mapping={"f": "ü"})
    await client.rpush(f"{prefix}l", "head", "tail")
    await client.sadd(f"{prefix}s", "b", "a")
    await client.zadd(f"{prefix}z", {"b": 1, "a": 1, "c": 0.5})
    await client.xadd(f"{prefix}x", {"event": "e"})
    await client.set(f"{prefix}t", "text", px=60_000)


ONE_OF_EACH = {
    "h": {"type": "hash", "value": {"f": "ü"}},
    "l": {"type": "list", "value": ["head", "tail"]},
    "s": {"type": "set", "value": ["a", "b"]},
    "z": {"type": "zset", "value": [["c", 0.5], ["a", 1.0], ["b", 1.0]]},
    "x": {"type": "stream", "value": [{"event": "e"}]},
    "t": {"type": "string", "value": "text", "ttl": 60_000},
}


async def test_a_dump_shows_every_type_as_the_traces_do(
    redis_client: redis.asyncio.Redis, prefix: str
):
    await _write_one_of_each(redis_client, f"{prefix}*:")
    await redis_client.set(f"{prefix}:elsewhere", "the star is no pattern")

    seen = await dump(redis_client, f"{prefix}*:")

    assert_same({f"{prefix}*:{name}": value for name, value in ONE_OF_EACH.items()}, seen)


async def test_fakeredis_is_dumped_alike(fake: redis.asyncio.Redis):
    await _write_one_of_each(fake, "")

    assert_same(ONE_OF_EACH, await dump(fake))


async def test_a_killed_server_that_persists_comes_back_with_its_data(private_server):
    server = private_server(persist=True)
    async with server.client() as client:
        await client.set("k", "v")

    server.restart()

    async with server.client() as client:
        assert await client.get("k") == "v"
