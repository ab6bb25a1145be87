"""Operations on flows."""

from typing import Any

from bullpy import BulkAddError
from tests.conformance.cast import Cast
from tests.conformance.ops import Call, Step, op
from tests.conformance.views import added_tree, read_tree

_GET_FLOW = Call(
    "get_flow",
    options={
        "queueName": "queue_name",
        "id": "id",
        "prefix": "prefix",
        "depth": "depth",
        "maxChildren": "max_children",
    },
)


@op("flow.add")
async def _add(cast: Cast, step: Step) -> Any:
    producer = cast.flow_producer(step.get("prefix"))
    opts = step.get("opts", {})
    options = {"queues_options": opts["queuesOptions"]} if "queuesOptions" in opts else {}
    tree = await producer.add(step["flow"], **options)
    cast.bind(step.get("as"), tree.job)
    return added_tree(tree)


@op("flow.add_bulk")
async def _add_bulk(cast: Cast, step: Step) -> Any:
    """BullMQ says nothing of a refused tree and answers what was submitted.

    bullpy raises, and the error holds the same.
    """
    try:
        trees = await cast.flow_producer(step.get("prefix")).add_bulk(step["flows"])
    except BulkAddError as error:
        trees = error.submitted
    for label, tree in zip(step.get("as", ()), trees, strict=False):
        cast.bind(label, tree.job)
    return [added_tree(tree) for tree in trees]


@op("flow.get_flow")
async def _get_flow(cast: Cast, step: Step) -> Any:
    producer = cast.flow_producer(step.get("flowPrefix"))
    return read_tree(await _GET_FLOW.run(producer, step))
