"""The check that runs a machine of 16 bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.environments.booted import lab
from virtometer.environments.base import Check
from virtometer.environments.parts import firmware_check
from virtometer.environments.parts.firmware_check import EXPECTED_STATUS, RESET_CODE, check_accelerator

needs_qemu = pytest.mark.skipif(shutil.which("qemu-system-x86_64") is None, reason="qemu-system-x86 is not installed")


def test_the_program_fills_exactly_what_a_processor_begins_with() -> None:
    assert len(RESET_CODE) == 16
    assert EXPECTED_STATUS == 117  # 1 + 2 + ... + 100 = 5050 = 39 * 128 + 58, and 2 * 58 + 1


@needs_qemu
def test_an_emulated_machine_runs_it(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        check = check_accelerator(one, "tcg", "max")
    assert check == Check(True, "a machine started and ran a program right")


@needs_qemu
def test_a_machine_that_computes_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = RESET_CODE.replace(bytes.fromhex("b96400"), bytes.fromhex("b96300"))  # mov cx, 99
    assert len(wrong) == 16
    monkeypatch.setattr(firmware_check, "RESET_CODE", wrong)
    with lab(tmp_path, disk=False) as one:
        check = check_accelerator(one, "tcg", "max")
    assert not check.works
    assert "it ended with status" in check.reason


@needs_qemu
def test_what_qemu_refuses_is_in_the_reason(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        check = check_accelerator(one, "nonsense", "max")
    assert not check.works
    assert "nonsense" in check.reason


def test_a_missing_qemu_names_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with lab(tmp_path, disk=False) as one:
        check = check_accelerator(one, "tcg", "max")
    assert not check.works
    assert check.reason == "the program qemu-system-x86_64 is not installed"
    assert check.advice == "install the Debian package qemu-system-x86"
