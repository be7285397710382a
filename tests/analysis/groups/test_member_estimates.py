"""What the CPU time of one guest was spent for, over trials of which some do not know."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.groups.injected import member, trial
from virtometer.analysis.groups.member_estimates import spent
from virtometer.model import GuestUse, Traffic

USE = GuestUse(0.6, 0.3, 0.1, 0.7, 0.2, "", Traffic(2000, 2, 1, 1000, 1, 0))


def test_medians_and_rates() -> None:
    one = replace(member(1.0), use=USE)
    found = spent([(trial(block, [one], window_s=2.0), one) for block in range(3)])
    assert found["cpu_s"] == {"code": 0.6, "vmm": 0.3, "kernel": 0.1, "user": 0.7, "system": 0.2}
    assert found["received"] == pytest.approx(1000) and found["sent"] == pytest.approx(500)
    assert found["dropped"] == 3, "of all trials"


def test_what_one_trial_does_not_know_is_unknown() -> None:
    known, unknown = replace(member(1.0), use=USE), replace(member(1.0), use=None)
    found = spent([(trial(block, [one]), one) for block, one in enumerate((known, unknown))])
    assert set(found["cpu_s"].values()) == {None} and found["dropped"] is None
    hidden = replace(known, use=replace(USE, vmm=None, unknown="it is hidden"))
    assert spent([(trial(0, [hidden]), hidden)])["cpu_unknown"] == "it is hidden"
