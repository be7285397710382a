"""What the processor time of real guests is spent for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.environments.booted import BOOT_S, greet, require, until
from tests.environments.planted import PlantedProc
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.qemu.kind import VCPU_THREADS
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.host.cpu.parts import (
    WHOLE,
    CpuReading,
    Part,
    added,
    guest_time_ticks,
    kernel_threads_of,
    name_of,
    part_of,
)
from virtometer.link.messages import Done
from virtometer.link.session import Session

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
KERNELS_IN_USER_SPACE = ("gvisor", "uml")
Spent = dict[str, float]


@contextmanager
def started(kind: str, lab: LabContext, guest_id: str) -> Iterator[tuple[ProcessGuest, Session]]:
    """A guest of a kind that works here, with its agent's session."""
    environment = KINDS[kind](lab)
    if environment.program and shutil.which(environment.program) is None and kind != "native":
        pytest.skip(f"{environment.program} is not installed")
    require(environment.check())
    settings = environment.settings_type()
    environment.prepare(settings)
    guest = environment.start(settings, guest_id)
    assert isinstance(guest, ProcessGuest)
    try:
        yield guest, greet(guest)
    finally:
        guest.stop()


def threads_s(guest: ProcessGuest) -> float:
    """Time of all threads that live, read without the product."""
    total = 0
    for pid in guest.account.processes():
        for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError):
                total += int(file.read_text().split()[0])
    return total * 1e-9


def read(guest: ProcessGuest) -> tuple[CpuReading, Spent]:
    guest.find_threads()
    guest.run_delay_ns()
    total = guest.cpu_ns()
    reading = guest.cpu_parts()
    assert reading is not None
    names = ("code", "vmm", "kernel", "user", "system")
    parts = {name: (getattr(reading, name) or 0.0) * 1e-9 for name in names}
    return reading, {**parts, "total": total * 1e-9, "threads": threads_s(guest)}


def spent(guest: ProcessGuest, session: Session, kernel: str, op: str, parameters: dict[str, object]) -> Spent:
    """What a run of work costs, without its preparation."""
    words = {"run": "r", "kernel": kernel, "op": op, "parameters": parameters, "threads": 1, "cpus": None}
    session.request("prepare", {**words, "seconds": 0.8}, BOOT_S)
    until(session)
    _, before = read(guest)
    session.request("start", {"run": "r"}, BOOT_S)
    assert isinstance(until(session), Done)
    reading, after = read(guest)
    assert reading.unknown == ""
    assert None not in (reading.code, reading.vmm, reading.kernel, reading.user, reading.system)
    return {name: after[name] - before[name] for name in after}


@pytest.mark.parametrize("kind", ["native", "bubblewrap", "runc", "gvisor", "uml", "qemu"])
def test_a_guest_that_computes_spends_nearly_all_on_its_code(
    kind: str, lab: LabContext, new_id: Callable[[], str]
) -> None:
    with started(kind, lab, new_id()) as (guest, session):
        of = spent(guest, session, "linpack", "classic", {"size": 100})
        assert of["total"] > 0.05
        assert of["code"] > 0.85 * of["total"], of
        assert of["code"] + of["vmm"] + of["kernel"] == pytest.approx(of["total"], abs=TICK_S), of
        # Each of both modes is rounded to ticks, at both ends.
        assert of["user"] + of["system"] == pytest.approx(of["total"], abs=4 * TICK_S), of
        assert of["user"] > of["system"]
        if kind in (*KERNELS_IN_USER_SPACE, "qemu"):
            # Elsewhere the thread that worked has ended.
            assert of["threads"] == pytest.approx(of["total"], abs=2 * TICK_S), "the threads are all there is"
        else:
            assert (of["vmm"], of["kernel"]) == (0, 0)


@pytest.mark.parametrize("kind", ["native", *KERNELS_IN_USER_SPACE])
def test_system_calls_are_work_of_the_kernel_that_answers_them(
    kind: str, lab: LabContext, new_id: Callable[[], str]
) -> None:
    with started(kind, lab, new_id()) as (guest, session):
        of = spent(guest, session, "os", "system-call", {})
        assert of["code"] + of["vmm"] + of["kernel"] == pytest.approx(of["total"], abs=TICK_S), of
        if kind in KERNELS_IN_USER_SPACE:
            assert of["vmm"] > 0.3 * of["total"], of
        else:
            assert of["system"] > 0.2 * of["total"], of


def test_an_emulator_names_the_threads_of_its_processors(lab: LabContext, new_id: Callable[[], str]) -> None:
    with started("qemu", lab, new_id()) as (guest, _):
        assert guest.process is not None
        pid = guest.process.pid
        tasks = [int(one.name) for one in Path(f"/proc/{pid}/task").iterdir()]
        names = {name_of(task) for task in tasks if part_of(pid, task, VCPU_THREADS) is Part.CODE}
        assert names == {f"CPU {number}/TCG" for number in range(guest.effective["cpus"])}


def test_a_stopped_guest_has_no_parts(lab: LabContext, new_id: Callable[[], str]) -> None:
    with started("native", lab, new_id()) as (guest, _):
        assert guest.cpu_parts() is not None
    assert guest.cpu_parts() is None


def test_the_parts_of_several_agents_are_added_and_what_one_lacks_is_unknown() -> None:
    whole = added([CpuReading(1, 2, 3, 4, 5), CpuReading(10, 20, None, 40, 50, "hidden")])
    assert whole == CpuReading(11, 22, None, 44, 55, "hidden")


def test_threads_of_the_kernel_are_known_by_themselves(tmp_path: Path) -> None:
    proc = PlantedProc(tmp_path)
    proc.add(1, "agent")
    proc.add(2, "iou-wrk-1", kernel=True)
    assert [part_of(1, task, WHOLE, tmp_path) for task in (1, 2)] == [Part.CODE, Part.KERNEL]


def test_time_in_guests_of_ended_children_counts(tmp_path: Path) -> None:
    proc = PlantedProc(tmp_path)
    proc.add(1, "qemu", guest_ticks=7)
    proc.add(3, "qemu", guest_ticks=5)
    assert guest_time_ticks([1, 2, 3], tmp_path) == 12
    with pytest.raises(OSError, match="No such file"):
        guest_time_ticks([2], tmp_path)


def test_threads_of_this_host_s_kernel_serve_no_process_that_is_no_machine() -> None:
    found, _ = kernel_threads_of([os.getpid()])
    assert found == []
