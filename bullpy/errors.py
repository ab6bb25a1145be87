"""Every error bullpy raises, and the one table of script result codes.

```
BullError
├─ OptionError (ValueError)                unknown, ill-typed or excluding options
├─ JsonError (TypeError)                   data, result or progress that JSON can't hold
├─ ConnectionError (builtins.ConnectionError)  Redis stayed away; .maybe_stored
├─ WaitTimeoutError (TimeoutError)         a result did not come in time
├─ AbortError                              work was asked to stop
│  ├─ JobTimeoutError (TimeoutError)       it ran longer than its time limit
│  └─ LockLostError                        its job may be another worker's by now
├─ JobFailedError                          the job one waited for failed; .failed_reason
├─ BulkAddError                            some of a batch were refused; .errors by position
├─ ScriptError                             .code .script .queue .job_id
│  ├─ JobNotFoundError (LookupError) -1    ├─ LockMissingError -2      ├─ NotInStateError -3
│  ├─ PendingChildrenError -4              ├─ ParentNotFoundError (LookupError) -5
│  ├─ LockMismatchError -6                 ├─ ParentNotReplaceableError -7
│  ├─ BelongsToSchedulerError -8           ├─ FailedChildrenError -9
│  ├─ SchedulerCollisionError -10          └─ SchedulerBusyError -11
├─ JobLockedError                          a removal met a lock
└─ SignalError                             raised by a processor to steer
   ├─ UnrecoverableError  ├─ DelayedError  ├─ WaitingError
   └─ WaitingChildrenError  └─ RateLimitError
```

The numbers and the wording behind them are BullMQ 6.7.0's, so that logs of both languages match.
"""

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class BullError(Exception):
    """The root of all errors of this package."""


class OptionError(BullError, ValueError):
    """An option is unknown, of a wrong type, out of range, or excludes another."""


class JsonError(BullError, TypeError):
    """A value that JSON can't hold.

    Attributes:
        path: Where in the value the culprit sits, such as `$.user.tags[3]`.
    """

    def __init__(self, message: str, *, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class ConnectionError(BullError, builtins.ConnectionError):  # noqa: A001 - it is one, see the tree
    """Redis stayed away for the whole retry budget.

    Attributes:
        maybe_stored: True if the command was sent and only its answer is missing, so that it may
            have been carried out; False if it certainly was not.
    """

    def __init__(self, message: str, *, maybe_stored: bool = False) -> None:
        super().__init__(message)
        self.maybe_stored = maybe_stored


class WaitTimeoutError(BullError, TimeoutError):
    """The job did not finish within the time one was willing to wait."""


class AbortError(BullError):
    """Work was asked to stop."""

    default_message: ClassVar[str] = "This operation was aborted"  # the web's, and BullMQ's

    def __init__(self, message: str = default_message) -> None:
        super().__init__(message)


class JobTimeoutError(AbortError, TimeoutError):
    """A job ran longer than its `timeout`."""


class LockLostError(AbortError):
    """The lock of a running job was lost: another worker may be working on it."""


class JobFailedError(BullError):
    """The job one waited for failed for good.

    Attributes:
        job_id: Which job.
        failed_reason: Why, as stored.
    """

    def __init__(self, job_id: str, failed_reason: str) -> None:
        super().__init__(failed_reason or f"Job {job_id} failed without giving a reason")
        self.job_id = job_id
        self.failed_reason = failed_reason


class JobLockedError(BullError):
    """A job, or one of its descendants, is being worked on and can't be removed."""


class BulkAddError(BullError):
    """Some jobs of a batch were refused; all others are stored.

    Attributes:
        errors: Position in the batch -> why that job (or tree) was refused.
        submitted: All jobs (or trees) of the batch, the refused ones too, in order.
    """

    def __init__(
        self, message: str, errors: Mapping[int, BullError], submitted: Sequence[Any]
    ) -> None:
        super().__init__(message)
        self.errors = errors
        self.submitted = submitted


class ScriptError(BullError):
    """A script refused to change the state.

    Attributes:
        code: The script's result, negative.
        script: What was tried, by BullMQ's name of the operation, such as `moveToFinished`.
        queue: Name of the queue.
        job_id: Which job, where one is concerned.
    """

    code: ClassVar[int] = 0
    template: ClassVar[str] = "Unknown code {code} error for {job_id}. {script}"

    def __init__(  # each detail is named in the message
        self,
        *,
        script: str,
        queue: str = "",
        job_id: str = "",
        state: str = "",
        parent_key: str = "",
        code: int | None = None,
    ) -> None:
        if code is not None:
            self.code = code  # pyright: ignore[reportAttributeAccessIssue] - unknown codes only
        message = self.template.format(
            code=self.code, job_id=job_id, script=script, state=state, parent_key=parent_key
        )
        super().__init__(message)
        self.script = script
        self.queue = queue
        self.job_id = job_id


class JobNotFoundError(ScriptError, LookupError):
    """There is no such job, or not any more."""

    code = -1
    template = "Missing key for job {job_id}. {script}"


class LockMissingError(ScriptError):
    """The job has no lock: it expired, or the job is not being worked on."""

    code = -2
    template = "Missing lock for job {job_id}. {script}"


class NotInStateError(ScriptError):
    """The job is not in the state that the operation starts from."""

    code = -3
    template = "Job {job_id} is not in the {state} state. {script}"


class PendingChildrenError(ScriptError):
    """A parent can't complete while children are unfinished."""

    code = -4
    template = "Job {job_id} has pending dependencies. {script}"


class ParentNotFoundError(ScriptError, LookupError):
    """The parent a job shall hang under does not exist."""

    code = -5
    template = "Missing key for parent job {parent_key}. {script}"


class LockMismatchError(ScriptError):
    """The lock belongs to another worker."""

    code = -6
    template = "Lock mismatch for job {job_id}. Cmd {script} from {state}"


class ParentNotReplaceableError(ScriptError):
    """The job exists already and has another living parent."""

    code = -7
    template = "The parent job {parent_key} cannot be replaced. {script}"


class BelongsToSchedulerError(ScriptError):
    """The job is the next run of a job scheduler; remove the scheduler instead."""

    code = -8
    template = "Job {job_id} belongs to a job scheduler and cannot be removed directly. {script}"


class SchedulerCollisionError(ScriptError):
    """The id of the scheduler's next run is taken."""

    code = -10
    template = "Cannot create job scheduler iteration - job ID already exists. {script}"


class SchedulerBusyError(ScriptError):
    """Both the current and the next slot of the scheduler hold jobs."""

    code = -11
    template = (
        "Cannot create job scheduler iteration - current and next time slots already have jobs. "
        "{script}"
    )


class SignalError(BullError):
    """Raised by a processor to steer its own job; not a failure of bullpy."""

    default_message: ClassVar[str] = "bullmq:signal"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(self.default_message if message is None else message)


class UnrecoverableError(SignalError):
    """Fail at once, whatever attempts are left."""

    default_message = "bullmq:unrecoverable"


class DelayedError(SignalError):
    """The processor has moved its job to delayed."""

    default_message = "bullmq:movedToDelayed"


class WaitingError(SignalError):
    """The processor has moved its job back to wait."""

    default_message = "bullmq:movedToWait"


class WaitingChildrenError(SignalError):
    """The processor has parked its job until its children finish."""

    default_message = "bullmq:movedToWaitingChildren"


class RateLimitError(SignalError):
    """The queue is rate limited; put the job back and pause fetching."""

    default_message = "bullmq:rateLimitExceeded"


class FailedChildrenError(ScriptError, UnrecoverableError):
    """A parent can't complete once a child has failed it."""

    code = -9
    template = "Cannot complete job {job_id} because it has at least one failed child. {script}"


_BY_CODE: dict[int, type[ScriptError]] = {
    error.code: error
    for error in (
        JobNotFoundError,
        LockMissingError,
        NotInStateError,
        PendingChildrenError,
        ParentNotFoundError,
        LockMismatchError,
        ParentNotReplaceableError,
        BelongsToSchedulerError,
        FailedChildrenError,
        SchedulerCollisionError,
        SchedulerBusyError,
    )
}

SCRIPT_CODES = frozenset(_BY_CODE)


def script_error(
    code: int,
    *,
    script: str,
    queue: str = "",
    job_id: str = "",
    state: str = "",
    parent_key: str = "",
) -> ScriptError:
    """The error for a script's negative result.

    Args:
        code: The negative result.
        script: BullMQ's name of the operation, such as `moveToFinished`.
        queue: Name of the queue.
        job_id: Which job.
        state: The state the operation starts from, for codes -3 and -6.
        parent_key: Full key of the parent, for codes -5 and -7.
    """
    known = _BY_CODE.get(code, ScriptError)
    return known(
        script=script,
        queue=queue,
        job_id=job_id,
        state=state,
        parent_key=parent_key,
        code=None if code in _BY_CODE else code,
    )
