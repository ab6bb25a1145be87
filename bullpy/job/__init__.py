"""Jobs: a snapshot of the hash plus the operations on one job."""

from bullpy.job.context import FinishRules, QueueContext
from bullpy.job.job import NO_LOCK, Fetched, Job, finish_error, note_end, take

__all__ = [
    "NO_LOCK",
    "Fetched",
    "FinishRules",
    "Job",
    "QueueContext",
    "finish_error",
    "note_end",
    "take",
]
