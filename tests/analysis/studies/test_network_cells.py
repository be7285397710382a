"""The matrix of netperf between guests, before and after tuning, with the processor time of both ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, with_runs
from tests.analysis.studies.hand_made import NATIVE, made
from tests.analysis.studies.test_cells import assert_fields, filled, values_of
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.studies.matching import NOT_HERE, Matcher
from virtometer.analysis.studies.remarks import remarks
from virtometer.model import Placement, Run, Trial
from virtometer.studies.sections import description

MEGA = 2**20
TUNED = {"tuning": [{"queue_length": 1000}]}
BOX = Place("box", "lxc")
PLACES = [NATIVE, BOX, Place("native tuned", "native", settings=TUNED), Place("box tuned", "lxc", settings=TUNED)]
MATRICES: list[dict[str, Any]] = [
    {"name": "before", "type": "matrix", "members": ["native", "box", "box"]},
    {"name": "after", "type": "matrix", "members": ["native tuned", "box tuned", "box tuned"]},
]
ENDS = {"node6": 1, "node7": 1, "vm2": 2, "vm3": 2, "vm4": 3}
HOSTS = {"node6": 6, "vm2": 6, "node7": 7, "vm3": 7, "vm4": 7}
SHORT = {"node6": "no6", "node7": "no7"}
LOCAL, REMOTE = 2.0, 3.0
"""Service demand in us/KB."""

TO_LABORATORY = (None, 1.0)
"""The study prints no native system; the baseline reaches 1 MB/s here, alone with the laboratory."""

BEFORE = [("node6", "node6"), ("node6", "vm2"), ("node7", "vm3"), ("node7", "vm4"), ("vm3", "vm4")]
"""The pairs on one server in table A.1."""


def rate(placement: Placement, trial: Trial) -> float:
    """In MB/s the numbers of source and target; twice as much after tuning."""
    if not placement.uses:  # to the laboratory
        return MEGA
    target = trial.placements[placement.uses[0]]
    source_end, target_end = (1 if "native" in one.environment else 1 + one.guest for one in (placement, target))
    return MEGA * (10.0 * source_end + target_end) * (2 if "tuned" in placement.environment else 1)


def with_demand(of: Analysis, *, local: float = LOCAL) -> Analysis:
    """Each end may use two processors. local: service demand that is reported of the source, in us/KB."""

    def used(run: Run) -> Run:
        kilobytes = run.scored.value / 1024
        numbers = {
            "service-demand-local": ("s/B", local * 1e-6 / 1024 / run.scored.clock.rate),
            "service-demand-remote": ("s/B", REMOTE * 1e-6 / 1024),
            "cpu-local": ("s/s", kilobytes * LOCAL * 1e-6),
            "cpu-remote": ("s/s", kilobytes * REMOTE * 1e-6 * run.scored.clock.rate),
            "cpus-local": ("1", 2),
            "cpus-remote": ("1", 2),
        }
        return changed(run, measures={name: {"unit": unit, "value": one} for name, (unit, one) in numbers.items()})

    return analyse(with_runs(of.campaign, used))


@pytest.fixture(scope="module")
def both() -> Analysis:
    works = [Work("stream", "net", "stream", "B/s", 1e8, parameters={"size": 16384})]
    return with_demand(made(PLACES, works, rate, MATRICES))


def throughput(source: str, target: str, times: float) -> float:
    return times * (10.0 * ENDS[source] + ENDS[target])


def row(source: str, target: str) -> str:
    return f"{SHORT.get(source, source)} to {SHORT.get(target, target)}"


def full(source: str, target: str, times: float) -> dict[tuple[str, str], float]:
    """A row of netperf in full. 1 MB/s of 2 us/KB take 2048 us in a second, a 976th of two processors."""
    rate = throughput(source, target, times)
    return {
        (row(source, target), "throughput"): rate,
        (row(source, target), "CPU use, sender, local"): 100 * rate * 1024 * LOCAL * 1e-6 / 2,
        (row(source, target), "CPU use, receiver, remote"): 100 * rate * 1024 * REMOTE * 1e-6 / 2,
        (row(source, target), "service demand, sender, local"): LOCAL,
        (row(source, target), "service demand, receiver, remote"): REMOTE,
    }


def test_the_matrix_of_one_server_fills_the_tables_of_its_state(both: Analysis) -> None:
    pairs = [(source, target) for source in ENDS for target in ENDS if HOSTS[source] == HOSTS[target]]
    after = filled("klein2008", "3.2", both)
    expected = {(f"to {target}", f"from {source}"): throughput(source, target, 2) for source, target in pairs}
    assert values_of(after) == pytest.approx(expected)
    assert_fields(after, expected, dict.fromkeys(expected, TO_LABORATORY))
    assert after.reasons == {"a second server is needed": 12}
    first = filled("klein2008", "3.1", both)
    before = values_of(first)
    assert before["to vm4", "from node7"] == pytest.approx(throughput("node7", "vm4", 1))
    assert all(before[key] == pytest.approx(value / 2) for key, value in values_of(after).items() if key in before)
    halves = {key: expected[key] / 2 for key in before}
    assert_fields(first, halves, {key: TO_LABORATORY for key in halves if "vm" in key[1]})  # the baseline has none
    files = filled("klein2008", "3.3", both)
    assert files.filled == 0 and files.reasons == {"a second server is needed": len(files.all_cells)}


def test_cpu_use_and_service_demand_of_both_ends(both: Analysis) -> None:
    found = filled("klein2008", "A.1", both)
    expected: dict[tuple[str, str], float] = {}
    for source, target in BEFORE:
        expected |= full(source, target, 1)
    assert values_of(found) == pytest.approx(expected)
    demands = {key for key in expected if "demand" in key[1]}
    guests = {
        ("vm3 to vm4", "throughput"): TO_LABORATORY,
        ("vm3 to vm4", "service demand, sender, local"): (None, LOCAL),
        ("vm3 to vm4", "service demand, receiver, remote"): (None, REMOTE),
    }
    assert_fields(found, expected, guests, demands)
    after = filled("klein2008", "A.2", both)
    pairs = [(source, target) for source in ENDS for target in ENDS if HOSTS[source] == HOSTS[target]]
    expected = {}
    for source, target in pairs:
        expected |= full(source, target, 2)
    assert values_of(after) == pytest.approx(expected)
    assert after.reasons == {"a second server is needed": 12 * 9, "set by the plan, and not measured": 13 * 4}


def test_a_campaign_without_tuning_is_the_state_before_it() -> None:
    works = [Work("stream", "net", "stream", "B/s", 1e8, parameters={"size": 16384})]
    campaign = made([NATIVE, BOX], works, rate, MATRICES[:1])
    assert filled("klein2008", "3.1", campaign).filled == 6
    after = filled("klein2008", "3.2", campaign)
    assert after.filled == 0 and after.reasons[NOT_HERE] == 13


def test_the_check_of_netperf_is_made_here_too(both: Analysis) -> None:
    def said(of: Analysis) -> list[str]:
        matcher = Matcher(description("klein2008"), [of])
        return [
            line for line in remarks(filled("klein2008", "A.1", of), matcher) if " here" in line or "measured" in line
        ]

    assert len(said(both)) == 1 and "10 of 10 cells here" in said(both)[0]
    wrong = said(with_demand(both, local=LOCAL * 1.05))
    assert "5 of 10 cells here" in wrong[0] and len(wrong) == 1 + 5


def test_directions_and_equal_guests_are_compared_within_the_blocks(both: Analysis) -> None:
    matcher = Matcher(description("klein2008"), [both])
    said = [line for line in remarks(filled("klein2008", "3.2", both), matcher) if line.startswith("Here asymmetric")]
    assert any("vm3 to node7 is 1.75 times as fast as node7 to vm3" in line for line in said)  # 42 to 24 MB/s
    assert any("node7 to vm4 is 1.08 times as fast as node7 to vm3" in line for line in said)  # equal guests
