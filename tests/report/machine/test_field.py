"""Fields of the machine interface: one declaration gives the row, the schema and the columns."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace as Of
from typing import Any

import jsonschema
import pytest

from virtometer.model import Estimate
from virtometer.report.machine.field import SHAPES, TYPES, Shape, by_name


@pytest.fixture(scope="module")
def shapes() -> Iterator[tuple[Shape, Shape]]:
    """A whole and its part."""
    part = Shape(
        "test part",
        "a part",
        """
        size  number
        left  text?
        """,
        head="size",
    )
    SHAPES["part-of-test"] = part
    whole = Shape(
        "test whole",
        "",
        """
        name=who.name  text  its name,
            in two lines
        twice     count
        ratio,lo,hi,n  ~number  by which // its interval
        sum       ~share
        first     part-of-test?
        second    part-of-test?
        parts     part-of-test[]
        words     text[]
        table     table
        choice=options.0  a|b?
        """,
        types={"table": by_name(TYPES["number"])},
        get={"twice": lambda of: 2 * of.count},
        columns={"second": ""},
    )
    yield whole, part
    for name in ("test part", "test whole", "part-of-test"):
        del SHAPES[name]


def whole(**changes: object) -> Of:
    values = {"who": Of(name="a"), "count": 2, "ratio": None, "sum": None, "first": None, "second": None}
    return Of(**{**values, "parts": [], "words": [], "table": {}, "options": ["b"], **changes})


def test_a_row_has_every_field_and_what_is_missing_is_null(shapes: tuple[Shape, Shape]) -> None:
    row = shapes[0].row(whole(parts=[Of(size=1.0, left=None)]))
    assert (row["name"], row["twice"], row["choice"]) == ("a", 4, "b")
    assert row["parts"] == [{"size": 1.0, "left": None}]
    assert [row[name] for name in ("ratio", "lo", "hi", "n", "sum", "sum_low", "first")] == [None] * 3 + [0] + [
        None
    ] * 3
    row = shapes[0].row(whole(ratio=Estimate(0.1, 0.05, 0.2, 6), first=Of(size=3.0, left="x"), who=None))
    assert [row[name] for name in ("ratio", "lo", "hi", "n", "name")] == [0.1, 0.05, 0.2, 6, None]
    assert row["first"] == {"size": 3.0, "left": "x"}


def test_rows_fit_the_schema_and_others_do_not(shapes: tuple[Shape, Shape]) -> None:
    one, part = shapes
    schema = one.schema()
    assert schema["properties"]["name"] == {"type": "string", "description": "its name, in two lines"}
    assert [schema["properties"][name]["description"] for name in ("ratio", "hi")] == ["by which", "its interval"]
    valid = jsonschema.Draft202012Validator({**schema, "$defs": {"part-of-test": part.schema()}}).is_valid
    row = one.row(whole(first=Of(size=3.0, left="x"), parts=[Of(size=1, left=None)], words=["b"], table={"c": 1.0}))
    assert valid(row) and valid(row | {"choice": None, "first": None, "sum": 0.5})
    wrongs: list[dict[str, Any]] = [{"name": None}, {"first": {"size": 1}}, {"parts": [1]}, {"more": 1}, {"sum": 2}]
    for wrong in [*wrongs, {"table": {"c": "d"}}, {"choice": "c"}, {"twice": -1}]:
        assert not valid(row | wrong)
    assert not valid({key: value for key, value in row.items() if key != "twice"})


def test_columns_and_cells_have_the_same_names(shapes: tuple[Shape, Shape]) -> None:
    one, part = shapes
    names = ["name", "twice", "ratio", "lo", "hi", "n", "sum", "sum_low", "sum_high", "first", "first_left"]
    assert one.columns() == [*names, "size", "left", "words", "table", "choice"]
    cells = dict(one.cells(whole(first=Of(size=3.0, left="x"), words=["b", "c"], table={"d": 1})))
    assert list(cells) == one.columns()
    assert (cells["first"], cells["first_left"], cells["size"]) == (3.0, "x", None)
    assert (cells["words"], cells["table"]) == ("b | c", '{"d": 1}')
    assert set(dict(one.cells(None)).values()) == {None}
    assert part.columns("of") == ["of", "of_left"]


@pytest.mark.parametrize("table", ["name", "name  unknown", "a  text\na  number", "a  ~text?x"])
def test_what_declares_nothing_is_refused(table: str) -> None:
    with pytest.raises(ValueError, match=r"declares no field|no type|there twice"):
        Shape("test wrong", "", table)
    assert "test wrong" not in SHAPES
