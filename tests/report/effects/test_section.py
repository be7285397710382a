"""Effects on the page: what to change, and a part for each metric."""

from __future__ import annotations

from tests.analysis import sequential_campaign as sequential
from tests.analysis.factor_campaigns import disk_campaign
from virtometer.analysis import analyse
from virtometer.analysis.effects.effect import Effects
from virtometer.report.effects.section import change, section


def test_each_metric_has_figures_notes_and_a_table() -> None:
    of = analyse(disk_campaign()).effects
    first, found = change(of), section(of)
    assert first is not None and found is not None
    assert first.headline.startswith("Change aio from threads to io_uring") and first.tables
    assert len(first.figures) == len(of.metrics)
    for figure, one in zip(first.figures, of.metrics, strict=True):
        assert figure.alternative.startswith(f"Effects on {one.metric}: ")
    assert [part.title for part in found.parts] == [one.metric for one in of.metrics]
    assert all(part.figures and part.tables for part in found.parts)
    assert not found.tables, "no first stage"


def test_a_sequential_design_begins_with_its_first_stage() -> None:
    found = section(analyse(sequential.campaign(keeps=("aio", "cache"))).effects)
    assert found is not None
    assert found.sentences[0].startswith("First stage: ") and len(found.tables) == 1


def test_without_factors_there_is_neither() -> None:
    assert change(Effects()) is None and section(Effects()) is None
