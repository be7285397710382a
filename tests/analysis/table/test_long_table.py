"""Tables of numbers from elsewhere: what is right is read, what is wrong is one sentence with its line."""

from __future__ import annotations

import pytest

from tests.sentences import Said
from virtometer.analysis.table.long_table import Metric, read
from virtometer.errors import UsageError

HEADER = "block,treatment,metric,unit,better,value"


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *rows]).encode()


def test_values_are_by_metric_treatment_and_block() -> None:
    found = read(
        table(
            "1,a,rate,1/s,higher,10",
            "1,b,rate,1/s,higher,20",
            "2,a,rate,1/s,higher,11",
            "",
            "2,a,time,s,lower,0.5",
        ),
        "t.csv",
    )
    assert found.values == {
        ("rate", "a"): {"1": [10.0], "2": [11.0]},
        ("rate", "b"): {"1": [20.0]},
        ("time", "a"): {"2": [0.5]},
    }
    assert list(found.metrics.values()) == [Metric("rate", "1/s", "higher", 2), Metric("time", "s", "lower", 6)]
    assert list(found.treatments) == ["a", "b"]


def test_columns_may_come_in_any_order_with_spaces_quotes_and_a_mark_of_the_byte_order() -> None:
    text = '\ufeffvalue, better ,unit,metric,treatment,block\r\n1e3,higher,B/s,"a, b",x,first\r\n'
    assert read(text.encode(), "t.csv").values == {("a, b", "x"): {"first": [1000.0]}}


def test_factors_make_treatments_with_levels() -> None:
    header = "block,factor:bus,factor:cache,metric,unit,better,value"
    found = read(table("1,virtio,none,rate,1/s,higher,1", "1,ide,none,rate,1/s,higher,2", header=header), "t.csv")
    assert found.treatments == {
        "bus=virtio, cache=none": {"bus": "virtio", "cache": "none"},
        "bus=ide, cache=none": {"bus": "ide", "cache": "none"},
    }


def test_replicates_are_kept_and_rows_without_a_value_are_counted() -> None:
    header = f"{HEADER},replicate"
    found = read(table("1,a,m,s,lower,1,1", "1,a,m,s,lower,2,2", "2,a,m,s,lower,,1", header=header), "t.csv")
    assert found.values == {("m", "a"): {"1": [1.0, 2.0]}}
    assert found.missing == {("m", "a"): 1}


ROW = "1,a,m,s,lower,1"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param(b"", 0, id="no byte"),
        pytest.param(b"\n\n", 0, id="only ends of lines"),
        pytest.param(table(), 0, id="no row"),
        pytest.param(b"block,value\n", 1, id="no column metric"),
        pytest.param(table(header=f"{HEADER},colour"), 1, id="unknown column"),
        pytest.param(table(header=f"{HEADER},unit"), 1, id="column twice"),
        pytest.param(table(header="block,metric,unit,better,value"), 1, id="no treatment"),
        pytest.param(table(header=f"{HEADER},factor:x"), 1, id="treatment and factors"),
        pytest.param(table("1,a,m,s,lower"), 2, id="short row"),
        pytest.param(table(ROW, "2,a,m,s,lower,fast"), 3, id="a word"),
        pytest.param(table("1,a,m,s,lower,1_000"), 2, id="underscore"),
        pytest.param(table("1,a,m,s,lower,\u0661"), 2, id="Arabic digit"),
        pytest.param(table("1,a,m,s,lower,0"), 2, id="zero"),
        pytest.param(table("1,a,m,s,lower,-1"), 2, id="negative"),
        pytest.param(table("1,a,m,s,lower,nan"), 2, id="nan"),
        pytest.param(table("1,a,m,s,lower,1e999"), 2, id="too large"),
        pytest.param(table("1,a,m,s,lower,5e-324"), 2, id="too small"),
        pytest.param(table("1,a,m,s,smaller,1"), 2, id="unknown better"),
        pytest.param(table("1,a,m,s,,1"), 2, id="no better"),
        pytest.param(table(ROW, "1,b,m,ms,lower,1"), 3, id="two units"),
        pytest.param(table(ROW, "1,b,m,s,higher,1"), 3, id="two directions"),
        pytest.param(table(ROW, ROW), 3, id="value twice"),
        pytest.param(table(",a,m,s,lower,1"), 2, id="no block"),
        pytest.param(table("1,,m,s,lower,1"), 2, id="no treatment in a row"),
        pytest.param(table("1,a,,s,lower,1"), 2, id="no metric"),
        pytest.param(table("1,\xe4,m,s,lower,1").decode().encode("latin-1"), 2, id="Latin-1"),
        pytest.param(table('1,"a,m,s,lower,1'), 2, id="open quote"),
        pytest.param(table("1,a" * 100_000), 2, id="very long row"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(said: Said, content: bytes, line: int) -> None:
    """`line` 0: it is wrong in the whole file."""
    with pytest.raises(UsageError) as caught:
        read(content, "t.csv")
    assert caught.value.sentence.startswith(f"t.csv:{line}: " if line else "t.csv: ")
    assert "\n" not in caught.value.sentence
    said(caught.value.sentence)


@pytest.mark.parametrize("header", ["\0" * 100_000, ",".join(f"column{number}" for number in range(50_000))])
def test_a_header_of_another_kind_of_file_is_a_short_sentence(header: str) -> None:
    with pytest.raises(UsageError, match=r"t\.csv:1: the column block is missing; there are ") as caught:
        read(f"{header}\n".encode(), "t.csv")
    assert len(caught.value.sentence) < 300 and "\0" not in caught.value.sentence
