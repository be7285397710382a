"""Answers by the cells of a study, and by those of campaigns."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from virtometer.analysis.studies.answers import Ratios, answered
from virtometer.analysis.studies.cells import section
from virtometer.analysis.studies.matching import Matcher
from virtometer.studies.data import items
from virtometer.studies.sections import Answer, description

WORKS = [linpack(1000, 1e9), linpack(2000, 1e9)]
BOX = Place("box", "lxc", {"linpack 1000": 0.5, "linpack 2000": 0.7})
OF = description("tsiouprou2010")
COST = Answer(question="What does it cost?", published="Little.", cells={"item": ["5.1"], "role": ["guest"]})
BITS = Answer(
    question="What do bits bring?", published="Much.", cells={"item": ["5.1"], "role": ["guest"], "bits": ["64"]},
    against={"bits": "32"},
)  # fmt: skip


def test_without_campaigns_the_printed_cells_answer() -> None:
    matcher = Matcher(OF, [])
    sections = [section(items("tsiouprou2010")["5.1"], matcher)]
    found = answered(COST, sections, matcher)
    assert found.now is None and found.then_there is None and found.then is not None
    ratios = sorted(
        native / guest
        for guest, native in (
            (0.351, 0.351), (0.333, 0.332), (2.821, 2.79), (2.71, 2.683),
            (20.961, 20.885), (20.654, 20.533), (162.424, 162.019), (157.325, 156.91),
        )
    )  # fmt: skip
    assert found.then.median == pytest.approx((ratios[3] + ratios[4]) / 2)
    assert (found.then.low, found.then.high, found.then.cells) == pytest.approx((ratios[0], ratios[-1], 8))
    bits = answered(BITS, sections, matcher)
    assert bits.then is not None and bits.then.cells == 4
    assert bits.then.high == pytest.approx(0.351 / 0.333)


def test_campaigns_answer_beside_the_same_printed_cells() -> None:
    matcher = Matcher(OF, [made([NATIVE, BOX], WORKS, levels([NATIVE, BOX], WORKS))])
    found = answered(COST, [section(items("tsiouprou2010")["5.1"], matcher)], matcher)
    assert found.now is not None and found.then_there is not None
    assert (found.now.median, found.now.low, found.now.high) == pytest.approx((0.6, 0.5, 0.7))
    assert found.now.cells == found.then_there.cells == 2
    assert found.then_there.low == pytest.approx(2.683 / 2.71)


def test_a_question_about_no_cell_has_no_ratios() -> None:
    matcher = Matcher(OF, [])
    none = answered(COST.model_copy(update={"cells": {"item": ["9.9"]}}), [], matcher)
    assert (none.then, none.now) == (None, None)
    assert Ratios(1.0, 1.0, 1.0, 1).cells == 1
