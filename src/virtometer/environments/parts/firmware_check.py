"""Does QEMU run machines on this host? Found out by running one, whose firmware is a program of 16 bytes.

No disk, no boot loader, no operating system: QEMU starts a processor, the processor executes the last 16 bytes of the
firmware and ends the machine with a status that only a right sum gives. That takes about 0.1 s.
"""

from __future__ import annotations

import errno
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from virtometer.environments.base import Check, LabContext
from virtometer.errors import VirtometerError
from virtometer.host import kvm_probe

# 16-bit code; a processor begins at the address of the last 16 bytes.
RESET_CODE = bytes.fromhex(
    "31c0"  # xor ax, ax
    "b96400"  # mov cx, 100
    "01c8"  # add ax, cx       <-
    "e2fc"  # loop             --
    "247f"  # and al, 127
    "e6f4"  # out 0xf4, al     ends QEMU with status 2 * al + 1
    "f4"  # hlt
    "ebfd"  # jmp              to hlt, should the machine go on
)
EXPECTED_STATUS = 2 * (sum(range(1, 101)) % 128) + 1
SLOW_NS = 150.0
"""A step of KVM's loop takes under 1 ns on a processor, 20 to 40 under nested emulation that is still usable, and 490
to 1,000 where KVM emulates each instruction and no kernel boots in reasonable time."""


def check_accelerator(lab: LabContext, accelerator: str, cpu: str) -> Check:
    """Whether QEMU with this accelerator runs a program right."""
    try:
        qemu = lab.programs.find("qemu-system-x86_64", "qemu-system-x86")
        with tempfile.TemporaryDirectory(prefix="virtometer-check-", dir=lab.scratch) as directory:
            firmware = Path(directory) / "firmware"
            firmware.write_bytes(bytes(65_536 - len(RESET_CODE)) + RESET_CODE)
            argv: list[str | Path] = [
                qemu, "-accel", accelerator, "-machine", "pc", "-cpu", cpu, "-m", "2M",
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-bios", firmware, "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
            ]  # fmt: skip
            result = lab.programs.run(argv, purpose=f"check {accelerator}", limit_s=1.8, check=False)
    except (VirtometerError, OSError) as cause:
        return Check(False, str(cause), cause.advice if isinstance(cause, VirtometerError) else "")
    if result.returncode == EXPECTED_STATUS:
        return Check(True, "a machine started and ran a program right")
    words = result.stderr.decode(errors="replace").strip().splitlines()
    last = words[-1] if words else f"it ended with status {result.returncode}"
    return Check(
        False, f"QEMU cannot run a machine with {accelerator}: {last}", "see whether QEMU is installed completely"
    )


def kvm_fault(lab: LabContext) -> Check | None:
    """Why KVM cannot be used on this host; None when it runs the kernel of a guest at a reasonable speed."""
    if platform.machine() != "x86_64":
        return Check(False, f"virtual machines work on x86_64 so far, and this host is {platform.machine()}")
    try:
        argv = [sys.executable, "-I", kvm_probe.__file__]
        answer = json.loads(lab.programs.run(argv, purpose="time KVM", whole=True, limit_s=1.5).stdout)
    except (VirtometerError, ValueError) as cause:
        return Check(False, f"KVM is here but runs no guest: {cause}", "use the kind qemu, which emulates")
    return judge_kvm(answer)


def judge_kvm(answer: dict[str, Any]) -> Check | None:
    """Say what an answer of kvm_probe.py means; None when KVM is fit for guests."""
    match answer.get("errno"):
        case None:
            pass
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return Check(
                False,
                "this host has no KVM (there is no usable /dev/kvm)",
                "switch virtualization on in the firmware, or nested virtualization in the hypervisor around this "
                "machine, and load the kernel module kvm_intel or kvm_amd",
            )
        case errno.EACCES | errno.EPERM:
            return Check(False, "this user may not open /dev/kvm", "add the user to the group kvm, and log in again")
        case _:
            return Check(
                False, f"KVM is here but runs no guest: {answer['error']}", "use the kind qemu, which emulates"
            )
    guest, native = float(answer["guest_ns"]), float(answer["native_ns"])
    if guest <= SLOW_NS:
        return None
    times = f"{guest / native:,.0f} times slower than the processor does" if native else "far too slowly"
    return Check(
        False,
        f"KVM is here, but it runs the kernel of a guest {times} ({guest:,.0f} ns for a step of a loop): "
        "guests would seem to hang",
        "use the kind qemu, which emulates; for KVM take a machine with real or nested hardware virtualization",
        {"kvm_step_ns": f"{guest:.1f}", "native_step_ns": f"{native:.2f}"},
    )
