"""Answers by the cells of a study, and by those of campaigns."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from virtometer.analysis.studies.answers import RatiosFound, answered
from virtometer.analysis.studies.capacity import CapacityFound
from virtometer.analysis.studies.cells import StudySection, section
from virtometer.analysis.studies.effects import EffectsFound
from virtometer.analysis.studies.fairness import FairnessFound
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.ranking import RankingFound
from virtometer.analysis.studies.steps import StepsFound
from virtometer.studies.data import items, studies
from virtometer.studies.questions import Answer, Effects, Parameter
from virtometer.studies.sections import description

WORKS = [linpack(1000, 1e9), linpack(2000, 1e9)]
BOX = Place("box", "lxc", {"linpack 1000": 0.5, "linpack 2000": 0.7})
OF = description("tsiouprou2010")
COST = Answer(question="What does it cost?", published="Little.", cells={"item": ["5.1"], "role": ["guest"]})
BITS = Answer(
    question="What do bits bring?", published="Much.", cells={"item": ["5.1"], "role": ["guest"], "bits": ["64"]},
    against={"bits": "32"},
)  # fmt: skip


def ratios_of(answer: Answer, sections: Sequence[StudySection], matcher: Matcher) -> RatiosFound:
    found = answered(answer, sections, matcher).found
    assert isinstance(found, RatiosFound)
    return found


def test_without_campaigns_the_printed_cells_answer() -> None:
    matcher = Matcher(OF, [])
    sections = [section(items("tsiouprou2010")["5.1"], matcher)]
    found = ratios_of(COST, sections, matcher)
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
    bits = ratios_of(BITS, sections, matcher)
    assert bits.then is not None and bits.then.cells == 4
    assert bits.then.high == pytest.approx(0.351 / 0.333)


def test_campaigns_answer_beside_the_same_printed_cells() -> None:
    matcher = Matcher(OF, [made([NATIVE, BOX], WORKS, levels([NATIVE, BOX], WORKS))])
    found = ratios_of(COST, [section(items("tsiouprou2010")["5.1"], matcher)], matcher)
    assert found.now is not None and found.then_there is not None
    assert (found.now.median, found.now.low, found.now.high) == pytest.approx((0.6, 0.5, 0.7))
    assert found.now.cells == found.then_there.cells == 2
    assert found.by == ("box",)
    assert found.then_there.low == pytest.approx(2.683 / 2.71)


def test_a_question_about_no_cell_has_no_ratios() -> None:
    matcher = Matcher(OF, [])
    none = ratios_of(COST.model_copy(update={"cells": {"item": ["9.9"]}}), [], matcher)
    assert none == RatiosFound(None, None, None)


@pytest.mark.parametrize("study", studies())
def test_each_question_is_answered_in_its_own_way_by_printed_cells(study: str) -> None:
    of = description(study)
    matcher = Matcher(of, [])
    sections = [section(item, matcher) for item in items(study).values()]
    ways = {"effects": EffectsFound, "capacity": CapacityFound, "ranking": RankingFound, "fairness": FairnessFound,
            "steps": StepsFound}  # fmt: skip
    for answer in of.answers:
        way = next((name for name in ways if getattr(answer, name) is not None), "")
        found = answered(answer, sections, matcher)
        assert isinstance(found.found, ways.get(way, RatiosFound))
        assert (found.question, found.published) == (answer.question, answer.published)


def test_a_question_is_about_the_cells_of_its_selectors() -> None:
    matcher = Matcher(OF, [])
    bits = Effects(cells={"item": ["5.1"]}, parameters=[Parameter(name="bits", field="bits", levels=["32", "64"])])
    found = answered(
        Answer(question="?", published="", effects=bits), [section(items("tsiouprou2010")["5.1"], matcher)], matcher
    ).found
    assert isinstance(found, EffectsFound) and found.main[0].then is not None and found.main[0].then.pairs == 4
