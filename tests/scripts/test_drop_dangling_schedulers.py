from bullpy.scripts import schedulers
from tests.fixtures.scripts import Stage


async def test_only_schedulers_without_a_definition_leave_the_list(stage: Stage):
    await stage.set({"q:repeat": {"alive": 1, "dangling": 2}, "q:repeat:alive": {"name": "n"}})

    dropped = await stage.run(
        schedulers.drop_dangling(stage.keys(), ["alive", "dangling", "unknown"])
    )

    assert dropped == 1
    await stage.expect({"q:repeat": {"alive": 1}})
