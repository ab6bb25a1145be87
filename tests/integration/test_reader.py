"""What there is to know about a queue, asked through the public methods."""

import asyncio

import pytest

from bullpy import BullError, OptionError, QueueReader, State
from bullpy.scripts.read import LOOK_PER_CALL
from tests.fixtures.work import NAME, hear, within

COUNTS = {
    "active": 0,
    "completed": 0,
    "delayed": 0,
    "failed": 0,
    "prioritized": 0,
    "waiting": 0,
    "waiting-children": 0,
}


def names(jobs):
    return [job.name for job in jobs]


@pytest.fixture
async def every_state(work):
    """A queue with jobs in each state, named after it."""
    queue = await work.queue()
    flows = await work.flows()
    worker = work.worker_not_started(metrics={"max_data_points": 10})
    for state in ("completed", "failed", "active"):
        await queue.add(state)
        job = await worker.get_next_job("t")
        if state == "completed":
            await job.move_to_completed(1, "t", fetch_next=False)
        elif state == "failed":
            await job.move_to_failed(ValueError("no"), "t", fetch_next=False)
    await queue.add("delayed", delay=3_600_000)
    await queue.add("prioritized", priority=3)
    await queue.add("waiting")
    child = {"name": "child", "queue_name": "elsewhere"}
    await flows.add({"name": "waiting-children", "queue_name": NAME, "children": [child]})
    return queue


@pytest.mark.parametrize("state", list(COUNTS))
async def test_each_state_has_its_count_its_jobs_and_its_name(every_state, state):
    short = state.replace("-", "_")

    jobs = await getattr(every_state, f"get_{short}")()

    assert names(jobs) == [state]
    assert await getattr(every_state, f"get_{short}_count")() == 1
    assert await every_state.get_job_state(jobs[0].id) == State(state)


async def test_all_states_are_told_at_once(every_state):
    assert await every_state.get_job_counts() == dict.fromkeys(COUNTS, 1)
    assert names(await every_state.get_jobs()) == list(COUNTS)
    assert await every_state.count() == 4
    assert await every_state.get_job_count_by_types("failed", "wait", "no such state") == 2


async def test_an_empty_queue_has_nothing_of_all_that(work):
    queue = await work.queue()

    assert await queue.get_job_counts() == COUNTS
    assert await queue.get_jobs() == []
    assert await queue.get_job("1") is None
    assert await queue.get_job_state("1") == State.UNKNOWN
    assert (await queue.get_job_logs("1")).count == 0


async def test_counts_are_named_as_they_were_asked_for(every_state):
    assert await every_state.get_job_counts("wait", "waiting", "paused") == {
        "wait": 1,
        "waiting": 1,
        "paused": 0,
    }


@pytest.mark.parametrize("job_id", ["meta", "wait", "events", ""])
async def test_the_queues_own_data_is_no_job(every_state, job_id):
    assert await every_state.get_job(job_id) is None


async def test_states_are_paged_one_after_the_other_and_each_job_comes_once(work):
    queue = await work.queue()
    await queue.add_bulk([{"name": f"w{n}"} for n in range(3)])
    await queue.add_bulk([{"name": f"d{n}", "opts": {"delay": n + 60_000}} for n in range(3)])

    assert names(await queue.get_jobs(["delayed", "wait"], 0, 1, asc=True)) == [
        "d0",
        "d1",
        "w0",
        "w1",
    ]
    assert names(await queue.get_jobs(["wait", "waiting"], 0, 1)) == ["w2", "w1"]
    assert names(await queue.get_jobs("wait", 1, -1, asc=True)) == ["w1", "w2"]


@pytest.mark.parametrize("asc", [True, False])
async def test_a_page_of_many_jobs_is_whole_and_in_order(work, asc):
    queue = await work.queue()
    wanted = [f"n{n}" for n in range(2 * LOOK_PER_CALL + 1)]
    await queue.add_bulk([{"name": name} for name in wanted])

    found = names(await queue.get_jobs("waiting", asc=asc))

    assert found == (wanted if asc else wanted[::-1])


async def test_jobs_that_are_gone_leave_no_holes_in_a_page(work, any_redis_client):
    queue = await work.queue()
    jobs = await queue.add_bulk([{"name": f"n{n}"} for n in range(6)])
    await any_redis_client.delete(*[job.key for job in jobs[1:3]])

    assert names(await queue.get_waiting(0, 2)) == ["n0", "n3", "n4"]
    assert await queue.get_job(jobs[1].id) is None


async def test_delayed_jobs_due_before_a_moment_are_counted(work, clock):
    queue = await work.queue(clock=clock)
    for delay in (500, 1000):
        await queue.add("n", delay=delay)
    now = clock.now_ms()

    assert await queue.get_delayed_count(now + 600) == 1
    assert await queue.get_delayed_count(now + 1000.0) == 1
    assert await queue.get_delayed_count() == 2


@pytest.mark.parametrize("moment", [1.5, 2**53, float("inf"), float("nan")])
async def test_a_moment_that_is_no_millisecond_is_refused(work, moment):
    queue = await work.queue()

    with pytest.raises(OptionError, match=r"timestamp must be a safe integer .* \(queue work\)"):
        await queue.get_delayed_count(moment)


async def test_jobs_are_counted_per_priority(work):
    queue = await work.queue()
    for priority in (0, 0, 1, 2, 2):
        await queue.add("n", priority=priority)

    found = await queue.get_counts_per_priority([0, 1, 2, 2, 3])

    assert found == {"0": 2, "1": 1, "2": 2, "3": 0}


async def test_logs_are_read_from_either_end(work):
    queue = await work.queue()
    job = await queue.add("n")
    for row in ("a", "b", "c"):
        await job.log(row)

    assert (await queue.get_job_logs(job.id)).logs == ["a", "b", "c"]
    assert (await queue.get_job_logs(job.id, 0, 1, asc=False)).logs == ["c", "b"]
    assert (await queue.get_job_logs(job.id, 1, 1)).count == 3


async def test_children_are_paged(work):
    queue, flows = await work.queue(), await work.flows()
    children = [{"name": f"c{n}", "queue_name": NAME} for n in range(3)]
    tree = await flows.add({"name": "p", "queue_name": NAME, "children": children})

    pending = await queue.get_dependencies(tree.job.id, "pending", 0, -1)
    processed = await queue.get_dependencies(tree.job.id, "processed", 0, -1)

    assert pending.total == 3
    assert {child.key for child in pending.children} == {child.job.key for child in tree.children}
    assert (processed.total, processed.children) == (0, [])


async def test_what_is_written_down_about_the_queue_is_told(work):
    queue = await work.queue(streams={"events": {"max_len": 7}})
    assert await queue.get_meta() == {"paused": False, "maxLenEvents": 7}
    assert (await queue.get_version()).startswith("bullpy:")

    await queue.pause()
    await queue.set_global_concurrency(3)
    await queue.set_global_rate_limit(5, 1000)

    assert await queue.is_paused()
    assert await queue.get_global_concurrency() == 3
    assert await queue.get_global_rate_limit() == {"max": 5, "duration": 1000}
    assert await queue.get_meta() == {
        "paused": True,
        "maxLenEvents": 7,
        "concurrency": 3,
        "max": 5,
        "duration": 1000,
    }


async def test_limits_that_are_no_numbers_are_none(work, any_redis_client, prefix):
    queue = await work.queue()
    await any_redis_client.hset(f"{prefix}:{NAME}:meta", mapping={"concurrency": "many", "max": ""})

    assert await queue.get_global_concurrency() is None
    assert await queue.get_global_rate_limit() is None
    assert not await queue.is_maxed()


async def test_a_queue_of_which_nothing_is_written_down_has_no_version(work):
    queue = await work.queue(skip_metas_update=True)

    assert await queue.get_version() is None
    assert await queue.get_meta() == {"paused": False}


@pytest.mark.parametrize(("concurrency", "maxed"), [(0, True), (1, True), (2, False)])
async def test_a_queue_is_maxed_when_as_many_jobs_run_as_may(every_state, concurrency, maxed):
    assert not await every_state.is_maxed()

    await every_state.set_global_concurrency(concurrency)

    assert await every_state.is_maxed() is maxed


async def test_a_rate_limit_is_judged_by_the_queues_number_of_jobs_or_a_given_one(work):
    queue = await work.queue()
    assert await queue.get_rate_limit_ttl() == -2

    await queue.rate_limit(60_000)

    assert 0 < await queue.get_rate_limit_ttl() <= 60_000
    assert 0 < await queue.get_rate_limit_ttl(5) <= 60_000
    assert await queue.remove_rate_limit_key() == 1
    assert await queue.get_rate_limit_ttl(5) == 0


async def test_the_job_that_holds_a_deduplication_id_is_named(work):
    queue = await work.queue()
    job = await queue.add("n", deduplication={"id": "d"})

    assert await queue.get_deduplication_job_id("d") == job.id
    assert await queue.get_deduplication_job_id("other") is None


async def test_metrics_count_what_finished(every_state):
    metrics = await every_state.get_metrics("completed")

    assert (metrics.total, metrics.data, metrics.count) == (1, [], 0)
    with pytest.raises(OptionError, match=r"not 'active' \(queue work\)"):
        await every_state.get_metrics("active")


async def test_prometheus_gets_the_states_and_totals_of_the_queue(every_state):
    lines = (await every_state.export_prometheus_metrics({"env": "test"})).split("\n")

    assert [line for line in lines if not line.startswith("#")] == [
        *[f'bullmq_job_count{{queue="work", state="{state}", env="test"}} 1' for state in COUNTS],
        'bullmq_job_completed_total{queue="work", env="test"} 1',
        'bullmq_job_failed_total{queue="work", env="test"} 1',
    ]


async def listed(ask, count):
    """The answer, once so many are in it: CLIENT SETNAME goes out when a worker first blocks."""
    async with asyncio.timeout(15):
        while len(found := await ask()) != count:
            pass
    return found


async def test_a_queues_own_workers_and_event_readers_are_listed(work_everywhere):
    async def process(_job):
        return None

    queue = await work_everywhere.queue()
    await work_everywhere.worker(process)
    await work_everywhere.worker(process, opts={"name": "w:2"})
    await work_everywhere.worker(process, name=f"{NAME}2")
    events = await work_everywhere.events()

    workers = await listed(queue.get_workers, 2)
    readers = await listed(queue.get_queue_events, 1)

    assert {worker["name"] for worker in workers} == {NAME}
    base = f"{queue.prefix}:d29yaw=="
    assert sorted(worker["rawname"] for worker in workers) == [base, f"{base}:w:w:2"]
    assert readers[0]["rawname"] == f"{base}:qe"
    assert await queue.get_workers_count() == 2
    await events.close()


async def test_a_user_who_may_not_see_clients_is_told_which_right_is_missing(private_server):
    server = private_server()
    async with server.client() as admin:
        rules = ("on", "nopass", "~*", "&*", "+@all", "-client|list")
        await admin.execute_command("ACL", "SETUSER", "blind", *rules)
    url = server.tcp_url.replace("redis://", "redis://blind:x@")

    async with QueueReader(NAME, connection=url) as reader:
        with pytest.raises(BullError, match=r"queue work is unknown.*\+client\|list.*NOPERM"):
            await reader.get_workers()
        assert await reader.count() == 0


async def test_a_reader_reads_and_says_what_it_is(work):
    queue = await work.queue()
    await queue.add("n")

    async with QueueReader(NAME, connection=work.url, prefix=work.prefix) as reader:
        assert await reader.count() == 1
        assert (reader.name, reader.prefix) == (NAME, work.prefix)
        assert reader.qualified_name == f"{work.prefix}:{NAME}"


async def test_a_reader_opens_by_itself_and_may_be_opened_and_closed_twice(work):
    reader = QueueReader(NAME, connection=work.url, prefix=work.prefix)
    try:
        assert await reader.count() == 0
        await reader.open()
        await reader.open()
        assert await reader.count() == 0
    finally:
        await reader.close()
        await reader.close()


async def test_closing_waits_for_listeners(work):
    queue = await work.queue()
    done = []

    @queue.on("paused")
    async def slow():
        await asyncio.sleep(0)
        done.append(True)

    await queue.pause()
    await queue.close()

    assert done == [True]


async def test_listeners_come_once_and_go(work):
    queue = await work.queue()
    first, always = [], hear(queue, "resumed")
    queue.once("resumed", lambda: first.append(True))

    await queue.resume()
    await queue.resume()
    queue.off("resumed", always)
    await queue.resume()

    assert (len(first), len(always)) == (1, 2)
    with pytest.raises(OptionError, match="resume"):
        queue.on("resume", print)


async def test_a_server_that_stays_away_is_an_error_event_and_an_error(private_server):
    server = private_server()
    reader = QueueReader(NAME, connection=server.url, patience_ms=200)
    errors = hear(reader, "error")
    server.kill()

    with pytest.raises(ConnectionError):
        await within(reader.count())
    await within(reader.close())

    assert errors
