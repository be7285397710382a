"""All types of designs, by the name that plans use."""

from __future__ import annotations

from virtometer.design.factorial.choice import DesignType
from virtometer.design.factorial.full import Full
from virtometer.design.factorial.one_at_a_time import OneAtATime
from virtometer.design.factorial.optimal import Optimal, Random
from virtometer.design.factorial.regular import Fraction
from virtometer.design.factorial.screening import Screening
from virtometer.design.factorial.sequential import Sequential

DESIGNS: dict[str, DesignType] = {
    "full": Full(),
    "fraction": Fraction(),
    "screening": Screening(),
    "optimal": Optimal(),
    "random": Random(),
    "one at a time": OneAtATime(),
    "sequential": Sequential(),
}
