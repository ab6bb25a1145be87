"""Carries schedules on: before a scheduler's run is worked on, the run after it is added."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bullpy.errors import BullError, OptionError
from bullpy.job import Job
from bullpy.job.context import QueueContext
from bullpy.recurrence import has_legacy_shape, interval_of, legacy_error, run_after
from bullpy.scripts import schedulers


async def carry_on(context: QueueContext, jobs: Sequence[Job[Any, Any]]) -> list[Job[Any, Any]]:
    """Add the runs that follow these, all at once: those of the jobs that may be worked on.

    Args:
        context: The worker's queue.
        jobs: Runs of schedulers, just taken.
    """
    verdicts = await asyncio.gather(*(_carry_on(context, job) for job in jobs))
    return [job for job, may_run in zip(jobs, verdicts, strict=True) if may_run]


async def _carry_on(context: QueueContext, job: Job[Any, Any]) -> bool:
    """Add the run that follows this one: whether this one may be worked on.

    What goes wrong becomes an `error` event. A run whose successor can't be told here, for its
    pattern or as a job of BullMQ 5, is worked on all the same. Any other failure leaves it to be
    found stalled, as in BullMQ: then its schedule gets another chance.
    """
    scheduler_id = job.repeat_job_key or ""
    try:
        if has_legacy_shape(scheduler_id) and not await context.client.run(
            schedulers.is_scheduler(context.keys, scheduler_id)
        ):
            _report(context, job, legacy_error(scheduler_id))
        else:
            await _add_next(context, job, scheduler_id)
    except OptionError as error:
        _report(context, job, error)
    except Exception as error:  # noqa: BLE001 - foreign data: no run may take the others with it
        _report(context, job, error)
        return False
    return True


async def _add_next(context: QueueContext, job: Job[Any, Any], scheduler_id: str) -> None:
    now = context.now()
    run = run_after(scheduler_id, job.opts, now=now)
    if run is None:
        return
    every, offset = interval_of(job.opts)
    await context.client.run(
        schedulers.next_run(
            context.keys, scheduler_id, job.id, run, every=every, offset=offset, now=now
        )
    )


def _report(context: QueueContext, job: Job[Any, Any], cause: Exception) -> None:
    error = BullError(
        f"Failed to add repeatable job for next iteration: {cause} "
        f"(job {job.id} of scheduler {job.repeat_job_key}, queue {context.keys.name})"
    )
    error.__cause__ = cause
    context.emitter.emit("error", error)
