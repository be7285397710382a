"""The experiment of a long table with factors."""

from __future__ import annotations

import math

import pytest

from tests.sentences import Said
from virtometer.analysis.effects.of_table import effects_of_table, experiment, ordered
from virtometer.analysis.table.long_table import read
from virtometer.errors import UsageError

HEADER = "block,factor:bus,factor:size,metric,unit,better,value"


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\n".join([header, *rows]).encode()


TWO = table(
    "x,ide,4,rate,1/s,higher,10",
    "x,virtio,8,rate,1/s,higher,20",
    "y,ide,8,rate,1/s,higher,",
    "y,ide,4,rate,1/s,higher,11",
)


def test_the_first_treatment_has_the_references_and_rows_keep_their_order() -> None:
    found = experiment(read(TWO, "t.csv"))
    assert [(one.name, one.levels) for one in found.variables] == [("bus", ("ide", "virtio")), ("size", ("4", "8"))]
    (rate,) = found.responses
    assert rate.blocks == [0, 0, 1] and rate.logs == [math.log(10), math.log(20), math.log(11)]
    assert rate.missing == 1 and rate.levels[1] == {"bus": "virtio", "size": "8"}


def test_another_reference_is_a_treatment(said: Said) -> None:
    found = experiment(read(TWO, "t.csv"), "bus=virtio, size=8")
    assert [one.reference for one in found.variables] == ["virtio", "8"]
    assert found.variables[1].ordered == (1, 0), "numbers keep their order, whichever is the reference"
    with pytest.raises(UsageError, match=r"bus=sata.*bus=ide, size=4") as caught:
        experiment(read(TWO, "t.csv"), "bus=sata")
    said(caught.value.sentence)


def test_numbers_are_ordered_and_other_levels_are_not() -> None:
    assert ordered(("10", "9", "1e2")) == (1, 0, 2)
    assert ordered(("10", "nine")) is None and ordered(("nan", "1")) is None


def test_a_table_without_factors_or_levels_is_one_sentence() -> None:
    plain = read(b"block,treatment,metric,unit,better,value\n1,a,m,s,lower,1\n", "t.csv")
    with pytest.raises(UsageError, match="the table has no factors"):
        experiment(plain)
    with pytest.raises(UsageError, match="no factor of the table has two levels"):
        experiment(read(table("x,ide,4,rate,1/s,higher,10"), "t.csv"))


def test_a_table_goes_the_whole_way() -> None:
    rows = [
        f"{block},{bus},4,rate,1/s,higher,{(2 if bus == 'virtio' else 1) * (1 + block / 1000)}"
        for block in range(6)
        for bus in ("ide", "virtio")
    ]
    (rate,) = effects_of_table(read(table(*rows), "t.csv"), None, 0.05).metrics
    (effect,) = rate.effects
    assert effect.term == "bus"
    assert effect.change.estimate.value == pytest.approx(100.0)
    assert [(one.term, one.reason) for one in rate.lost] == [("size", "only size=4 ran")]


def test_an_order_that_was_not_random_is_said_once(said: Said) -> None:
    rows = [
        f"{block},{bus},4,{metric},1/s,higher,{(2 if bus == 'virtio' else 1) * (1 + block / 1000)}"
        for metric in ("rate", "other")
        for block in range(6)
        for bus in ("ide", "virtio")
    ]
    found = effects_of_table(read(table(*rows), "t.csv"), None, 0.05)
    (note,) = [note for metric in found.metrics for note in metric.diagnostics if "order of rows" in note]
    assert note.startswith("all 6 blocks") and "(bus=ide, size=4, bus=virtio" in note
    said(note)
