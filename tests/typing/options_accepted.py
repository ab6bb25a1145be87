"""Options that users write, and type checkers must accept."""

from datetime import UTC, datetime, timedelta
from typing import Any, Unpack

from bullpy import (
    BackoffOptions,
    DeduplicationOptions,
    FlowNode,
    Job,
    JobOptions,
    KeepJobsOptions,
    LimiterOptions,
    MetricsOptions,
    ParentOptions,
    Queue,
    QueueOptions,
    Worker,
    WorkerOptions,
)

BACKOFF: BackoffOptions = {"type": "exponential", "delay": timedelta(seconds=1), "jitter": 0.5}
ONCE: DeduplicationOptions = {"id": "x", "ttl": timedelta(hours=1), "extend": True}
KEPT: KeepJobsOptions = {"age": timedelta(days=1), "count": 1000, "limit": 50}
PARENT: ParentOptions = {"id": "7", "queue": "bull:reports"}

JOB: JobOptions = {
    "job_id": "x",
    "priority": 1,
    "delay": 1500,
    "lifo": True,
    "attempts": 3,
    "backoff": BACKOFF,
    "remove_on_complete": True,
    "remove_on_fail": KEPT,
    "keep_logs": 5,
    "stack_trace_limit": 1,
    "size_limit": 1_000_000,
    "timeout": timedelta(minutes=1),
    "timestamp": datetime(2030, 1, 1, tzinfo=UTC),
    "telemetry": {"metadata": "trace", "omit_context": False},
    "fail_parent_on_failure": True,
}
QUEUE: QueueOptions = {
    "default_job_options": {"attempts": 3, "remove_on_fail": 100},
    "streams": {"events": {"max_len": 1000}},
    "skip_metas_update": True,
}
LIMIT: LimiterOptions = {"max": 10, "duration": timedelta(seconds=1)}
POINTS: MetricsOptions = {"max_data_points": 60}
NODE: FlowNode = {
    "name": "report",
    "queue_name": "reports",
    "prefix": "mine",
    "data": {"n": 1},
    "opts": {"attempts": 2},
    "children": [{"name": "part", "queue_name": "parts"}],
}


def slowly(attempts: int, kind: str, error: BaseException, job: Job[Any, Any]) -> int:
    return attempts * len(kind) * len(str(error)) * len(job.id)


async def kindly(attempts: int, kind: str, error: BaseException, job: Job[Any, Any]) -> float:
    return 0.5 * slowly(attempts, kind, error, job)


WORKER: WorkerOptions = {
    "concurrency": 20,
    "autorun": False,
    "limiter": LIMIT,
    "metrics": POINTS,
    "lock_duration": timedelta(minutes=1),
    "drain_delay": 0.5,
    "remove_on_complete": {"count": 1000},
    "settings": {"backoff_strategy": slowly},
}


async def process(job: Job[int, str]) -> str:
    return str(job.data)


async def adding(queue: Queue[int, str], **opts: Unpack[JobOptions]) -> None:
    await queue.add("n", 1, **opts)
    await queue.add("n", 1, **JOB)
    await queue.add("n", 1, backoff=1000, remove_on_complete=False, delay=0.5)
    await queue.add("n", 1, backoff=timedelta(seconds=1), remove_on_fail=0)
    await queue.add("n", 1, deduplication=ONCE)
    await queue.add("n", 1, parent=PARENT)


def making() -> None:
    Queue[int, str]("mail", **QUEUE)
    Worker("mail", process, **WORKER)
    Worker("mail", process, backoff_strategy=kindly, remove_on_fail=5)
    Worker("mail", process, opts={"removeOnFail": 5})
