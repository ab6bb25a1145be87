"""A queue's event stream: reading it, waiting for the end of a job, and adding to it.

`QueueEvents` reads: to listeners, to those who wait for a job, and by `async for`.
`QueueEventsProducer` appends events of the user's own.
"""

from bullpy.events.entry import StreamEvent
from bullpy.events.producer import QueueEventsProducer
from bullpy.events.queue_events import QueueEvents

__all__ = ["QueueEvents", "QueueEventsProducer", "StreamEvent"]
