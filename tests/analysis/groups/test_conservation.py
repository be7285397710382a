"""What no host can give is marked: more CPU time than it has, more work than all its processors do natively."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.groups.injected import CPUS, member, trial
from virtometer.analysis.groups.conservation import above_ceiling, broken, broken_in
from virtometer.analysis.groups.members import cpu_s
from virtometer.model import Estimate, HostUse

USE = HostUse(1.0, 0.5, 0.0, 0.2, 1.3, 0.0, 0.0, 0.0, 0.0)


def test_guests_that_had_more_than_the_host_are_found() -> None:
    right = trial(3, [member(1.0, number, cpu_s=0.66) for number in (1, 2, 3)])
    wrong = trial(4, [member(1.0, number, cpu_s=0.9) for number in (1, 2, 3)])
    assert broken(right) == ""
    assert f"the processors that they may use ({CPUS}) had 2" in broken(wrong) and "trial 4" in broken(wrong)
    bound = trial(5, [member(1.0, number, cpu_s=0.66, on=frozenset({1})) for number in (1, 2, 3)])
    assert "the processors that they may use (1) had 1" in broken(bound)
    assert broken_in([right]) == []
    assert broken_in([right, wrong, wrong])[0].endswith("(and 1 more of 3 trials)")


def test_guests_that_had_more_than_the_host_worked_are_found() -> None:
    of = trial(0, [member(1.0, cpu_s=0.95)], host=USE)
    assert "the host worked for 0.7" in broken(of)
    assert broken(trial(0, [member(1.0, cpu_s=0.7)], host=USE)) == ""


def test_a_guest_with_several_workloads_counts_once() -> None:
    of = trial(0, [member(1.0, cpu_s=0.9), member(1.0, workload="disk", cpu_s=0.9)])
    assert cpu_s(of.members) == 0.9


def test_an_account_that_is_missing_accuses_nobody() -> None:
    of = trial(0, [member(1.0, cpu_s=9.0), replace(member(1.0, 2), host_cpu_s=None)])
    assert cpu_s(of.members) is None and broken(of) == ""


def test_a_sum_above_the_ceiling() -> None:
    ceiling = Estimate(8.0, 7.9, 8.1, 8)
    assert above_ceiling(Estimate(8.2, 8.1, 8.3, 8), ceiling, 0.05) == ""
    assert "1.25 times" in above_ceiling(Estimate(10.0, 9.9, 10.1, 8), ceiling, 0.05)
    assert above_ceiling(Estimate(10.0, None, None, 3), ceiling, 0.05) == ""
    assert above_ceiling(None, ceiling, 0.05) == "" and above_ceiling(ceiling, None, 0.05) == ""
