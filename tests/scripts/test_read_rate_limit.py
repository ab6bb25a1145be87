import pytest

from bullpy.scripts import read
from tests.fixtures.scripts import Expiring, Short, Stage

WINDOW = Expiring("2", 60_000)
BARE = {"opts.maxLenEvents": "10000"}


@pytest.mark.parametrize(
    ("limiter", "own", "asked", "limited"),
    [
        pytest.param(WINDOW, None, 2, True, id="used up"),
        pytest.param(WINDOW, None, 1, True, id="more than used up"),
        pytest.param(WINDOW, None, 3, False, id="starts are left"),
        pytest.param(WINDOW, "2", 0, True, id="by the queue's own number"),
        pytest.param(WINDOW, "3", 0, False, id="starts are left by the queue's own"),
        pytest.param(WINDOW, "3", 2, True, id="the asked number goes before"),
        pytest.param(None, "1", 0, False, id="no start yet"),
        pytest.param("5", "1", 0, False, id="a counter without an end limits nothing"),
        pytest.param(WINDOW, None, 0, True, id="the bare key"),
    ],
)
async def test_the_rest_of_a_used_up_window_is_told(
    stage: Stage, limiter: Short, own: str | None, asked: int, limited: bool
):
    meta = {**BARE, "max": own} if own else BARE
    await stage.set({"q:meta": meta, **({"q:limiter": limiter} if limiter else {})})

    ttl = await stage.run(read.rate_limit_ttl(stage.keys(), asked))

    assert 50_000 < ttl <= 60_000 if limited else ttl == 0
    await stage.expect({})


@pytest.mark.parametrize(("limiter", "answer"), [(None, -2), ("5", -1)])
async def test_without_a_number_the_bare_key_is_told(stage: Stage, limiter: Short, answer: int):
    await stage.set({"q:meta": BARE, **({"q:limiter": limiter} if limiter else {})})

    assert await stage.run(read.rate_limit_ttl(stage.keys(), 0)) == answer
