"""Rows in the same order in every block, or nearly so, are found; random ones seldom."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import pytest

from tests.sentences import Said
from virtometer.analysis.table.elsewhere import compare
from virtometer.analysis.table.long_table import LongTable, read
from virtometer.analysis.table.row_order import LEVEL, p_value, places, sentence, sentences


def table(orders: list[str], metrics: str = "m", noise: float = 0.05, seed: int = 1, lag: float = 0.0) -> LongTable:
    """A row for each letter of each block's order, in every metric."""
    luck = random.Random(seed)
    rows = ["block,treatment,metric,unit,better,value"]
    for metric in metrics:
        before = 0.0
        for block, order in enumerate(orders):
            before = lag * before + luck.gauss(0, noise)
            for name in order:
                own = luck.gauss(0, noise) + (before if name == "b" else 0.0)
                rows.append(f"{block},{name},{metric},1/s,higher,{2.718281828**own!r}")
    return read("\n".join(rows).encode(), "t.csv")


def shuffled(names: str, blocks: int, seed: int) -> list[str]:
    luck = random.Random(seed)
    return ["".join(luck.sample(names, len(names))) for _ in range(blocks)]


def numbered(orders: Sequence[str]) -> dict[str, Sequence[str]]:
    return {str(block): order for block, order in enumerate(orders)}


@pytest.mark.parametrize("names", ["ab", "abc", "abcdefgh"])
def test_the_same_order_in_each_of_six_blocks_is_named(said: Said, names: str) -> None:
    found = sentences(table([names] * 6))
    listed = ", ".join(names[:5]) + (" and 3 more" if len(names) > 5 else "")
    assert list(found) == ["m"] and found["m"].startswith("all 6 blocks ") and f"({listed})" in found["m"]
    said(found["m"])


def test_a_treatment_that_is_mostly_first_is_named(said: Said) -> None:
    (text,) = sentences(table(["abc", "acb"] * 5 + ["bac"])).values()
    assert "(a comes early, and is first in 10 of 11 blocks)" in text
    said(text)
    (text,) = sentences(table(["bca", "cba"] * 6)).values()
    assert "(a comes late, and is last in 12 of 12 blocks)" in text


def test_rows_sorted_by_treatment_have_the_same_order_in_every_block() -> None:
    rows = ["block,treatment,metric,unit,better,value"]
    rows += [f"{block},{name},m,s,lower,1" for name in "ab" for block in range(8)]
    assert "all 8 blocks have the same order" in sentences(read("\n".join(rows).encode(), "t.csv"))["m"]


@pytest.mark.parametrize("orders", [["ab"], ["a", "a", "b"], ["ab", "ba"] * 4, ["ab"] * 5])
def test_what_tells_nothing_is_not_named(orders: list[str]) -> None:
    assert sentences(table(orders)) == {}


def test_metrics_of_the_same_rows_are_one_test() -> None:
    same = table(["ab"] * 6, metrics="mn")
    assert set(sentences(same)) == {"m", "n"}


class Counted(list[tuple[str, str, float]]):
    """Rows of a metric that count how many of them were read."""

    read = 0

    def __iter__(self) -> Iterator[tuple[str, str, float]]:
        Counted.read += len(self)
        return super().__iter__()


def test_each_row_of_many_metrics_is_read_once() -> None:
    of = table(["ab", "ba"] * 3, metrics="abcdefghijklmnopqrstuvwxyz")
    of.rows = {name: Counted(rows) for name, rows in of.rows.items()}
    Counted.read = 0
    sentences(of)
    assert Counted.read == 26 * 12


def test_places_are_those_of_first_rows() -> None:
    assert places(table(["abab".replace("abab", "ba")]), "m") == {"0": {"b": 1, "a": 2}}
    assert sentence({}) == ""


@pytest.mark.parametrize(("names", "blocks", "p"), [("abc", 2, 1 / 6), ("abc", 3, 1 / 36), ("abcd", 6, 24.0**-5)])
def test_of_one_order_in_all_blocks_the_chance_is_exact(names: str, blocks: int, p: float) -> None:
    assert p_value(numbered([names] * blocks)) == pytest.approx(p)


def test_blocks_of_different_treatments_are_compared_by_their_places() -> None:
    assert p_value(numbered(["abc", "abd", "acd", "bcd"] * 3)) < 0.01


@pytest.mark.parametrize(("names", "blocks"), [("ab", 6), ("ab", 9), ("abc", 6), ("abcde", 12)])
def test_random_orders_are_seldom_named(names: str, blocks: int) -> None:
    named = sum(p_value(numbered(shuffled(names, blocks, seed))) <= LEVEL for seed in range(200))
    assert named <= 200 * LEVEL + 3.1 * (200 * LEVEL) ** 0.5


@pytest.mark.parametrize(("names", "blocks"), [("ab", 6), ("abcd", 8)])
def test_clean_tables_have_a_note_in_about_5_percent(names: str, blocks: int) -> None:
    noted = 0
    for seed in range(100):
        found = compare(table(shuffled(names, blocks, seed), metrics="mn", seed=seed), "a", 0.05)
        noted += any("order" in note or "block" in note for one in found for note in one.notes)
    assert noted <= 12


def test_findings_have_the_order_once_a_metric_and_the_shape_of_their_blocks(said: Said) -> None:
    orders = shuffled("ab", 40, 2)
    found = {one.subject: one for one in compare(table(orders, lag=0.95, noise=0.02), "a", 0.05)}
    (note,) = [note for note in found["b"].notes if note.startswith("neighbouring blocks of the ratio ")]
    assert re.search(r"\(lag-1 correlation 0\.\d\d\)", note)
    said(note)
    assert not found["a"].notes
    found = {one.subject: one for one in compare(table(["abc"] * 6), "a", 0.05)}
    assert "all 6 blocks have the same order" in found["a"].notes[0]
    assert not [note for note in (*found["b"].notes, *found["c"].notes) if "order of rows" in note]


def test_a_drift_and_an_influence_of_the_order_are_named(said: Said) -> None:
    rows = ["block,treatment,metric,unit,better,value"]
    luck = random.Random(8)
    for block, order in enumerate(shuffled("ab", 12, 5)):
        for place, name in enumerate(order):
            value = (1 + 0.1 * place) * (1 + (name == "b") * 0.001 * luck.random())
            rising = 1 + 0.02 * block * (name == "b") * (1 + 0.01 * luck.random())
            rows.append(f"{block},{name},order,1/s,higher,{value}")
            rows.append(f"{block},{name},drift,1/s,higher,{rising}")
    findings = compare(read("\n".join(rows).encode(), "t.csv"), "a", 0.05)
    found = {one.value.metric: one.notes for one in findings if one.subject == "b"}
    (order,) = [note for note in found["order"] if "order within the block" in note]
    (drift,) = [note for note in found["drift"] if "drifts" in note and "it rises" in note]
    said(order)
    said(drift)
