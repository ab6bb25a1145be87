"""How many jobs a second does one worker process get through, if the jobs do nothing?"""

import json

import redis

from benchmarks.works import QUEUE, Work, expect, samples


def jobs_are_completed(client: redis.Redis, jobs: int) -> None:
    """All jobs completed, with their results, and nothing is left over.

    Raises:
        WrongResultError: They did not.
    """
    expect("failed jobs", client.zcard(f"{QUEUE}:failed"), 0)
    expect("jobs in line", client.llen(f"{QUEUE}:wait"), 0)
    expect("active jobs", client.llen(f"{QUEUE}:active"), 0)
    ids: list[str] = client.zrange(f"{QUEUE}:completed", 0, -1)  # type: ignore[assignment] - not async
    expect("completed jobs", len(ids), jobs)
    for job_id in samples(ids):
        stored: dict[str, str] = client.hgetall(f"{QUEUE}:{job_id}")  # type: ignore[assignment] - not async
        wanted = json.loads(stored["data"])["n"]
        expect(f"result of job {job_id}", json.loads(stored["returnvalue"]), wanted)
        expect(f"attempts of job {job_id}", stored["atm"], "1")
        expect(f"lock of job {job_id}", client.exists(f"{QUEUE}:{job_id}:lock"), 0)


WORK = Work(
    name="process",
    question="process jobs that do nothing",
    jobs=20_000,
    quick_jobs=20_000,
    verify=jobs_are_completed,
)
