"""What must be in Redis after jobs were added."""

import json

import redis

from benchmarks.works import QUEUE, expect, samples


def jobs_are_waiting(client: redis.Redis, jobs: int) -> None:
    """All jobs, and the warm-up one, stand in line and are stored whole.

    Raises:
        WrongResultError: They do not.
    """
    ids: list[str] = client.lrange(f"{QUEUE}:wait", 0, -1)  # type: ignore[assignment] - not async
    expect("jobs in line", len(ids), jobs + 1)
    expect("different jobs", len(set(ids)), jobs + 1)
    expect("events", client.xlen(f"{QUEUE}:events") > 0, wanted=True)
    for job_id in samples([one for one in ids if one != "1"]):
        stored: dict[str, str] = client.hgetall(f"{QUEUE}:{job_id}")  # type: ignore[assignment] - not async
        expect(f"name of job {job_id}", stored.get("name"), "mail")
        expect(f"data of job {job_id}", json.loads(stored["data"])["template"], "welcome")
