"""QueueEvents on fakeredis, as users' own tests run it."""

import asyncio

from bullpy.events import QueueEvents, QueueEventsProducer


async def test_events_are_read_from_fakeredis_and_close_interrupts_the_read(fake):
    heard = asyncio.Queue()
    async with (
        QueueEvents("mail", connection=fake) as events,
        QueueEventsProducer("mail", connection=fake) as producer,
    ):
        events.on("hello", lambda args, _: heard.put_nowait(args))
        for number in range(3):
            await producer.publish_event("hello", n=number)
            async with asyncio.timeout(10):
                assert await heard.get() == {"n": str(number)}

        async for event in events:
            assert event.fields == {"n": "0"}
            break
        async with asyncio.timeout(10):
            await events.close()
