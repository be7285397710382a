"""The rate of the processor's time stamp counter."""

from __future__ import annotations

import platform

import pytest

from virtometer.environments.kinds.qemu import tsc_rate


def test_two_measurements_agree_and_are_those_of_a_processor() -> None:
    if platform.machine() != "x86_64":
        pytest.skip("another processor")
    one, two = tsc_rate.tsc_khz.__wrapped__(), tsc_rate.tsc_khz.__wrapped__()
    assert one is not None
    assert two is not None
    assert 100_000 < one < 10_000_000
    assert abs(one / two - 1) < 1e-3


def test_another_processor_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert tsc_rate.tsc_khz.__wrapped__() is None
