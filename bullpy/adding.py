"""From what a user adds to what the scripts store, and adds that travel together.

Adds awaited side by side on one queue within one turn of the event loop become one call: each
keeps its own outcome, and a lone add goes out at once.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from bullpy.codec import JobRecord, ParentLink, dump_json, encode_options
from bullpy.errors import BullError, ScriptError, script_error
from bullpy.job import Job, QueueContext
from bullpy.options import ABSENT, JobSettings, ParentRef, check_size
from bullpy.scripts.add import MAX_BATCH, NewJob, add_jobs, pack_more, place_of
from bullpy.types import RedisReply

AddedJob: TypeAlias = tuple[NewJob, "Job[Any, Any]"]

MAX_BATCH_CHARS: Final = 2_000_000  # of data per call: a few ms of the server's time
COMMAND: Final = "addJob"  # BullMQ's name of the operation in messages


def prepare(
    context: QueueContext,
    name: str,
    data: Any,
    settings: JobSettings,
    *,
    job_id: str | None = None,
    has_children: bool = False,
) -> AddedJob:
    """A job ready to be stored, and the object that will stand for it.

    Args:
        context: The job's queue.
        name: What kind of work.
        data: Any JSON value.
        settings: The job's options, checked.
        job_id: Its id if that was not a user's choice; else it is in the settings.
        has_children: It waits for children instead of lining up.

    Raises:
        JsonError: JSON can't hold the data.
        OptionError: The data is larger than `size_limit`.
    """
    text = "{}" if data is ABSENT else dump_json(data)
    check_size(text, settings, name=name, queue=context.keys.name)
    timestamp = settings.timestamp or context.now()
    chosen = job_id or settings.job_id or ""
    link = parent_link(settings)
    deduplication = settings.deduplication
    more = b""
    if link is not None or deduplication is not None:
        more = pack_more(
            parentKey=link.key if link else None,
            parent=dump_json(link.stored()) if link else None,
            deduplication=deduplication.stored() if deduplication else None,
        )
    place = (
        "waiting-children"
        if has_children
        else place_of(delay=settings.delay, priority=settings.priority, lifo=settings.lifo)
    )
    new = NewJob(
        chosen,
        name,
        text,
        encode_options(settings),
        timestamp,
        settings.delay,
        settings.priority,
        place,
        more,
    )
    return new, Job(context, _record(new, data, settings, link))


def parent_link(settings: JobSettings) -> ParentLink | None:
    """The parent a job hangs under, with its failure policy, as the job's hash holds it."""
    parent: ParentRef | None = settings.parent
    if parent is None:
        return None
    return ParentLink(
        id=parent.id,
        queue_key=parent.queue,
        fail_parent_on_failure=settings.fail_parent_on_failure,
        continue_parent_on_failure=settings.continue_parent_on_failure,
        ignore_dependency_on_failure=settings.ignore_dependency_on_failure,
        remove_dependency_on_failure=settings.remove_dependency_on_failure,
    )


def _record(new: NewJob, data: Any, settings: JobSettings, link: ParentLink | None) -> JobRecord:
    deduplication = settings.deduplication
    return JobRecord.made(
        new.job_id,
        {
            "name": new.name,
            "data": None if data is ABSENT else data,
            "opts": settings,
            "delay": new.delay,
            "priority": new.priority,
            "timestamp": new.timestamp,
            "parent_key": link.key if link else None,
            "parent": link,
            "deduplication_id": deduplication.id if deduplication else None,
        },
    )


def refusal(context: QueueContext, job: Job[Any, Any], code: int) -> ScriptError:
    """The error for a job that the script refused to add."""
    return script_error(
        code,
        script=COMMAND,
        queue=context.keys.name,
        job_id=job.id,
        parent_key=job.parent_key or "",
    )


def batches(jobs: Sequence[NewJob]) -> Iterator[Sequence[NewJob]]:
    """Cut jobs into what one call may carry: by number, and by size of their data."""
    first, size = 0, 0
    for position, job in enumerate(jobs):
        size += len(job.data)
        if position > first and (position - first >= MAX_BATCH or size > MAX_BATCH_CHARS):
            yield jobs[first:position]
            first, size = position, len(job.data)
    if first < len(jobs):
        yield jobs[first:]


class Adder:
    """Adds jobs to one queue, those of one turn of the loop in one call.

    Args:
        context: The queue.
    """

    def __init__(self, context: QueueContext) -> None:
        self._context = context
        self._loop: asyncio.AbstractEventLoop | None = None
        self._jobs: list[NewJob] = []
        self._waiting: list[asyncio.Future[str | int]] = []

    async def add(self, added: AddedJob) -> Job[Any, Any]:
        """Add one job.

        Raises:
            ParentNotFoundError: Its parent does not exist.
            ParentNotReplaceableError: It exists and has another living parent.
            ConnectionError: Redis stayed away.
        """
        new, job = added
        loop = asyncio.get_running_loop()
        if not self._jobs or self._loop is not loop:
            self._loop, self._jobs, self._waiting = loop, [], []
            loop.call_soon(self._flush)
        waiting: asyncio.Future[str | int] = loop.create_future()
        self._jobs.append(new)
        self._waiting.append(waiting)
        answer = await waiting
        if isinstance(answer, int):
            raise refusal(self._context, job, answer)
        job.id = answer
        return job

    def _flush(self) -> None:
        jobs, self._jobs = self._jobs, []
        waiting, self._waiting = self._waiting, []
        first = 0
        for batch in batches(jobs):
            self._send(batch, waiting[first : first + len(batch)])
            first += len(batch)

    def _send(self, jobs: Sequence[NewJob], waiting: Sequence[asyncio.Future[str | int]]) -> None:
        def hand_out(reply: asyncio.Future[RedisReply]) -> None:
            error = None if reply.cancelled() else reply.exception()
            answers: list[str | int] = [] if reply.cancelled() or error else reply.result()
            for number, future in enumerate(waiting):
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(error)
                elif reply.cancelled():
                    future.cancel()
                else:
                    future.set_result(answers[number])

        try:
            reply = self._context.client.post(add_jobs(self._context.keys, jobs))
        except BullError as error:  # can't be sent at all; nobody may wait for it
            reply = asyncio.get_running_loop().create_future()
            reply.set_exception(error)
        reply.add_done_callback(hand_out)
