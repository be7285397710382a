import json

from hypothesis import given, settings
from hypothesis import strategies as st

from virtometer.report.parts.plain import plain

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@settings(max_examples=30)
@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_plain_values_are_json(value: object) -> None:
    json.dumps(plain(value), allow_nan=False)
