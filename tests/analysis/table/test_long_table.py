"""Tables of numbers from elsewhere: what is right is read, what is wrong is one sentence with its line."""

from __future__ import annotations

import pytest

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
    ("content", "sentence"),
    [
        (b"", "t.csv: the file is empty"),
        (b"\n\n", "t.csv: the file is empty"),
        (table(), "t.csv: the table has no rows"),
        (b"block,value\n", "t.csv:1: the column metric is missing; there are block, value"),
        (table(header=f"{HEADER},colour"), "t.csv:1: the column colour is not known"),
        (table(header=f"{HEADER},unit"), "t.csv:1: the column unit is there twice"),
        (table(header="block,metric,unit,better,value"), "t.csv:1: the treatment must be in one column treatment, or"),
        (table(header=f"{HEADER},factor:x"), "t.csv:1: the treatment must be in one column treatment, or"),
        (table("1,a,m,s,lower"), "t.csv:2: the row has 5 columns, the header has 6"),
        (table(ROW, "2,a,m,s,lower,fast"), "t.csv:3: the value fast is not a number"),
        (table("1,a,m,s,lower,1_000"), "t.csv:2: the value 1_000 is not a number"),
        (table("1,a,m,s,lower,\u0661"), "t.csv:2: the value \u0661 is not a number"),
        (table("1,a,m,s,lower,0"), "t.csv:2: the value is 0, but ratios need numbers from 1e-30 to 1e30"),
        (table("1,a,m,s,lower,-1"), "t.csv:2: the value is -1, but"),
        (table("1,a,m,s,lower,nan"), "t.csv:2: the value is nan, but"),
        (table("1,a,m,s,lower,1e999"), "t.csv:2: the value is 1e999, but"),
        (table("1,a,m,s,lower,5e-324"), "t.csv:2: the value is 5e-324, but"),
        (table("1,a,m,s,smaller,1"), "t.csv:2: better is smaller, but must be higher or lower"),
        (table("1,a,m,s,,1"), "t.csv:2: better is empty, but must be higher or lower"),
        (table(ROW, "1,b,m,ms,lower,1"), "t.csv:3: m is in ms, lower is better; in line 2 it is in s, lower is better"),
        (table(ROW, "1,b,m,s,higher,1"), "t.csv:3: m is in s, higher is better; in line 2 it is in s, lower is"),
        (table(ROW, ROW), "t.csv:3: a has a value of m in block 1 already, in line 2"),
        (table(",a,m,s,lower,1"), "t.csv:2: the block is empty"),
        (table("1,,m,s,lower,1"), "t.csv:2: the treatment is empty"),
        (table("1,a,,s,lower,1"), "t.csv:2: the metric is empty"),
        (table("1,\xe4,m,s,lower,1").decode().encode("latin-1"), "t.csv:2: this is not UTF-8"),
        (table('1,"a,m,s,lower,1'), "t.csv:2: this is not CSV: unexpected end of data"),
        (table("1,a" * 100_000), "t.csv:"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(content: bytes, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(content, "t.csv")
    assert caught.value.sentence.startswith(sentence)
    assert "\n" not in caught.value.sentence


@pytest.mark.parametrize("header", ["\0" * 100_000, ",".join(f"column{number}" for number in range(50_000))])
def test_a_header_of_another_kind_of_file_is_a_short_sentence(header: str) -> None:
    with pytest.raises(UsageError, match=r"t\.csv:1: the column block is missing; there are ") as caught:
        read(f"{header}\n".encode(), "t.csv")
    assert len(caught.value.sentence) < 300 and "\0" not in caught.value.sentence
