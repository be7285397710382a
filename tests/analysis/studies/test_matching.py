"""Which series stands for a printed cell."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import NATIVE, levels, linpack, made, named
from virtometer.analysis import Analysis
from virtometer.analysis.studies.matching import NOT_HERE, NOT_YET, Found, Matcher, Missing
from virtometer.studies.data import value
from virtometer.studies.sections import description

GUEST_64, GUEST_32 = value("tsiouprou2010/5.1/r1c3"), value("tsiouprou2010/5.1/r1c2")
STUDY = description("tsiouprou2010")
WORKS = [linpack(1000, 1e9)]


def campaign(*places: Place) -> Analysis:
    some = [NATIVE, *places]
    return made(some, WORKS, levels(some, WORKS), swing=0.0)


def by(*analyses: Analysis) -> tuple[str, int]:
    found = Matcher(STUDY, analyses).find(GUEST_64)
    assert isinstance(found, Found)
    return found.by, found.campaign


def test_the_best_stand_in_of_the_first_campaign_that_has_one() -> None:
    runc, lxc = Place("a", "runc", {"": 0.5}), Place("b", "lxc", {"": 0.4})
    assert by(campaign(runc, lxc)) == ("b", 0)
    assert by(campaign(), campaign(runc), campaign(lxc)) == ("a", 1)


def test_the_campaign_of_the_items_own_experiment_comes_first() -> None:
    def of(name: str, place: Place) -> Analysis:
        return named(campaign(place), name)

    runc, lxc = Place("a", "runc", {"": 0.5}), Place("b", "lxc", {"": 0.4})
    assert by(campaign(lxc), of("tsiouprou2010 linpack", runc)) == ("a", 1)
    assert by(campaign(lxc), of("tsiouprou2010 linpack-32", runc)) == ("a", 1)
    assert by(campaign(lxc), of("tsiouprou2010 linpacks", runc)) == ("b", 0)
    assert by(campaign(lxc), of("lemberger2010 linpack", runc)) == ("b", 0)


def test_cells_are_looked_for_in_one_campaign_alone() -> None:
    runc, lxc = Place("a", "runc", {"": 0.5}), Place("b", "lxc", {"": 0.4})
    matcher = Matcher(STUDY, [campaign(runc), campaign(), campaign(lxc)])
    assert [matcher.within(at).campaigns_for(GUEST_64) for at in range(3)] == [[0], [1], [2]]
    inside = matcher.within(2).find(GUEST_64)
    assert isinstance(inside, Found) and (inside.by, inside.campaign) == ("b", 2)
    assert matcher.within(1).find(GUEST_64) == Missing(NOT_HERE)
    whole = matcher.find(GUEST_64)
    assert isinstance(whole, Found) and (whole.by, whole.campaign) == ("a", 0)
    standing = matcher.within(2).standing(2, "b").find(GUEST_64)
    assert isinstance(standing, Found) and standing.by == "b"


def test_the_campaigns_of_a_study_are_those_of_its_plans() -> None:
    some = [named(campaign(), name) for name in ("tsiouprou2010 linpack", "tsiouprou2010", "klein2008 netperf")]
    assert Matcher(STUDY, some).own == [0] and Matcher(STUDY, some).within(2).own == []


def test_an_experiment_whose_name_goes_on_is_another_one() -> None:
    names = ("tsiouprou2010 parallel-net-disk", "tsiouprou2010 parallel-net")
    some = [named(campaign(), name) for name in names]
    assert Matcher(STUDY, some).campaigns_for(value("tsiouprou2010/6.5/r1c1")) == [1, 0]
    assert Matcher(STUDY, some).campaigns_for(value("tsiouprou2010/6.10/r1c1")) == [0, 1]


def test_bits_must_be_those_of_the_system() -> None:
    matcher = Matcher(STUDY, [campaign(Place("box", "lxc", settings={"bits": 32}))])
    assert matcher.find(GUEST_64) == Missing(NOT_HERE)
    assert isinstance(matcher.find(GUEST_32), Found)


def test_the_guest_is_compared_with_the_native_system_of_its_bits_or_else_with_the_baseline() -> None:
    box = Place("box", "lxc", {"": 0.5}, settings={"bits": 32})
    small = Place("native 32", "native", {"": 0.8}, settings={"bits": 32})
    found = Matcher(STUDY, [campaign(small, box)]).find(GUEST_32)
    assert isinstance(found, Found)
    native = 2 * (2 / 3 * 500**3 + 2 * 500**2) / 1e9
    assert found.values == pytest.approx(dict.fromkeys(range(8), native / 0.5))
    assert found.against == pytest.approx(dict.fromkeys(range(8), native / 0.8))
    found = Matcher(STUDY, [campaign(box)]).find(GUEST_32)
    assert isinstance(found, Found)
    assert found.against == pytest.approx(dict.fromkeys(range(8), native))


def test_reasons() -> None:
    matcher = Matcher(STUDY, [])
    assert matcher.find(GUEST_64) == Missing(NOT_HERE)
    windows = matcher.find(value("tsiouprou2010/5.2/r1c2"))
    assert isinstance(windows, Missing) and "Windows" in windows.reason
    assert matcher.find(value("tsiouprou2010/text-5.1/1")) == Missing(NOT_YET)
    assert matcher.mean(GUEST_64) is None


def test_a_mean_over_sizes_needs_all_of_them() -> None:
    works = [
        Work(f"{size}", "disk", "sequential-write", "B/s", 1e8, parameters={"size": size})
        for size in (4096, 32768, 262144, 1048576)
    ]
    some = made([NATIVE], works, levels([NATIVE], works))
    assert Matcher(STUDY, [some]).find(value("tsiouprou2010/5.3/r1c4")) == Missing(NOT_HERE)


def test_other_settings_of_the_devices_do_not_stand() -> None:
    works = [Work("pipe", "os", "pipe-bandwidth", "B/s", 1e9)]
    plain = Place("plain", "qemu", settings={"disk_device": "nvme", "network_device": "virtio"})
    some = made([NATIVE, plain], works, levels([NATIVE, plain], works))
    cell = next(
        one for one in (value(f"zupka2008/F5.15/bw_pipe/r{row}c1") for row in (1, 2, 3)) if one.devices == "paravirtual"
    )
    assert Matcher(description("zupka2008"), [some]).find(cell) == Missing(NOT_HERE)
