"""A part of a document as a model."""

from __future__ import annotations

from virtometer.design.plan.document import read_document
from virtometer.design.plan.validated import validated
from virtometer.model import Limits


def test_a_part_that_is_right_is_a_model() -> None:
    document = read_document("limits:\n  start_s: 5\n", "p.yaml")
    assert validated(Limits, document, ("limits",), "field") == Limits(start_s=5.0)
    assert not document.wrong


def test_each_mistake_has_its_line_and_a_misspelt_field_one_message() -> None:
    document = read_document("limits:\n  strat_s: 5\n  answer_s: -1\n", "p.yaml")
    assert validated(Limits, document, ("limits",), "field") is None
    (first, unknown), (second, bound) = sorted(document.wrong)
    assert (first, second) == (2, 3)
    assert unknown.startswith("unknown field 'strat_s'; did you mean 'start_s'?")
    assert bound == "'answer_s' is -1, but must be more than 0"
