"""The noise of a host, from campaigns whose noise is known."""

import math
from dataclasses import replace

import pytest
from scipy import special

from tests.analysis.simulated_campaigns import Place, Work, gaussian, in_rounds, quiet, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.stopping.noise import MINUTES, Noise, noise
from virtometer.model import Campaign, Failure, FailureKind, Run, Verdict


def campaign(sd: float, blocks: int, *, seed: int = 1, unit: str = "B/s") -> Campaign:
    places = [Place("native"), Place("native again")]
    return simulate(places, [Work(unit=unit)], blocks=blocks, seed=seed, noise=gaussian(sd), samples=1)


def of(sd: float, blocks: int, *, seed: int = 1) -> Noise:
    (found,) = noise(campaign(sd, blocks, seed=seed))
    return found


def test_the_spread_is_that_of_the_ratio_of_two_trials() -> None:
    assert of(0.05, 400).sd == pytest.approx(0.05 * math.sqrt(2), rel=0.1)
    (found,) = noise(simulate([Place("native"), Place("native again")], noise=quiet, blocks=6, samples=1))
    assert found.sd == pytest.approx(0.0, abs=1e-9)


def test_the_spread_is_that_of_the_ratios_that_verdicts_are_about() -> None:
    """Every other block the second guest stalls in one slice of ten: the typical ratio leaves it out."""
    measured = simulate([Place("native"), Place("native again")], noise=gaussian(0.001), blocks=8, verdict="typical")
    blocks = {run.guest_id: record.trial.block for record in measured.trials for run in record.runs}

    def rounds(run: Run) -> Run:
        slow = run.placement.environment == "native again" and blocks[run.guest_id] % 2 == 1
        return in_rounds(run, [run.scored.value] * 9 + [run.scored.value * (0.01 if slow else 1.0)])

    (found,) = noise(with_runs(measured, rounds))
    assert found.sd is not None and found.sd < 0.005
    total = replace(measured, plan=measured.plan.model_copy(update={"verdict": "total"}))
    (found,) = noise(with_runs(total, rounds))
    assert found.sd is not None and found.sd > 0.04


@pytest.mark.parametrize("unit", ["B/s", "s"])
def test_the_floor_is_the_far_end_of_the_interval_of_the_two_tests(unit: str) -> None:
    measured = campaign(0.05, 8, unit=unit)
    (found,) = noise(measured)
    ratio = analyse(measured).findings[1].ratio.estimate
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    narrower = special.stdtrit(7, 0.95) / special.stdtrit(7, 0.975)  # of 95 % each side of 90 %
    half = math.log(ratio.high / ratio.low) / 2 * narrower
    assert found.floor == pytest.approx(math.expm1(abs(math.log(ratio.value)) + half))
    assert found.blocks == 8


def test_a_block_takes_two_trials_and_two_starts() -> None:
    # Of simulated campaigns: a trial takes 1.25 s, the start of a guest 0.05 s.
    assert of(0.05, 6).block_s == pytest.approx(2 * 1.25 + 2 * 0.05)


def test_a_longer_campaign_finds_less() -> None:
    found = of(0.05, 6).detectable
    assert list(found) == list(MINUTES)
    one, five, thirty = (found[minutes] for minutes in MINUTES)
    assert one is not None and five is not None and thirty is not None
    assert one > five > thirty > 0
    assert math.log1p(one) / math.log1p(thirty) == pytest.approx(math.sqrt(30), rel=0.15)


def test_what_is_called_found_in_a_minute_is_found_in_80_of_100_campaigns_of_a_minute() -> None:
    known = of(0.05, 400)
    edge, seconds = known.detectable[1], known.block_s
    assert edge is not None and seconds is not None
    found = 0
    for seed in range(200):
        places = [Place("native"), Place("slower", efficiency={"": 1 / (1 + edge)})]
        measured = simulate(
            places, blocks=int(60 / seconds), seed=seed, noise=gaussian(0.05), samples=1, margin=0.001, budget_s=60.0
        )
        found += analyse(measured).findings[1].verdict is Verdict.SLOWER
    assert 0.70 <= found / 200 <= 0.90


def test_too_few_blocks_in_a_minute_find_nothing() -> None:
    measured = campaign(0.05, 6)
    slow = replace(measured, trials=tuple(replace(record, wall_s=20.0) for record in measured.trials))
    (found,) = noise(slow)
    assert found.detectable[1] is None
    assert found.detectable[5] is not None


def test_a_workload_without_values_has_a_reason() -> None:
    failure = Failure(FailureKind.UNAVAILABLE, "no direct access here", 0)
    places = [Place("native", fails={"disk": failure}), Place("native again")]
    works = [Work(), Work("disk", "disk", "random-read", "IO/s")]
    good, bad = noise(simulate(places, works, blocks=6, noise=gaussian(0.02), samples=1))
    assert (good.blocks, good.reason) == (6, "")
    assert bad == Noise("disk", 0, None, None, None, dict.fromkeys(MINUTES), bad.reason)
    assert "no direct access here" in bad.reason


@pytest.mark.parametrize(("blocks", "spread"), [(1, False), (3, True)])
def test_few_blocks_have_no_floor(blocks: int, spread: bool) -> None:
    found = of(0.05, blocks)
    assert found.floor is None
    assert (found.sd is not None, found.detectable[5] is not None) == (spread, spread)
