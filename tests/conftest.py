"""The list of plugins: every file of `tests/fixtures` is one subject."""

from pathlib import Path

import pytest

pytest_plugins = [
    f"tests.fixtures.{file.stem}" for file in sorted(Path(__file__).parent.glob("fixtures/*.py"))
]
# All at once and first: they import each other.
pytest.register_assert_rewrite(*pytest_plugins)

SLOW_TEST_S = 120


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests that need real time more of it than the default."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TEST_S))
