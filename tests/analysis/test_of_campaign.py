"""The analysis of a campaign: what reports show besides the findings, computed once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, outliers, quiet, simulate, with_runs
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.model import Excluded, Failure, FailureKind, Mark, MarkKind

NATIVE, BOX = Place("native"), Place("box", "bubblewrap")
DIED = Failure(FailureKind.GUEST, "the guest died", 0)
NO_DISK = Failure(FailureKind.UNAVAILABLE, "there is no disk", 0)
STEAL = Mark(MarkKind.STEAL, "much was stolen")


def test_nothing_is_computed_twice() -> None:
    analysis = analyse(simulate([NATIVE, BOX], [Work("one"), Work("two")], noise=outliers(0.01)))
    for part in ("findings", "clocks", "measures", "times", "timed", "sweeps", "level_averages", "clock_errors"):
        assert getattr(analysis, part) is getattr(analysis, part)


def test_there_is_one_finding_for_each_cell_in_the_plans_order() -> None:
    campaign = simulate([NATIVE, BOX], [Work("one"), Work("two")], noise=quiet)
    assert [(one.workload, one.subject) for one in analyse(campaign).findings] == list(by_treatment(campaign))


def test_trials_and_reasons_are_counted() -> None:
    campaign = simulate([NATIVE, BOX], blocks=4, noise=quiet, samples=2)
    of_box = [n for n, record in enumerate(campaign.trials) if record.trial.placements[0].environment == "box"]
    died, gone, marked, _ = of_box
    trials = list(campaign.trials)
    trials[died] = replace(trials[died], failure=DIED, runs=())
    trials[gone] = replace(trials[gone], failure=NO_DISK, runs=())
    (run,) = trials[marked].runs
    aside = replace(run.samples[0], excluded=Excluded.CLOCK_ERROR, mark="too uncertain")
    trials[marked] = replace(trials[marked], marks=(STEAL,), runs=(replace(run, samples=(aside, *run.samples[1:])),))
    analysis = analyse(replace(campaign, trials=tuple(trials[:-1])))
    counts = analysis.counts
    assert (counts.planned, counts.ran, counts.missing) == (8, 7, 1)
    assert (counts.failed, counts.unavailable, counts.marked) == (1, 1, 1)
    assert (counts.samples, counts.samples_unused) == (10, 1)
    native, box = analysis.trouble
    assert (native.environment, native.failed, native.samples_unused) == ("native", (), ())
    assert [(one.sentence, one.count) for one in box.failed] == [("the guest died", 1)]
    assert [(one.sentence, one.count) for one in box.unavailable] == [("there is no disk", 1)]
    assert [(one.about.kind, one.sentence, one.count) for one in box.marked] == [(STEAL.kind, STEAL.text, 1)]
    assert [(one.sentence, one.count) for one in box.samples_unused] == [("too uncertain", 1)]


def test_the_worst_error_of_the_clock_is_that_of_the_samples_that_are_used() -> None:
    campaign = simulate([NATIVE, BOX], blocks=2, noise=quiet, samples=3)
    analysis = analyse(campaign)
    assert set(analysis.clock_errors) == set(by_treatment(campaign))
    run = campaign.trials[0].runs[0]
    key = (run.placement.workload, run.placement.environment)
    before = analysis.clock_errors[key]
    twice = with_runs(
        campaign,
        lambda one: replace(
            one, score=replace(one.scored, clock=replace(one.scored.clock, rate_bound=one.scored.clock.rate * 0.02))
        ),
    )
    assert before < 0.01
    assert analyse(twice).clock_errors[key] == pytest.approx(0.02, rel=0.1)
    assert analyse(by_guest_clocks(campaign)).clock_errors == {}


def test_long_windows_beside_slices_are_not_called_unused() -> None:
    made = with_runs(simulate([NATIVE, BOX], blocks=2), lambda run: in_rounds(run, [1e9] * 10, [[1e9] * 12]))
    analysis = analyse(made)
    assert (analysis.counts.samples, analysis.counts.samples_unused) == (4 * 22, 0)
    assert [one.samples_unused for one in analysis.trouble] == [(), ()]
    assert set(analysis.clock_errors) == set(by_treatment(made))
