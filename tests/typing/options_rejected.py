"""Options that type checkers must reject: an ignore that is not needed is itself an error."""

from bullpy import Job, JobOptions, Queue, Worker, WorkerOptions

UNKNOWN: JobOptions = {"dealy": 5}  # type: ignore[typeddict-unknown-key]  # pyright: ignore[reportAssignmentType]
ILL_TYPED: JobOptions = {"lifo": "yes"}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]
HALF: WorkerOptions = {"limiter": {"max": 5}}  # type: ignore[typeddict-item]  # pyright: ignore[reportAssignmentType]


async def process(job: Job[int, str]) -> str:
    return str(job.data)


async def adding(queue: Queue[int, str]) -> None:
    await queue.add("n", 1, removeOnFail=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await queue.add("n", 1, backoff="fixed")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await queue.add("n", 1, backoff={"typ": "fixed"})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await queue.add("n", 1, parent={"id": "7"})  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    await queue.add("n", 1, timestamp="2030-01-01")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def making() -> None:
    Worker("mail", process, concurrency="5")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Worker("mail", process, limiter={"max": 5})  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    Worker("mail", process, backoff_strategy=5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Queue[int, str]("mail", default_job_options={"dealy": 5})  # type: ignore[typeddict-unknown-key]  # pyright: ignore[reportArgumentType]
