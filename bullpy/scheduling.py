"""The queue as its user sees it: jobs that come again and again."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from bullpy.job import Job
from bullpy.options import JobTemplate, RepeatOptions
from bullpy.reader import QueueReader
from bullpy.scheduler import JobScheduler, SchedulerRoom

Data = TypeVar("Data")
Result = TypeVar("Result")


class SchedulingQueue(QueueReader[Data, Result], Generic[Data, Result]):
    """The job schedulers of a queue; the rest of what changes a queue is in `Queue`."""

    _schedulers: SchedulerRoom

    async def _ensure_meta(self) -> None:
        """Write the queue's meta hash, where that was not done yet."""
        raise NotImplementedError

    async def upsert_job_scheduler(
        self,
        scheduler_id: str,
        repeat: RepeatOptions | Mapping[str, Any],
        template: JobTemplate | Mapping[str, Any] | None = None,
    ) -> Job[Data, Result] | None:
        """Let jobs come again and again: make a scheduler, or replace it with its next job.

        Args:
            scheduler_id: Its id.
            repeat: When its jobs come.
            template: What they are like.

        Returns:
            The next job; None if none is to come, then nothing is changed.

        Raises:
            OptionError: An option is not usable, or the pattern can't be read.
            JsonError: The template's data is not JSON.
            SchedulerCollisionError: With `pattern`: the job of that moment exists.
            SchedulerBusyError: With `every`: too many slots in a row have jobs.

        BullMQ: `Queue.upsertJobScheduler`. Script: `upsert_scheduler`.
        """
        await self._ensure_meta()
        return await self._schedulers.upsert(scheduler_id, repeat, template)

    async def get_job_scheduler(self, scheduler_id: str) -> JobScheduler | None:
        """A job scheduler, or None; BullMQ's `Queue.getJobScheduler`."""
        return await self._schedulers.get(scheduler_id)

    async def get_job_schedulers(
        self, start: int = 0, end: int = -1, *, asc: bool = False
    ) -> list[JobScheduler]:
        """Job schedulers, that with the latest next job first unless `asc`.

        BullMQ: `Queue.getJobSchedulers`.
        """
        return await self._schedulers.page(start, end, asc=asc)

    async def get_job_schedulers_count(self) -> int:
        """How many job schedulers there are; BullMQ's `Queue.getJobSchedulersCount`."""
        return await self._schedulers.count()

    async def remove_job_scheduler(self, scheduler_id: str) -> bool:
        """Remove a scheduler, and its next job if that is delayed: whether it was there.

        BullMQ: `Queue.removeJobScheduler`.
        """
        return await self._schedulers.remove(scheduler_id)
