"""What the studies calculated, by numbers of hand, and by the printed numbers themselves."""

from __future__ import annotations

import pytest

from virtometer.analysis.studies import derived
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue, items, studies, value, values
from virtometer.studies.sections import DerivedRule, description, rule_of, sources
from virtometer.studies.units import unit_and_factor

DOES_NOT_FOLLOW = {
    # id: (printed, calculated from the printed cells)
    "tsiouprou2010/5.17/r5c2": ("3120.82", 3120.795),
    "tsiouprou2010/6.10/r1c3": ("52.267", 52.269),
    "klein2008/A.2/r8c9": ("3.325", 6.650),
    "lemberger2010/appendix-3-net/r2c2": ("64.16", 64.08),
    "lemberger2010/appendix-3-disk/r4c2": ("48.46", 20935.55),
    "lemberger2010/appendix-3-Netz-Disk-Net/r2c2": ("64.16", 64.08),
    "lemberger2010/appendix-3-Netz-Disk-Disk/r4c2": ("48.46", 20935.55),
}
TRIED = {"tsiouprou2010": 96, "klein2008": 67, "zupka2008": 21, "appel2008": 5, "lemberger2010": 16}


def test_work_and_time_of_linpack_and_of_a_grid() -> None:
    assert derived.linpack_work(2000) == pytest.approx(2 / 3 * 8e9 + 8e6)
    assert derived.linpack_work(3) == pytest.approx(18 + 18)
    assert derived.sweep_work(100) == 807**2
    assert derived.seconds(1e9, 4e9) == 0.25


@pytest.mark.parametrize(("seconds", "runs"), [(100.0, 10), (180.0, 10), (450.0, 4), (451.0, 3), (1801.0, 0)])
def test_runs_that_end_within_half_an_hour(seconds: float, runs: int) -> None:
    assert derived.completed_runs(seconds, 1800, 10) == runs


def test_spread_has_n_minus_1() -> None:
    assert derived.spread([2.0, 4.0, 6.0]) == pytest.approx(2.0)
    assert derived.spread([2.0]) is None


def test_expected_times_are_those_of_the_studies() -> None:
    assert derived.expected_from_fewer(332.19, 2, 3) == pytest.approx(498.285)
    assert derived.expected_from_one(200, 4, 2) == 400
    assert derived.expected_from_one(200, 2, 2) == 200
    assert derived.expected_from_one(200, 1, 2) == 200


def test_service_demand_and_its_check() -> None:
    mega = 2**20
    demand = derived.service_demand(231.88 * mega, 0.5024, 2)
    assert demand * 1e6 * 1024 == pytest.approx(4.232, abs=0.001)
    assert derived.cpu_of_demand(231.88 * mega, demand, 2) == pytest.approx(0.5024)


def test_overbooking_and_asymmetry() -> None:
    assert derived.overbooking(7, 2, 8) == 1.75
    assert derived.asymmetry(160.0, 16.0) == 10
    assert derived.asymmetry(16.0, 160.0) == 10


def test_ranks_are_shared_where_intervals_overlap() -> None:
    some = [Estimate(10, 9, 11, 8), Estimate(12, 10.5, 13, 8), Estimate(5, 4, 6, 8), Estimate(8, None, None, 8)]
    assert derived.ranks(some, "higher") == [1, 1, 4, 3]
    assert derived.ranks(some, "lower") == [3, 3, 1, 2]
    assert derived.ranks([], "lower") == []


def test_wins_count_shared_first_ranks() -> None:
    assert derived.wins([{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 1}]) == {"a": 2, "b": 2}


def test_the_printed_cells_give_every_printed_derived_value() -> None:
    tried = dict.fromkeys(studies(), 0)
    wrong = {}
    for study in studies():
        of = description(study)
        for item in items(study):
            for one in values(study, item):
                rule = rule_of(of.derived, one)
                if rule is None:
                    continue
                some = sources(one, rule)
                if not some or one.value is None or any(source.value is None for source in some):
                    continue
                tried[study] += 1
                calculated, allowed = _calculated(one, some, rule)
                if abs(calculated - _in_print(one)) > allowed:
                    wrong[one.id] = (one.printed, calculated)
    assert tried == TRIED
    assert wrong.keys() == DOES_NOT_FOLLOW.keys()
    for name, (printed, calculated) in DOES_NOT_FOLLOW.items():
        assert wrong[name][0] == printed
        assert wrong[name][1] == pytest.approx(calculated, abs=0.001)


def test_the_expected_time_of_lemberger_is_found_by_its_sources() -> None:
    one = value("lemberger2010/appendix-CPU-angepasst/r2c2")
    rule = rule_of(description("lemberger2010").derived, one)
    assert rule is not None
    (source,) = sources(one, rule)
    assert source.printed == "332.19"
    assert derived.derive(rule.by, [332.19], one, source, 2) == pytest.approx(498.285)


def _calculated(one: PublishedValue, some: tuple[PublishedValue, ...], rule: DerivedRule) -> tuple[float, float]:
    """The number in the printed unit, and how far off rounding of all printed digits may put it."""
    numbers = [source.value or 0.0 for source in some]
    made = derived.derive(rule.by, numbers, one, some[0], rule.processors)
    allowed = _half(one)
    for at, source in enumerate(some):
        moved = [[*numbers[:at], numbers[at] + by * _half(source), *numbers[at + 1 :]] for by in (1, -1)]
        allowed += max(abs(derived.derive(rule.by, of, one, some[0], rule.processors) - made) for of in moved)
    factor = _factor(one)
    return made / factor, allowed / factor * (1 + 1e-9)


def _half(one: PublishedValue) -> float:
    """Half of the last printed digit, in the unit of the value."""
    return 0.5 * 10.0 ** -len(one.printed.partition(".")[2]) * _factor(one)


def _in_print(one: PublishedValue) -> float:
    return (one.value or 0.0) / _factor(one)


def _factor(one: PublishedValue) -> float:
    return float(unit_and_factor(one.unit_printed, one.workload, one.metric)[1])
