"""Parents and children: how the children stand, and loosening the ties between them.

Children stand in four kinds: `processed` (completed), `unprocessed` (open), `ignored` (failed,
and the parent goes on) and `failed` (failed, and the parent with them).
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypedDict

from bullpy.codec import JobRecord, decode_job, load_json
from bullpy.errors import JsonError, OptionError
from bullpy.keys import QueueKeys, split_job_key
from bullpy.scripts.replies import Verdict
from bullpy.scripts.spec import Arg, Command, ScriptCall, script
from bullpy.types import RedisReply

_READ_CHILDREN: Final = script("read_children")
_COUNT_CHILDREN: Final = script("count_children")
_PAGE_CHILDREN: Final = script("page_children")
_REMOVE_CHILD_DEPENDENCY: Final = script("remove_child_dependency")
_REMOVE_UNPROCESSED: Final = script("remove_unprocessed_children")

KINDS: Final = ("processed", "unprocessed", "failed", "ignored")
_COUNTED: Final = ("processed", "unprocessed", "ignored", "failed")  # as count_children has them
PAGE_SIZE: Final = 20  # BullMQ's


class Page(TypedDict, total=False):
    """Which part of a kind of children to read.

    Attributes:
        cursor: Where to go on: 0 at first, then the answer's `next_..._cursor`. Default 0.
        count: About how many; small kinds come whole. Default 20.
    """

    cursor: int
    count: int


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Children by how they stand; None for kinds that were not asked for.

    Attributes:
        processed: Full job key -> result.
        unprocessed: Full job keys, in no order.
        failed: Full job keys, in the order of their failing.
        ignored: Full job key -> why it failed.
        next_processed_cursor: Where to go on, 0 at the end; None where the kind was read whole.
        next_unprocessed_cursor: The same.
        next_failed_cursor: The same, but never 0 after a first page, as in BullMQ: read on once.
        next_ignored_cursor: As the others.
    """

    processed: dict[str, Any] | None = None
    unprocessed: list[str] | None = None
    failed: list[str] | None = None
    ignored: dict[str, str] | None = None
    next_processed_cursor: int | None = None
    next_unprocessed_cursor: int | None = None
    next_failed_cursor: int | None = None
    next_ignored_cursor: int | None = None


@dataclass(frozen=True, slots=True)
class DependencyCounts:
    """How many children stand how; None for kinds that were not asked for."""

    processed: int | None = None
    unprocessed: int | None = None
    ignored: int | None = None
    failed: int | None = None


@dataclass(frozen=True, slots=True)
class Child:
    """One child of a parent.

    Attributes:
        key: Full job key.
        value: The result; None for a child that is open.
        problem: Why the result can't be read, else None.
        job: What is stored of the child, or None if that is gone.
    """

    key: str
    value: Any
    problem: str | None
    job: JobRecord | None


@dataclass(frozen=True, slots=True)
class ChildrenPage:
    """A range of a parent's children.

    Attributes:
        total: How many there are in all.
        children: Those in the range.
    """

    total: int
    children: list[Child]


# --- reading -----------------------------------------------------------------------------------


def children_values(keys: QueueKeys, job_id: str) -> Command[dict[str, Any]]:
    """Results of the completed children: full job key -> value.

    Its reply raises a `JsonError` if a result is not JSON.

    BullMQ: `getChildrenValues`.
    """
    return Command(("HGETALL", keys.processed(job_id)), _values)


def ignored_failures(keys: QueueKeys, job_id: str) -> Command[dict[str, str]]:
    """Children whose failure is ignored: full job key -> why it failed.

    BullMQ: `getIgnoredChildrenFailures`.
    """
    return Command(("HGETALL", keys.ignored_failures(job_id)), _pairs)


def dependencies(
    keys: QueueKeys, job_id: str, pages: Mapping[str, Page | None]
) -> ScriptCall[Dependencies]:
    """The children by how they stand.

    Args:
        keys: The parent's queue.
        job_id: The parent.
        pages: Kind -> which part of it; None leaves a kind out. Empty reads all kinds whole.

    Raises:
        OptionError: A kind is unknown, a cursor negative or a count below 1.

    BullMQ: `getDependencies`.
    """
    _check_kinds(keys, job_id, pages)
    wanted = {kind: page for kind, page in pages.items() if page is not None}
    batch: list[Arg] = []
    for kind, page in wanted.items():
        batch += (kind, *_cursor_and_count(keys, job_id, kind, page))
    for kind in KINDS if not wanted else ():
        batch += (kind, "", "")

    def decode(reply: RedisReply) -> Dependencies:
        found: dict[str, Any] = {}
        for kind, (cursor, members) in zip(wanted or KINDS, reply, strict=True):
            found[kind] = _READERS[kind](members)
            if wanted:
                found[f"next_{kind}_cursor"] = int(cursor)
        return Dependencies(**found)

    return _READ_CHILDREN.call(
        keys, args={"id": job_id}, batch=batch, decode=decode, repeatable=True
    )


def dependencies_count(
    keys: QueueKeys, job_id: str, kinds: Collection[str]
) -> ScriptCall[DependencyCounts]:
    """How many children stand how; all kinds if none is named.

    Raises:
        OptionError: A kind is unknown.

    BullMQ: `getDependenciesCount`.
    """
    _check_kinds(keys, job_id, kinds)

    def decode(reply: RedisReply) -> DependencyCounts:
        counts: dict[str, int] = dict(zip(_COUNTED, reply, strict=True))
        return DependencyCounts(**{kind: counts[kind] for kind in kinds or _COUNTED})

    return _COUNT_CHILDREN.call(keys, args={"id": job_id}, decode=decode, repeatable=True)


def child_keys(keys: QueueKeys, job_id: str, *, count: int) -> ScriptCall[list[str]]:
    """Full job keys of about `count` children of each kind, in the order of `KINDS`.

    BullMQ: part of `FlowProducer.getFlow`.
    """
    batch: list[Arg] = []
    for kind in KINDS:
        batch += (kind, 0, count)

    def decode(reply: RedisReply) -> list[str]:
        found: list[str] = []
        for kind, (_, members) in zip(KINDS, reply, strict=True):
            found += members[::2] if kind in {"processed", "ignored"} else members
        return list(dict.fromkeys(found))

    return _READ_CHILDREN.call(
        keys, args={"id": job_id}, batch=batch, decode=decode, repeatable=True
    )


def children_page(
    keys: QueueKeys,
    job_id: str,
    kind: str,
    start: int = 0,
    end: int = -1,
) -> ScriptCall[ChildrenPage]:
    """A parent's finished or open children, with their jobs.

    Args:
        keys: The parent's queue.
        job_id: The parent.
        kind: `processed` or `pending`.
        start: Position of the first child.
        end: Position of the last child, included; -1 for all.

    Raises:
        OptionError: `kind` is another, or `start` negative.

    BullMQ: `Queue.getDependencies`.
    """
    if kind not in {"processed", "pending"} or start < 0:
        raise OptionError(
            f"Dependencies are paged as processed or pending, from 0 on, not as {kind!r} from "
            f"{start} (job {job_id}, queue {keys.name})"
        )
    return _PAGE_CHILDREN.call(
        keys,
        args={"id": job_id, "kind": kind, "start": start, "end": end},
        decode=_children_page,
        repeatable=True,
    )


# --- loosening ---------------------------------------------------------------------------------


def remove_child_dependency(
    keys: QueueKeys, job_id: str, parent_key: str | None
) -> ScriptCall[bool]:
    """Cut a child loose from its parent; raises -1, -5.

    Args:
        keys: The child's queue.
        job_id: The child.
        parent_key: Full job key of its parent, None where it has none.

    Returns:
        False if the parent does not wait for it.

    BullMQ: `removeChildDependency`.
    """
    verdict = Verdict(
        "removeChildDependency",
        keys,
        job_id,
        parent_key="undefined" if parent_key is None else parent_key,
    )
    return _REMOVE_CHILD_DEPENDENCY.call(
        keys, args={"id": job_id, "parent_key": parent_key or ""}, decode=verdict.truth
    )


def remove_unprocessed_children(keys: QueueKeys, job_id: str) -> ScriptCall[None]:
    """Delete a parent's descendants that are neither finished nor being worked on.

    BullMQ: `removeUnprocessedChildren`.
    """
    return _REMOVE_UNPROCESSED.call(
        keys, args={"id": job_id}, decode=lambda _reply: None, repeatable=True
    )


# --- inside ------------------------------------------------------------------------------------


def _check_kinds(keys: QueueKeys, job_id: str, kinds: Collection[str]) -> None:
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise OptionError(
            f"Children stand as {', '.join(KINDS)}, not as {', '.join(unknown)} "
            f"(job {job_id}, queue {keys.name})"
        )


def _cursor_and_count(keys: QueueKeys, job_id: str, kind: str, page: Page) -> tuple[int, int]:
    cursor, count = page.get("cursor", 0), page.get("count", PAGE_SIZE)
    if cursor < 0 or count < 1:
        raise OptionError(
            f"A page of {kind} children needs a cursor of 0 or more and a count of 1 or more, not "
            f"{cursor} and {count} (job {job_id}, queue {keys.name})"
        )
    return cursor, count


def _children_page(reply: RedisReply) -> ChildrenPage:
    total, *flat = reply
    triples = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    return ChildrenPage(total, [_child(*triple) for triple in triples])


def _child(key: str, text: str, fields: list[str]) -> Child:
    value, problem = None, None
    try:
        value = load_json(text) if text else None
    except ValueError as error:
        problem = str(error)
    record = decode_job(split_job_key(key).job_id, fields) if fields else None
    return Child(key, value, problem, record)


def _pairs(flat: RedisReply) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _values(flat: RedisReply) -> dict[str, Any]:
    return {key: _value(key, text) for key, text in _pairs(flat).items()}


def _value(key: str, text: str) -> Any:
    try:
        return load_json(text)
    except ValueError as error:
        raise JsonError(f"The result of child {key} is not JSON: {error}") from error


def _keys(members: RedisReply) -> list[str]:
    return members


_READERS: Final[Mapping[str, Callable[[RedisReply], Any]]] = {
    "processed": _values,
    "unprocessed": _keys,
    "failed": _keys,
    "ignored": _pairs,
}
