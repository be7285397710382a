"""What is calculated from the cells of a table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.analysis.simulated_campaigns import Place, Work, changed, with_runs
from tests.analysis.studies.hand_made import ALONE, NATIVE, levels, linpack, made
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.studies.cells import section
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.remarks import remarks
from virtometer.model import Placement, Trial
from virtometer.studies.data import items
from virtometer.studies.sections import description

MEGA = 2**20


def said(study: str, item: str, *analyses: Analysis) -> str:
    matcher = Matcher(description(study), analyses)
    return "\n".join(remarks(section(items(study)[item], matcher), matcher))


def test_overbooking_is_that_of_the_host_of_the_study() -> None:
    text = said("appel2008", "slide: Fair CPU Sharing Between VMs")
    assert "7 guests: 1.75 " in text and "4 guests: 1 " in text and "1 guest" not in text


def test_expected_times_from_one_and_from_two_guests() -> None:
    text = said("lemberger2010", "appendix: CPU angepasst")
    assert "498.28 s expected from two guests, 521.07 s printed, 1.046 " in text
    assert "319.81 s expected from one guest, 521.07 s printed, 1.629 " in text


def test_expected_times_here() -> None:
    box = Place("box", "lxc")
    works = [linpack(4000, 1e9)]

    def rate(placement: Placement, trial: Trial) -> float:
        return works[0].level * {1: 1.0, 2: 0.8, 3: 0.5}[len(trial.placements)]

    growing = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 2, 3]}
    text = said("lemberger2010", "appendix: CPU angepasst", made([NATIVE, box], works, rate, [growing, ALONE]))
    # 106.83 s alone, 133.53 s with another one, 213.65 s with two others
    assert "160.24 s expected from one guest, 213.65 s measured here, 1.333 " in text
    assert "200.3 s expected from two guests, 213.65 s measured here, 1.067 " in text
    assert "and 1.5 here" in text


def test_asymmetric_pairs_are_named_in_the_faster_direction() -> None:
    assert "vm4 to node7 is 9.16 " in said("klein2008", "3.2")


def test_throughput_times_service_demand_is_checked() -> None:
    lines = said("klein2008", "A.2").splitlines()
    checks = [line for line in lines if "ervice demand" in line or line.startswith("It is not")]
    assert "of 50 cells" in checks[0]
    assert any("vm4 to no7" in line for line in checks[1:])


def test_ranks_are_counted_where_rows_are_systems() -> None:
    text = said("zupka2008", "F5.15/bonnie++")
    assert "8 columns, printed" in text and "native 5" in text
    assert "First" not in said("zupka2008", "text 5.1.2")


def test_levels_by_the_caches_of_this_machine() -> None:
    works = [
        Work(
            f"write {size}", "memory", "write", "B/s", rate * MEGA, parameters={"size": size, "type": "int"},
            of="write", levels={"size": size},
        )
        for size, rate in ((1024 << at, 16.0 - at) for at in range(16))
    ]  # fmt: skip
    found = made([NATIVE], works, levels([NATIVE], works), swing=0.0)
    caches = {"l1d-bytes": {"unit": "B", "value": 32 << 10}, "l2-bytes": {"unit": "B", "value": 1 << 20}}
    text = said("tsiouprou2010", "5.7", _with(found, caches))
    # 1 KB to 32 KB lie in L1: 16 to 11 MB/s. To 1 MB in L2: 10 to 6. RAM: 5 to 1.
    assert "native, int write: L1 13.5 MB/s, L2 8 MB/s, RAM 3 MB/s" in text
    assert "By the caches" not in said("tsiouprou2010", "5.7", found)


def _with(of: Analysis, measures: Mapping[str, object]) -> Analysis:
    return analyse(with_runs(of.campaign, lambda run: changed(run, measures=measures)))
