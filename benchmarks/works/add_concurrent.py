"""How many `add` calls a second does a busy producer get through, many at a time?"""

from benchmarks.works import Work
from benchmarks.works.stored import jobs_are_waiting

WORK = Work(
    name="add-concurrent",
    question="add, all at once",
    jobs=10_000,
    quick_jobs=10_000,
    verify=jobs_are_waiting,
)
