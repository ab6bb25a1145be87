"""How long does a producer wait for one `add`, and what does it cost?"""

from benchmarks.works import Work
from benchmarks.works.stored import jobs_are_waiting

WORK = Work(
    name="add",
    question="add, one awaited at a time",
    jobs=10_000,
    quick_jobs=2_000,
    verify=jobs_are_waiting,
    has_latencies=True,
)
