"""Which items of the studies campaigns fill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.study_items import main, named, state
from tests.analysis.simulated_campaigns import Place
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made
from tests.cli.laboratory import stored
from virtometer.analysis.studies.cells import cell_of
from virtometer.analysis.studies.matching import NOT_YET, Matcher
from virtometer.studies.data import items, values
from virtometer.studies.sections import chart_of, description

BOX = Place("box", "lxc", {"": 0.5})


def test_a_cell_needs_a_value_or_a_reason() -> None:
    works, places = [linpack(1000, 1e9)], [NATIVE, BOX]
    matcher = Matcher(description("tsiouprou2010"), [made(places, works, levels(places, works))])
    times = [one for one in values("tsiouprou2010", "5.1") if one.metric == "time" and one.role == "native"]
    bits_64 = {one.array_order: cell_of(one, matcher) for one in times if one.bits == 64}
    measured, other = bits_64[500], bits_64[1000]
    windows = cell_of(next(one for one in values("tsiouprou2010", "5.2") if one.metric == "time"), matcher)
    assert measured.value is not None
    assert other.value is None and windows.value is None
    assert state([measured]) == "full" and state([measured, windows]) == "full"
    assert state([measured, other]) == "partly" and state([other, windows]) == "empty"
    assert state([windows]) == "not here"


def test_a_reason_counts_where_the_item_names_it() -> None:
    windows = "Windows Server 2003: no environment starts Windows"
    of = items("tsiouprou2010")
    assert named(windows, of["5.2"]) and not named(windows, of["5.1"])
    assert not named(NOT_YET, of["5.2"])
    assert not named("", of["5.2"])
    slide = items("appel2008")["slide: CPU not Fully Utilized"]
    of_slide = chart_of("appel2008", slide.item)
    assert of_slide is not None and of_slide.unavailable and not named(of_slide.unavailable, slide)


def test_an_efficiency_of_the_study_needs_one_here() -> None:
    works, places = [linpack(1000, 1e9)], [NATIVE, BOX]
    matcher = Matcher(description("tsiouprou2010"), [made(places, works, levels(places, works))])
    guest = next(one for one in values("tsiouprou2010", "5.1") if one.role == "guest" and one.bits == 64)
    cell = cell_of(guest, matcher)
    assert cell.then is not None and state([cell]) == "full"
    assert state([replace(cell, now=None)]) == "empty" and state([replace(cell, now=None, then=None)]) == "full"


def test_items_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    works, places = [linpack(1000, 1e9)], [NATIVE, BOX]
    campaign = made(places, works, levels(places, works)).campaign
    plan = campaign.plan.model_copy(update={"name": "tsiouprou2010 linpack"})
    stored(
        type(campaign)(**{**{name: getattr(campaign, name) for name in campaign.__slots__}, "plan": plan}),
        tmp_path / "a",
    )
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "\n  5.1: partly" in out and "tables rebuilt: " in out
    assert out.count(" (aimed at: ") == 2
    assert main([str(tmp_path / "nothing")]) == 4
