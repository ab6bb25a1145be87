"""Whether a call answered what BullMQ answers: the rules of FORMAT.md, section 3."""

from collections.abc import Mapping, Sequence
from typing import Any

from bullpy.errors import BullError, ScriptError, UnrecoverableError
from tests.fixtures.state import TTL_SLACK_MS, json_equal, stacks_equal


def result_differences(
    expected: Any, actual: Any, *, elapsed_ms: float = 0, path: str = "result"
) -> list[str]:
    """What distinguishes an answer from the recorded one, one line per place.

    Args:
        expected: As recorded. `{"ttl": N}` stands for a time that a server measured.
        actual: What the call answered, in the same shapes.
        elapsed_ms: How long the replay has been running; times may have run down by as much.
        path: Where in the answer this is.
    """
    if isinstance(expected, dict) and expected.keys() == {"ttl"}:
        low, high = expected["ttl"] - TTL_SLACK_MS - elapsed_ms, expected["ttl"]
        is_time = isinstance(actual, int | float) and low < actual <= high
        return [] if is_time else [f"{path}: {actual!r} is no time just below {high} ms"]
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _map_differences(expected, actual, elapsed_ms, path)
    if isinstance(expected, list) and isinstance(actual, list):
        return _list_differences(expected, actual, elapsed_ms, path)
    return [] if json_equal(expected, actual) else [f"{path}: {expected!r} -> {actual!r}"]


def split_stacks(answer: Any) -> tuple[Any, list[list[str]]]:
    """An answer without the stack traces of its jobs, and these lists themselves.

    The recorder wrote down at the end of a trace what its job objects held in their own lists:
    what a later step appended shows in earlier answers as well. So the lists are compared then.
    """
    stacks: list[list[str]] = []

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            if isinstance(value.get("stacktrace"), list):
                stacks.append(value["stacktrace"])
            return {name: without(v) for name, v in value.items() if name != "stacktrace"}
        return [without(item) for item in value] if isinstance(value, list) else value

    return without(answer), stacks


def stack_differences(expected: list[list[str]], actual: list[list[str]]) -> list[str]:
    """What distinguishes the stack traces of an answer's jobs from the recorded ones."""
    return [
        f"result stacktrace: {one} -> {other}"
        for one, other in zip(expected, actual, strict=True)
        if not stacks_equal(one, other)
    ]


def error_differences(expected: Mapping[str, Any], actual: BullError) -> list[str]:
    """What distinguishes an error from the recorded one.

    Message and code bind only where BullMQ's error has a code; else it counts that one was raised.
    """
    lines: list[str] = []
    if expected["type"] == "UnrecoverableError" and not isinstance(actual, UnrecoverableError):
        lines.append(f"error: {type(actual).__name__} is no UnrecoverableError")
    if "code" in expected:
        code = getattr(actual, "code", None)
        if code != expected["code"]:
            lines.append(f"error code: {expected['code']} -> {code} ({actual})")
        if str(actual) != expected["message"]:
            lines.append(f"error message: {expected['message']!r} -> {str(actual)!r}")
    return lines


def emitted_differences(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Exception]
) -> list[str]:
    """What distinguishes the errors a worker reported from the recorded ones.

    As with raised errors, the text binds only where it is that of a script's refusal.
    """
    if len(expected) != len(actual):
        return [f"emitted: {[e['message'] for e in expected]} -> {[str(e) for e in actual]}"]
    return [
        f"emitted: {one['message']!r} -> {str(other)!r}"
        for one, other in zip(expected, actual, strict=True)
        if isinstance(other, ScriptError) and str(other) != one["message"]
    ]


def _map_differences(
    expected: dict[str, Any], actual: dict[str, Any], elapsed_ms: float, path: str
) -> list[str]:
    lines = [f"{path}.{name}: missing" for name in expected.keys() - actual.keys()]
    lines += [f"{path}.{name}: added" for name in actual.keys() - expected.keys()]
    for name in expected.keys() & actual.keys():
        one, other, place = expected[name], actual[name], f"{path}.{name}"
        if name == "opts" and json_equal(one, other, empty_is_empty=True):
            continue
        lines += result_differences(one, other, elapsed_ms=elapsed_ms, path=place)
    return sorted(lines)


def _list_differences(
    expected: list[Any], actual: list[Any], elapsed_ms: float, path: str
) -> list[str]:
    if len(expected) != len(actual):
        return [f"{path}: {len(expected)} items -> {len(actual)}: {expected} -> {actual}"]
    return [
        line
        for index, (one, other) in enumerate(zip(expected, actual, strict=True))
        for line in result_differences(one, other, elapsed_ms=elapsed_ms, path=f"{path}[{index}]")
    ]
