"""What an entry means to listeners and to those who wait for a job."""

from collections.abc import Sequence

from bullpy.emitter import ERROR, Emitter
from bullpy.errors import BullError
from bullpy.events.entry import StreamEvent, decode_entry
from bullpy.events.waiters import Waiters
from bullpy.types import Event


class Dispatcher:
    """Tells entries, one by one, and never raises.

    Args:
        name: The queue's name.
    """

    def __init__(self, name: str) -> None:
        self.emitter = Emitter(owner=f"events of queue {name!r}")
        self.waiters = Waiters()
        self._name = name

    def tell(self, event_id: str, fields: Sequence[str]) -> None:
        """Tell everybody whom an entry concerns; an `error` event if it can't be read."""
        try:
            event = decode_entry(event_id, fields)
        except BullError as error:
            unreadable = BullError(
                f"Can't read event {event_id} of queue {self._name!r}, which is left out: {error}"
            )
            unreadable.__cause__ = error
            self.emitter.emit(ERROR, unreadable)
        else:
            self._emit(event)
            self.waiters.tell(event)

    def _emit(self, event: StreamEvent) -> None:
        if event.name == Event.DRAINED:
            self.emitter.emit(event.name, event.id)
        elif event.name == ERROR:  # listeners of `error` expect an exception and nothing else
            text = f"Event {event.id} of queue {self._name!r} is called 'error': {event.fields!r}"
            self.emitter.emit(ERROR, BullError(text))
        else:
            self.emitter.emit(event.name, event.fields, event.id)
            if event.job_id:
                self.emitter.emit(f"{event.name}:{event.job_id}", event.fields, event.id)
