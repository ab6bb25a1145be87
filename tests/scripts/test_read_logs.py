import pytest

from bullpy.scripts import jobs
from bullpy.scripts.jobs import JobLogs
from tests.fixtures.scripts import Stage


@pytest.mark.parametrize(
    ("start", "end", "asc", "rows"),
    [
        (0, -1, True, ["a", "b", "c", "d"]),
        (0, -1, False, ["d", "c", "b", "a"]),
        (1, 2, True, ["b", "c"]),
        (0, 1, False, ["d", "c"]),
        (1, 2, False, ["c", "b"]),
        (9, 12, True, []),
    ],
)
async def test_a_range_of_rows_is_read_from_either_end(
    stage: Stage, start: int, end: int, asc: bool, rows: list[str]
):
    await stage.set({"q:1:logs": ["a", "b", "c", "d"]})

    logs = await stage.run(jobs.get_logs(stage.keys(), "1", start, end, asc=asc))

    assert logs == JobLogs(rows, 4)
    await stage.expect({})


async def test_a_job_without_a_log_has_no_rows(stage: Stage):
    assert await stage.run(jobs.get_logs(stage.keys(), "1")) == JobLogs([], 0)
