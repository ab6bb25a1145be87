import pytest

from bullpy.keys import QueueKeys
from bullpy.scripts import locks
from tests.fixtures.scripts import Expiring, Stage


async def test_held_locks_are_renewed_and_lost_ones_named(stage: Stage):
    await stage.set(
        {
            "q:1:lock": Expiring("a", 40_000),
            "q:2:lock": Expiring("other", 40_000),
            "q:4:lock": Expiring("d", 40_000),
            "q:stalled": {"1", "2", "3", "4"},
        }
    )

    call = locks.extend_locks(stage.keys(), ["1", "2", "3", "4"], ["a", "b", "c", "d"], 90_000)

    assert await stage.run(call) == ["2", "3"]
    await stage.expect(
        {
            "q:1:lock": Expiring("a", 90_000),
            "q:4:lock": Expiring("d", 90_000),
            "q:stalled": {"2", "3"},
        }
    )


async def test_thousands_of_locks_are_renewed_in_one_call(stage: Stage):
    ids = [str(number) for number in range(stage.many)]
    await stage.set({"q:stalled": set(ids), **{f"q:{n}:lock": "t" for n in ids[:3]}})

    lost = await stage.run(locks.extend_locks(stage.keys(), ids, ["t"] * len(ids), 90_000))

    assert lost == ids[3:]
    assert await stage.redis.scard(stage.keys().stalled) == len(ids) - 3


def test_each_lock_needs_its_token():
    with pytest.raises(ValueError, match="shorter"):
        locks.extend_locks(QueueKeys("bull", "q"), ["1", "2"], ["a"], 30_000)
