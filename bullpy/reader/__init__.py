"""Asking about queues: counts, jobs by state, metrics, who is connected. Changes nothing."""

from bullpy.reader.queue_reader import ALL_STATES, QueueReader

__all__ = ["ALL_STATES", "QueueReader"]
