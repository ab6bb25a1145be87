"""Pages of jobs, however large: read in calls that keep nobody else waiting."""

from collections.abc import Sequence

from bullpy.connection import Client
from bullpy.keys import QueueKeys
from bullpy.scripts import read
from bullpy.scripts.manage import state_key
from bullpy.scripts.read import Window


async def read_pages(
    client: Client, keys: QueueKeys, states: Sequence[str], start: int, end: int, *, asc: bool
) -> dict[str, list[str]]:
    """The same page of several states: job id -> flat hash, one state after the other.

    The first call of each state goes out in one write, so that few jobs change their state
    between them; one that does is told of once.

    Args:
        client: Asks.
        keys: The queue.
        states: Of which states.
        start: First position within each state; negative counts from the end.
        end: Last position, included.
        asc: The oldest first, instead of the newest.
    """
    wanted = list(dict.fromkeys(state_key(state) for state in states))
    window = Window.of_page(start, end)
    first_parts = await client.run_all([read.jobs(keys, s, window, asc=asc) for s in wanted])
    found: dict[str, list[str]] = {}
    for state, first_part in zip(wanted, first_parts, strict=True):
        part = first_part
        while True:
            for job_id, fields in part.jobs:
                found.setdefault(job_id, fields)
            if part.rest is None:
                break
            part = await client.run(read.jobs(keys, state, part.rest, asc=asc))
    return found
