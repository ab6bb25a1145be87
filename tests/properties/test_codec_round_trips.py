"""Any JSON value survives being written and read."""

from hypothesis import given
from hypothesis import strategies as st

from bullpy.codec import decode_job, dump_json, load_json

TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates too
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | st.integers() | FLOATS.filter(lambda x: abs(x) < 2**53) | TEXT
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=10
)
FIELDS = st.sampled_from(
    ["name", "data", "opts", "delay", "stacktrace", "parent", "atm", "attemptsMade", "returnvalue"]
)


def joined(value):
    """A value in which two halves of a surrogate pair are the one character they mean."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    return value


@given(VALUES)
def test_a_value_is_read_back_as_it_was_written(value):
    assert load_json(dump_json(value)) == joined(value)


@given(FLOATS)
def test_a_number_is_read_back_as_the_same_double(value):
    assert float(load_json(dump_json(value))) == value


@given(VALUES)
def test_a_text_can_be_sent_as_utf8(value):
    dump_json(value).encode()


@given(TEXT, st.lists(st.tuples(TEXT, TEXT)))
def test_no_hash_can_break_reading_a_job(job_id, pairs):
    record = decode_job(job_id, [text for pair in pairs for text in pair])

    assert record.id == job_id


@given(st.lists(st.tuples(FIELDS, TEXT | VALUES.map(dump_json))))
def test_no_field_can_break_reading_a_job(pairs):
    record = decode_job("17", [text for pair in pairs for text in pair])

    assert all("job 17" in problem.lower() for problem in record.problems)
