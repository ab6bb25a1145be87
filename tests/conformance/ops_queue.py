"""Operations on a queue."""

from typing import Any

import bullpy
from bullpy.codec import public_options
from bullpy.options import settings_of
from tests.conformance.cast import Cast, ask
from tests.conformance.ops import Call, Step, bound_view, define, op
from tests.conformance.views import job_view, plain

_PAGE = {"start": "start", "end": "end"}
_STATES_LISTED = (
    "waiting",
    "waiting_children",
    "active",
    "delayed",
    "prioritized",
    "completed",
    "failed",
)


def _meta(meta: Any) -> Any:
    return {name: value for name, value in plain(meta).items() if name != "version"}


def _metrics(metrics: Any) -> Any:
    return {
        "meta": {
            "count": metrics.total,
            "prevTS": metrics.previous_at,
            "prevCount": metrics.previous_total,
        },
        "data": metrics.data,
        "count": metrics.count,
    }


def _children(page: Any) -> Any:
    items = [
        {"id": child.key} if child.value is None else {"id": child.key, "v": child.value}
        for child in sorted(page.children, key=lambda child: child.key)
    ]
    jobs = sum(child.job is not None for child in page.children)
    return {"items": items, "total": page.total, "jobs": jobs}


define(
    "queue",
    lambda cast, step: cast.queues[step["queue"]],
    {
        "pause": Call("pause"),
        "resume": Call("resume"),
        "is_paused": Call("is_paused"),
        "is_maxed": Call("is_maxed"),
        "count": Call("count"),
        "get_job_state": Call("get_job_state", ("id",)),
        "get_job_counts": Call("get_job_counts", ("types*",)),
        "get_job_count_by_types": Call("get_job_count_by_types", ("types*",)),
        "get_jobs": Call("get_jobs", (), {"types": "types", "asc": "asc", **_PAGE}),
        **{f"get_{state}": Call(f"get_{state}", (), _PAGE) for state in _STATES_LISTED},
        **{f"get_{state}_count": Call(f"get_{state}_count") for state in _STATES_LISTED},
        "get_delayed_count": Call("get_delayed_count", (), {"timestamp": "timestamp"}),
        "get_counts_per_priority": Call("get_counts_per_priority", ("priorities",)),
        "get_meta": Call("get_meta", view=_meta),
        "get_dependencies": Call(
            "get_dependencies", ("parentId", "type", "start", "end"), view=_children
        ),
        "get_job_logs": Call("get_job_logs", ("id",), {"asc": "asc", **_PAGE}),
        "add_job_log": Call("add_job_log", ("id", "row"), {"keepLogs": "keep_logs"}),
        "update_job_progress": Call("update_job_progress", ("id", "progress")),
        "drain": Call("drain", (), {"delayed": "delayed"}),
        "clean": Call("clean", ("grace", "limit"), {"type": "state"}),
        "obliterate": Call("obliterate", (), {"force": "force", "count": "count"}),
        "retry_jobs": Call(
            "retry_jobs", (), {"from": "state", "count": "count", "timestamp": "timestamp"}
        ),
        "promote_jobs": Call("promote_jobs", (), {"count": "count"}),
        "trim_events": Call("trim_events", ("maxLength",)),
        "remove_job": Call("remove", ("id",), {"removeChildren": "remove_children"}),
        "remove_orphaned_jobs": Call(
            "remove_orphaned_jobs", (), {"count": "count", "limit": "limit"}
        ),
        "set_global_concurrency": Call("set_global_concurrency", ("value",)),
        "get_global_concurrency": Call("get_global_concurrency"),
        "remove_global_concurrency": Call("remove_global_concurrency"),
        "set_global_rate_limit": Call("set_global_rate_limit", ("max", "duration")),
        "get_global_rate_limit": Call("get_global_rate_limit"),
        "remove_global_rate_limit": Call("remove_global_rate_limit"),
        "rate_limit": Call("rate_limit", ("ms",)),
        "get_rate_limit_ttl": Call("get_rate_limit_ttl", (), {"maxJobs": "max_jobs"}),
        "remove_rate_limit_key": Call("remove_rate_limit_key"),
        "get_metrics": Call("get_metrics", ("type",), _PAGE, view=_metrics),
        "export_prometheus_metrics": Call(
            "export_prometheus_metrics", (), {"labels": "global_variables"}
        ),
        "get_job_scheduler": Call("get_job_scheduler", ("id",)),
        "get_job_schedulers": Call("get_job_schedulers", (), {"asc": "asc", **_PAGE}),
        "get_job_schedulers_count": Call("get_job_schedulers_count"),
        "remove_job_scheduler": Call("remove_job_scheduler", ("id",)),
        "get_deduplication_job_id": Call("get_deduplication_job_id", ("id",)),
        "remove_deduplication_key": Call("remove_deduplication_key", ("id",)),
    },
)


@op("queue.open")
async def _open(cast: Cast, step: Step) -> None:
    queue = cast.keep(
        bullpy.Queue(
            step.get("name", step["queue"]),
            connection=cast.connection,
            prefix=step.get("prefix", cast.prefix),
            clock=cast.clock,
            opts=step.get("opts"),
        )
    )
    await queue.open()
    cast.queues[step["queue"]] = queue


@op("queue.add")
async def _add(cast: Cast, step: Step) -> Any:
    data = [step["data"]] if "data" in step else []
    queue = cast.queues[step["queue"]]
    return bound_view(cast, step, await queue.add(step["name"], *data, **step.get("opts", {})))


@op("queue.add_bulk")
async def _add_bulk(cast: Cast, step: Step) -> Any:
    """BullMQ says nothing of a refused job and answers the script's code as its id.

    bullpy raises; the error holds all jobs and why some were refused.
    """
    try:
        jobs = await cast.queues[step["queue"]].add_bulk(step["jobs"])
    except bullpy.BulkAddError as error:
        jobs = list(error.submitted)
        for position, refusal in error.errors.items():
            jobs[position].id = refusal.code
    for label, job in zip(step.get("as", ()), jobs, strict=False):
        cast.bind(label, job)
    return [job_view(job) for job in jobs]


@op("queue.get_job")
async def _get_job(cast: Cast, step: Step) -> Any:
    return bound_view(cast, step, await cast.queues[step["queue"]].get_job(step["id"]))


@op("queue.upsert_job_scheduler")
async def _upsert(cast: Cast, step: Step) -> Any:
    template = [step["template"]] if "template" in step else []
    upsert = ask(cast.queues[step["queue"]], "upsert_job_scheduler")
    job = await upsert(step["id"], step["repeat"], *template)
    if job is not None:
        job.opts = settings_of(_as_bullmq_answers(job, step))
    return bound_view(cast, step, job)


def _as_bullmq_answers(job: Any, step: Step) -> dict[str, Any]:
    """The options of BullMQ's answer: an offset of null and, with `every`, an undefined id.

    It makes them before it knows better; Redis holds neither.
    """
    opts = dict(public_options(job.opts))
    assert opts["jobId"] == job.id
    opts["repeat"] = {"offset": None, **opts["repeat"]}
    if "every" in step["repeat"]:
        opts["jobId"] = f"repeat:{step['id']}:undefined"
    return opts
