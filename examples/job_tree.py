"""A job tree: parents run after their children and use their results."""

import asyncio

from bullpy import FlowProducer, Job, QueueEvents, Worker


async def count_words(job: Job) -> int:
    """Work on a leaf."""
    return len(job.data["text"].split())


async def add_up(job: Job) -> int:
    """Work on a parent: all of its children are done by now."""
    values = await job.get_children_values()  # {"bull:pages:<id>": 3, ...}
    return sum(values.values())


def page(text: str) -> dict:
    """One leaf of the tree."""
    return {"name": "page", "queue_name": "pages", "data": {"text": text}}


async def main() -> None:
    """Add a tree of three levels: all of it is stored, or nothing."""
    async with (
        FlowProducer() as flows,
        QueueEvents("books") as events,
        Worker("pages", count_words, concurrency=2),
        Worker("chapters", add_up),
        Worker("books", add_up),
    ):
        beginning = [page("It was a dark"), page("and stormy night")]
        tree = await flows.add(
            {
                "name": "book",
                "queue_name": "books",
                "children": [
                    {"name": "chapter 1", "queue_name": "chapters", "children": beginning},
                    {"name": "chapter 2", "queue_name": "chapters", "children": [page("The end")]},
                ],
            }
        )
        print(await tree.job.wait_until_finished(events, ttl=10_000), "words")


asyncio.run(main())

# Output:
# 9 words
