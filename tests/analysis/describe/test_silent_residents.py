"""What silent guests cost, from pairs of slices with known truth."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import analyse
from virtometer.analysis.describe.silent_residents import log_ratios, silent_residents
from virtometer.analysis.score.slices import residents_apart
from virtometer.model import Campaign, Run, Sample

PIECE_NS = 5_000_000
PLACES = [Place("native"), Place("box", "runc"), Place("vm", "qemu")]
WORKS = [Work("linpack"), Work("triad")]


def with_pairs(run: Run, ratio: float, pairs: int = 2, sd: float = 0.0, seed: int = 0) -> Run:
    """The run with slices of 4 pieces after its own samples; the first piece of each is slow."""
    draw, start_ns = random.Random(seed), run.samples[-1].end_ns
    made: list[Sample] = []
    for number in range(10, 10 + 2 * pairs):
        speed = 1e4 * (ratio if number % 2 == 0 else 1.0) * math.exp(draw.gauss(0, sd))
        for piece in range(4):
            work = round((speed if piece else 10.0) * PIECE_NS * 1e-3)
            made.append(Sample(start_ns, start_ns + PIECE_NS, work, "", slice=number))
            start_ns += PIECE_NS
    return replace(run, samples=(*run.samples, *residents_apart(made, 10)))


def measured(ratio: float, *, blocks: int = 8, sd: float = 0.0, of: str = "linpack triad") -> Campaign:
    """A campaign in which the guests of a block have one start group."""
    campaign = simulate(PLACES, WORKS, blocks=blocks)
    records = []
    for record in campaign.trials:
        trial = replace(record.trial, start_group=record.trial.block)
        (run,) = record.runs
        if run.placement.environment == "native" and run.placement.workload in of:
            run = with_pairs(run, ratio, sd=sd, seed=trial.index)
        records.append(replace(record, trial=trial, runs=(run,)))
    return replace(campaign, trials=tuple(records))


def test_the_ratio_is_that_of_the_slices_without_their_first_samples() -> None:
    found = silent_residents(measured(0.9))
    assert found is not None
    assert found.ratio.value == pytest.approx(0.9, rel=1e-4)
    assert (found.ratio.n, found.pairs, found.guests) == (8, 32, 5)
    assert found.differs
    assert {name: one.value for name, one in found.workloads.items()} == {
        name: pytest.approx(0.9, rel=1e-4) for name in ("linpack", "triad")
    }


def test_blocks_are_the_replicates_and_few_of_them_have_no_interval() -> None:
    few = silent_residents(measured(0.9, blocks=5))
    assert few is not None
    assert (few.ratio.low, few.ratio.high, few.ratio.n, few.differs) == (None, None, 5, False)
    noisy = silent_residents(measured(1.0, sd=0.05))
    assert noisy is not None
    assert noisy.ratio.low is not None
    assert noisy.ratio.high is not None
    assert noisy.ratio.low < 1 < noisy.ratio.high
    assert not noisy.differs
    assert noisy.ratio.high - noisy.ratio.low < 0.1


def test_a_stop_in_one_slice_of_a_block_does_not_move_it() -> None:
    campaign = measured(0.9)
    first = next(at for at, one in enumerate(campaign.trials) if log_ratios(one.runs[0]))
    (run,) = campaign.trials[first].runs
    stopped = tuple(replace(one, work=one.work // 50) if one.slice == 10 else one for one in run.samples)
    record = replace(campaign.trials[first], runs=(replace(run, samples=stopped),))
    trials = (*campaign.trials[:first], record, *campaign.trials[first + 1 :])
    found = silent_residents(replace(campaign, trials=trials))
    assert found is not None
    assert found.ratio.value == pytest.approx(0.9, rel=1e-3)


def test_a_workload_without_slices_is_left_out_and_without_any_there_is_nothing() -> None:
    found = silent_residents(measured(1.1, of="triad"))
    assert found is not None
    assert list(found.workloads) == ["triad"]
    assert silent_residents(simulate(PLACES, WORKS)) is None
    assert analyse(simulate(PLACES, WORKS)).silent_residents is None


def test_a_slice_without_its_partner_or_without_work_is_in_no_pair() -> None:
    (run,) = simulate([Place("native")], [Work()], blocks=1).trials[0].runs
    whole = with_pairs(run, 0.5)
    assert len(log_ratios(whole)) == 2
    for gone in (10, 11):
        lacking = replace(whole, samples=tuple(one for one in whole.samples if one.slice != gone))
        assert len(log_ratios(lacking)) == 1
        still = tuple(replace(one, work=0) if one.slice == gone else one for one in whole.samples)
        assert len(log_ratios(replace(whole, samples=still))) == 1
    single = tuple(one for at, one in enumerate(whole.samples) if one.slice is None or at % 4 == 0)
    assert len(log_ratios(replace(whole, samples=single))) == 2, "a slice may be over after one sample"
    assert log_ratios(run) == []


def test_findings_are_those_without_these_slices() -> None:
    with_them, without = measured(0.5), simulate(PLACES, WORKS)
    assert analyse(with_them).findings == analyse(without).findings
    assert analyse(with_them).counts.samples_unused == 0
