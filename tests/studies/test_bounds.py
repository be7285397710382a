"""Numbers with bounds, and the regions in which a claim holds."""

from __future__ import annotations

import math

import pytest

from virtometer.studies.bounds import Bounded, Region, geometric_mean, of_printed
from virtometer.studies.data import value

MIB = 2**20


def exact(one: float) -> Bounded:
    return Bounded(one, one, one)


def test_quotients_and_differences_have_the_widest_bounds() -> None:
    assert Bounded(6, 5, 8).over(Bounded(2, 1, 4)) == Bounded(3, 1.25, 8)
    assert Bounded(6, 5, 8).minus(Bounded(2, 1, 4)) == Bounded(4, 1, 7)
    assert Bounded(0.75, 0.5, 1.25).turned() == Bounded(0.25, -0.25, 0.5)


def test_a_quotient_of_what_may_be_zero_has_no_upper_bound() -> None:
    assert exact(6).over(Bounded(2, 0, 4)) == Bounded(3, 1.5, math.inf)
    assert exact(6).over(exact(0)).high == math.inf


def test_a_geometric_mean_has_the_means_of_the_bounds() -> None:
    found = geometric_mean([Bounded(1, 0.5, 2), Bounded(4, 2, 8)])
    assert (found.value, found.low, found.high) == pytest.approx((2, 1, 4))
    assert geometric_mean([Bounded(1, 0, 2), exact(4)]).low == 0


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (exact(1), True), (exact(0.95), True), (exact(1.05), True), (exact(1.0501), False), (exact(0.9499), False),
        (Bounded(1, 0.94, 1.01), None), (Bounded(1, 0.94, 1.06), None), (Bounded(1.2, 1.06, 1.3), False),
        (Bounded(1, 0.95, 1.05), True),
    ],
)  # fmt: skip
def test_a_closed_region_holds_its_ends_and_is_undecided_across_a_border(figure: Bounded, holds: bool | None) -> None:
    assert Region(0.95, 1.05).holds(figure) is holds
    assert Region(0.95, 1.05, outside=True).holds(figure) is (None if holds is None else not holds)


@pytest.mark.parametrize(
    ("figure", "holds"),
    [(exact(1), False), (exact(1.001), True), (Bounded(1, 0.99, 1.01), None), (Bounded(1.1, 1, 1.2), None)],
)
def test_an_open_region_does_not_hold_its_ends(figure: Bounded, holds: bool | None) -> None:
    assert Region(1, math.inf, open=True).holds(figure) is holds


def test_rounding_allows_half_a_unit_of_the_last_digit() -> None:
    seconds = of_printed(value("tsiouprou2010/5.1/r1c2"))  # 0.351 s
    assert seconds is not None
    assert (seconds.value, seconds.low, seconds.high) == pytest.approx((0.351, 0.3505, 0.3515))
    rate = of_printed(value("tsiouprou2010/5.3/r1c3"))  # 27.98 MB/s
    assert rate is not None
    assert (rate.low, rate.high) == pytest.approx((27.975 * MIB, 27.985 * MIB))


@pytest.mark.parametrize(
    ("identity", "bounds"),
    [
        ("klein2008/text-3.5/4", (405, 400, 410)),
        ("zupka2008/text-3.1.1/1", (0.15, 0.1, 0.2)),
        ("zupka2008/text-3.5.4/1", (2**31, -math.inf, 2**31)),
        ("appel2008/text-slide-CPU-not-Fully-Utilized/1", (5, 5, math.inf)),
        ("zupka2008/text-5.1.2/1", (0.25, 0.25, 0.25)),
        ("klein2008/text-3.6.2/3", (0.6, 0.595, 0.605)),
    ],
)
def test_ranges_tolerances_limits_and_fractions_have_their_own_bounds(identity: str, bounds: tuple[float, ...]) -> None:
    found = of_printed(value(identity))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx(bounds)


def test_a_restored_number_has_the_digits_of_its_value_and_an_unreadable_one_has_none() -> None:
    restored = of_printed(value("lemberger2010/appendix-3-disk/r1c1"))  # 28.73 MB/s
    assert restored is not None and restored.high - restored.low == pytest.approx(0.01 * MIB)
    assert of_printed(value("lemberger2010/appendix-3-disk/r2c4")) is None
