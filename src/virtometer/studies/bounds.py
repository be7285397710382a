"""Numbers with bounds: what rounding of printed digits allows, or an interval of a measurement. PURE."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from virtometer.studies.data import PublishedValue
from virtometer.studies.printed import number
from virtometer.studies.units import printed_number, unit_and_factor

_BELOW = {"<", "<="}
_ABOVE = {">", ">="}
_NEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Bounded:
    """A value that lies from `low` to `high`, all in one unit. The bounds of an exact value equal it."""

    value: float
    low: float
    high: float

    def over(self, other: Bounded) -> Bounded:
        """This value divided by a positive one. Unbounded above where the other may be zero."""
        if other.value <= 0:
            return Bounded(math.inf, 0, math.inf)
        return Bounded(
            self.value / other.value, self.low / other.high, self.high / other.low if other.low > 0 else math.inf
        )

    def minus(self, other: Bounded) -> Bounded:
        """This value minus another one."""
        return Bounded(self.value - other.value, self.low - other.high, self.high - other.low)

    def turned(self) -> Bounded:
        """1 minus this value: the loss that belongs to a ratio."""
        return Bounded(1 - self.value, 1 - self.high, 1 - self.low)


@dataclass(frozen=True, slots=True)
class Region:
    """The values from `low` to `high`; without them where they are `open`. outside: all other values instead."""

    low: float
    high: float
    open: bool = False
    outside: bool = False

    def holds(self, figure: Bounded) -> bool | None:
        """Whether a value lies here; None where its bounds lie on both sides of a border."""
        inside = self._above(figure.low, self.low) and self._above(-figure.high, -self.high)
        apart = not self._above(figure.high, self.low) or not self._above(-figure.low, -self.high)
        if not inside and not apart:
            return None
        return inside is not self.outside

    def _above(self, one: float, border: float) -> bool:
        slack = _NEARLY * max(1.0, abs(border)) if math.isfinite(border) else 0.0
        return one > border + slack if self.open else one >= border - slack


def geometric_mean(some: Iterable[Bounded]) -> Bounded:
    """The geometric mean of positive values; its bounds are those of all values at their bounds."""
    found = list(some)

    def mean(numbers: list[float]) -> float:
        if any(one <= 0 for one in numbers):
            return 0.0
        return math.exp(sum(map(math.log, numbers)) / len(numbers))

    return Bounded(*(mean([getattr(one, end) for one in found]) for end in ("value", "low", "high")))


def of_printed(value: PublishedValue) -> Bounded | None:
    """A printed number, in the unit of the value, with the bounds that its rounding allows. None where none is known.

    Rounding changes a number by at most half a unit of its last digit. A range or tolerance has its own bounds, and a
    number after < or > has one. A number after `about` counts as it stands.
    """
    if value.value is None:
        return None
    if value.relation in _BELOW:
        return Bounded(value.value, -math.inf, value.value)
    if value.relation in _ABOVE:
        return Bounded(value.value, value.value, math.inf)
    if value.high is not None and value.relation == "range":
        return Bounded((value.value + value.high) / 2, value.value, value.high)
    if value.high is not None:
        return Bounded(value.value, 2 * value.value - value.high, value.high)
    half = _half_a_unit(value)
    return Bounded(value.value, value.value - half, value.value + half)


def _half_a_unit(value: PublishedValue) -> float:
    """Half a unit of the last printed digit; 0 for fractions and counts, which are exact."""
    digits = number(value)
    if "/" in digits or value.unit_printed in {"count", "word", "rank"}:
        return 0.0
    _, factor = unit_and_factor(value.unit_printed, value.workload, value.metric)
    exponent = printed_number(digits).as_tuple().exponent
    assert isinstance(exponent, int), digits
    return float(Decimal(1).scaleb(exponent) / 2 * factor)
