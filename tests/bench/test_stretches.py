"""The plan of the triad in stretches, the order of its pairs, and what is said of a ratio."""

import pytest

from bench import stretches
from bench.campaigns import plan_of
from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.design.schedule.trials import schedule
from virtometer.model import Estimate

CACHE = 32 << 20
SLICES = ("slices, 2x the cache", "slices, 4x the cache")


def test_slices_have_short_arrays_too_and_the_passes_have_long_ones() -> None:
    plan = plan_of(stretches.plan_text(CACHE, 11, 0.25, 2))
    assert [(one.name, one.parameters["size"], one.scheduling, one.seconds) for one in plan.workloads] == [
        (SLICES[0], 64 << 20, "interleaved", None),
        (SLICES[1], 128 << 20, "interleaved", None),
        ("whole passes", 128 << 20, "continuous", 2),
    ]


@pytest.mark.parametrize("pairs", [2, 6, 11])
def test_as_many_pairs_begin_with_slices_as_with_passes(pairs: int) -> None:
    plan = plan_of(stretches.plan_text(CACHE, pairs, 0.25, 2))
    trials = schedule(plan, ["native", "native again"], stretches.balanced_seed(plan))
    first = stretches.slices_first(trials)
    assert first.keys() == set(SLICES)
    assert all(abs(count - pairs) <= 1 for count in first.values())


def test_slices_of_both_guests_are_compared_with_their_passes_of_the_same_block() -> None:
    efficiency = {SLICES[0]: 1.2, SLICES[1]: 0.9, "whole passes": 1.0}
    works = [Work(name, "memory", "triad", "B/s", 1e10) for name in efficiency]
    campaign = simulate([Place("native"), Place("native again", efficiency=efficiency)], works, blocks=10)
    short, long = stretches.compared(campaign)
    assert (short[0], long[0]) == SLICES
    assert short[1].n == 10 and short[1].value == pytest.approx(1.2**0.5, rel=0.02)
    assert long[1].value == pytest.approx(0.9**0.5, rel=0.02)


@pytest.mark.parametrize(
    ("found", "met", "end"),
    [
        (Estimate(1.01, 0.99, 1.025, 11), True, "met, within"),
        (Estimate(0.98, 0.93, 1.03, 11), True, "met, the interval is wider"),
        (Estimate(1.14, 1.12, 1.15, 11), False, "MISSED"),
        (Estimate(0.96, 0.90, 1.02, 11), False, "MISSED"),
        (Estimate(1.00, None, None, 1), True, "met"),
    ],
)
def test_a_ratio_has_to_lie_within_the_limit(found: Estimate, met: bool, end: str) -> None:
    text, said = stretches.line("slices", found)
    assert said is met
    assert text.startswith("slices, by whole passes: ") and text.endswith(f" pairs: {end}")
