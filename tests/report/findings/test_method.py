"""How sure the verdicts are: closed, with the control and the stages."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.group_campaigns import group_campaign
from tests.report.showcase import in_turns
from virtometer.analysis import analyse
from virtometer.report.findings.method import section
from virtometer.report.parts import words


def test_it_is_closed_and_has_the_error_of_equivalents_and_the_control() -> None:
    found = section(analyse(simulate([Place("native"), Place("same")], control=True)))
    assert found is not None and found.closed
    assert "wrong `equivalent`" in found.sentences[0]
    assert any("noise floor" in sentence for sentence in found.sentences)
    (control,) = found.tables
    assert control.rows


def test_the_typical_ratio_is_explained_where_verdicts_are_about_it() -> None:
    typical, total = (section(analyse(in_turns(verdict=by))) for by in ("typical", "total"))
    assert typical is not None and words.TYPICAL in typical.sentences
    assert total is not None and words.TYPICAL not in total.sentences


def test_without_a_comparison_there_is_nothing_to_be_sure_of() -> None:
    assert section(analyse(group_campaign())) is None
    assert section(analyse(simulate([Place("native")]))) is None
