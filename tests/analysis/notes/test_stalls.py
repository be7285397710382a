"""The cost of stalls for an environment, and when a note has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.analysis.simulated_campaigns import Place, Work, changed, finding_of, in_rounds, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compare.lost_time import lengths
from virtometer.analysis.notes.stalls import SlowSlices, cost, slow_of
from virtometer.model import Campaign, Estimate, Run, TrialRecord


@pytest.mark.parametrize("unit", ["FLOP/s", "s"])
def test_a_value_far_below_the_agents_median_has_a_note(said: Said, unit: str) -> None:
    campaign = simulate([Place("native"), Place("other")], [Work()], blocks=8)

    def put(record: TrialRecord) -> TrialRecord:
        (run,) = record.runs
        if record.trial.block or run.placement.environment == "native":
            return record
        factor = 0.2 if unit == "s" else 5.0
        median = run.scored.value * factor / run.scored.clock.rate
        return replace(record, runs=(changed(run, unit=unit, agent_value=median),))

    slowed = replace(campaign, trials=tuple(map(put, campaign.trials)))
    (note,) = [note for finding in analyse(slowed).findings for note in finding.notes if "median sample" in note]
    assert note.startswith("1 of 8 trials ") and "by up to 80%" in note
    said(note)
    assert not [note for finding in analyse(campaign).findings for note in finding.notes if "median sample" in note]


TYPICAL = Estimate(0.9, 0.89, 0.91, 8)


def slices(slow: int, of: int, blocks: int, of_blocks: int, times: float = 5.0) -> dict[int, NDArray[np.float64]]:
    """So many slices, so many of them slow by a factor, in so many of the blocks."""
    made = {block: np.ones(of // of_blocks) for block in range(of_blocks)}
    for number in range(slow):
        made[number % blocks][number // blocks] = times
    return made


FEW, MANY = slices(1, 800, 1, 8), slices(14, 400, 7, 8)


@pytest.mark.parametrize(
    ("total", "typical"),
    [
        (None, TYPICAL),
        (Estimate(0.5, 0.4, 0.6, 8), None),
        (Estimate(0.5, None, None, 5), TYPICAL),
        (Estimate(0.5, 0.4, 0.6, 8), Estimate(0.9, None, None, 5)),
        (Estimate(0.85, 0.8, 0.89, 8), TYPICAL),  # the intervals touch
        (Estimate(0.93, 0.91, 0.97, 8), TYPICAL),
    ],
)
def test_stops_are_reported_only_where_both_intervals_are_apart(
    total: Estimate | None, typical: Estimate | None
) -> None:
    assert cost(total, typical, FEW, FEW, against="native") == []


def test_stops_cost_what_the_total_ratio_lies_below_the_typical_one(said: Said) -> None:
    (note,) = cost(Estimate(0.81, 0.75, 0.8899, 8), TYPICAL, MANY, FEW, against="native")
    assert note.startswith("stalls cost 10.0% ") and "0.9 [0.89, 0.91]" in note
    said(note)


def test_stops_of_the_baseline_cost_what_the_total_ratio_lies_above(said: Said) -> None:
    (note,) = cost(Estimate(1.0, 0.92, 1.1, 8), TYPICAL, FEW, MANY, against="native")
    assert note.startswith("stalls of native cost it 10.0% ") and "0.9 [0.89, 0.91]" in note
    said(note)


def test_stops_are_reported_where_slices_show_them_before_the_intervals_do(said: Said) -> None:
    below, above = Estimate(0.81, 0.7, 0.95, 8), Estimate(1.0, 0.85, 1.1, 8)
    (own,) = cost(below, TYPICAL, MANY, FEW, against="native")
    assert own.startswith("stalls cost 10.0% ")
    assert "14 of 400 slices" in own and "1 of 800 of native" in own
    said(own)
    (other,) = cost(above, TYPICAL, FEW, MANY, against="native")
    assert other.startswith("stalls of native cost it 10.0% ") and "1 of 800 slices" in other
    said(other)
    # Of what slows nobody down, or slows both, nothing is said.
    assert cost(below, TYPICAL, FEW, MANY, against="native") == cost(above, TYPICAL, MANY, FEW, against="native") == []
    assert cost(below, TYPICAL, MANY, MANY, against="native") == []
    assert cost(Estimate(0.8997, 0.8, 1.0, 8), TYPICAL, MANY, FEW, against="native") == []


def test_few_stops_are_reported_against_all_environments_and_short_ones_by_the_time_lost(said: Said) -> None:
    below = Estimate(0.81, 0.7, 0.95, 8)
    three, calm, others = slices(3, 186, 3, 6, 14.0), slices(0, 372, 1, 6), slices(0, 1_116, 1, 6)
    assert cost(below, TYPICAL, three, calm, against="native") == []
    (note,) = cost(below, TYPICAL, three, calm, against="native", beside=others)
    assert "3 of 186 slices" in note and "0 of 372 of native" in note and "0 of 1,116 of the others" in note
    said(note)
    assert cost(below, TYPICAL, calm, calm, against="native", beside=others) == []
    short, shorter = slices(24, 186, 6, 6, 1.8), slices(12, 372, 6, 6, 1.3)
    (note,) = cost(below, TYPICAL, short, shorter, against="native")
    assert "slices lost 10.3% of their time" in note and "those of native 1.0%" in note
    said(note)
    assert cost(below, TYPICAL, shorter, short, against="native") == []


@pytest.mark.parametrize(
    ("own", "other", "more"),
    [
        (SlowSlices(14, 400, 7, 8), SlowSlices(1, 800, 1, 8), True),
        (SlowSlices(14, 400, 3, 8), SlowSlices(1, 800, 1, 8), False),  # the host was disturbed in a few blocks
        (SlowSlices(10, 1500, 9, 48), SlowSlices(0, 3000, 0, 48), True),  # one in five short blocks
        (SlowSlices(10, 1500, 2, 48), SlowSlices(0, 3000, 0, 48), False),
        (SlowSlices(3, 100, 3, 6), SlowSlices(0, 200, 0, 6), False),  # chance does so in 4 %
        (SlowSlices(5, 100, 5, 6), SlowSlices(0, 200, 0, 6), True),
        (SlowSlices(400, 400, 8, 8), SlowSlices(0, 0, 0, 0), False),
        (SlowSlices(0, 0, 0, 0), SlowSlices(9, 9, 1, 1), False),
    ],
)
def test_more_slow_slices_than_by_chance(own: SlowSlices, other: SlowSlices, more: bool) -> None:
    assert own.exceed(other) is more
    assert not other.exceed(own)


@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_slices_in_which_a_guest_stood_still_are_found(unit: str) -> None:
    """In each block of 40 slices two at a tenth of the speed, of both environments or of one."""
    calm = [100e9 + 1e9 * (number % 5) for number in range(40)]
    stopped = [rate / 10 if number in (7, 30) else rate for number, rate in enumerate(calm)]

    def made(stops_of: set[str]) -> Campaign:
        campaign = simulate([Place("native"), Place("other")], [Work()], blocks=6)

        def put(run: Run) -> Run:
            rounds = stopped if run.placement.environment in stops_of else calm
            return in_rounds(replace(run, unit=unit, better="lower" if unit == "s" else "higher"), rounds)

        return with_runs(campaign, put)

    def said(campaign: Campaign) -> list[str]:
        return [note for note in finding_of(campaign, "other").notes if note.startswith("stalls")]

    def counted(campaign: Campaign, environment: str) -> SlowSlices:
        return slow_of(lengths(by_treatment(campaign)["memory triad 64 MB", environment]))

    one = made({"other"})
    assert counted(one, "other") == SlowSlices(12, 240, 6, 6)
    assert counted(one, "native") == SlowSlices(0, 240, 0, 6)
    assert len(said(one)) == 1
    assert said(made(set())) == said(made({"native", "other"})) == []
    (of_native,) = said(made({"native"}))
    assert of_native.startswith("stalls of native cost it ")


@pytest.mark.parametrize("slices", [20, 200])
def test_the_median_of_a_guest_is_computed_once(monkeypatch: pytest.MonkeyPatch, slices: int) -> None:
    """As often for ten times the slices: once for each guest in each block, for the verdicts of all comparisons."""
    counted: list[int] = []
    median = np.median

    def count(of: NDArray[np.float64]) -> np.float64:
        counted.append(len(of))
        return np.float64(median(of))

    places = [Place("native"), Place("one"), Place("two"), Place("three")]
    campaign = simulate(places, blocks=6)
    rates = [1e9 * (1.0 if number % 9 else 0.3) for number in range(slices)]
    campaign = with_runs(campaign, lambda run: in_rounds(run, [rate * run.scored.value / 1e9 for rate in rates]))
    monkeypatch.setattr(np, "median", count)
    assert len(analyse(campaign).findings) == len(places)
    assert counted.count(slices) == len(places) * 6
    assert len(counted) < 1000
