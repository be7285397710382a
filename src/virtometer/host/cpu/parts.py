"""What the processor time of a guest is spent for: the guest's own code, the VMM, threads of the host's kernel.

A kind says by a `Division` how its threads are told apart. Sources: proc(5); include/linux/sched.h of Linux.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

PROC = Path("/proc")
NOT_COUNTED = "the kernel of the host does not count the time of threads"

_KERNEL_FLAGS = 0x0020_0000 | 0x0000_4000 | 0x0000_0010  # PF_KTHREAD, PF_USER_WORKER, PF_IO_WORKER of linux/sched.h
_SERVANT = re.compile(r"(?:vhost-|kvm-pit/|kvm-nx-lpage-recovery-)(\d+)")
_NAMELESS = re.compile(r"kvm-nx-lpage-re(covery-?)?$")  # older kernels cut names at 15 characters, before the pid
_KTHREADD = 2


class Part(StrEnum):
    """Whose work a thread does."""

    CODE = "code"
    VMM = "vmm"
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True)
class Division:
    """How the threads of a guest are divided into parts.

    part_of: the part of a thread, from its process, its number and the root of /proc; threads of the kernel are known
    without it. counted: the part that is added up over the threads. The other part is the rest of the account, so
    that unseen threads are in it. None: everything is the guest's code. by_guest_time: the code is what the host's
    kernel counts as time in guests. missing: the reason where no thread of the guest's code is found.
    """

    part_of: Callable[[int, int, Path], Part] = field(default=lambda _pid, _task, _proc: Part.CODE)
    counted: Part | None = None
    by_guest_time: bool = False
    missing: str = ""


@dataclass(frozen=True, slots=True)
class CpuReading:
    """Processor time of a guest so far, in ns. None: it is unknown, and `unknown` says why.

    code: of its own code. vmm: of the program that makes it. kernel: of the host's kernel's threads that serve it.
    user, system: in the processor's user and kernel mode, of all processes of the guest.
    """

    code: float | None
    vmm: float | None
    kernel: float | None
    user: float | None
    system: float | None
    unknown: str = ""


def added(readings: Sequence[CpuReading]) -> CpuReading:
    """The sum; None for what is unknown of any of them."""

    def sum_of(name: str) -> float | None:
        numbers = [getattr(one, name) for one in readings]
        return None if None in numbers else sum(numbers)

    reasons = dict.fromkeys(one.unknown for one in readings if one.unknown)
    return CpuReading(
        sum_of("code"), sum_of("vmm"), sum_of("kernel"), sum_of("user"), sum_of("system"), "; ".join(reasons)
    )


WHOLE = Division()
"""Of containers and processes of the host: no program stands between them and the host's kernel."""


def by_names(pattern: str, missing: str) -> Division:
    """Threads whose names match run the guest's code. missing: the reason where there is none."""
    names = re.compile(pattern)

    def part(_pid: int, task: int, proc: Path) -> Part:
        return Part.CODE if names.fullmatch(name_of(task, proc)) else Part.VMM

    return Division(part, counted=Part.CODE, missing=missing)


GUEST_TIME = Division(by_guest_time=True)
"""Of machines on the host's processors: the host's kernel counts the time in which a processor was in the guest."""


def _by_tracer(pid: int, _task: int, proc: Path) -> Part:
    for line in (proc / str(pid) / "status").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        if line.startswith("TracerPid:"):
            return Part.CODE if int(line.split()[1]) else Part.VMM
    return Part.VMM


TRACED = Division(_by_tracer, counted=Part.VMM, missing="no process of the guest is traced by its kernel")
"""Of kernels in user space: the guest's programs run in processes that such a kernel traces."""


def _by_arguments(pid: int, _task: int, proc: Path) -> Part:
    return Part.VMM if (proc / str(pid) / "cmdline").read_bytes() else Part.CODE


STUBS = Division(_by_arguments, counted=Part.VMM, missing="no process of the guest is a stub without arguments")
"""Of kernels in user space that run programs in stubs: processes whose memory, arguments included, was replaced.

While a stub waits for its kernel it spins for a while, and that is counted with the guest's code."""


def name_of(task: int, proc: Path = PROC) -> str:
    """The name of a thread; empty where it has ended."""
    try:
        return (proc / str(task) / "comm").read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")
    except OSError:
        return ""


def part_of(pid: int, task: int, division: Division, proc: Path = PROC) -> Part:
    """The part of a thread of process `pid`. Raises OSError where it has ended."""
    stat = (proc / str(task) / "stat").read_text(encoding="utf-8", errors="surrogateescape").rpartition(")")[2]
    if int(stat.split()[6]) & _KERNEL_FLAGS:
        return Part.KERNEL
    return division.part_of(pid, task, proc)


def guest_time_ticks(pids: Sequence[int], proc: Path = PROC) -> int:
    """Clock ticks that processes and their ended children spent in guests. OSError where none can be read."""
    total, fault = 0, None
    for pid in pids:
        try:
            stat = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="surrogateescape").rpartition(")")[2]
        except OSError as cause:
            fault = cause
            continue
        fields = stat.split()
        total, fault = total + int(fields[40]) + int(fields[41]), None
    if fault is not None:
        raise fault
    return total


def kernel_threads_of(pids: Sequence[int], proc: Path = PROC) -> tuple[list[int], str]:
    """Threads of the kernel that serve these processes by name, and the reason why there may be more."""
    if name_of(_KTHREADD, proc) != "kthreadd":
        return [], "the threads of the host's kernel are not visible here"
    found, reason = [], ""
    for directory in proc.iterdir():
        if not directory.name.isdecimal() or int(directory.name) in pids:
            continue
        name = name_of(int(directory.name), proc)
        if (match := _SERVANT.fullmatch(name)) is not None:
            if int(match[1]) in pids:
                found.append(int(directory.name))
        elif _NAMELESS.match(name):
            reason = f"threads of the host's kernel named {name} do not say which machine they serve"
    return found, reason
