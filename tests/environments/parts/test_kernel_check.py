"""Whether there is a kernel for machines."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.environments.booted import lab
from virtometer.environments.base import Check
from virtometer.environments.parts.kernel_check import check_kernel


def test_a_failed_check_is_not_improved_by_a_kernel(tmp_path: Path) -> None:
    failed = Check(False, "no", "do this")
    with lab(tmp_path, disk=False) as one:
        assert check_kernel(one, failed) is failed


def test_without_a_kernel_and_without_apt_there_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with lab(tmp_path, disk=False) as one:
        empty = dataclasses.replace(one, cache=tmp_path / "cache")
        check = check_kernel(empty, Check(True, "well"))
    assert not check.works
    assert "no kernel for the guests" in check.reason
