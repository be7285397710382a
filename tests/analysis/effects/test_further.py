"""Blocks that effects get: the rule, and the errors of whole experiments with known truth, 500 of each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tests.analysis.effects.experiments import experiment, response
from tests.analysis.effects.known_effects import NOISE, Case, full
from tests.analysis.effects.staged_effects import BY_RULE, Outcome, repeat
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.further import Reported, allot_effects, blocks_of_workloads, reported
from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.stopping.rule import ALPHA_FACTOR, Allotment

MARGIN = 0.05


def contrast(
    term: str, mean: float, sd: float, *, zero: float = 0.3, none: float = 0.3, work: str = "read"
) -> Reported:
    return Reported(work, term, Spread(mean, sd, 6), 20.0, zero, none)


def allotment(*family: Reported, **more: float) -> Allotment:
    given = {"block_s": {"read": 10.0, "write": 1.0}, "start_s": 0.0, "left_s": math.inf, **more}
    return allot_effects(family, MARGIN, BY_RULE, **given)  # type: ignore[arg-type]


def test_a_precision_takes_steins_blocks_with_the_degrees_of_freedom_of_the_contrast() -> None:
    found = allotment(contrast("a", 0.3, 0.1), contrast("a:b", 0.0, 0.2), precision=0.02)
    t = stats.t.ppf(1 - ALPHA_FACTOR * 0.025, 20)
    needed = {term: math.ceil((t * sd / math.log(1.02)) ** 2) for term, sd in (("a", 0.1), ("a:b", 0.2))}
    assert found.blocks == {("read", term): count for term, count in needed.items()}
    assert blocks_of_workloads(found) == {"read": needed["a:b"]}


def test_what_is_decided_stays_and_what_is_open_goes_on() -> None:
    done = contrast("a", 0.5, 0.05, zero=1e-9, none=1.0), contrast("b", 0.0, 0.01, zero=0.9, none=1e-9)
    assert set(allotment(*done).blocks.values()) == {6}
    found = allotment(*done, contrast("c", 0.0, 0.2))
    assert found.blocks["read", "c"] > 20
    assert found.blocks["read", "a"] == 6


def test_the_largest_contrast_of_a_term_counts() -> None:
    found = allotment(contrast("a", 0.0, 0.02), contrast("a", 0.0, 0.2))
    assert found.blocks == allotment(contrast("a", 0.0, 0.2), contrast("a", 0.0, 0.02)).blocks
    assert found.blocks["read", "a"] > 20


def test_the_cheapest_workload_comes_first_and_others_are_named_by_their_terms() -> None:
    family = contrast("a", 0.0, 0.1), contrast("a", 0.0, 0.1, work="write")
    free = allotment(*family)
    more = free.blocks["write", "a"] - 6
    found = allotment(*family, left_s=more * 1.5)
    assert found.blocks == {("read", "a"): 6, ("write", "a"): free.blocks["write", "a"]}
    assert found.beyond == {("read", "a"): 10.0 * more}
    assert allotment(*family, most_blocks=7).beyond == dict.fromkeys([("read", "a"), ("write", "a")], math.inf)


def test_contrasts_of_all_that_is_to_be_made_best_are_reported() -> None:
    of = experiment(response_of("read"), response_of("cost", beside=True))
    found = reported(of, MARGIN)
    assert {one.workload for one in found} == {"read"}
    assert {one.term for one in found} >= {"aio", "cache", "dummy", "aio:cache"}
    aio = next(one for one in found if one.term == "aio")
    assert aio.of.n == 8 and aio.of.mean == pytest.approx(0.2, abs=0.02)
    assert aio.of.error < 0.01 and aio.zero < 1e-6 and aio.none > 0.99


def response_of(metric: str, *, beside: bool = False):  # type: ignore[no-untyped-def]  # noqa: ANN201
    from tests.analysis.effects.experiments import AIO, CACHE, DUMMY

    return response([AIO, CACHE, DUMMY], lambda levels: 0.2 * (levels["aio"] == "io_uring"), metric, beside=beside)


# --- the errors of whole experiments --------------------------------------------------------------------------

CASES = {
    "2x2": Case([2, 2], full([2, 2]), 6),
    "2x2x2": Case([2] * 3, full([2] * 3), 6),
    "2x3": Case([2, 3], full([2, 3]), 6),
    "2x3x4": Case([2, 3, 4], full([2, 3, 4]), 6),
}
SLOW = pytest.mark.slow
EVERY = [
    ("2x2x2", "AR 0.8", 120),
    ("2x3", "all", 120),
    *(pytest.param(case, noise, 500, marks=SLOW) for case in CASES for noise in NOISE),
]


def with_any(of: list[Outcome], verdict: Influence, term: str = "") -> float:
    """The share of experiments with such a verdict on any contrast, or on one of the term."""
    return float(
        np.mean(
            [
                any(
                    claim.verdict is verdict and term in ("", name)
                    for name, claim in zip(one.names, one.claimed, strict=True)
                )
                for one in of
            ]
        )
    )


@pytest.mark.parametrize("precision", [None, 0.02])
@pytest.mark.parametrize(("case", "noise", "count"), EVERY)
def test_intervals_cover_and_nothing_is_claimed_where_nothing_is(
    case: str, noise: str, count: int, precision: float | None
) -> None:
    of = repeat(CASES[case], noise, precision=precision, repetitions=count)
    assert np.mean([one.holds.mean() for one in of]) >= 0.94
    assert with_any(of, Influence.INFLUENCE) <= 0.05


@pytest.mark.parametrize("precision", [None, 0.02])
@pytest.mark.parametrize(("case", "noise", "count"), EVERY)
def test_no_influence_is_said_wrongly_at_most_once_in_twenty(
    case: str, noise: str, count: int, precision: float | None
) -> None:
    """Of a factor exactly at the margin."""
    of = repeat(CASES[case], noise, {"a": math.log1p(MARGIN)}, precision=precision, repetitions=count, seed=2)
    assert np.mean([one.holds.mean() for one in of]) >= 0.94
    assert with_any(of, Influence.NONE, "a") <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / count)


def test_intervals_are_as_narrow_as_asked_for_in_most_experiments() -> None:
    of = repeat(CASES["2x2x2"], "white", precision=0.03, most=150, repetitions=150)
    widest = np.array([one.half.max() for one in of])
    assert (widest <= math.log(1.03)).mean() >= 0.75
    assert np.quantile(widest, 0.99) <= 1.5 * math.log(1.03)
