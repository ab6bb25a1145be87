import pytest

from bullpy.scripts import read
from bullpy.scripts.read import LOOK_PER_CALL, JobsPage, Window
from tests.fixtures.scripts import Short, Stage
from tests.scripts.windows import (
    AS_LIST,
    AS_SORTED_SET,
    LETTERS,
    NEWEST_FIRST,
    OLDEST_FIRST,
    WINDOWS,
)


async def page(
    stage: Stage, state: str, start: int, end: int, *, asc: bool = True
) -> list[tuple[str, list[str]]]:
    """A whole page, read to its end."""
    found: list[tuple[str, list[str]]] = []
    window: Window | None = Window.of_page(start, end)
    while window is not None:
        part = await stage.run(read.jobs(stage.keys(), state, window, asc=asc))
        found += part.jobs
        window = part.rest
    return found


def ids(found: list[tuple[str, list[str]]]) -> str:
    return "".join(job_id for job_id, _ in found)


@pytest.mark.parametrize(
    ("asc", "expected"), [(True, OLDEST_FIRST), (False, NEWEST_FIRST)], ids=["oldest", "newest"]
)
@pytest.mark.parametrize("state", ["waiting", "active", "delayed"])
async def test_a_page_has_the_jobs_of_the_range(
    stage: Stage, state: str, asc: bool, expected: dict[tuple[int, int], str]
):
    line: Short = AS_SORTED_SET if state == "delayed" else AS_LIST
    key = "wait" if state == "waiting" else state
    await stage.set({f"q:{key}": line, **{f"q:{letter}": {"name": letter} for letter in LETTERS}})

    found = {(start, end): await page(stage, state, start, end, asc=asc) for start, end in WINDOWS}

    assert {window: ids(jobs) for window, jobs in found.items()} == expected
    assert all(fields == ["name", job_id] for jobs in found.values() for job_id, fields in jobs)
    await stage.expect({})


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param(0, 0, "a", id="there"),
        pytest.param(0, 1, "ad", id="filled up"),
        pytest.param(1, 2, "de", id="positions count ids, also those without a job"),
        pytest.param(1, -1, "def", id="not filled up from the end"),
        pytest.param(-5, 2, "", id="nor from the beginning"),
        pytest.param(0, 9, "adef", id="as far as there are jobs"),
    ],
)
@pytest.mark.parametrize("state", ["wait", "completed"])
async def test_a_page_has_no_holes_where_jobs_are_gone(
    stage: Stage, state: str, start: int, end: int, expected: str
):
    line: Short = AS_SORTED_SET if state == "completed" else AS_LIST
    await stage.set({f"q:{state}": line, **{f"q:{letter}": {"name": "n"} for letter in "adef"}})

    assert ids(await page(stage, state, start, end)) == expected


@pytest.mark.parametrize(("gone", "expected"), [(4, "x"), (5, "")])
async def test_a_page_is_filled_up_from_the_next_four_windows_and_no_further(
    stage: Stage, gone: int, expected: str
):
    await stage.set({"q:wait": ["x", *[f"gone{n}" for n in range(gone)]], "q:x": {"name": "n"}})

    assert ids(await page(stage, "wait", 0, 0)) == expected


@pytest.mark.parametrize("state", ["wait", "failed"])
async def test_one_call_reads_a_bounded_number_of_jobs_and_says_where_to_go_on(
    stage: Stage, state: str
):
    names = [f"j{n}" for n in range(LOOK_PER_CALL + 1)]
    line: Short = names[::-1] if state == "wait" else {name: n for n, name in enumerate(names)}
    await stage.set({f"q:{state}": line, **{f"q:{name}": {"name": "n"} for name in names}})

    first = await stage.run(read.jobs(stage.keys(), state, Window.of_page(0, -1), asc=True))

    assert [job_id for job_id, _ in first.jobs] == names[:LOOK_PER_CALL]
    assert first.rest is not None
    assert first.rest.start == LOOK_PER_CALL
    last = await stage.run(read.jobs(stage.keys(), state, first.rest, asc=True))
    assert [job_id for job_id, _ in last.jobs] == names[LOOK_PER_CALL:]
    assert last.rest is None


@pytest.mark.parametrize("gone", [set[str](), {"j1"}], ids=["no hole", "a hole"])
async def test_a_page_read_in_parts_has_just_so_many_jobs(stage: Stage, gone: set[str]):
    names = [f"j{n}" for n in range(2 * LOOK_PER_CALL)]
    there = {f"q:{name}": {"name": "n"} for name in names if name not in gone}
    await stage.set({"q:wait": names[::-1], **there})

    found = await page(stage, "wait", 0, LOOK_PER_CALL)

    assert len(found) == LOOK_PER_CALL + 1
    assert found[-1][0] == f"j{LOOK_PER_CALL + len(gone)}"


async def test_the_wake_up_mark_of_bullmq_4_is_no_job(stage: Stage):
    await stage.set({"q:wait": ["1", "0:0"], "q:paused": ["0:0"], "q:1": {"name": "n"}})

    assert ids(await page(stage, "waiting", 0, 0)) == "1"
    assert await page(stage, "paused", 0, -1) == []


@pytest.mark.parametrize("window", [(0, -1), (3, 2), (0, 5)])
async def test_an_empty_state_is_read_in_one_call(stage: Stage, window: tuple[int, int]):
    call = read.jobs(stage.keys(), "no such state", Window.of_page(*window), asc=True)

    assert await stage.run(call) == JobsPage([], None)
