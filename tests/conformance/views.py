"""Answers of bullpy in the shapes in which the traces record BullMQ's."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from bullpy.codec import public_options
from bullpy.job import Fetched, Job

# Always part of a job's view; the others only where they are set.
_ALWAYS = (
    "id",
    "name",
    "data",
    "progress",
    "returnvalue",
    "attempts_made",
    "attempts_started",
    "stalled_counter",
    "delay",
    "priority",
    "timestamp",
    "stacktrace",
)
_WHERE_SET = (
    "processed_on",
    "finished_on",
    "failed_reason",
    "parent_key",
    "repeat_job_key",
    "deduplication_id",
    "deferred_failure",
    "processed_by",
)


def camel(name: str) -> str:
    """BullMQ's spelling of a name: `failed_reason` is `failedReason`."""
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)


def job_view(job: Job[Any, Any] | None) -> Any:
    """A job as the traces show it; its stack traces are the job's own list, see `take_stacks`."""
    if job is None:
        return None
    shown = {camel(name): getattr(job, name) for name in _ALWAYS}
    shown["opts"] = plain(public_options(job.opts))
    shown |= {
        camel(name): value for name in _WHERE_SET if (value := getattr(job, name)) is not None
    }
    if job.parent is not None:
        shown["parent"] = job.parent.stored()
    return {"job": shown}


def finish_view(fetched: Fetched | None) -> Any:
    """The answer of `move_to_completed` and `move_to_failed`."""
    if fetched is None:
        return None
    return {
        "next": job_view(fetched.job),
        "rateLimitTtl": fetched.rate_limit_ttl,
        "delayUntil": int(fetched.delay_until),
    }


def added_tree(tree: Any) -> dict[str, Any]:
    """A flow as it was added: children in their order."""
    shown = job_view(tree.job)
    if tree.children:
        shown["children"] = [added_tree(child) for child in tree.children]
    return shown


def read_tree(tree: Any) -> Any:
    """A flow as it was read: children in the order of their keys, and how many are gone."""
    if tree is None:
        return None
    shown = job_view(tree.job)
    if tree.children:
        children = sorted(tree.children, key=lambda child: child.job.key)
        shown["children"] = [read_tree(child) for child in children]
    if tree.missing:
        shown["missing"] = tree.missing
    return shown


def plain(value: Any) -> Any:
    """Any other answer: values as maps with BullMQ's names, what is None left out."""
    if isinstance(value, Job):
        return job_view(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {camel(name): plain(item) for name, item in fields.items() if item is not None}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, str) else value
