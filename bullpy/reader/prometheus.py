"""A queue in Prometheus's text format, character for character as BullMQ writes it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bullpy.errors import OptionError

_LABEL: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_ESCAPED: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_OWN_LABELS: Final = frozenset({"queue", "state"})


def exposition(
    queue: str, counts: Mapping[str, int], totals: Mapping[str, int], labels: Mapping[str, Any]
) -> str:
    """The text.

    Args:
        queue: The queue's name.
        counts: How many jobs are in each state.
        totals: How many jobs `completed` and `failed` since metrics are collected.
        labels: Further labels of each line.

    Raises:
        OptionError: Prometheus would not take a label's name.
    """
    for label in labels:
        if label in _OWN_LABELS or not _LABEL.fullmatch(label):
            raise OptionError(
                f"{label!r} can't be a further label of metrics (queue {queue}): letters, digits "
                f"and _, the first no digit, and neither of {sorted(_OWN_LABELS)}"
            )
    return "\n".join(_lines(queue, counts, totals, labels))


def _lines(
    queue: str, counts: Mapping[str, int], totals: Mapping[str, int], labels: Mapping[str, Any]
) -> Iterator[str]:
    yield "# HELP bullmq_job_count Number of jobs in the queue by state"
    yield "# TYPE bullmq_job_count gauge"
    for state, count in counts.items():
        yield f"bullmq_job_count{_labels({'queue': queue, 'state': state, **labels})} {count}"
    for outcome, total in totals.items():
        name = f"bullmq_job_{outcome}_total"
        yield f"# HELP {name} Total number of {outcome} jobs"
        yield f"# TYPE {name} counter"
        yield f"{name}{_labels({'queue': queue, **labels})} {total}"


def _labels(labels: Mapping[str, Any]) -> str:
    pairs = (f'{label}="{str(value).translate(_ESCAPED)}"' for label, value in labels.items())
    return f"{{{', '.join(pairs)}}}"
