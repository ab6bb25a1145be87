"""Operations on one job, by its handle."""

from typing import Any

import bullpy
from tests.conformance.cast import Cast
from tests.conformance.ops import Call, Step, define, op
from tests.conformance.ops_worker import given_error
from tests.conformance.views import finish_view, job_view, plain


def _dependencies(found: Any) -> Any:
    shown = plain(found)
    if "unprocessed" in shown:
        shown["unprocessed"] = sorted(shown["unprocessed"])
    return shown


define(
    "job",
    lambda cast, step: cast.job(step["job"]),
    {
        "move_to_delayed": Call("move_to_delayed", ("timestamp", "token")),
        "move_to_wait": Call("move_to_wait", ("token",)),
        "move_to_waiting_children": Call(
            "move_to_waiting_children", ("token",), {"child": "child"}
        ),
        "retry": Call(
            "retry",
            (),
            {
                "from": "state",
                "resetAttemptsMade": "reset_attempts_made",
                "resetAttemptsStarted": "reset_attempts_started",
            },
        ),
        "promote": Call("promote"),
        "change_delay": Call("change_delay", ("delay",)),
        "change_priority": Call("change_priority", (), {"priority": "priority", "lifo": "lifo"}),
        "update_data": Call("update_data", ("data",)),
        "update_progress": Call("update_progress", ("progress",)),
        "log": Call("log", ("row",)),
        "clear_logs": Call("clear_logs", (), {"keepLogs": "keep_logs"}),
        "remove": Call("remove", (), {"removeChildren": "remove_children"}),
        "remove_deduplication_key": Call("remove_deduplication_key"),
        "extend_lock": Call("extend_lock", ("token", "duration")),
        "get_state": Call("get_state"),
        "is_completed": Call("is_completed"),
        "is_failed": Call("is_failed"),
        "is_delayed": Call("is_delayed"),
        "is_waiting": Call("is_waiting"),
        "is_active": Call("is_active"),
        "is_waiting_children": Call("is_waiting_children"),
        "get_children_values": Call("get_children_values"),
        "get_failed_children_values": Call("get_failed_children_values"),
        "get_ignored_children_failures": Call("get_ignored_children_failures"),
        "remove_child_dependency": Call("remove_child_dependency"),
        "remove_unprocessed_children": Call("remove_unprocessed_children"),
    },
)


@op("job.inspect")
async def _inspect(cast: Cast, step: Step) -> Any:
    return job_view(cast.job(step["job"]))


@op("job.move_to_completed")
async def _move_to_completed(cast: Cast, step: Step) -> Any:
    fetched = await cast.job(step["job"]).move_to_completed(
        step.get("value"), step["token"], fetch_next=step.get("fetchNext", False)
    )
    cast.bind(step.get("as"), fetched and fetched.job)
    return finish_view(fetched)


@op("job.move_to_failed")
async def _move_to_failed(cast: Cast, step: Step) -> Any:
    fetched = await cast.job(step["job"]).move_to_failed(
        given_error(step["failure"]), step["token"], fetch_next=step.get("fetchNext", False)
    )
    cast.bind(step.get("as"), fetched and fetched.job)
    return finish_view(fetched)


@op("job.get_dependencies")
async def _get_dependencies(cast: Cast, step: Step) -> Any:
    return _dependencies(await cast.job(step["job"]).get_dependencies(**step.get("opts", {})))


@op("job.get_dependencies_count")
async def _get_dependencies_count(cast: Cast, step: Step) -> Any:
    return plain(await cast.job(step["job"]).get_dependencies_count(**step.get("opts", {})))


@op("job.wait_until_finished")
async def _wait_until_finished(cast: Cast, step: Step) -> Any:
    job = cast.job(step["job"])
    events = bullpy.QueueEvents(job.queue_name, connection=cast.connection, prefix=job.prefix)
    async with events:
        return await job.wait_until_finished(events)
