import pytest

from bullpy.errors import OptionError
from bullpy.scripts import flows
from bullpy.scripts.flows import DependencyCounts
from tests.fixtures.scripts import Stage

FAMILY = {
    "q:P:dependencies": {"1"},
    "q:P:processed": {"2": "1", "3": "1"},
    "q:P:failed": {"4": "", "5": "", "6": ""},
    "q:P:unsuccessful": {"7": 1, "8": 2, "9": 3, "10": 4},
}


async def test_all_kinds_are_counted_unless_some_are_named(stage: Stage):
    await stage.set(FAMILY)

    counts = await stage.run(flows.dependencies_count(stage.keys(), "P", []))
    some = await stage.run(flows.dependencies_count(stage.keys(), "P", ["failed", "unprocessed"]))

    assert counts == DependencyCounts(processed=2, unprocessed=1, ignored=3, failed=4)
    assert some == DependencyCounts(unprocessed=1, failed=4)
    await stage.expect({})


async def test_an_unknown_kind_is_refused_by_name(stage: Stage):
    with pytest.raises(OptionError, match=r"not as open \(job P, queue q\)"):
        flows.dependencies_count(stage.keys(), "P", ["open"])
