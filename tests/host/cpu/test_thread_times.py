"""How long threads worked and waited, and what they worked for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.environments.planted import PlantedProc
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.environments.kinds.qemu.kind import VCPU_THREADS
from virtometer.host.cpu.parts import GUEST_TIME, NOT_COUNTED, STUBS, TRACED, Division
from virtometer.host.cpu.thread_times import ThreadTimes

LAST = max(os.sched_getaffinity(0))
BUSY = f"import os\nos.sched_setaffinity(0, {{{LAST}}})\nprint('up', flush=True)\nwhile True: pass"
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@pytest.fixture
def busy() -> Iterator[list[int]]:
    """Two processes that both want one processor all the time."""
    with ExitStack() as stack:
        pids = []
        for _ in range(2):
            one = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE))
            stack.callback(one.kill)
            assert one.stdout is not None
            assert one.stdout.readline() == b"up\n"
            pids.append(one.pid)
        yield pids


def wait_ns(times: ThreadTimes) -> int | None:
    times.read()
    return times.wait_ns()


def test_what_wants_one_processor_waits_for_it(busy: list[int]) -> None:
    times = ThreadTimes(lambda: busy)
    assert wait_ns(times) is None, "nothing was found yet"
    times.find()
    first = wait_ns(times)
    assert first is not None
    wait_until(lambda: (wait_ns(times) or 0) > first + 50_000_000)
    times.close()
    times.close()


def test_what_has_ended_still_counts(busy: list[int]) -> None:
    times = ThreadTimes(lambda: busy)
    times.find()
    before = wait_until(lambda: ns if (ns := wait_ns(times) or 0) > 1_000_000 else None)
    os.kill(busy[0], 9)
    wait_until(lambda: not list(Path(f"/proc/{busy[0]}/task").glob("*")) or (wait_ns(times) or 0) > before)
    assert (wait_ns(times) or 0) >= before
    times.close()


def test_without_a_program_in_between_all_is_the_guests_code(busy: list[int]) -> None:
    times = ThreadTimes(lambda: busy)
    times.find()
    times.read()
    reading = times.parts(5_000, (3_000, 2_000))
    assert (reading.code, reading.vmm, reading.kernel, reading.user, reading.system) == (5_000, 0, 0, 3_000, 2_000)
    assert reading.unknown == ""
    times.close()


def test_an_account_without_modes_says_so(busy: list[int]) -> None:
    times = ThreadTimes(lambda: busy)
    reading = times.parts(5_000, None)
    assert (reading.code, reading.user, reading.system) == (5_000, None, None)
    assert reading.unknown == "its account does not tell user from kernel mode"


@pytest.mark.parametrize("division", [VCPU_THREADS, TRACED, STUBS], ids=["by name", "by tracer", "by arguments"])
def test_without_a_thread_of_the_guest_its_code_is_unknown_and_not_zero(busy: list[int], division: Division) -> None:
    times = ThreadTimes(lambda: busy, division)
    assert times.parts(5_000, (1, 2)).unknown == NOT_COUNTED, "nothing was found yet"
    times.find()
    times.read()
    reading = times.parts(5_000, (1, 2))
    assert (reading.code, reading.vmm, reading.kernel) == (None, None, 0)
    assert reading.unknown == division.missing
    times.close()


def machine(proc: PlantedProc) -> PlantedProc:
    """A machine under KVM with two virtual processors, as process 100, and what a host has beside it."""
    proc.add(2, "kthreadd")
    proc.add(100, "qemu-system-x86", worked=40_000_000, guest_ticks=70)
    proc.add(101, "CPU 0/KVM", of=100, worked=500_000_000)
    proc.add(102, "CPU 1/KVM", of=100, worked=300_000_000)
    proc.add(103, "IO iothread0", of=100, worked=60_000_000)
    proc.add(7, "ksoftirqd/0", worked=9_000_000_000, kernel=True)
    return proc


def test_of_a_machine_the_time_in_its_guest_is_its_code(tmp_path: Path) -> None:
    machine(PlantedProc(tmp_path))
    times = ThreadTimes(lambda: [100], GUEST_TIME, proc=tmp_path)
    times.find()
    times.read()
    reading = times.parts(900_000_000, (1, 2))
    assert (reading.code, reading.vmm, reading.kernel, reading.unknown) == (
        70 * TICK_NS,
        900_000_000 - 70 * TICK_NS,
        0,
        "",
    )
    times.close()


def test_threads_of_the_kernel_serve_the_machine_that_their_name_says(tmp_path: Path) -> None:
    proc = machine(PlantedProc(tmp_path))
    proc.add(201, "vhost-100", worked=120_000_000, kernel=True)
    proc.add(202, "kvm-pit/100", worked=3_000_000, kernel=True)
    proc.add(203, "kvm-nx-lpage-recovery-101", worked=2_000_000, kernel=True)
    proc.add(204, "vhost-999", worked=8_000_000_000, kernel=True)
    times = ThreadTimes(lambda: [100], GUEST_TIME, proc=tmp_path)
    times.find()
    times.read()
    reading = times.parts(900_000_000, (1, 2))
    assert reading.kernel == 125_000_000
    assert (reading.code or 0) + (reading.vmm or 0) == 900_000_000, "they are beside the account"
    times.close()


@pytest.mark.parametrize("as_thread", [False, True], ids=["in the cgroup", "as a thread of the machine"])
def test_threads_of_the_kernel_within_the_account_are_a_part_of_it(tmp_path: Path, as_thread: bool) -> None:
    """Linux puts vhost into the cgroups of its machine, and since 6.4 makes it one of the machine's threads."""
    proc = machine(PlantedProc(tmp_path))
    proc.add(201, "vhost-100", of=100 if as_thread else None, worked=120_000_000, kernel=True)
    inside = [100] if as_thread else [100, 201]
    times = ThreadTimes(lambda: inside, GUEST_TIME, proc=tmp_path)
    times.find()
    times.read()
    reading = times.parts(1_020_000_000, (1, 2))
    assert reading.kernel == 120_000_000, "once"
    assert (reading.code or 0) + (reading.vmm or 0) == 900_000_000
    times.close()


def test_threads_of_the_kernel_that_cannot_be_told_are_unknown(said: Said, tmp_path: Path) -> None:
    proc = machine(PlantedProc(tmp_path))
    proc.add(203, "kvm-nx-lpage-re", worked=2_000_000, kernel=True)
    times = ThreadTimes(lambda: [100], GUEST_TIME, proc=tmp_path)
    times.find()
    times.read()
    reading = times.parts(900_000_000, (1, 2))
    assert reading.kernel is None
    assert "kvm-nx-lpage-re" in reading.unknown
    said(reading.unknown)
    assert reading.code is not None
    times.close()


def test_where_the_kernels_threads_are_hidden_their_time_is_unknown(said: Said, tmp_path: Path) -> None:
    proc = PlantedProc(tmp_path)
    proc.add(2, "bash")
    proc.add(100, "qemu-system-x86", guest_ticks=1)
    times = ThreadTimes(lambda: [100], GUEST_TIME, proc=tmp_path)
    times.find()
    reading = times.parts(900_000_000, (1, 2))
    assert reading.kernel is None
    said(reading.unknown)
    times.close()


def test_a_kernel_without_schedstat_leaves_the_parts_unknown(tmp_path: Path) -> None:
    proc = PlantedProc(tmp_path)
    proc.add(100, "qemu-system-x86")
    (tmp_path / "100" / "schedstat").unlink()
    times = ThreadTimes(lambda: [100], VCPU_THREADS, proc=tmp_path)
    times.find()
    times.read()
    assert times.wait_ns() is None
    reading = times.parts(900_000_000, (1, 2))
    assert (reading.code, reading.vmm, reading.unknown) == (None, None, NOT_COUNTED)
