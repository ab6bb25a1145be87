"""The demo's chapters: each shows some code, runs it, and checks what it claims."""

from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from rich.table import Table
from rich.tree import Tree

from bullpy.cli.demo import code
from bullpy.cli.demo.stage import STYLES, Stage, check
from bullpy.errors import JobFailedError
from bullpy.flow import FlowTree
from bullpy.job import Job
from bullpy.worker import Worker

PEOPLE: Final = [
    f"{name}@example.com"
    for name in ("ada", "barbara", "dennis", "edsger", "frances", "ken", "linus", "margaret", "tim")
]
LATE_MS: Final = 1500  # of `code.line_up`
ALL_JOBS: Final = len(PEOPLE) + 1 + 1 + 4 + 6  # one line of the sum per chapter


async def send_emails(stage: Stage) -> None:
    """Nine jobs for three workers."""
    stage.show(code.send, code.welcome)
    senders = set[str]()
    for name in ("Ann", "Bob", "Cleo"):
        stage.say(f'Worker("emails", send, name="{name}") starts')
        worker = Worker[Any, Any]("emails", code.send, name=name, **stage.options)
        worker.on("completed", partial(_delivered, stage, senders, name))
        worker.on("failed", partial(_failed, stage))
        await stage.employ(worker)
    jobs = await code.welcome(stage.queues["emails"], PEOPLE)
    sent = [await job.wait_until_finished(stage.events["emails"]) for job in jobs]
    await stage.ends_told(*jobs)
    check(sent == [f"sent to {to}" for to in PEOPLE], "each e-mail is sent")
    check(len(senders) > 1, "several workers send them")


def _delivered(
    stage: Stage, senders: set[str], worker: str, job: Job[Any, Any], result: str, _prev: str
) -> None:
    senders.add(worker)
    stage.good(f"{result} by {worker}, try {job.attempts_made}")
    stage.tell_end(job)


def _failed(stage: Stage, job: Job[Any, Any], error: BaseException, _prev: str) -> None:
    over = job.finished_on is not None
    what_next = "no try is left" if over else f"again in {job.delay} ms"
    stage.bad(f"try {job.attempts_made} of {job.opts.attempts}: {error}; {what_next}")
    if over:
        stage.tell_end(job)


async def retry_until_it_works(stage: Stage) -> None:
    """A job that fails twice and then succeeds."""
    stage.show(code.insist)
    queue = stage.queues["emails"]
    job = await code.insist(queue)
    result = await job.wait_until_finished(stage.events["emails"])
    await stage.ends_told(job)
    check(result == "sent to grace@example.com", "the e-mail is sent at last")
    stored = await queue.get_job(job.id)
    check(stored and stored.attempts_made == 3, "it takes three tries")  # noqa: PLR2004 - the claim


async def rescue_a_dead_letter(stage: Stage) -> None:
    """A job that fails for good, is looked at, mended and run again."""
    stage.show(code.misaddress)
    queue, events = stage.queues["emails"], stage.events["emails"]
    job = await code.misaddress(queue)
    reason = await _failure_of(stage, job)
    check(reason == "alan.example.com is no address", "a job fails for good")
    dead = await queue.get_job(job.id)
    if dead is None:
        check(dead, "a job that failed is kept")
        return
    check(await dead.is_failed() and len(dead.stacktrace) > 1, "it is kept with its stack traces")
    stage.say(f"kept as failed, with its data {dead.data}")
    last_line = dead.stacktrace[-1].splitlines()[-1]
    stage.say(f"and {len(dead.stacktrace)} stack traces, the last of them ending in")
    stage.say(last_line, sign=" ")

    stage.show(code.correct)
    mended = await code.correct(queue)
    check([each.id for each in mended] == [job.id], "it is the only dead letter")
    result = await job.wait_until_finished(events)
    await stage.ends_told(job)
    check(result == "sent to alan@example.com", "the mended job is sent")


async def _failure_of(stage: Stage, job: Job[Any, Any]) -> str | None:
    try:
        await job.wait_until_finished(stage.events[job.queue_name])
    except JobFailedError as error:
        await stage.ends_told(job)
        return error.failed_reason
    return None


async def change_the_order(stage: Stage) -> None:
    """A delayed job and three prioritized ones."""
    stage.show(code.line_up)
    order: list[str] = []

    async def serve(job: Job[Any, Any]) -> None:
        order.append(job.name)
        stage.good(f"{job.name} started {_waited_ms(job)} ms after it was added")

    reminder = await code.line_up(stage.queues["desk"])
    await stage.employ(Worker("desk", serve, **stage.options))
    await reminder.wait_until_finished(stage.events["desk"])
    check(order == ["alarm", "invoice", "newsletter", "reminder"], f"1 goes before 5, not {order}")
    stored = await stage.queues["desk"].get_job(reminder.id)
    check(stored and _waited_ms(stored) >= LATE_MS, "the reminder runs after its delay")


def _waited_ms(job: Job[Any, Any]) -> int:
    return int((job.processed_on or 0) - job.timestamp)


async def grow_a_tree(stage: Stage) -> None:
    """Three levels of jobs, each with the sum of those below."""
    stage.show(code.take_stock, code.add_up, code.plant)
    await stage.employ(
        Worker("shops", code.take_stock, concurrency=3, **stage.options),
        Worker("countries", code.add_up, concurrency=2, **stage.options),
        Worker("reports", code.add_up, **stage.options),
    )
    tree = await code.plant(stage.flows)
    total = await tree.job.wait_until_finished(stage.events["reports"])
    stored = await stage.flows.get_flow(queue_name="reports", id=tree.job.id)
    check(stored, "the tree can be read back")
    if stored:
        stage.console.print(_drawn(stored, None))
    check(total == 240 + 310 + 450, "the root has the sum of all leaves")


def _drawn(tree: FlowTree, above: Tree | None) -> Tree:
    """A tree of jobs with their results, the children by name."""
    job = tree.job
    label = f"[bold]{job.name}[/] [dim]({job.queue_name})[/] → [green]{job.returnvalue}[/]"
    node = Tree(label) if above is None else above.add(label)
    for child in sorted(tree.children or (), key=lambda below: below.job.name):
        _drawn(child, node)
    return node


async def count(stage: Stage) -> None:
    """What is there after all that."""
    stage.show(code.count)
    counts = await code.count(stage.queues)
    table = Table("queue", *STYLES, box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name, of_queue in counts.items():
        table.add_row(name, *(f"[{style}]{of_queue[s]}[/]" for s, style in STYLES.items()))
    stage.console.print(table)
    total = sum(map(Counter[str], counts.values()), Counter[str]())
    check(total == Counter(completed=ALL_JOBS), f"{ALL_JOBS} jobs are completed, not {total}")


CHAPTERS: Final[list[tuple[str, Callable[[Stage], Awaitable[None]]]]] = [
    ("E-mails, sent by three workers", send_emails),
    ("A failure, tried again until it works", retry_until_it_works),
    ("A dead letter, looked at, mended and run again", rescue_a_dead_letter),
    ("Priorities and a delay", change_the_order),
    ("A job tree: parents run after their children, with their results", grow_a_tree),
    ("What is there now", count),
]
