"""Events of the user's own in a queue's stream."""

from typing import Any, Final, Self

from bullpy.codec import dump_json
from bullpy.connection import Client, ConnectionLike
from bullpy.errors import OptionError
from bullpy.keys import DEFAULT_PREFIX, QueueKeys
from bullpy.scripts import stream

MAX_EVENTS: Final = 1000  # BullMQ's bound; the queue's own events are trimmed to 10000


class QueueEventsProducer:
    """Publishes events that every `QueueEvents` of the queue hears, in Python and in Node.

    Args:
        name: The queue's name, without a colon.
        connection: URL, mapping of redis-py's arguments, or a client; None for
            `$BULLPY_REDIS_URL`, else `redis://127.0.0.1:6379`.
        prefix: What all keys begin with.

    Raises:
        OptionError: The name or the connection is not usable.

    BullMQ: `QueueEventsProducer`.
    """

    def __init__(
        self, name: str, *, connection: ConnectionLike = None, prefix: str = DEFAULT_PREFIX
    ) -> None:
        self.name = name
        self._keys = QueueKeys(prefix, name)
        self._client = Client(connection)

    async def open(self) -> None:
        """Connect now, to learn early whether Redis is there.

        Raises:
            ConnectionError: Redis stayed away.
        """
        await self._client.open()

    async def publish_event(
        self, event_name: str, /, *, max_events: int = MAX_EVENTS, **fields: Any
    ) -> str:
        """Append an event; it is in the stream when this returns.

        Readers get all values as text: a `str` goes as it is, everything else as JSON, so that a
        mapping stays readable. (Node's producer makes `[object Object]` of it.)

        Args:
            event_name: Its name. BullMQ's own names are allowed, and taken for real by readers.
            max_events: To how many entries the whole stream is cut, approximately.
            **fields: Its other fields, in this order. With a `jobId`, listeners of
                `<event_name>:<jobId>` hear it too.

        Returns:
            The id of the entry.

        Raises:
            OptionError: The name or the bound is not usable, or a field is called `event`.
            JsonError: A value is not JSON.
            ConnectionError: Redis stayed away.

        BullMQ: `QueueEventsProducer.publishEvent`.
        """
        where = f"publish_event of queue {self.name!r}"
        if not isinstance(event_name, str) or not event_name:  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
            raise OptionError(f"{where}: event_name is a text, not {event_name!r}")
        if type(max_events) is not int or max_events < 0:
            raise OptionError(f"{where}: max_events is an int from 0 on, not {max_events!r}")
        if "event" in fields:
            raise OptionError(f"{where}: the field 'event' would take the place of {event_name!r}")
        texts = {field: _text(value) for field, value in fields.items()}
        return await self._client.run(
            stream.publish_event(self._keys, event_name, texts, max_events=max_events)
        )

    async def close(self) -> None:
        """Leave the connection. May be called twice."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dump_json(value)
