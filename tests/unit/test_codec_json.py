"""JSON texts: what JavaScript's `JSON.stringify` writes, and what is refused."""

import enum
import json

import pytest

from bullpy.codec import dump_json, load_json
from bullpy.errors import JsonError


def shown(value):
    """A test's id: the text of a JSON value, or what kind the value is."""
    return ascii(value) if isinstance(value, str) else type(value).__name__


class Colour(enum.StrEnum):
    RED = "red"


class Celsius(float):
    """As numpy's floats: one whose repr is no JSON."""

    def __repr__(self):
        return f"Celsius({float(self)})"


# Each text is what Node 20 printed for `JSON.stringify` of the same value.
JAVASCRIPT = [
    (None, "null"),
    (True, "true"),
    (100, "100"),
    (1.0, "1"),
    (-0.0, "0"),
    (0.1, "0.1"),
    (0.30000000000000004, "0.30000000000000004"),
    (1e15, "1000000000000000"),
    (1e16, "10000000000000000"),
    (123456789012345680.0, "123456789012345680"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (-1e21, "-1e+21"),
    (1.5e21, "1.5e+21"),
    (1e-6, "0.000001"),
    (1.5e-05, "0.000015"),
    (1e-7, "1e-7"),
    (-1.5e-7, "-1.5e-7"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    ("", '""'),
    ("é", '"é"'),
    ("/", '"/"'),
    ('"\\', '"\\"\\\\"'),
    ("\b\f\n\r\t\0\x1f\x7f", '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'),
    ("\u2028", '"\u2028"'),
    ("\ud800", '"\\ud800"'),
    ("x\udfffy", '"x\\udfffy"'),
    ("\ud83d\ude00", '"\U0001f600"'),
    ("\ude00\ud83d", '"\\ude00\\ud83d"'),
    ([1.0, [], {}], "[1,[],{}]"),
    ({"a": 1.0, "b": None}, '{"a":1,"b":null}'),
]

PYTHON = [
    ((1, 2), "[1,2]"),
    (Colour.RED, '"red"'),
    (Celsius(21.0), "21"),
    ({Colour.RED: Celsius(1.5)}, '{"red":1.5}'),
    ({2: "a", None: "b", True: "c"}, '{"2":"a","null":"b","true":"c"}'),
    (12345678901234567890123, "12345678901234567890123"),
    # Looks like numbers, but stands inside of strings.
    ({"v": "1.0", "id": "6e-5", "t": "a,1.0]"}, '{"v":"1.0","id":"6e-5","t":"a,1.0]"}'),
    (["é 1.0,", 'x"1e-7,', 1.0], '["é 1.0,","x\\"1e-7,",1]'),
    ({"\ud800": 1.0}, '{"\\ud800":1}'),
]


@pytest.mark.parametrize(("value", "text"), JAVASCRIPT, ids=shown)
def test_a_value_is_written_as_javascript_writes_it(value, text):
    assert dump_json(value) == text


@pytest.mark.parametrize(("value", "text"), PYTHON, ids=shown)
def test_what_python_has_besides_json_is_written_as_json_dumps_takes_it(value, text):
    assert dump_json(value) == text


def circle():
    own = []
    own.append(own)
    return {"a": own}


def deep():
    value = None
    for _ in range(100_000):
        value = [value]
    return value


class Silent:
    """What can't even be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (float("nan"), "$"),
        (float("inf"), "$"),
        ({"a": [1, -float("inf")]}, "$.a[1]"),
        ({"user": {"tags": [1, 2, {3}]}}, "$.user.tags[2]"),
        ({"a b": object()}, "$['a b']"),
        ({1: b"bytes"}, "$[1]"),
        ([{}, {(1, 2): "tuples are no keys"}], "$[1]"),
        (({"n": 1j},), "$[0].n"),
        ({"s": Silent()}, "$.s"),
        (circle(), "$.a[0]"),
    ],
    ids=shown,
)
def test_what_json_cannot_hold_is_refused_with_the_path_to_it(value, path):
    with pytest.raises(JsonError) as refusal:
        dump_json(value)

    assert refusal.value.path == path
    assert path in str(refusal.value)


def test_a_value_nested_too_deeply_is_refused():
    with pytest.raises(JsonError, match="JSON can't hold") as refusal:
        dump_json(deep())

    assert len(str(refusal.value)) < 1000


def test_a_refusal_names_type_and_reason():
    with pytest.raises(JsonError, match=r"JSON can't hold \{3\} \(set\) at \$\.a: .*not JSON"):
        dump_json({"a": {3}})


def test_a_refusal_is_a_type_error_as_that_of_json_dumps_is():
    with pytest.raises(TypeError):
        dump_json({3})


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), (' {"a": [1.5, null]} ', {"a": [1.5, None]}), ('"\\ud800"', "\ud800")],
)
def test_json_is_read(text, value):
    assert load_json(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "1 2", "NaN", "[Infinity]", '{"a":-Infinity}', "undefined", "[" * 100_000],
    ids=lambda text: text[:20],
)
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"\w"):
        load_json(text)


def test_an_error_tells_where_the_json_breaks():
    with pytest.raises(json.JSONDecodeError, match="line 1 column 8"):
        load_json('{"a":1 2}')
