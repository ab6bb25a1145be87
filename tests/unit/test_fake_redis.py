"""The in-process Redis for users' tests: its Lua understands msgpack as a server's does."""

import sys
from typing import Any

import msgpack
import pytest
import redis.asyncio

import bullpy
from bullpy.testing import fake_redis
from tests.fixtures.servers import LocalServer

SHOW = """
local function show(value)
  if type(value) ~= "table" then
    return type(value) .. ":" .. tostring(value)
  end
  local shown = {}
  for key, item in pairs(value) do
    shown[#shown + 1] = tostring(key) .. "=" .. show(item)
  end
  table.sort(shown)
  return "{" .. table.concat(shown, ",") .. "}"
end
local values = {cmsgpack.unpack(ARGV[1])}
return show(values)
"""

VALUES: dict[str, Any] = {
    "text": "ü",
    "bytes": b"\xff\x00",
    "whole numbers": [0, -1, 255, 65_536, 1_700_000_000_000],
    "fractions": 2.5,
    "truth": [True, False],
    "a nested map": {"a": {"b": [1, {"c": "d"}]}},
    "an empty list": [],
    "an empty map": {},
    "nothing": None,
    "a hole in a list": [1, None, 3],
}

TABLES = {
    "a list": "{1, 2, 'x'}",
    "a map": "{a = 1}",
    "nested": "{a = {1, {b = true}}}",
    "a fraction": "1.5",
    "an empty table": "{}",
    "a list with a gap": "{[1] = 'a', [3] = 'c'}",
    "numbers beyond 32 bits": "1700000000000",
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
async def test_lua_reads_msgpack_as_on_a_server(value: Any, any_server: LocalServer):
    packed = msgpack.packb(value, use_bin_type=False)  # as our scripts get text of any encoding

    async with fake_redis() as fake, any_server.client(decode_responses=False) as real:
        assert await fake.eval(SHOW, 0, packed) == await real.eval(SHOW, 0, packed)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
async def test_lua_writes_msgpack_as_on_a_server(table: str, any_server: LocalServer):
    script = f"return cmsgpack.pack({table})"

    async with fake_redis() as fake, any_server.client(decode_responses=False) as real:
        written = msgpack.unpackb(await fake.eval(script, 0), strict_map_key=False)
        assert written == msgpack.unpackb(await real.eval(script, 0), strict_map_key=False)


async def test_several_values_may_follow_each_other():
    async with fake_redis() as fake:
        shown = await fake.eval(SHOW, 0, msgpack.packb(1) + msgpack.packb("two"))

    assert shown == b"{1=number:1,2=string:two}"


async def test_two_fakes_share_nothing():
    async with fake_redis() as one, fake_redis() as other:
        await one.set("k", "v")

        assert await other.get("k") is None


async def test_its_options_are_those_of_fakeredis():
    async with fake_redis(decode_responses=True, version=(6,)) as fake:
        await fake.set("k", "ü")

        assert await fake.get("k") == "ü"


async def test_a_job_can_be_added_and_worked_on():
    async with fake_redis() as fake, bullpy.Queue("q", connection=fake) as queue:
        await queue.add("greet", {"to": "world"})
        worker = bullpy.Worker("q", None, connection=fake)
        job = await worker.get_next_job("token")
        await worker.close()

    assert job is not None
    assert job.data == {"to": "world"}


def test_without_fakeredis_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fakeredis", None)

    with pytest.raises(ImportError, match=r"pip install \"bullpy\[testing\]\""):
        fake_redis()


def test_the_client_is_a_plain_redis_client():
    assert isinstance(fake_redis(), redis.asyncio.Redis)
