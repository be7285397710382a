"""The probe that tells whether KVM is fit for guests, and what is made of its answers."""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments.booted import lab
from virtometer.environments.kinds.qemu.kind import Kvm
from virtometer.environments.parts.firmware_check import judge_kvm, kvm_fault
from virtometer.host import kvm_probe


def run_probe(*before: str) -> dict[str, object]:
    argv = [*before, sys.executable, "-I", kvm_probe.__file__]
    result = subprocess.run(argv, capture_output=True, check=True, timeout=30)
    return dict(json.loads(result.stdout))


def test_the_loop_runs_as_often_as_it_says() -> None:
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code = kvm_probe.loop(b"\x89\xc8\xc3")  # mov eax, ecx; ret
    page[: len(code)] = code
    function = ctypes.CFUNCTYPE(ctypes.c_uint32)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    assert function() == 0
    assert int.from_bytes(code[1:5], "little") == kvm_probe.STEPS
    assert code[5:7] == b"\xff\xc9"


def test_the_host_takes_a_positive_time_for_a_step() -> None:
    assert kvm_probe.native_ns() > 0


@pytest.mark.skipif(not os.access("/dev/kvm", os.R_OK | os.W_OK), reason="this user has no /dev/kvm")
def test_the_guest_takes_at_least_as_long_as_the_host() -> None:
    answer = run_probe()
    if "error" in answer:
        pytest.skip(f"KVM makes no machine here: {answer['error']}")
    assert isinstance(answer["guest_ns"], float)
    assert isinstance(answer["native_ns"], float)
    assert answer["guest_ns"] > answer["native_ns"] / 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide /dev/kvm from a process")
def test_a_host_without_kvm_is_told_so() -> None:
    answer = run_probe("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev && exec "$@"', "sh")
    assert answer["errno"] == errno.ENOENT
    check = judge_kvm(answer)
    assert check is not None
    assert not check.works
    assert "no KVM" in check.reason
    assert "firmware" in check.advice


@pytest.mark.parametrize(
    ("answer", "reason", "advice"),
    [
        ({"error": "Permission denied", "errno": errno.EACCES}, "may not open", "group kvm"),
        ({"error": "the guest left with reason 17", "errno": 0}, "reason 17", "qemu"),
        ({"guest_ns": 3000.0, "native_ns": 0.3}, "10,000 times slower", "qemu"),
        ({"guest_ns": 3000.0, "native_ns": 0.0}, "far too slowly (3,000 ns", "qemu"),
    ],
)
def test_a_fault_is_a_sentence_with_advice(answer: dict[str, object], reason: str, advice: str) -> None:
    check = judge_kvm(answer)
    assert check is not None
    assert not check.works
    assert reason in check.reason
    assert advice in check.advice


def test_real_and_nested_hardware_virtualization_are_fit() -> None:
    assert judge_kvm({"guest_ns": 0.5, "native_ns": 0.3}) is None
    assert judge_kvm({"guest_ns": 36.0, "native_ns": 0.3}) is None
    assert judge_kvm({"guest_ns": 487.5, "native_ns": 0.37}) is not None


def test_the_check_of_the_kind_agrees_with_the_probe(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        fault = kvm_fault(one)
        check = Kvm(one).check()
    if fault is None:
        assert check.works, check.reason
    else:
        assert not check.works
        assert check.advice == fault.advice
