"""Operations on one job, idle, active or finished, and what there is to ask about it."""

from dataclasses import dataclass
from typing import Final

from bullpy.errors import OptionError, script_error
from bullpy.keys import QueueKeys
from bullpy.scripts.replies import Verdict
from bullpy.scripts.spec import Command, ScriptCall, script
from bullpy.types import RedisReply, State

_UPDATE_DATA: Final = script("update_data")
_UPDATE_PROGRESS: Final = script("update_progress")
_ADD_LOG: Final = script("add_log")
_READ_LOGS: Final = script("read_logs")
_GET_STATE: Final = script("get_state")
_FINISHED_STATE: Final = script("finished_state")
_PROMOTE: Final = script("promote_job")
_CHANGE_DELAY: Final = script("change_delay")
_CHANGE_PRIORITY: Final = script("change_priority")
_RETRY: Final = script("retry_job")
_REMOVE: Final = script("remove_job")
_REMOVE_DEDUPLICATION_KEY: Final = script("remove_deduplication_key")
_MOVE_TO_WAIT: Final = script("move_to_wait")
_MOVE_TO_WAITING_CHILDREN: Final = script("move_to_waiting_children")


@dataclass(frozen=True, slots=True)
class JobLogs:
    """Rows of a job's log.

    Attributes:
        logs: The rows asked for.
        count: How many rows there are in all.
    """

    logs: list[str]
    count: int


# --- content -----------------------------------------------------------------------------------


def get_job(keys: QueueKeys, job_id: str) -> Command[list[str]]:
    """A job's hash as flat fields and values; empty if there is no such job."""
    return Command(("HGETALL", keys.job(job_id)), decode=_flat)


def update_data(keys: QueueKeys, job_id: str, data: str) -> ScriptCall[None]:
    """Replace a job's data by this JSON text; raises -1.

    BullMQ: `updateData`.
    """
    return _UPDATE_DATA.call(
        keys,
        args={"id": job_id, "data": data},
        decode=Verdict("updateData", keys, job_id).nothing,
        repeatable=True,
    )


def update_progress(keys: QueueKeys, job_id: str, progress: str) -> ScriptCall[None]:
    """Store how far a job is, as JSON text, and say so; raises -1.

    BullMQ: `updateProgress`.
    """
    return _UPDATE_PROGRESS.call(
        keys,
        args={"id": job_id, "progress": progress},
        decode=Verdict("updateProgress", keys, job_id).nothing,
    )


def add_log(keys: QueueKeys, job_id: str, row: str, *, keep: int | None = None) -> ScriptCall[int]:
    """Append a row to a job's log; gives how many rows are kept now; raises -1.

    Args:
        keys: The queue.
        job_id: The job.
        row: Text.
        keep: How many of the newest rows to keep; None or 0 for all.

    Raises:
        OptionError: `keep` is negative.

    BullMQ: `addLog`.
    """
    return _ADD_LOG.call(
        keys,
        args={"id": job_id, "row": row, "keep": _kept_rows(keys, job_id, keep)},
        decode=Verdict("addLog", keys, job_id).number,
    )


def clear_logs(keys: QueueKeys, job_id: str, *, keep: int | None = None) -> Command[None]:
    """Drop all log rows, or all but the newest `keep`.

    Raises:
        OptionError: `keep` is negative.
    """
    kept = _kept_rows(keys, job_id, keep)
    logs = keys.logs(job_id)
    return Command(("LTRIM", logs, -kept, -1) if kept else ("DEL", logs), lambda _reply: None)


def get_logs(
    keys: QueueKeys, job_id: str, start: int = 0, end: int = -1, *, asc: bool = True
) -> ScriptCall[JobLogs]:
    """Rows `start` to `end` of a job's log, both included, in the order of their writing.

    Args:
        keys: The queue.
        job_id: The job.
        start: First row; 0 is the oldest, or the newest if not `asc`.
        end: Last row; -1 for all.
        asc: Oldest first; else newest first.

    BullMQ: `getJobLogs`.
    """
    first, last = (start, end) if asc else (-(end + 1), -(start + 1))

    def decode(reply: RedisReply) -> JobLogs:
        rows, count = reply
        return JobLogs(rows if asc else rows[::-1], count)

    return _READ_LOGS.call(
        keys, args={"id": job_id, "start": first, "end": last}, decode=decode, repeatable=True
    )


# --- state -------------------------------------------------------------------------------------


def get_state(keys: QueueKeys, job_id: str) -> ScriptCall[State]:
    """Where a job is.

    BullMQ: `getState`.
    """
    return _GET_STATE.call(keys, args={"id": job_id}, decode=State, repeatable=True)


def is_in_state(keys: QueueKeys, job_id: str, state: State) -> ScriptCall[bool]:
    """Whether a job is in `state`.

    BullMQ: `isJobInState`.
    """
    return _GET_STATE.call(
        keys, args={"id": job_id}, decode=lambda reply: reply == state, repeatable=True
    )


def finished_state(keys: QueueKeys, job_id: str) -> ScriptCall[tuple[State | None, str]]:
    """How a job ended: `COMPLETED` and the result's JSON, `FAILED` and why, or None and "".

    Raises -1.

    BullMQ: `isFinished`.
    """

    def decode(reply: RedisReply) -> tuple[State | None, str]:
        if reply == -1:
            # BullMQ's text shows the full key here.
            error = script_error(-1, script="isFinished", queue=keys.name, job_id=keys.job(job_id))
            error.job_id = job_id
            raise error
        return (State(reply[0]), reply[1]) if reply else (None, "")

    return _FINISHED_STATE.call(keys, args={"id": job_id}, decode=decode, repeatable=True)


# --- idle jobs ---------------------------------------------------------------------------------


def promote(keys: QueueKeys, job_id: str) -> ScriptCall[None]:
    """Let a delayed job run now; raises -3.

    BullMQ: `promote`.
    """
    return _PROMOTE.call(
        keys,
        args={"id": job_id},
        decode=Verdict("promote", keys, job_id, state=State.DELAYED).nothing,
    )


def change_delay(keys: QueueKeys, job_id: str, delay: float, *, now: int) -> ScriptCall[None]:
    """Let a delayed job run `delay` ms from `now`; raises -1, -3.

    BullMQ: `changeDelay`.
    """
    return _CHANGE_DELAY.call(
        keys,
        args={"id": job_id, "delay": delay, "now": now},
        decode=Verdict("changeDelay", keys, job_id, state=State.DELAYED).nothing,
    )


def change_priority(
    keys: QueueKeys, job_id: str, priority: int, *, lifo: bool = False
) -> ScriptCall[None]:
    """Change a job's priority and place in line, in front of its equals if `lifo`; raises -1.

    BullMQ: `changePriority`.
    """
    return _CHANGE_PRIORITY.call(
        keys,
        args={"id": job_id, "priority": priority, "lifo": int(lifo)},
        decode=Verdict("changePriority", keys, job_id).nothing,
    )


def retry_job(
    keys: QueueKeys,
    job_id: str,
    state: State,
    *,
    lifo: bool = False,
    reset_attempts_made: bool = False,
    reset_attempts_started: bool = False,
) -> ScriptCall[None]:
    """Put a finished job back into the line; raises -1, -3.

    Args:
        keys: The queue.
        job_id: The job.
        state: Where it is: completed or failed.
        lifo: Run it next; counts without a priority only.
        reset_attempts_made: Forget the attempts made.
        reset_attempts_started: Forget the starts.

    Raises:
        OptionError: Jobs in `state` can't be retried.

    BullMQ: `reprocessJob`.
    """
    if state not in {State.COMPLETED, State.FAILED}:
        raise OptionError(
            f"Only completed and failed jobs can be retried, not {state} ones "
            f"(job {job_id}, queue {keys.name})"
        )
    forgotten = ["atm"] * reset_attempts_made + ["ats"] * reset_attempts_started
    return _RETRY.call(
        keys,
        args={
            "id": job_id,
            "state": state,
            "side": "RPUSH" if lifo else "LPUSH",
            "forget": ",".join(forgotten),
        },
        decode=Verdict("reprocessJob", keys, job_id, state=state).nothing,
    )


def remove_job(keys: QueueKeys, job_id: str, *, remove_children: bool = True) -> ScriptCall[int]:
    """Delete a job and, if asked, its descendants; raises -8.

    Returns:
        1 if it is gone, also if it was not there; 0 if it or a descendant is being worked on.

    BullMQ: `removeJob`.
    """
    return _REMOVE.call(
        keys,
        args={"id": job_id, "with_children": int(remove_children)},
        decode=Verdict("removeJob", keys, job_id).number,
        repeatable=True,
    )


def remove_deduplication_key(
    keys: QueueKeys, job_id: str, deduplication_id: str
) -> ScriptCall[bool]:
    """Take a deduplication id from a job; whether the job owned it.

    BullMQ: `Job.removeDeduplicationKey`.
    """
    return _REMOVE_DEDUPLICATION_KEY.call(
        keys, args={"id": job_id, "deduplication_id": deduplication_id}, decode=bool
    )


# --- active jobs -------------------------------------------------------------------------------


def move_to_wait(keys: QueueKeys, job_id: str, token: str) -> ScriptCall[int]:
    """Put an active job back to the front of the line; raises -1, -2, -6.

    Returns:
        For how many ms the queue is rate limited; 0 if it is not.

    BullMQ: `moveJobFromActiveToWait`.
    """
    return _MOVE_TO_WAIT.call(
        keys,
        args={"id": job_id, "token": token},
        decode=Verdict("moveJobFromActiveToWait", keys, job_id, state=State.ACTIVE).number,
    )


def move_to_waiting_children(
    keys: QueueKeys, job_id: str, token: str, *, now: int, child_key: str | None = None
) -> ScriptCall[bool]:
    """Park an active job until its children finish; raises -1, -2, -3, -6, -9.

    Args:
        keys: The queue.
        job_id: The job.
        token: Its lock token; "0" asks for no lock.
        now: ms.
        child_key: Full key of the one child to wait for; None for all.

    Returns:
        True if it is parked, False if there is nothing to wait for.

    BullMQ: `moveToWaitingChildren`.
    """
    verdict = Verdict("moveToWaitingChildren", keys, job_id, state=State.ACTIVE)
    return _MOVE_TO_WAITING_CHILDREN.call(
        keys,
        args={"id": job_id, "token": token, "now": now, "child_key": child_key or ""},
        decode=lambda reply: verdict.number(reply) == 0,
    )


def _kept_rows(keys: QueueKeys, job_id: str, keep: int | None) -> int:
    if keep is not None and keep < 0:
        raise OptionError(
            f"keep_logs must be 0 or more, not {keep} (job {job_id}, queue {keys.name})"
        )
    return keep or 0


def _flat(reply: RedisReply) -> list[str]:
    return reply
