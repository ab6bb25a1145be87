"""Job trees: parents that run after their children, over queues and prefixes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, Self
from uuid import uuid4

from bullpy.adding import prepare, refusal
from bullpy.clock import SYSTEM_CLOCK, Clock
from bullpy.codec import decode_job
from bullpy.connection import Client, ConnectionLike
from bullpy.emitter import Emitter
from bullpy.errors import BulkAddError, BullError, OptionError
from bullpy.job import Job, QueueContext
from bullpy.keys import DEFAULT_PREFIX, QueueKeys, split_job_key
from bullpy.options import FlowNode, NodeSettings, parse_flow_node
from bullpy.scripts import flows, jobs
from bullpy.scripts.add import FlowNodeCall, add_flow

EVENTS: Final = frozenset({"error"})


@dataclass(frozen=True, slots=True)
class FlowTree:
    """A tree, or what was found of it.

    Attributes:
        job: The job at its root.
        children: Trees below it; None where it was given, or has, no children.
        missing: How many children are named by the job but don't exist any more.
    """

    job: Job[Any, Any]
    children: "list[FlowTree] | None" = field(default=None, repr=False)  # may be deep
    missing: int = 0


@dataclass(slots=True)
class _Node:
    """A node of a tree about to be added."""

    settings: NodeSettings
    context: QueueContext
    call: FlowNodeCall
    job: Job[Any, Any]
    children: "list[_Node]" = field(default_factory=list["_Node"])


@dataclass(slots=True)
class _Found:
    """A node of a tree that is being read."""

    context: QueueContext
    job_id: str
    job: Job[Any, Any] | None = None
    children: "list[_Found]" = field(default_factory=list["_Found"])
    tree: FlowTree | None = None

    def grow(self) -> None:
        """Make the tree of this node from those of its children, unless the job is gone."""
        if self.job is None:
            return
        trees = [child.tree for child in self.children if child.tree is not None]
        missing = len(self.children) - len(trees)
        self.tree = FlowTree(self.job, trees if self.children else None, missing)


class FlowProducer:
    """Adds job trees.

    Args:
        connection: As for `Queue`.
        prefix: What the keys of nodes without a `prefix` of their own begin with.
        clock: Tells the time.
        patience_ms: How long a call waits for a server that is away, in ms.

    BullMQ: `FlowProducer`.
    """

    def __init__(
        self,
        *,
        connection: ConnectionLike = None,
        prefix: str = DEFAULT_PREFIX,
        clock: Clock = SYSTEM_CLOCK,
        patience_ms: int = 10_000,
    ) -> None:
        self._prefix = prefix
        self._clock = clock
        self._emitter = Emitter(EVENTS, owner="flow producer")
        self._client = Client(connection, patience_ms=patience_ms, on_error=self._report)
        self._contexts: dict[tuple[str, str], QueueContext] = {}

    async def __aenter__(self) -> Self:
        """Connect."""
        await self._client.open()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        """Close."""
        await self.close()

    async def close(self) -> None:
        """Let the connection go; may be called twice."""
        await self._client.close()
        await self._emitter.drain()

    def on(self, event: str, listener: Any = None) -> Any:
        """Call `listener` at each local event, `error` that is; without one, a decorator."""
        return self._emitter.on(event, listener)

    async def add(
        self,
        node: FlowNode | Mapping[str, Any],
        *,
        queues_options: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> FlowTree:
        """Add a tree: all of it, or nothing.

        Children run first, each in its queue; a parent runs when all of them are done, with their
        results at hand (`job.get_children_values`).

        Args:
            node: `{"name", "queue_name", "data", "opts", "prefix", "children": [...]}`; see
                `FlowNode`. The root may hang under an existing job by its `opts["parent"]`.
            queues_options: Queue name -> `{"default_job_options": {...}}` for this tree.

        Returns:
            The jobs, as a tree of the same shape.

        Raises:
            OptionError: A node or option is not usable; nothing was added.
            JsonError: Some data is not JSON; nothing was added.
            ParentNotFoundError: The root's parent does not exist; nothing was added.
            ParentNotReplaceableError: A job of the tree exists and has another living parent;
                nothing was added.
            ConnectionError: Redis stayed away.

        BullMQ: `FlowProducer.add`. Script: `add_flow`.
        """
        planned = self._plan(node, tree=1, defaults=queues_options or {})
        refused = await self._store([planned])
        if refused:
            raise refused[0]
        return _tree(planned)

    async def add_bulk(self, nodes: Sequence[FlowNode | Mapping[str, Any]]) -> list[FlowTree]:
        """Add several trees in one call, each as a whole or not at all.

        Raises:
            OptionError: A node or option is not usable; nothing was added.
            JsonError: Some data is not JSON; nothing was added.
            BulkAddError: Some trees were refused for their parents; all others are stored.
            ConnectionError: Redis stayed away.

        BullMQ: `FlowProducer.addBulk`. Script: `add_flow`.
        """
        trees = [self._plan(node, tree=i, defaults={}) for i, node in enumerate(nodes, start=1)]
        if not trees:
            return []
        refused = await self._store(trees)
        if refused:
            first = next(iter(refused.values()))
            raise BulkAddError(
                f"{len(refused)} of {len(trees)} trees were refused, the first because: {first}",
                refused,
                [_tree(planned) for planned in trees],
            )
        return [_tree(planned) for planned in trees]

    async def get_flow(
        self,
        *,
        queue_name: str,
        id: str,  # noqa: A002 - BullMQ's name
        prefix: str | None = None,
        depth: int = 10,
        max_children: int = 20,
    ) -> FlowTree | None:
        """Read a tree from one of its jobs downwards.

        Args:
            queue_name: Queue of the job to begin with.
            id: The job's id.
            prefix: Key prefix of that queue; None for the producer's.
            depth: How many levels to read, at least 1.
            max_children: About how many children to read of each kind and job.

        Returns:
            The tree, or None if there is no such job.

        BullMQ: `FlowProducer.getFlow`.
        """
        if depth < 1:
            raise OptionError(f"depth must be at least 1, not {depth}")
        context = self._context(prefix or self._prefix, queue_name)
        return await self._read(context, id, depth=depth, max_children=max_children)

    # --- adding --------------------------------------------------------------------------------

    def _plan(
        self, node: Mapping[str, Any], *, tree: int, defaults: Mapping[str, Mapping[str, Any]]
    ) -> list[_Node]:
        """Check a tree and make its calls: its nodes level by level, the root first."""
        root = parse_flow_node(node, prefix=self._prefix, queues_options=defaults)
        planned = [self._plan_node(root, tree, parent=None)]
        for above in planned:  # grows while it is walked
            for child in above.settings.children:
                below = self._plan_node(child, tree, above)
                above.children.append(below)
                planned.append(below)
        return planned

    def _plan_node(self, settings: NodeSettings, tree: int, parent: _Node | None) -> _Node:
        context = self._context(settings.prefix, settings.queue_name)
        options = settings.options
        if parent is not None:
            options = options.under(parent.job.id, parent.context.keys.qualified)
        new, job = prepare(
            context,
            settings.name,
            settings.data,
            options,
            job_id=options.job_id or str(uuid4()),
            has_children=bool(settings.children),
        )
        return _Node(settings, context, FlowNodeCall(tree, context.keys, new), job)

    async def _store(self, trees: Sequence[Sequence[_Node]]) -> dict[int, BullError]:
        """Add trees: position of each refused one -> why."""
        nodes = list(_by_level([planned[0] for planned in trees]))
        answers = await self._client.run(
            add_flow([node.call for node in nodes], now=self._clock.now_ms())
        )
        refused: dict[int, BullError] = {}
        for node, answer in zip(nodes, answers, strict=True):
            if isinstance(answer, str):
                node.job.id = answer
            else:
                refused.setdefault(node.call.tree - 1, refusal(node.context, node.job, answer))
        return refused

    # --- reading -------------------------------------------------------------------------------

    async def _read(
        self, context: QueueContext, job_id: str, *, depth: int, max_children: int
    ) -> FlowTree | None:
        """Read a tree level by level, each in two round trips."""
        root = _Found(context, job_id)
        levels = [[root]]
        while levels[-1]:
            deeper = len(levels) < depth
            await self._read_level(levels[-1], max_children if deeper else 0)
            levels.append([child for found in levels[-1] for child in found.children])
        for found in reversed(list(chain.from_iterable(levels))):
            found.grow()
        return root.tree

    async def _read_level(self, level: "Sequence[_Found]", max_children: int) -> None:
        """Read the jobs of one level, and name their children unless `max_children` is 0."""
        records = await self._client.run_all(
            [jobs.get_job(found.context.keys, found.job_id) for found in level]
        )
        there: list[_Found] = []
        for found, fields in zip(level, records, strict=True):
            if fields:
                found.job = Job(found.context, decode_job(found.job_id, fields))
                there.append(found)
        if not max_children:
            return
        key_lists = await self._client.run_all(
            [flows.child_keys(f.context.keys, f.job_id, count=max_children) for f in there]
        )
        for found, child_keys in zip(there, key_lists, strict=True):
            for address in map(split_job_key, child_keys):
                below = self._context(address.prefix, address.queue_name)
                found.children.append(_Found(below, address.job_id))

    # --- inside --------------------------------------------------------------------------------

    def _context(self, prefix: str, queue_name: str) -> QueueContext:
        known = self._contexts.get((prefix, queue_name))
        if known is None:
            keys = QueueKeys(prefix, queue_name)
            known = QueueContext(keys, self._client, self._emitter, self._clock)
            self._contexts[prefix, queue_name] = known
        return known

    def _report(self, error: Exception) -> None:
        self._emitter.emit("error", error)


def _by_level(roots: Sequence[_Node]) -> Iterator[_Node]:
    """All roots, then all their children, then all of theirs: the order of insertion."""
    level = list(roots)
    while level:
        yield from level
        level = list(chain.from_iterable(node.children for node in level))


def _tree(planned: Sequence[_Node]) -> FlowTree:
    """What the user gets back, made from the leaves upwards: trees may outgrow Python's stack."""
    made: dict[int, FlowTree] = {}
    for node in reversed(planned):
        below = [made[id(child)] for child in node.children]
        made[id(node)] = FlowTree(node.job, below or None)
    return made[id(planned[0])]
