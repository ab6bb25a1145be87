"""Names of states, where a user gives one."""

import difflib
from typing import Final

from bullpy.errors import OptionError
from bullpy.keys import RESERVED_JOB_IDS
from bullpy.types import State

_FINISHED: Final = (str(State.COMPLETED), str(State.FAILED))
_STATES: Final = frozenset({*State, "wait", "paused"})  # two by the names of their keys
_READABLE: Final = frozenset({"repeat"})  # BullMQ counts schedulers by this name


def finished_state(value: str, *, where: str) -> State:
    """A state from which a job can be retried.

    Args:
        value: What was given.
        where: What it is for, such as `queue mail`.

    Raises:
        OptionError: It is neither `completed` nor `failed`.
    """
    if value in _FINISHED:
        return State(value)
    near = difflib.get_close_matches(str(value), _FINISHED, n=1)
    hint = f", did you mean {near[0]}?" if near else ""
    raise OptionError(
        f"Only completed and failed jobs can be retried, not those of state {value!r}{hint} "
        f"({where})"
    )


def state_name(value: str, *, where: str, changing: bool = False) -> str:
    """A state's name. One that nobody knows stands for a state without jobs, as in BullMQ.

    Args:
        value: What was given.
        where: What it is for, such as `queue mail`.
        changing: Jobs of the state are to be changed, not only read.

    Raises:
        OptionError: A key of the queue has this name, and it holds no jobs.
    """
    allowed = _STATES if changing else _STATES | _READABLE
    if value in RESERVED_JOB_IDS and value not in allowed:
        raise OptionError(f"{value!r} is no state, but data of the queue's own ({where})")
    return str(value)
