"""What becomes of a parent when one of its children fails for good."""

import asyncio

from bullpy import FlowProducer, Job, JobFailedError, QueueEvents, Worker


async def part(job: Job) -> str:
    """Fail if told to."""
    if job.name == "bad":
        raise ValueError("no such part")
    return job.name


async def whole(job: Job) -> str:
    """Tell what came of the children."""
    values = await job.get_children_values()
    failures = await job.get_ignored_children_failures()
    return f"has {sorted(values.values())}, failures {list(failures.values())}"


async def main() -> None:
    """Add the same tree once per policy."""
    async with (
        FlowProducer() as flows,
        QueueEvents("wholes") as events,
        Worker("parts", part),
        Worker("wholes", whole),
    ):
        for policy in (
            "fail_parent_on_failure",
            "ignore_dependency_on_failure",
            "remove_dependency_on_failure",
        ):
            good = {"name": "good", "queue_name": "parts"}
            bad = {"name": "bad", "queue_name": "parts", "opts": {policy: True}}
            tree = await flows.add(
                {"name": "whole", "queue_name": "wholes", "children": [good, bad]}
            )
            try:
                print(f"{policy}: {await tree.job.wait_until_finished(events, ttl=10_000)}")
            except JobFailedError:
                print(f"{policy}: the parent failed too")


asyncio.run(main())

# Output:
# fail_parent_on_failure: the parent failed too
# ignore_dependency_on_failure: has ['good'], failures ['no such part']
# remove_dependency_on_failure: has ['good'], failures []
