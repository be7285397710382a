"""`equivalent` by the typical ratio says so where total work is not shown to be equivalent too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, gaussian, scored, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.compared.environments import compare_environments
from virtometer.analysis.notes.between_stalls import qualification
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import Campaign, Estimate, Run, Sample, Verdict
from virtometer.report.parts import words

QUICK = 31, 0.008
"""Slices of a block of the quick plan, and their length in s."""

CALM, NOISY = Spread(0.0, 0.004, 6), Spread(-0.13, 0.1, 6)
TOTAL = Estimate(0.88, 0.8, 0.97, 6)


@pytest.mark.parametrize(
    ("verdict", "by", "logs", "shown"),
    [
        (Verdict.EQUIVALENT, "typical", NOISY, "between stalls; total 0.88 [0.80, 0.97]"),
        (Verdict.EQUIVALENT, "typical", None, "between stalls; total 0.88 [0.80, 0.97]"),
        (Verdict.EQUIVALENT, "typical", CALM, ""),
        (Verdict.EQUIVALENT, "total", NOISY, ""),
        (Verdict.SLOWER, "typical", NOISY, ""),
        (Verdict.UNDECIDED, "typical", NOISY, ""),
    ],
)
def test_an_equivalence_of_rounds_needs_that_of_the_total(
    verdict: Verdict, by: str, logs: Spread | None, shown: str
) -> None:
    assert qualification(verdict, by, (logs, TOTAL), 0.05) == shown  # type: ignore[arg-type]


def test_the_tests_of_the_total_have_the_level_of_the_campaign() -> None:
    """At 5 % the total passes, at 3 % it does not."""
    logs = Spread(0.0, 0.055, 6)
    assert qualification(Verdict.EQUIVALENT, "typical", (logs, TOTAL), 0.05, 1.0) == ""
    assert qualification(Verdict.EQUIVALENT, "typical", (logs, TOTAL), 0.05, 0.6) != ""


def test_bounds_are_shown_where_there_are_any() -> None:
    for total, shown in (
        (None, "not known"),
        (Estimate(0.9, None, None, 3), "0.90"),
        (Estimate(31.2, 9.0, 100.4, 6), "31.2 [9.00, 100]"),
    ):
        assert qualification(Verdict.EQUIVALENT, "typical", (None, total), 0.05) == f"between stalls; total {shown}"


def quick(seed: int, stops: int, *, stop_s: float = 0.11, noise: float = 0.02, everywhere: float = 0.0) -> Campaign:
    """A campaign of the quick plan's blocks and slices, in which slices of `box` are longer by a stall.

    stops: how many of its 186 slices. noise: of a slice, beside 0.3 % from block to block. everywhere: share of
    the slices of all guests that are longer by a stall.
    """
    rounds, slice_s = QUICK
    places = [Place("native"), Place("box"), *(Place(f"other {number}") for number in range(4))]
    campaign = simulate(
        places,
        [Work()],
        blocks=6,
        seed=seed,
        noise=gaussian(0.003),
        control=True,
        verdict="typical",
    )
    rng = np.random.default_rng(seed)
    stopped = {(at // rounds, at % rounds) for at in rng.choice(6 * rounds, stops, replace=False).tolist()}
    blocks = {run.guest_id: record.trial.block for record in campaign.trials for run in record.runs}

    def put(run: Run) -> Run:
        lasted = slice_s * np.exp(rng.normal(0, noise, rounds))
        work = np.round(run.scored.value * slice_s)
        lasted += stop_s * (rng.random(rounds) < everywhere)
        if run.placement.environment == "box":
            lasted += [stop_s * ((blocks[run.guest_id], at) in stopped) for at in range(rounds)]
        ends = run.samples[0].start_ns + np.cumsum(np.round(lasted * 1e9)).astype(np.int64)
        begins = [run.samples[0].start_ns, *ends[:-1].tolist()]
        return scored(
            replace(
                run,
                samples=tuple(
                    Sample(begin, end, int(work), "ok", slice=number)
                    for number, (begin, end) in enumerate(zip(begins, ends.tolist(), strict=True))
                ),
            )
        )

    return with_runs(campaign, put)


@pytest.mark.parametrize("stops", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_stops_that_cost_much_are_in_the_words_and_in_a_note(stops: int) -> None:
    """60 campaigns with 2 or 3 stalls of 110 ms in 186 slices of 8 ms, which cost 12 to 17 % of the work."""
    for seed in range(60):
        finding = finding_of(quick(seed, stops), "box")
        assert finding.ratio.estimate is not None and finding.ratio.estimate.value < 0.92
        assert finding.verdict is Verdict.EQUIVALENT
        assert words.verdict(finding).startswith("equivalent between stalls; total 0.")
        assert any("took more than 2 times as long" in note or note.startswith("stalls cost") for note in finding.notes)


def test_without_stops_the_words_seldom_stand_and_no_stop_is_reported() -> None:
    """60 campaigns with the noise of a quiet host, 300 comparisons."""
    found = [one for seed in range(60) for one in analyse(quick(seed, 0)).findings[1:]]
    assert sum(one.verdict is Verdict.EQUIVALENT for one in found) >= 290
    assert sum(bool(one.qualified) for one in found) <= 6
    assert sum(note.startswith("stalls") for one in found for note in one.notes) <= 3


def test_equal_stops_everywhere_are_reported_of_few() -> None:
    """Stalls in 2 % of the slices of all guests: what chance leaves of them on one side is no difference."""
    found = [one for seed in range(40) for one in analyse(quick(seed, 0, everywhere=0.02)).findings[1:]]
    assert sum("took more than 2 times" in note for one in found for note in one.notes if note[:6] == "stalls") <= 4


def test_comparisons_of_environments_have_the_words_too() -> None:
    campaign = quick(3, 3)
    (finding,) = (
        one.finding for one in compare_environments(campaign, "native", "box", 0.05, verdict="typical").compared
    )
    assert words.verdict(finding).startswith("equivalent between stalls; total 0.")
    calm = compare_environments(quick(3, 0), "native", "box", 0.05, verdict="typical")
    (finding,) = (one.finding for one in calm.compared)
    assert words.verdict(finding) == "equivalent"
