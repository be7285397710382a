"""Which ratio a verdict is about: as the plan says, where every block has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, in_rounds, simulate
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compare.ratios import ratios
from virtometer.analysis.statistics.spread import spread
from virtometer.analysis.statistics.verdicts import decide
from virtometer.model import Campaign, Mark, MarkKind, Run, TrialRecord, Verdict, VerdictBy

NATIVE, BOX = Place("native"), Place("box")
WHY = "the verdict is about the total ratio"


def turning(
    change: Callable[[Run, TrialRecord], Run], *, verdict: VerdictBy = "typical", unit: str = "B/s", **plan: Any
) -> Campaign:
    """Eight blocks in which two guests took turns, as `change` says."""
    made = simulate([NATIVE, BOX], [Work(unit=unit, level=1e9 if unit == "B/s" else 1e-9)], verdict=verdict, **plan)
    trials = tuple(
        replace(record, runs=tuple(change(run, record) for run in record.runs), marks=record.marks)
        for record in made.trials
    )
    return replace(made, trials=trials)


def stopped(run: Run, record: TrialRecord) -> Run:
    """The box is as fast as native, with a little noise; in two rounds of each block a stall takes nearly all."""
    block, box = record.trial.block, run.placement.environment == "box"
    speed = 1e9 * (1.002 if box and block % 2 else 1.0)
    return in_rounds(run, [speed / (30 if box and number in (block, 19) else 1) for number in range(20)])


@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_the_plan_chooses_the_ratio_of_the_verdict(unit: str) -> None:
    total = finding_of(turning(stopped, verdict="total", unit=unit), "box")
    typical = finding_of(turning(stopped, unit=unit), "box")
    assert (total.verdict_by, typical.verdict_by) == ("total", "typical")
    assert total.verdict is Verdict.SLOWER
    assert typical.verdict is Verdict.EQUIVALENT
    assert (total.ratio.estimate, total.typical) == (typical.ratio.estimate, typical.typical)
    assert total.ratio.estimate is not None and total.ratio.estimate.value < 0.92
    assert typical.typical is not None and typical.typical.estimate.value == pytest.approx(1.001, abs=2e-4)
    assert (total.decisive, typical.decisive) == (total.ratio.estimate, typical.typical.estimate)
    assert total.p_value is not None and typical.p_value is not None and total.p_value != typical.p_value
    assert total.worst_block is not None and typical.worst_block is not None
    assert typical.worst_block.ratio.estimate.value == pytest.approx(1.0, abs=3e-3), (
        "the worst block is that of the same ratio"
    )
    assert total.worst_block.ratio.estimate.value < 0.92
    assert not [note for note in typical.notes if WHY in note]


def test_the_noise_floor_is_that_of_the_same_ratio() -> None:
    """Only the second guest of the baseline is stopped: the total control differs from 1, the typical one does not."""

    def second_stops(run: Run, record: TrialRecord) -> Run:
        block, second = record.trial.block, run.placement.guest == 2
        rates = [1e9 / (30 if second and number in (block, 19) else 1) for number in range(20)]
        return in_rounds(run, rates)

    total, typical = (turning(second_stops, verdict=by, control=True) for by in ("total", "typical"))
    (of_total,), (of_typical,) = analyse(total).controls, analyse(typical).controls
    assert (of_total.by, of_typical.by) == ("total", "typical")
    assert of_total.ratio.estimate.excludes(1) and not of_typical.ratio.estimate.excludes(1)
    assert of_total.noise_floor is not None and of_typical.noise_floor is not None
    assert of_total.noise_floor > 0.1 > 0.01 > of_typical.noise_floor
    assert finding_of(typical, "box").verdict is Verdict.EQUIVALENT
    assert finding_of(total, "box").verdict is Verdict.UNDECIDED


def test_forecasts_are_about_the_same_ratio() -> None:
    """The blocks of the box differ so much that nothing is decided; stalls come on top."""

    def noisy(run: Run, record: TrialRecord) -> Run:
        block, box = record.trial.block, run.placement.environment == "box"
        speed = 1e9 * math.exp(0.8 * (block * 3 % 8 - 3.5) / 8 if box else 0.0)
        return in_rounds(run, [speed / (30 if box and number == block else 1) for number in range(20)])

    campaign = turning(noisy)
    against, data = by_treatment(campaign).values()
    of = ratios(data, against, "typical")
    typical, total = (decide({0: spread(list(logs.values()))}, 0.05)[0] for logs in (of.typical, of.total))
    found = finding_of(campaign, "box")
    assert (found.verdict, typical.verdict) == (Verdict.UNDECIDED, Verdict.UNDECIDED)
    assert (found.p_value, found.p_adjusted) == (typical.p_value, typical.p_adjusted)
    assert (found.detectable, found.blocks_needed) == (typical.detectable, typical.blocks_needed)
    assert typical.p_value != total.p_value and typical.blocks_needed is not None
    assert found.seconds_needed == pytest.approx((typical.blocks_needed - 8) * 4)


def test_guests_that_took_no_turns_are_compared_by_the_total_ratio_and_a_note_says_so() -> None:
    found = finding_of(simulate([NATIVE, BOX], verdict="typical"), "box")
    assert (found.verdict_by, found.typical) == ("total", None)
    assert f"{WHY}: 8 of 8 blocks have no typical one" in found.notes
    assert not [note for note in finding_of(simulate([NATIVE, BOX]), "box").notes if WHY in note]


def test_one_block_without_rounds_is_enough() -> None:
    """A trial that was measured again had its turns alone."""
    campaign = turning(stopped)
    marked = tuple(
        replace(record, marks=(Mark(MarkKind.AGAIN, "measured later"),))
        if record.trial.block == 3 and record.runs[0].placement.environment == "box"
        else record
        for record in campaign.trials
    )
    found = finding_of(replace(campaign, trials=marked), "box")
    assert (found.verdict_by, found.ratio.estimate and found.ratio.estimate.n, found.typical and found.typical.n) == (
        "total",
        8,
        7,
    )
    assert f"{WHY}: 1 of 8 blocks has no typical one" in found.notes


def test_long_windows_have_no_typical_ratio() -> None:
    campaign = turning(lambda run, _: in_rounds(run, [], [[1e9] * 12], count=True))
    against, data = by_treatment(campaign).values()
    found = ratios(data, against, "typical")
    assert (found.by, found.typical, len(found.total)) == ("total", {}, 8)
    assert found.decisive == found.total
    (note,) = found.notes
    assert note.text == f"{WHY}: 8 of 8 blocks have no typical one"
    assert note.brief == f"{WHY}: not every block has a typical one"


def test_nothing_measured_is_nothing_to_say() -> None:
    campaign = replace(turning(stopped), trials=())
    against, data = by_treatment(campaign).values()
    assert ratios(data, against, "typical").notes == ()
    assert [one.verdict_by for one in analyse(campaign).findings] == ["total", "total"]
