"""Ranks of tools for purposes: printed ones by hand, and those of a campaign with known speeds."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import NATIVE, levels, made
from virtometer.analysis import Analysis
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.ranking import PurposeRanked, ranking
from virtometer.studies.data import items, values
from virtometer.studies.questions import Purpose, Ranking
from virtometer.studies.sections import description

EMULATED, PARAVIRTUAL = "KVM, emulated devices", "KVM, paravirtual devices"
NETWORK = Purpose(
    name="network", cells={"item": ["F5.15/netperf"], "role": ["guest"], "metric": ["throughput"]},
    ranks={"item": ["text 5.1.1"], "metric": ["rank"]},
)  # fmt: skip
DISK = Purpose(
    name="disk", cells={"item": ["F5.15/bonnie++"], "role": ["guest"], "metric": ["throughput"], "statistic": ["one"]}
)
PAGES = Purpose(name="pages", cells={"item": ["F5.15/ab-php"], "role": ["guest"], "metric": ["rate"]})


def ranked(purpose: Purpose, *analyses: Analysis) -> PurposeRanked:
    cells = [one for item in items("zupka2008") for one in values("zupka2008", item)]
    of = Ranking(purposes=[purpose], tools=["virtualizer", "devices"])
    return ranking(of, cells, Matcher(description("zupka2008"), analyses)).purposes[0]


def test_the_faster_tool_is_first_and_ranks_in_words_stand_beside() -> None:
    found = ranked(NETWORK)
    assert [(one.tool, one.rank, one.won) for one in found.then] == [(PARAVIRTUAL, 1, 1), (EMULATED, 2, 0)]
    assert found.then[1].speed == pytest.approx(361 / 805)
    assert (found.tests_then, found.tests_now, found.now) == (1, 0, ())
    assert found.worded == (("Xen, paravirtual", 1), (PARAVIRTUAL, 2))


def test_a_mean_over_tests_ranks_and_each_test_has_its_winner() -> None:
    cells = [one for one in values("zupka2008", "F5.15/bonnie++") if one.metric == "throughput"]
    by = {
        devices: {one.operation: one.value or 0 for one in cells if one.devices == devices and one.statistic == "one"}
        for devices in ("emulated", "paravirtual")
    }
    ratio = 1.0
    won = 0
    for operation, number in by["emulated"].items():
        ratio *= (by["paravirtual"][operation] / number) ** (1 / 5)
        won += by["paravirtual"][operation] * 1.05 >= number
    found = ranked(DISK)
    second = next(one for one in found.then if one.tool == PARAVIRTUAL)
    assert found.tests_then == 5 and second.speed == pytest.approx(ratio) and second.won == won


def test_tools_within_the_margin_share_a_rank() -> None:
    found = ranked(PAGES).then
    assert [(one.tool, one.rank, one.won) for one in found] == [(PARAVIRTUAL, 1, 1), (EMULATED, 1, 1)]
    assert found[1].speed == pytest.approx(362.32 / 377.36)


WORKS = [Work("stream", "net", "stream", "B/s", 1e8, parameters={"size": 16384})]


def test_all_environments_of_a_campaign_but_its_baseline_are_ranked() -> None:
    places = [NATIVE, Place("slow", "qemu", {"": 0.1}), Place("box", "lxc", {"": 0.9}), Place("pod", "runc", {"": 0.9})]
    found = ranked(NETWORK, made(places, WORKS, levels(places, WORKS)))
    assert [(one.tool, one.rank, one.won) for one in found.now] == [("box", 1, 1), ("pod", 1, 1), ("slow", 3, 0)]
    assert found.now[2].speed == pytest.approx(1 / 9) and found.tests_now == 1


def test_one_environment_is_no_ranking() -> None:
    places = [NATIVE, Place("box", "lxc", {"": 0.9})]
    assert ranked(NETWORK, made(places, WORKS, levels(places, WORKS))).now == ()


def test_the_swing_of_blocks_hides_no_difference() -> None:
    places = [NATIVE, Place("box", "lxc", {"": 0.9}), Place("pod", "runc", {"": 0.85})]
    found = ranked(NETWORK, made(places, WORKS, levels(places, WORKS)))
    assert [(one.tool, one.rank) for one in found.now] == [("box", 1), ("pod", 2)]  # blocks swing by a tenth
