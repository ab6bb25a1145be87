"""Nodes of job trees."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NotRequired, TypedDict, cast

from bullpy.errors import OptionError
from bullpy.options.job import JobOptions
from bullpy.options.job_parse import parse_job_options, read_job_defaults
from bullpy.options.job_settings import JobSettings
from bullpy.options.parse import Problems, Schema, anything, given_mapping, text
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


def _nodes(value: Any, name: str, problems: Problems) -> Any:
    if isinstance(value, str) or not isinstance(value, Sequence):
        problems.add(f"Option {name} must be a list of nodes, not {value!r}")
        return None
    return cast("Sequence[Any]", value)


NODE_SCHEMA: Final = Schema(
    {
        "name": text,
        "queueName": text,
        "data": anything,
        "prefix": text,
        "opts": anything,
        "children": _nodes,
    }
)
QUEUE_SCHEMA: Final = Schema({"defaultJobOptions": read_job_defaults})


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
    root, children = _read(node, prefix, defaults, parent=None)
    # By hand, not by recursion: trees may be deeper than Python's stack.
    path = [_Step(root, iter(children), id(node))]
    on_path = {id(node)}
    while path:
        step = path[-1]
        given = next(step.rest, ABSENT)
        if given is ABSENT:
            path.pop()
            on_path.remove(step.identity)
            continue
        if id(given) in on_path:
            raise OptionError(f"A node of the flow is its own descendant (in {step.node.name!r})")
        child, children = _read(given, prefix, defaults, parent=step.node)
        step.node.children.append(child)
        path.append(_Step(child, iter(children), id(given)))
        on_path.add(id(given))
    return root


class _Step(NamedTuple):
    """A node on the way down, and those of its children that are still to be read."""

    node: NodeSettings
    rest: Iterator[Any]
    identity: int


def _read(
    node: Any, prefix: str, defaults: Mapping[str, Any], *, parent: NodeSettings | None
) -> tuple[NodeSettings, Sequence[Any]]:
    under = f" under {parent.name!r}" if parent else ""
    problems = Problems(f"node of a flow{under}")
    found = NODE_SCHEMA.read(given_mapping(node, "A node", problems), problems)
    for wire, name in (("name", "name"), ("queueName", "queue_name")):
        if not found.get(wire):
            problems.add(f"A node needs a {name}")
    problems.raise_if_any()
    where = f"node {found['name']!r} of queue {found['queueName']}"
    children: Sequence[Any] = found.get("children") or ()
    options = parse_job_options(
        found.get("opts"), where=where, defaults=defaults.get(found["queueName"])
    )
    _check_deduplication(options, where, has_children=bool(children), has_parent=parent is not None)
    settings = NodeSettings(
        name=found["name"],
        queue_name=found["queueName"],
        prefix=found.get("prefix") or prefix,
        data=found.get("data", ABSENT),
        options=options,
        parent=parent,
    )
    return settings, children


def _check_deduplication(
    options: JobSettings, where: str, *, has_children: bool, has_parent: bool
) -> None:
    deduplication = options.deduplication
    if deduplication is None:
        return
    problems = Problems(where)
    if has_children:
        problems.add("Deduplication options cannot be used on flow nodes with children")
    elif has_parent and deduplication.keep_last_if_active:
        problems.add("keepLastIfActive deduplication cannot be used on flow nodes with a parent")
    elif has_parent:
        problems.add("Deduplication and parent options cannot be used together")
    problems.raise_if_any()


def _defaults(queue: str, given: Any) -> Mapping[str, Any]:
    problems = Problems(f"queues_options of queue {queue}")
    found = QUEUE_SCHEMA.read(given_mapping(given, "Queue options", problems), problems)
    problems.raise_if_any()
    return found.get("defaultJobOptions") or {}
