"""Reading what happens in a queue: by listener, one by one, and events of your own."""

import asyncio

from bullpy import Job, Queue, QueueEvents, QueueEventsProducer, Worker


async def greet(job: Job) -> str:
    """Return a greeting."""
    return f"hello {job.data}"


async def main() -> None:
    """Listen, publish, and iterate."""
    async with (
        Queue("greetings") as queue,
        QueueEventsProducer("greetings") as producer,
        QueueEvents("greetings") as events,
    ):

        @events.on("completed")
        def completed(args: dict, _event_id: str) -> None:
            print("listener: completed", args["returnvalue"])

        job = await queue.add("greet", "world")
        async with Worker("greetings", greet):
            await job.wait_until_finished(events, ttl=10_000)
        await producer.publish_event("closing-time", hour=18)

        # An iteration begins where the events were opened, so it sees all of that again.
        async for event in events:
            print("- event", event.name)
            if event.name == "closing-time":
                break


asyncio.run(main())

# Output:
# listener: completed hello world
# - event added
# - event waiting
# - event active
# - event completed
# - event drained
# - event closing-time
