"""Job schedulers of one queue: making, reading and removing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bullpy.codec import JobRecord, decode_options, dump_json, encode_options, load_json
from bullpy.errors import OptionError
from bullpy.job import Job, QueueContext
from bullpy.options import (
    ABSENT,
    JobSettings,
    RepeatSettings,
    TemplateSettings,
    check_size,
    parse_job_template,
    parse_repeat_options,
    settings_of,
)
from bullpy.recurrence import first_run, has_legacy_shape, legacy_error
from bullpy.scripts import schedulers


@dataclass(frozen=True, slots=True)
class JobScheduler:
    """What is stored of a job scheduler. Times are ms since 1970, durations ms.

    Attributes:
        key: Its id.
        name: Name of its jobs.
        next: When its newest job is due.
        iteration_count: How many jobs it has brought forth.
        limit: After how many jobs it ends.
        start_date: No job before.
        end_date: No job after.
        tz: Time zone of the pattern.
        pattern: Its cron pattern.
        every: Its interval.
        offset: How far its jobs are behind the multiples of the interval.
        template: `data` and `opts` (BullMQ's names) of its jobs, those that are given.
    """

    key: str
    name: str | None
    next: int | None
    iteration_count: int | None = None
    limit: int | None = None
    start_date: int | None = None
    end_date: int | None = None
    tz: str | None = None
    pattern: str | None = None
    every: int | None = None
    offset: int | None = None
    template: Mapping[str, Any] | None = None


class SchedulerRoom:
    """The job schedulers of one queue.

    Args:
        context: The queue.
        defaults: Its default job options, by BullMQ's names.
    """

    def __init__(self, context: QueueContext, defaults: Mapping[str, Any]) -> None:
        self._context = context
        self._defaults = defaults

    async def upsert(
        self,
        scheduler_id: str,
        repeat: Mapping[str, Any],
        template: Mapping[str, Any] | None,
    ) -> Job[Any, Any] | None:
        """Make or replace a scheduler: its next job, or None if none is to come.

        Raises:
            OptionError: An option is not usable.
            JsonError: The template's data is not JSON.
            SchedulerCollisionError: With a pattern: the job of that moment exists.
            SchedulerBusyError: With an interval: too many slots in a row have jobs.
        """
        context, now = self._context, self._context.now()
        where = f"job scheduler {scheduler_id!r} of queue {context.keys.name}"
        when = parse_repeat_options(repeat, where=where, now=now)
        what = parse_job_template(template, scheduler_id, where=where, defaults=self._defaults)
        data = "{}" if what.data is ABSENT else dump_json(what.data)
        check_size(data, what.opts, name=what.name, queue=context.keys.name)
        try:
            run = first_run(scheduler_id, when, what.opts, now=now)
        except OptionError as error:
            raise OptionError(f"{error} ({where})") from error
        if run is None:
            return None
        job_id, delay = await context.client.run(
            schedulers.upsert_scheduler(
                context.keys, scheduler_id, _definition(when, what, data), run, data=data, now=now
            )
        )
        job: Job[Any, Any] = Job(context, _record(job_id, delay, what, run))
        job.repeat_job_key = scheduler_id
        return job

    async def get(self, scheduler_id: str) -> JobScheduler | None:
        """A scheduler, or None.

        Raises:
            BullError: The id is one of BullMQ 5's repeatable jobs.
        """
        keys = self._context.keys
        fields, due = await self._context.client.run_all(
            [schedulers.definition(keys, scheduler_id), schedulers.next_time(keys, scheduler_id)]
        )
        if fields:
            return _decode(scheduler_id, fields, due)
        if has_legacy_shape(scheduler_id):
            raise legacy_error(scheduler_id)
        return None

    async def page(self, start: int, end: int, *, asc: bool) -> list[JobScheduler]:
        """Schedulers by next time; those without a definition are taken off the list.

        Raises:
            BullError: One of them is a repeatable job of BullMQ 5.
        """
        keys, client = self._context.keys, self._context.client
        listed = await client.run(schedulers.page(keys, start, end, asc=asc))
        hashes = await client.run_all([schedulers.definition(keys, id_) for id_, _ in listed])
        found: list[JobScheduler] = []
        dangling: list[str] = []
        for (scheduler_id, due), fields in zip(listed, hashes, strict=True):
            if fields:
                found.append(_decode(scheduler_id, fields, due))
            elif has_legacy_shape(scheduler_id):
                raise legacy_error(scheduler_id)
            else:
                dangling.append(scheduler_id)
        if dangling:
            await client.run(schedulers.drop_dangling(keys, dangling))
        return found

    async def count(self) -> int:
        """How many schedulers there are."""
        return await self._context.client.run(schedulers.count(self._context.keys))

    async def remove(self, scheduler_id: str) -> bool:
        """Delete a scheduler: whether it was there."""
        return await self._context.client.run(
            schedulers.remove_scheduler(self._context.keys, scheduler_id)
        )


def _definition(when: RepeatSettings, what: TemplateSettings, data: str) -> dict[str, Any]:
    """The fields of a scheduler's hash."""
    given: dict[str, Any] = {"name": what.name, **when.public}
    if data != "{}":
        given["data"] = data
    opts = encode_options(settings_of(_without_default(what.opts)))
    if opts != "{}":
        given["opts"] = opts
    return given


def _without_default(opts: JobSettings) -> dict[str, Any]:
    return {n: value for n, value in opts.public.items() if n != "attempts" or value}


def _record(job_id: str, delay: int, what: TemplateSettings, run: schedulers.Run) -> JobRecord:
    opts = settings_of({**decode_options(run.opts).public, "jobId": job_id, "delay": delay})
    return JobRecord(
        id=job_id,
        name=what.name,
        data={} if what.data is ABSENT else what.data,
        opts=opts,
        delay=delay,
        priority=run.priority,
        timestamp=opts.timestamp or 0,
    )


def _decode(scheduler_id: str, fields: Mapping[str, str], due: int | None) -> JobScheduler:
    template: dict[str, Any] = {}
    if fields.get("data"):
        template["data"] = load_json(fields["data"])
    if fields.get("opts"):
        template["opts"] = _without_default(decode_options(fields["opts"]))
    numbers = {name: _whole(fields[name]) for name in _NUMBERS if name in fields}
    return JobScheduler(
        key=scheduler_id,
        name=fields.get("name"),
        next=due,
        iteration_count=numbers.get("ic"),
        limit=numbers.get("limit"),
        start_date=numbers.get("startDate"),
        end_date=numbers.get("endDate"),
        tz=fields.get("tz"),
        pattern=fields.get("pattern"),
        every=numbers.get("every"),
        offset=numbers.get("offset"),
        template=template or None,
    )


_NUMBERS = ("ic", "limit", "startDate", "endDate", "every", "offset")


def _whole(text: str) -> int | None:
    """A number cut to a whole one, as BullMQ shows it; None for what is none."""
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return None
