"""Nodes of job trees."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NotRequired, TypedDict, cast

from bullpy.options.job import JobOptions, JobSettings, parse_job_options, read_job_defaults
from bullpy.options.parse import Problems, Reader, anything, given_mapping, read_options, text
from bullpy.options.queue import ABSENT


class FlowNode(TypedDict):
    """A job, and the jobs it waits for."""

    name: str
    """What kind of work."""
    queue_name: str
    """Its queue."""
    data: NotRequired[Any]
    """Any JSON value; left out, it is `{}`."""
    prefix: NotRequired[str]
    """Key prefix of its queue; left out, the flow producer's. Children don't inherit it."""
    opts: NotRequired[JobOptions]
    """The job's options."""
    children: "NotRequired[Sequence[FlowNode]]"
    """The jobs it waits for."""


@dataclass(slots=True)
class NodeSettings:
    """A node of a tree, checked.

    Attributes:
        name: What kind of work.
        queue_name: Its queue.
        prefix: Key prefix of its queue.
        data: JSON value, or `ABSENT`.
        options: Its options.
        children: The nodes below it.
        parent: The node above it.
    """

    name: str
    queue_name: str
    prefix: str
    data: Any
    options: JobSettings
    children: "list[NodeSettings]" = field(default_factory=list["NodeSettings"])
    parent: "NodeSettings | None" = None


_READERS: Final[Mapping[str, Reader]] = {
    "name": text,
    "queueName": text,
    "data": anything,
    "prefix": text,
    "opts": anything,
    "children": anything,
}


def parse_flow_node(
    node: Any, *, prefix: str, queues_options: Mapping[str, Mapping[str, Any]]
) -> NodeSettings:
    """Check a whole tree.

    Args:
        node: Its root.
        prefix: Key prefix of nodes that don't say.
        queues_options: Queue name -> `{"default_job_options": {...}}`.

    Raises:
        OptionError: Something is wrong with one of its nodes.
    """
    defaults = {name: _defaults(name, given) for name, given in queues_options.items()}
    root, pending = _read(node, prefix, defaults, parent=None)
    todo = deque(pending)
    while todo:  # by hand, not by recursion: trees may be deeper than Python's stack
        given, above = todo.popleft()
        child, below = _read(given, prefix, defaults, parent=above)
        above.children.append(child)
        todo += below
    return root


_Pending = Iterator[tuple[Any, NodeSettings]]


def _read(
    node: Any, prefix: str, defaults: Mapping[str, Any], *, parent: NodeSettings | None
) -> tuple[NodeSettings, _Pending]:
    under = f" under {parent.name!r}" if parent else ""
    problems = Problems(f"node of a flow{under}")
    found = read_options(given_mapping(node, "A node", problems), _READERS, problems)
    for name, spelling in (("name", "name"), ("queueName", "queue_name")):
        if not found.get(name):
            problems.add(f"A node needs a {spelling}")
    children = found.get("children")
    if children is not None and (isinstance(children, str) or not isinstance(children, Sequence)):
        problems.add(f"Option children must be a list of nodes, not {children!r}")
    problems.raise_if_any()
    below = cast("Sequence[Any]", children or ())
    where = f"node {found['name']!r} of queue {found['queueName']}"
    options = parse_job_options(
        found.get("opts"), where=where, defaults=defaults.get(found["queueName"])
    )
    _check_deduplication(options, where, has_children=bool(below), has_parent=parent is not None)
    settings = NodeSettings(
        found["name"],
        found["queueName"],
        found.get("prefix") or prefix,
        found.get("data", ABSENT),
        options,
        parent=parent,
    )
    return settings, ((child, settings) for child in below)


def _check_deduplication(
    options: JobSettings, where: str, *, has_children: bool, has_parent: bool
) -> None:
    deduplication = options.deduplication
    if deduplication is None:
        return
    problems = Problems(where)
    if has_children:
        problems.add("Deduplication options cannot be used on flow nodes with children")
    elif has_parent and deduplication.wire.get("keepLastIfActive"):
        problems.add("keepLastIfActive deduplication cannot be used on flow nodes with a parent")
    elif has_parent:
        problems.add("Deduplication and parent options cannot be used together")
    problems.raise_if_any()


def _defaults(queue: str, given: Any) -> Mapping[str, Any]:
    problems = Problems(f"queues_options of queue {queue}")
    readers = {"defaultJobOptions": read_job_defaults}
    found = read_options(given_mapping(given, "Queue options", problems), readers, problems)
    problems.raise_if_any()
    return found.get("defaultJobOptions") or {}
