"""Faults of job queues that users have met, absent here: what may be added, and how much."""

import pytest

from bullpy import OptionError
from tests.fixtures.work import within

HALF = "\ud800"  # of a surrogate pair: Python has such strings, UTF-8 has not


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (HALF, {}),
        ("n", {"job_id": HALF}),
        ("n", {"deduplication": {"id": HALF}}),
        ("n", {"parent": {"id": HALF, "queue": "bull:work"}}),
        ("n", {"telemetry": {"metadata": HALF}}),
    ],
    ids=["name", "id", "deduplication", "parent", "telemetry"],
)
async def test_text_that_redis_cannot_hold_is_refused_and_nobody_waits_for_ever(
    work, name, options
):
    queue = await work.queue()

    with pytest.raises(OptionError, match="half a surrogate pair"):
        await within(queue.add(name, **options))
    with pytest.raises(OptionError, match="half a surrogate pair"):
        await within(queue.add_bulk([{"name": "fine"}, {"name": name, "opts": options}]))

    assert await queue.get_waiting_count() == 0


async def test_ids_of_undecodable_bytes_are_kept_as_they_are(work):
    queue = await work.queue()
    await queue.add("n", job_id="\udc80", deduplication={"id": "\udcff"})

    [job] = await queue.get_waiting()

    assert job.id == "\udc80"
    assert job.deduplication_id == "\udcff"
    assert await queue.remove_deduplication_key("\udcff") == 1
