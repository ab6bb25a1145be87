"""What type checkers must reject: an ignore that is not needed is itself an error."""

from bullpy import Job, Queue, Worker


async def producing(queue: Queue[dict[str, int], str]) -> None:
    await queue.add("n", {"to": 1}, dealy=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    await queue.add("n", {"to": 1}, attempts="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    await queue.add("n", {"to": "x"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    await queue.add(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def process(job: Job[int, str]) -> str:
    return job.data  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


def working() -> None:
    Worker("mail", process, concurency=2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
