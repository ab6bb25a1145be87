"""How fast do many jobs come in that are known beforehand?"""

from benchmarks.works import Work
from benchmarks.works.stored import jobs_are_waiting

WORK = Work(
    name="add-bulk",
    question="one bulk of all",
    jobs=10_000,
    quick_jobs=10_000,
    verify=jobs_are_waiting,
)
