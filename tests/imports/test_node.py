"""Values of JSON, with their place in errors."""

from typing import Any

import pytest

from virtometer.errors import UsageError
from virtometer.imports.node import Node


def test_places_of_wrong_values() -> None:
    node = Node({"a": [{"b": "x"}], "n": None}, "file")
    with pytest.raises(UsageError, match=r"file: a\[0\]\.b is not a number"):
        next(iter(node["a"]))["b"].number()
    with pytest.raises(UsageError, match="file: c is missing"):
        node["c"]
    with pytest.raises(UsageError, match="file: a is not a text"):
        node["a"].text()
    with pytest.raises(UsageError, match="file is not a list"):
        next(iter(node))
    with pytest.raises(UsageError, match="file: a is not an object"):
        next(node["a"].items())
    assert node.get("n") is None and node.get("c") is None and node["a"].first() is not None


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), float("inf"), 10**400, [], {}])
def test_what_is_no_number(value: Any) -> None:
    assert Node(value, "x").number_or_none() is None


def test_numbers() -> None:
    assert (Node(3, "x").number(), Node(0.5, "x").number()) == (3.0, 0.5)
