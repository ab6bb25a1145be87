"""Finding what is stored of jobs that are in no state, without stopping everybody else.

The script that deletes orphans makes sure that they are in no state, and for that walks the lists
of waiting and active jobs: with a million of them, nearly half a second. So it is asked about many
jobs at a time, and only about those that were seen nowhere before.
"""

from collections.abc import Sequence
from typing import Final

from bullpy.connection import Client
from bullpy.keys import QueueKeys
from bullpy.scripts import manage, read
from bullpy.types import State

_SETS: Final = (
    State.COMPLETED,
    State.FAILED,
    State.DELAYED,
    State.PRIORITIZED,
    State.WAITING_CHILDREN,
)
_LISTS: Final = (State.WAITING, State.ACTIVE, "paused")
IDS_PER_CALL: Final = 5000  # about a millisecond of the server's time


async def remove_orphans(client: Client, keys: QueueKeys, *, count: int, limit: int) -> int:
    """Delete what is stored of jobs that are in no state.

    It holds the ids of all waiting and active jobs while it runs: some 100 MB for a million.

    Args:
        client: Asks.
        keys: The queue.
        count: How many keys to look at, and how many jobs to delete, per call.
        limit: Stop after about this many; 0 for all.

    Returns:
        How many jobs went.
    """
    seen = await _listed(client, keys)
    suspects: set[str] = set()
    cursor, removed = "0", 0
    while True:
        cursor, ids = await client.run(manage.scan_job_ids(keys, cursor=cursor, count=count))
        unseen = [job_id for job_id in ids if job_id not in seen]
        suspects |= await _in_no_set(client, keys, unseen) if unseen else set()
        if suspects and (cursor == "0" or len(suspects) >= count):
            seen |= await _newly_listed(client, keys)
            if suspects := suspects - seen:
                removed += await client.run(manage.remove_orphans(keys, sorted(suspects)))
            suspects = set()
        if cursor == "0" or (limit and removed >= limit):
            return removed


async def _in_no_set(client: Client, keys: QueueKeys, ids: Sequence[str]) -> set[str]:
    """Those of some jobs that are in none of the states that are sorted sets."""
    answers = await client.run_all([read.are_in(keys, state, ids) for state in _SETS])
    return {job_id for job_id, *states in zip(ids, *answers, strict=True) if not any(states)}


async def _listed(client: Client, keys: QueueKeys) -> set[str]:
    """Ids of waiting and active jobs; what moves meanwhile may be missed."""
    found: set[str] = set()
    for state in _LISTS:
        start = 0
        while True:
            end = start + IDS_PER_CALL - 1
            ids = await client.run(read.ids(keys, state, start=start, end=end, asc=True))
            found.update(ids)
            if len(ids) < IDS_PER_CALL:
                break
            start = end + 1
    return found


async def _newly_listed(client: Client, keys: QueueKeys) -> set[str]:
    """Ids that came into the lists last: those at their ends."""
    calls = [
        read.ids(keys, state, start=0, end=IDS_PER_CALL - 1, asc=asc)
        for state in _LISTS
        for asc in (False, True)
    ]
    return set[str]().union(*await client.run_all(calls))
