"""Nodes of job trees: what is accepted, what it comes to, and what is refused."""

import pytest

from bullpy.errors import OptionError
from bullpy.options import ABSENT, parse_flow_node
from tests.fixtures.naming import stable


def parsed(node, **queues_options):
    """The settings of a tree of a producer with prefix `bull`."""
    return parse_flow_node(node, prefix="bull", queues_options=queues_options)


def node(name="n", *children, **more):
    """A node in queue `q`."""
    return {"name": name, "queue_name": "q", "children": list(children), **more}


def test_a_tree_keeps_its_shape():
    tree = parsed(node("root", node("one", node("deep")), node("two", data={"n": 2})))

    one, two = tree.children
    assert (tree.name, one.name, two.name) == ("root", "one", "two")
    assert (one.parent, one.children[0].parent) == (tree, one)
    assert (one.data, two.data) == (ABSENT, {"n": 2})


def test_bullmqs_spelling_means_the_same():
    tree = parsed({"name": "n", "queueName": "q", "opts": {"failParentOnFailure": True}})

    assert tree.queue_name == "q"
    assert tree.options.fail_parent_on_failure


def test_a_prefix_is_not_inherited():
    tree = parsed(node("root", node("child"), prefix="mine"))

    assert (tree.prefix, tree.children[0].prefix) == ("mine", "bull")


def test_each_queue_has_its_defaults():
    tree = parsed(
        node("root", {"name": "child", "queue_name": "other"}),
        q={"default_job_options": {"attempts": 3}},
        other={"defaultJobOptions": {"attempts": 5}},
    )

    assert (tree.options.attempts, tree.children[0].options.attempts) == (3, 5)


def test_a_tree_may_be_deeper_than_pythons_stack():
    tree = node("bottom")
    for _ in range(5000):
        tree = node("n", tree)

    parsed(tree)


def test_a_node_may_occur_twice():
    twin = node("twin")

    assert len(parsed(node("root", twin, twin)).children) == 2


def test_a_node_that_is_its_own_descendant_is_refused():
    circle = node("circle")
    circle["children"].append(node("between", circle))

    with pytest.raises(OptionError, match="is its own descendant"):
        parsed(circle)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (
            node("root", node("c"), opts={"deduplication": {"id": "x"}}),
            "Deduplication options cannot be used on flow nodes with children",
        ),
        (
            node("root", node("c", opts={"deduplication": {"id": "x"}})),
            "Deduplication and parent options cannot be used together",
        ),
        (
            node("r", node("c", opts={"deduplication": {"id": "x", "keep_last_if_active": True}})),
            "keepLastIfActive deduplication cannot be used on flow nodes with a parent",
        ),
        (
            node("root", node("c", opts={"deduplication": {}})),
            "Deduplication id must be provided",
        ),
        (
            node(opts={"fail_parent_on_failure": True, "continue_parent_on_failure": True}),
            "The following options cannot be used together: failParentOnFailure",
        ),
        (node("root", node("c", opts={"job_id": "7"})), "Custom Id cannot be integers"),
        ({"name": "n"}, "A node needs a queue_name"),
        ({"queue_name": "q"}, "A node needs a name"),
        ({}, "A node needs a name; A node needs a queue_name"),
        (node(childern=[]), "Unknown option childern, did you mean children?"),
        ({**node(), "children": "c"}, "Option children must be a list of nodes, not 'c'"),
        ({**node(), "children": {}}, "Option children must be a list of nodes, not {}"),
        (node("root", "child"), "A node must be a mapping of options, not 'child'"),
        (node(opts=5), "Job options must be a mapping of options, not 5"),
        (5, "A node must be a mapping of options, not 5"),
    ],
    ids=stable,
)
def test_a_node_that_is_wrong_is_refused(tree, message):
    with pytest.raises(OptionError) as refusal:
        parsed(tree)

    assert str(refusal.value).startswith(message)


def test_a_refusal_names_node_and_queue():
    with pytest.raises(OptionError, match=r"\(node 'child' of queue q\)"):
        parsed(node("root", node("child", opts={"dealy": 5})))


def test_a_root_that_is_alone_may_have_deduplication():
    assert parsed(node(opts={"deduplication": {"id": "x"}})).options.deduplication.id == "x"


@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        ({"default_job_options": {"dealy": 5}}, "Unknown option default_job_options.dealy"),
        ({"attempts": 5}, "Unknown option attempts"),
        (5, "Queue options must be a mapping"),
    ],
    ids=stable,
)
def test_wrong_defaults_are_refused_with_their_queue(defaults, message):
    with pytest.raises(OptionError) as refusal:
        parsed(node(), q=defaults)

    assert str(refusal.value).startswith(message)
    assert "queues_options of queue q" in str(refusal.value)
