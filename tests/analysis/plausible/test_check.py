"""All findings of a table: planted errors are found, and clean or bad tables accuse next to nothing."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.analysis.plausible.planted import CLEAN, PLANTED
from tests.analysis.plausible.shares import share_accused, share_found
from tests.analysis.plausible.structures import FURTHER, STRUCTURES
from virtometer.analysis.plausible.check import Implausible, check
from virtometer.analysis.plausible.reading import read
from virtometer.analysis.plausible.rules import RULES
from virtometer.errors import UsageError

ERRORS, TABLES = PLANTED | FURTHER, CLEAN | STRUCTURES


def found(text: str) -> list[Implausible]:
    return check(read(text.encode(), "t"))


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("count", [20, 100])
def test_most_planted_errors_are_found(kind: str, count: int) -> None:
    assert share_found(ERRORS[kind], count) >= (0.9 if count == 100 else 0.8)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("count", [20, 100])
def test_few_cells_of_clean_tables_are_accused(kind: str, count: int) -> None:
    assert share_accused(TABLES[kind], count) < 0.02


def test_a_finding_has_place_rule_values_and_other_cells() -> None:
    (one,) = found("x,a,b,c,sum\nr,1.00,2.07,3.00,6.07\ns,4.01,5.00,6.00,15.01\nt,7.00,8.00,9.31,25.31\n")
    assert (one.row, one.column, one.rule, one.value) == ("t", "sum", "sum", 25.31)
    assert one.expected == pytest.approx(24.31)
    assert (one.printed, one.expected_text) == ("25.31", "24.31")
    assert set(one.others) <= {("", "t", column) for column in "abc"}


def test_cells_that_a_sum_confirms_are_no_slips() -> None:
    table = (
        "x,a,b,c,sum\nr,10.1,20.2,30.3,60.6\ns,11.3,22.1,33.2,66.6\nt,12.1,246.2,36.3,294.6\nu,13.1,26.3,39.2,78.6\n"
    )
    assert found(table) == []


@pytest.mark.parametrize(
    "text",
    [
        "x,a\nr,1\n", "x,a,b\nr,1,2\n", "x,a\nr,1\ns,2\nt,3\n", "x,a,b\nr,0,0\ns,0,0\nt,0,0\n",
        "x,mean\nr,1\n", "x,mean,sum\nr,1,1\n", "x,rank\nr,1\n", "x,min,max\nr,,\ns,1,\n", "x,a,b,sd\nr,,,1\ns,1,,1\n",
        "x,a,b,c\nr,5,5,5\ns,5,5,5\nt,5,5,5\nu,5,5,5\n", "x,a,a,a\nr,1,2,3\nr,4,5,7\n", "x,a,b\nmean,1,2\nmean,3,4\n",
        "x,a,b,median\nr,,,\ns,,,3\nt,1,2,1.5\n", "x,a,b,c\nr,-1,-2,-3\ns,-2,-4,-6\n",
        "x,a,b,c\nr,1e99,1e-99,1\ns,1e99,1e-99,2\nt,1e99,1e-99,3\nu,1e99,1e-99,5\n",
    ],
)  # fmt: skip
def test_degenerate_tables_pass_without_warnings(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for one in found(text):
            assert one.rule in RULES


@given(st.binary(max_size=300) | st.text('x,;\t"\n\r0123456789.-+eE%()sumean \ufeff±−', max_size=300).map(str.encode))
@example(b"x,a\nr,\xb2\n")
@example("x,a,b\nr,10 m²,1\ns,12 m²,3\n".encode())
def test_any_bytes_end_in_findings_or_an_error_for_users(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            grids = read(content, "t")
        except UsageError as refusal:
            assert "t" in str(refusal)
        else:
            assert all(one.rule in RULES for one in check(grids))


_CELLS = st.floats(-1e6, 1e6).filter(lambda one: one == 0 or abs(one) > 1e-9) | st.integers(-99, 99) | st.none()


@given(st.lists(st.lists(_CELLS, min_size=4, max_size=4), min_size=1, max_size=6))
def test_any_numbers_end_in_findings(rows: list[list[float | None]]) -> None:
    lines = [
        ",".join([f"{size}", *("" if one is None else f"{one:g}" for one in row)]) for size, row in enumerate(rows)
    ]
    table = "\n".join(["size,a,b,mean,loss", *lines])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if all(one is None for row in rows for one in row):
            with pytest.raises(UsageError):
                found(table)
        else:
            assert all(one.rule in RULES for one in found(table))


REALISTIC: dict[str, str] = yaml.safe_load(Path(__file__).with_name("realistic.yaml").read_text())


@pytest.mark.parametrize("name", REALISTIC)
def test_realistic_tables_without_an_error_are_not_accused(name: str) -> None:
    assert found(REALISTIC[name]) == []
