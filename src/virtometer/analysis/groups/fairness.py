"""How fairly the guests of a trial shared what there was.

R. Jain, D.-M. Chiu, W. R. Hawe, "A quantitative measure of fairness and discrimination for resource allocation in
shared computer systems", DEC Research Report TR-301 (1984): (sum x)^2 / (n sum x^2). It forgives much (60 to 40 scores
0.96), so that the worst share, max/min and the coefficient of variation stand beside it.

Each figure is taken within a trial and then averaged over the blocks: it is what the guests of one trial meet. Noise
that differs between guests makes a trial less fair; figures of means over blocks would hide that. Whether it is always
the same guest is the matter of `order`. The worst share of equal guests is below the ideal by noise alone; `equal`
says by how much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.groups.equal import worst_share_of_equal
from virtometer.analysis.statistics import arithmetic
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Better, Estimate, Quantity

_FIGURES = 8  # twice as strict as four figures need: they are skewed, and there are few blocks


@dataclass(frozen=True, slots=True)
class Fairness:
    """Of one trial. Shares are of the sum. cv: standard deviation (n) by mean, so that jain = 1 / (1 + cv^2).

    max_over_min: infinite where a guest got nothing.
    """

    ideal_share: float
    worst_share: float
    max_over_min: float
    cv: float
    jain: float


@dataclass(frozen=True, slots=True)
class FairnessEstimates:
    """Means over the blocks; of max/min the geometric one, None where a guest got nothing. The intervals of the four
    hold jointly.

    worst_share_of_equal: what equal guests with the noise of these blocks have, with its range; None where not known.
    """

    ideal_share: float
    worst_share: Quantity[Estimate]
    max_over_min: Quantity[Estimate] | None
    cv: Quantity[Estimate]
    jain: Quantity[Estimate]
    worst_share_of_equal: Quantity[Estimate] | None = None

    @property
    def unequal(self) -> bool:
        """Whether the worst share is smaller than the noise of equal guests makes it."""
        null = self.worst_share_of_equal and self.worst_share_of_equal.estimate
        return null is not None and null.low is not None and self.worst_share.estimate.value < null.low


def shares(rates: Sequence[float]) -> tuple[float, ...]:
    """The part of the sum that each guest got. ValueError where the sum is not positive or a rate is negative."""
    total = math.fsum(rates)
    if not (total > 0 and min(rates) >= 0 and math.isfinite(total)):
        raise ValueError("shares are of a positive sum of rates that are not negative")
    return tuple(rate / total for rate in rates)


def fairness(rates: Sequence[float]) -> Fairness:
    """The figures of one trial. ValueError as for `shares`."""
    got = shares(rates)
    count = len(got)
    ideal = 1 / count
    variance = math.fsum((share - ideal) ** 2 for share in got) / count
    squares = math.fsum(share**2 for share in got)
    return Fairness(
        ideal_share=ideal,
        worst_share=min(got),
        max_over_min=max(got) / min(got) if min(got) > 0 else math.inf,
        cv=math.sqrt(variance) / ideal,
        jain=1 / (count * squares),
    )


def over_blocks(subject: str, blocks: Sequence[Sequence[float]]) -> FairnessEstimates | None:
    """From the guests' rates in each block; None without a block. All blocks have the same number of guests.

    subject: the environment of the guests.
    """
    if not blocks:
        return None
    found = [fairness(rates) for rates in blocks]
    ideal = found[0].ideal_share
    worst = arithmetic.interval((one.worst_share for one in found), _FIGURES, least=0.0, most=ideal, skewed=True)
    spread = arithmetic.interval((one.cv for one in found), _FIGURES, least=0.0, skewed=True)
    jain = arithmetic.interval((one.jain for one in found), _FIGURES, least=ideal, most=1.0, skewed=True)
    assert worst is not None and spread is not None and jain is not None
    finite = all(math.isfinite(one.max_over_min) for one in found)
    most = interval((math.log(one.max_over_min) for one in found), jointly=_FIGURES) if finite else None
    if most is not None and most.low is not None:
        most = Estimate(most.value, max(most.low, 1.0), most.high, most.n, most.level)
    equal = worst_share_of_equal(blocks)

    def of(metric: str, better: Better, estimate: Estimate, statistic: str = "mean") -> Quantity[Estimate]:
        return Quantity(subject, metric, "", better, statistic, estimate)

    return FairnessEstimates(
        ideal,
        of("worst share", "higher", worst),
        most and of("largest by smallest rate", "lower", most, "geometric mean"),
        of("coefficient of variation", "lower", spread),
        of("index of Jain", "higher", jain),
        equal and of("worst share of equal guests", "higher", equal),
    )
