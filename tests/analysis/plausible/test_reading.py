"""Texts become grids, or one sentence that says what is wrong, and where."""

from __future__ import annotations

import pytest

from virtometer.analysis.plausible.reading import read
from virtometer.errors import UsageError

PLAIN = "x,a,b\nr,1.5,2\ns,3,4\n"


@pytest.mark.parametrize(
    "content",
    [
        PLAIN.encode(), PLAIN.replace(",", ";").encode(), PLAIN.replace(",", "\t").encode(), PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"), PLAIN.replace("\n", "\r\n").encode(), PLAIN.replace("\n", "\r").encode(),
        PLAIN.replace(",", ";").replace("1.5", "1,5").encode(), b'"x","a","b"\n"r","1.5","2"\n"s","3","4"',
    ],
)  # fmt: skip
def test_the_same_table_in_many_forms(content: bytes) -> None:
    (grid,) = read(content, "t")
    assert (grid.rows, grid.columns) == (("r", "s"), ("a", "b"))
    assert grid.values.tolist() == [[1.5, 2], [3, 4]]
    assert grid.halves.tolist() == [[0.05, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"", ["empty"]), (b" \n \n", ["empty"]), (b"x,a,b\n", ["no rows"]), (b"x\nr\n", ["one column"]),
        (b"x,a\nr,\ns,-\n", ["no numbers"]), (b"x,a\nr,b\ns,c\n", ["no numbers"]),
        (b"x,a\nr,1\ns,\x00\n", ["byte 0", "3"]),
        (b"x,a,b\nr,1,2\ns,oops,3\n", ["t:3", "'oops'", "'a'"]), (b"x,a\nr,1\ns,1,2\n", ["t:3", "3 columns"]),
        (b'x,a\nr,1\n"s,2\nt,3\n', ["t:3", "quote"]), (b"x,a\nr,1\ns,1e308\n", ["t:3", "1e308", "between"]),
        (b"x,a\nr,1\ns,1e400\n", ["t:3", "1e400"]), (b"x,a\nr,1\ns,inf\n", ["t:3", "'inf'"]),
        (b"row,column,value\na,b,oops\n", ["t:2", "oops"]),
        (b"row,column,value\na,b\n", ["t:2", "2 columns"]), (b"row,column,value\na,b,\n", ["no numbers"]),
    ],
)  # fmt: skip
def test_bad_input_is_named_with_its_place(content: bytes, facts: list[str]) -> None:
    with pytest.raises(UsageError) as refusal:
        read(content, "t")
    assert all(fact in str(refusal.value) for fact in facts)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"row,column,value\n", "column and value"), (b"row,column,value\na,b,\n", "column value has none"),
        (b"row,column,value,printed\na,b,3,\n", "column printed has none"), (b"x,a,b\n", "labels of columns"),
    ],
)  # fmt: skip
def test_the_advice_is_on_the_form_of_the_table(content: bytes, fact: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read(content, "t")
    assert refusal.value.advice is not None and fact in refusal.value.advice


def test_characters_of_windows_are_read() -> None:
    assert read("x,größe\nr,1\n".encode("cp1252"), "t")[0].columns == ("größe",)


def test_columns_of_text_are_labels_and_equal_labels_get_numbers() -> None:
    (grid,) = read(b"x,mode,a,a\nr,fast,1,2\nr,fast,3,4\n", "t")
    assert grid.rows == ("r fast", "r fast #2")
    assert grid.columns == ("a", "a #2")


def test_long_tables_use_what_is_printed() -> None:
    text = (
        "study,item,row,column,workload,metric,value,printed,relation,printed_high\n"
        "s,1,r,c,disk,rate,1000000,1.0,=,\ns,1,r,d,disk,rate,2,,=,\ns,2,r,c,disk,rate,5,5,range,3\n"
        "s,2,r,d,disk,rate,5,5,plus-minus,3\ns,2,r,e,disk,rate,0.25,1/4,=,\n"
    )
    first, second = read(text.encode(), "t")
    assert (first.name, first.columns, first.values.tolist()) == ("s 1", ("c",), [[1.0]])
    assert list(first.quantities) == [(0, 0)]
    assert [cell and cell.high for cell in second.cells[0]] == [3, None]
    assert not second.quantities


def test_restored_cells_stand_in_the_printed_unit_and_are_no_printed_values() -> None:
    text = (
        "item,row,column,value,printed,unit,unit_printed,restored_from\n"
        "1,r,a,2097152,2.0,B/s,MB/s,\n1,r,b,3145728,3.0,B/s,MB/s,\n1,r,c,2474639.36,,B/s,MB/s,sum: x\n"
        "1,r,d,5,,s,min,sum: x\n1,r,e,,,B/s,MB/s,\n"
    )
    (grid,) = read(text.encode(), "t")
    assert (grid.columns, grid.restored, grid.printed) == (("a", "b", "c"), {(0, 2)}, 2)
    assert grid.values[0].tolist() == [2.0, 3.0, 2.36]
    assert grid.without_restored().cells[0][2] is None


@pytest.mark.parametrize("rows", ["r,1e400,2", "r,fast,2\ns,1e400,3"])
def test_a_column_with_a_number_that_is_too_large_is_no_column_of_text(rows: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read(f"x,a,b\n{rows}\n".encode(), "t")
    assert "1e400" in str(refusal.value) and "1e+100" in str(refusal.value)
