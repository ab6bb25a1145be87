"""Trees whose nodes are worked by both languages, and failures that climb from one to the other."""

import pytest

from tests.interop.sides import SUM, WaitFailedError

PARENTS, CHILDREN, GRANDCHILDREN = "reports", "parts", "pieces"
TTL = 10_000
FAIL = {"do": "fail", "message": "part broke"}


def node(name, queue, *children, n=0, opts=None):
    """A node in BullMQ's spelling, with a job id that is its name."""
    tree = {
        "name": name,
        "queueName": queue,
        "data": {"n": n},
        "opts": {"jobId": name, **(opts or {})},
    }
    return {**tree, "children": list(children)} if children else tree


@pytest.fixture
def key(prefix):
    """Full key of a job."""
    return lambda queue, job_id: f"{prefix}:{queue}:{job_id}"


async def test_children_work_there_and_their_parent_here(roles, key):
    await roles.there.work(CHILDREN, SUM)
    await roles.here.work(PARENTS, SUM)
    await roles.here.add_tree(
        node("sum", PARENTS, node("one", CHILDREN, n=1), node("two", CHILDREN, n=2), n=10)
    )

    result = await roles.here.wait(PARENTS, "sum", TTL)

    assert result == {
        "by": roles.here.language,
        "sum": 13,
        "children": [key(CHILDREN, "one"), key(CHILDREN, "two")],
        "ignored": {},
    }
    values = await roles.there.children_values(PARENTS, "sum")
    assert values == await roles.here.children_values(PARENTS, "sum")
    assert values[key(CHILDREN, "two")]["by"] == roles.there.language


async def test_three_levels_change_language_at_each(roles):
    await roles.there.work(GRANDCHILDREN, SUM, concurrency=3)
    await roles.here.work(CHILDREN, SUM)
    await roles.there.work(PARENTS, SUM)
    await roles.here.add_tree(
        node(
            "root",
            PARENTS,
            node("left", CHILDREN, *(node(f"l{n}", GRANDCHILDREN, n=n) for n in range(4)), n=100),
            node("right", CHILDREN, node("r", GRANDCHILDREN, n=1000)),
            n=10_000,
        )
    )

    result = await roles.here.wait(PARENTS, "root", TTL)

    assert (result["by"], result["sum"]) == (roles.there.language, 11_106)


async def test_workers_of_both_languages_share_one_trees_queues(roles):
    """Whoever takes which node, each value arrives once."""
    for side in (roles.here, roles.there):
        await side.work(CHILDREN, SUM, concurrency=2)
        await side.work(PARENTS, SUM, concurrency=2)
    children = [node(f"c{n}", CHILDREN, n=1) for n in range(30)]
    await roles.here.add_tree(node("root", PARENTS, *children))

    result = await roles.here.wait(PARENTS, "root", TTL)

    assert result["sum"] == 30
    assert len(result["children"]) == 30


async def test_both_languages_read_a_tree_alike(roles):
    await roles.there.add_tree(
        node("root", PARENTS, node("a", CHILDREN, n=1), node("b", CHILDREN, n=2))
    )

    def sorted_by_id(tree):
        return {**tree, "children": sorted(tree["children"], key=lambda one: one["job"]["id"])}

    read_here = sorted_by_id(await roles.here.get_tree(PARENTS, "root"))
    assert read_here == sorted_by_id(await roles.there.get_tree(PARENTS, "root"))
    assert [child["job"]["id"] for child in read_here["children"]] == ["a", "b"]
    assert await roles.here.state(PARENTS, "root") == "waiting-children"


async def test_a_child_hangs_itself_under_a_parent_of_the_other_language(roles, prefix):
    await roles.there.add_tree(node("root", PARENTS, node("a", CHILDREN, n=1), n=10))
    await roles.here.add(
        CHILDREN, "late", {"n": 5}, parent={"id": "root", "queue": f"{prefix}:{PARENTS}"}
    )
    await roles.there.work(CHILDREN, SUM)
    await roles.here.work(PARENTS, SUM)

    assert (await roles.here.wait(PARENTS, "root", TTL))["sum"] == 16


async def test_a_childs_failure_fails_its_parent_and_grandparent(roles, key):
    policy = {"failParentOnFailure": True}
    await roles.there.work(GRANDCHILDREN, FAIL)
    await roles.here.work(CHILDREN, SUM)
    await roles.there.work(PARENTS, SUM)
    await roles.here.add_tree(
        node(
            "root",
            PARENTS,
            node("mid", CHILDREN, node("leaf", GRANDCHILDREN, opts=policy), opts=policy),
        )
    )

    reason = f"child {key(CHILDREN, 'mid')} failed"
    with pytest.raises(WaitFailedError, match=reason):
        await roles.here.wait(PARENTS, "root", TTL)
    assert (await roles.here.job(PARENTS, "root"))["failedReason"] == reason
    assert (await roles.there.job(CHILDREN, "mid"))["failedReason"] == (
        f"child {key(GRANDCHILDREN, 'leaf')} failed"
    )


@pytest.mark.parametrize("policy", ["ignoreDependencyOnFailure", "continueParentOnFailure"])
async def test_a_parent_learns_of_failures_it_may_ignore(roles, key, policy):
    recipe = {"by_name": {"good": SUM, "bad": FAIL}}
    await roles.there.work(CHILDREN, recipe)
    await roles.here.add_tree(
        node(
            "root",
            PARENTS,
            node("good", CHILDREN, n=4),
            node("bad", CHILDREN, opts={policy: True}),
        )
    )
    # Only now, so that the parent, which a failure may release early, meets both children done.
    heard = await roles.there.listen(CHILDREN)
    await heard.until("completed", jobId="good")
    await heard.until("failed", jobId="bad")
    await roles.here.work(PARENTS, SUM)

    result = await roles.here.wait(PARENTS, "root", TTL)

    assert result["sum"] == 4
    assert result["ignored"] == {key(CHILDREN, "bad"): "part broke"}
    assert await roles.there.ignored_failures(PARENTS, "root") == result["ignored"]


async def test_a_dependency_removed_by_its_failure_is_forgotten(roles):
    await roles.there.work(CHILDREN, {"by_name": {"good": SUM, "bad": FAIL}})
    await roles.here.work(PARENTS, SUM)
    await roles.here.add_tree(
        node(
            "root",
            PARENTS,
            node("good", CHILDREN, n=4),
            node("bad", CHILDREN, opts={"removeDependencyOnFailure": True}),
        )
    )

    result = await roles.here.wait(PARENTS, "root", TTL)

    assert (result["sum"], result["ignored"]) == (4, {})


async def test_a_parent_without_policy_waits_until_its_child_succeeds_elsewhere(roles):
    failing = await roles.there.work(CHILDREN, FAIL)
    await roles.here.work(PARENTS, SUM)
    await roles.here.add_tree(node("root", PARENTS, node("leaf", CHILDREN, n=7)))
    await failing.notes.until("failed", jobId="leaf")
    assert await roles.here.state(PARENTS, "root") == "waiting-children"
    await failing.close()

    await roles.here.work(CHILDREN, SUM)
    await roles.there.retry(CHILDREN, "leaf")

    assert (await roles.here.wait(PARENTS, "root", TTL))["sum"] == 7


async def test_a_child_is_retried_before_its_parent_hears_of_it(roles):
    """Failed attempts never touch the parent, whoever makes them."""
    policy = {"attempts": 3, "failParentOnFailure": True}
    worker = await roles.there.work(CHILDREN, {"do": "fail", "times": 2})
    await roles.here.add_tree(node("root", PARENTS, node("leaf", CHILDREN, opts=policy)))

    await worker.notes.until("completed", jobId="leaf")

    assert await roles.here.state(PARENTS, "root") == "waiting"
    assert (await roles.here.job(PARENTS, "root"))["deferredFailure"] is None


async def test_removing_a_parent_takes_the_children_of_the_other_language_along(roles):
    await roles.there.add_tree(node("root", PARENTS, node("a", CHILDREN), node("b", CHILDREN)))

    assert await roles.here.remove(PARENTS, "root") == 1

    assert await roles.there.job(CHILDREN, "a") is None
    assert (await roles.there.counts(CHILDREN))["waiting"] == 0
