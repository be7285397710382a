"""Further measures of guests in groups, calculated by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.analysis.groups.injected import member, trial
from tests.analysis.simulated_campaigns import Place, Work, changed, simulate
from virtometer.analysis.groups.further import MEANINGS, inconsistent, names, of_trial, over_blocks, reported
from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.analysis.groups.network import network
from virtometer.model import Estimate, GuestUse, Quantity

RATE = 2e8
LOCAL, REMOTE = 1.5e-9, 3e-9
"""CPU seconds per byte, of which 2e8 B/s take 0.3 and 0.6 processors."""

REPORTED = {
    "service-demand-local": ("s/B", LOCAL),
    "service-demand-remote": ("s/B", REMOTE),
    "cpu-local": ("s/s", RATE * LOCAL),
    "cpu-remote": ("s/s", RATE * REMOTE),
}


def pair(block: int, factor: float = 1.0) -> GroupTrial:
    """Half a second in which the source had 0.2 s of CPU time, and the target 0.35 s."""
    source = replace(member(RATE * factor, unit="B/s", cpu_s=0.2), measures=REPORTED, use=_use(0.05, 0.15))
    server = replace(member(1.0, 2, cpu_s=0.35), rate=None, value=None, use=_use(0.05, 0.3))
    made = trial(block, [source], type="pair", window_s=0.5, services={"box": "box #2"})
    return replace(made, servers=(server,))


def units(of: Mapping[str, tuple[str, float]]) -> dict[str, str]:
    return {name: unit for name, (unit, _) in of.items()}


def numbers(of: Mapping[str, tuple[str, float]]) -> dict[str, float]:
    return {name: number for name, (_, number) in of.items()}


def _use(user: float, system: float) -> GuestUse:
    return GuestUse(user + system, 0.0, 0.0, user, system)


def test_both_ends_of_a_path_have_their_accounts() -> None:
    one = pair(0)
    found = of_trial(one, one.members[0])
    expected = {
        "host-cpu": ("s/s", 0.4), "host-cpu-by-work": ("s/B", 2e-9),
        "host-cpu-user": ("s/s", 0.1), "host-cpu-system": ("s/s", 0.3),
        "target-host-cpu": ("s/s", 0.7), "target-host-cpu-by-work": ("s/B", 3.5e-9),
        "target-host-cpu-user": ("s/s", 0.1), "target-host-cpu-system": ("s/s", 0.6),
        **REPORTED,
    }  # fmt: skip
    assert units(found) == units(expected)
    assert numbers(found) == pytest.approx(numbers(expected))
    assert {name for name in found if "host" in name} == MEANINGS.keys()


def test_a_target_in_the_same_guest_is_not_counted_twice_and_an_unknown_account_is_nothing() -> None:
    one = pair(0)
    (source,) = one.members
    itself = replace(one, services=(("box", "box"),), servers=(replace(one.servers[0], guest="box", instance="box"),))
    assert not any(name.startswith("target-") for name in of_trial(itself, source))
    unknown = replace(one, servers=())
    assert "target-host-cpu" not in of_trial(unknown, source) and "host-cpu" in of_trial(unknown, source)
    assert of_trial(one, replace(source, host_cpu_s=None)).keys().isdisjoint({"host-cpu", "host-cpu-by-work"})
    assert "cpu-local" not in of_trial(one, replace(source, value=None, rate=None))


def test_work_beside_other_work_in_one_guest_has_no_cost_of_its_own() -> None:
    cpu, disk = member(1e9), replace(member(2e4, workload="disk", unit="IO/s"), guest="box")
    found = of_trial(trial(0, [cpu, disk]), cpu)
    assert "host-cpu-by-work" not in found and found["host-cpu"] == ("s/s", 1.0)
    timed = member(1e6, unit="s")
    for alone, unit, seconds in ((disk, "s/IO", 1 / 2e4), (timed, "s", 1e-6)):
        found = of_trial(trial(0, [alone]), alone)
        assert units(found)["host-cpu-by-work"] == unit
        assert numbers(found)["host-cpu-by-work"] == pytest.approx(seconds)


def test_the_interval_is_that_of_the_blocks() -> None:
    swing = 0.1
    some: list[tuple[GroupTrial, Member]] = []
    for block in range(8):
        one = pair(block, math.exp(swing if block % 2 else -swing))
        some.append((one, one.members[0]))
    found = over_blocks(some, "box")["host-cpu-by-work"]
    half = 2.364624 * swing * math.sqrt(8 / 7) / math.sqrt(8)  # Student's t of 7 degrees by the standard error
    of = found.estimate
    assert of is not None and (found.unit, found.statistic, of.n) == ("s/B", "geometric mean", 8)
    assert (of.value, of.low, of.high) == pytest.approx((2e-9, 2e-9 * math.exp(-half), 2e-9 * math.exp(half)), rel=1e-5)
    assert over_blocks(some, "box", host=False).keys() == REPORTED.keys()


def test_what_may_be_zero_has_an_arithmetic_mean() -> None:
    some = []
    for block in range(8):
        one = pair(block)
        some.append((one, replace(one.members[0], measures={"loss": ("1", 0.02 * (block % 2))})))
    found = over_blocks(some, "box")["loss"]
    assert found.statistic == "mean" and found.estimate is not None and found.estimate.value == pytest.approx(0.01)


def test_throughput_times_service_demand_is_the_cpu_use() -> None:
    trials = [pair(block) for block in range(8)]
    (matrix,) = network(trials, "guest to guest", "pair")
    assert matrix.measures["box", "box #2"]["target-host-cpu"].estimate is not None
    assert not matrix.notes
    wrong = [replace(one, members=(replace(one.members[0], value=1.05 * RATE),)) for one in trials]
    (matrix,) = network(wrong, "guest to guest", "pair")
    assert [("local" in note, "remote" in note) for note in matrix.notes] == [(True, False), (False, True)]


def test_two_per_cent_are_allowed() -> None:
    def measures(use: float) -> dict[str, Quantity[Estimate | None]]:
        given = {"service-demand-local": LOCAL, "cpu-local": use}
        return {name: Quantity("", name, "", None, "", Estimate(one, None, None, 1)) for name, one in given.items()}

    value = Estimate(RATE, None, None, 1)
    assert not list(inconsistent(value, measures(0.3 * 1.015)))
    assert len(list(inconsistent(value, measures(0.3 * 1.03)))) == 1
    assert not list(inconsistent(None, measures(1.0))) and not list(inconsistent(value, {}))


def test_what_is_reported_is_in_host_time() -> None:
    work = Work("round trip", "net", "request-response", "1/s", 1e4)
    run = simulate([Place("native")], [work], blocks=1).trials[0].runs[0]
    used = {"service-demand-local": {"unit": "s", "value": 2e-5}, "cpu-local": {"unit": "s/s", "value": 0.2}}
    latency = {"latency": {"unit": "s", "digits": 2, "counts": [[1000, 98], [5000, 2]]}}
    run = changed(run, measures=used, histograms=latency)
    rate = run.scored.clock.rate
    found = reported(run)
    assert units(found) == {"service-demand-local": "s", "cpu-local": "s/s", "latency-p50": "s", "latency-p99": "s"}
    assert list(numbers(found).values()) == pytest.approx([2e-5 * rate, 0.2, 1e-6 * rate, 5e-6 * rate])


def test_those_of_the_host_come_first() -> None:
    of: Quantity[Estimate | None] = Quantity("", "", "", None, "", None)
    assert names([{"cpu-local": of}, {"target-host-cpu": of, "host-cpu": of}]) == [
        "host-cpu", "target-host-cpu", "cpu-local",
    ]  # fmt: skip
