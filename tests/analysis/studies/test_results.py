"""All that a page of a study says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made, named
from virtometer.analysis import analyse
from virtometer.analysis.studies.answers import RatiosFound
from virtometer.analysis.studies.results import judged, results
from virtometer.studies.data import items, studies, values
from virtometer.studies.sections import chart_cells


@pytest.mark.parametrize("study", studies())
def test_without_campaigns_every_item_and_every_cell_stands(study: str) -> None:
    found = results(studies()[study], [])
    assert [one.item for one in found.sections] == list(items(study).values())
    assert found.cells == sum(len(values(study, item)) for item in items(study)) and found.filled == 0
    assert found.chart_cells == sum(len(chart_cells(study, item)) for item in items(study)) and found.chart_filled == 0
    assert all(cell.reason for one in found.sections for cell in one.all_cells)
    assert found.campaigns == () and all(row.new is None for row in found.claims)
    assert [one.question for one in found.answers] == [one.question for one in found.of.answers]
    ratios = [one.found for one in found.answers if isinstance(one.found, RatiosFound)]
    assert all(one.now is None and one.then is not None for one in ratios)


def test_campaigns_fill_cells_and_judge_claims() -> None:
    works = [linpack(size, 1e9) for size in (1000, 2000, 4000, 8000)]
    places = [NATIVE, Place("box", "lxc", {"": 0.5}), Place("native 32", "native", settings={"bits": 32}),
              Place("box 32", "lxc", {"": 0.5}, settings={"bits": 32})]  # fmt: skip
    found = results(studies()["tsiouprou2010"], [made(places, works, levels(places, works))])
    assert next(one for one in found.sections if one.item.item == "5.1").filled == 20
    verdicts = {row.claim_id: row.new.verdict for row in found.claims if row.new is not None}
    assert verdicts["c008"] == "disagrees"  # half as fast is not about equal
    assert (found.campaigns, found.shortened) == (("simulated",), ((),))
    assert all(row.short_form == () for row in found.claims)


def test_claims_and_campaigns_keep_that_a_short_form_measured() -> None:
    places = [NATIVE, Place("box", "lxc", {"": 0.5})]
    works = [linpack(1000, 1e9)], [linpack(4000, 1e9)]
    short, whole = (made(places, of, levels(places, of)) for of in works)
    some = [named(whole, "tsiouprou2010 linpack"), named(short, "tsiouprou2010 linpack-b", ["windows of 1 s"])]
    found = results(studies()["tsiouprou2010"], some)
    assert found.shortened == ((), ("windows of 1 s",))
    of_both = next(row for row in found.claims if row.claim_id == "c008")
    assert of_both.new is not None and {one.subject.array_order for one in of_both.new.pairs} == {500, 2000}
    assert of_both.short_form == ("tsiouprou2010 linpack-b",)
    untried = [row for row in found.claims if row.new is not None and not row.new.pairs]
    assert untried and all(row.short_form == () for row in untried)
    alone = judged(studies()["tsiouprou2010"], some[:1])
    assert all(row.short_form == () for row in alone)


def test_claims_stay_undecided_without_intervals() -> None:
    works = [linpack(size, 1e9) for size in (1000, 2000, 4000, 8000)]
    places = [NATIVE, Place("box", "lxc", {"": 0.5})]
    whole = made(places, works, levels(places, works))
    few = tuple(record for record in whole.campaign.trials if record.trial.block < 3)
    found = results(studies()["tsiouprou2010"], [analyse(replace(whole.campaign, trials=few))])
    cells = [cell for one in found.sections for cell in one.all_cells if cell.value is not None]
    assert cells and all(cell.value is not None and cell.value.estimate.low is None for cell in cells)
    verdicts = {row.claim_id: row.new.verdict for row in found.claims if row.new is not None}
    assert verdicts["c008"] == "undecided"
