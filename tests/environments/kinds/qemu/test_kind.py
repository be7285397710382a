"""Emulated machines, with the real QEMU: what they boot, what reaches them, and what is left when they have ended."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.environments.booted import (
    DISK_BYTES,
    greet,
    interfaces,
    lab,
    measure,
    pattern,
    peer_measure,
    require,
)
from tests.environments.oci_images import BUSYBOX, layout, made, user_land
from tests.waiting import wait_until
from virtometer.environments.base import Check, Room
from virtometer.environments.kinds.qemu.kind import Kvm, KvmSettings, Qemu, QemuSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, LinkClosed, MissingProgram, UsageError
from virtometer.host.network.lan import Lan


class NoLan(Lan):
    """The network of a user who is not root."""

    def unavailable(self) -> str:
        return "network namespaces with a bridge need root"


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """What the kind's check says here, asked once."""
    with lab(tmp_path_factory.mktemp("check")) as one:
        return Qemu(one).check()


@pytest.fixture
def qemu(tmp_path: Path, works: Check) -> Iterator[Qemu]:
    """The kind, on a LabContext of its own; skips where it does not work."""
    require(works)
    with lab(tmp_path) as one:
        environment = Qemu(one)
        environment.prepare(QemuSettings())
        yield environment


def settings(**asked: Any) -> QemuSettings:
    return QemuSettings.model_validate(asked)


def disk_file(environment: Qemu) -> Path:
    file = environment.lab.disk_file
    assert file is not None
    return file


def children_of(guest: ProcessGuest) -> list[int]:
    return guest.account.processes()


def test_a_guest_gets_what_was_asked_and_both_sides_say_so(qemu: Qemu) -> None:
    guest = qemu.start(settings(memory="256M", cpus=2, cpu="qemu64"), "qemu-boots")
    try:
        facts = greet(guest).request("facts", {}, 10)
        assert facts["pid"] == 1
        assert facts["cpus_online"] == 2
        assert facts["cpu_model"].startswith("QEMU Virtual CPU")
        assert "avx2" not in facts["cpu_features"]
        assert 200 << 20 < facts["memory_bytes"] < 256 << 20
        assert {"name": "vda", "bytes": DISK_BYTES} in facts["block_devices"]
        assert guest.effective["accelerator"] == "tcg"
        assert guest.effective["cpus"] == 2
        assert guest.effective["cpu"] == "qemu64"
        assert guest.effective["memory_bytes"] == 256 << 20
        assert guest.effective["machine"].startswith("pc")
        assert guest.effective["disk_bytes"] == DISK_BYTES
        assert "mitigations" not in guest.effective["kernel_command_line"]
        assert guest.alive()
        assert guest.cpu_ns() > 100_000_000  # emulating a boot costs seconds
        pids = children_of(guest)
    finally:
        guest.stop()
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_the_guest_reads_the_hosts_file_and_its_writes_reach_it(qemu: Qemu) -> None:
    file = disk_file(qemu)
    with file.open("r+b") as disk:  # something that only a fill can repair
        disk.seek(DISK_BYTES // 2)
        disk.write(bytes(DISK_BYTES // 2))
        os.fsync(disk.fileno())
    guest = qemu.start(settings(), "qemu-disk")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.conditions["host_cache"] == "no"
        assert guest.effective["disk_cache"]["direct"] is True
        half = {"file": guest.disk.path, "span": DISK_BYTES // 2, "size": 65536}
        assert measure(session, "disk", "sequential-read", half).check.passed
        whole = {"file": guest.disk.path, "span": DISK_BYTES}
        measure(session, "disk", "fill", {**whole, "overwrite": True})
        assert (
            measure(session, "disk", "sequential-write", {**whole, "size": 65536}, seconds=2.0).conditions["io"]
            == "direct"
        )
        session.bye(10)
    finally:
        guest.stop()
    assert file.read_bytes() == pattern(0, DISK_BYTES)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"disk_device": "virtio-scsi", "network_device": "vmxnet3", "machine": "q35"}, "sda"),
        ({"disk_device": "nvme", "disk_cache": "directsync", "tcg_thread": "single"}, "nvme0n1"),
        ({"disk_device": "ide", "disk_cache": "unsafe"}, "sda"),
        ({"machine": "microvm", "cpus": 1}, "vda"),
    ],
)
def test_other_devices_work_too(qemu: Qemu, asked: dict[str, str], name: str) -> None:
    guest = qemu.start(settings(**asked), "qemu-devices")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.path == f"/dev/{name}"
        assert guest.disk.conditions["disk_path"] == asked.get("disk_device", "virtio-blk")
        read = {"file": guest.disk.path, "span": DISK_BYTES, "size": 4096}
        assert measure(session, "disk", "random-read", read).check.passed
        assert "eth0" in session.request("facts", {}, 10)["interfaces"]
    finally:
        guest.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="a tap device needs root")
def test_the_guest_reaches_a_peer_over_its_tap_and_the_tap_is_gone_afterwards(qemu: Qemu) -> None:
    guest = qemu.start(settings(), "qemu-net")
    try:
        session = greet(guest)
        path = guest.network
        assert path is not None
        assert path.kind == "tap"
        assert any(name.startswith("tap") for name in interfaces(path.namespace))
        assert peer_measure(qemu.lab, guest, session).value > 0
    finally:
        guest.stop()
    assert not any(name.startswith("tap") for name in interfaces(path.namespace))


def test_without_root_the_guest_reaches_the_host_through_address_translation(qemu: Qemu) -> None:
    lan = NoLan(qemu.lab.journal, qemu.lab.programs)
    environment = Qemu(dataclasses.replace(qemu.lab, lan=lan))
    assert not environment.lacks().network
    guest = environment.start(settings(), "qemu-slirp")
    try:
        assert guest.network is not None
        assert guest.network.kind == "slirp"
        assert guest.network.namespace is None
        assert peer_measure(environment.lab, guest, greet(guest)).value > 0
    finally:
        guest.stop()


def test_a_machine_that_is_stopped_by_a_signal_is_ended(qemu: Qemu) -> None:
    guest = qemu.start(settings(), "qemu-hangs")
    try:
        greet(guest)
        pids = children_of(guest)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    finally:
        guest.stop()
    assert pids
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert guest.cpu_ns() > 0


def test_a_machine_that_dies_ends_the_conversation(qemu: Qemu) -> None:
    guest = qemu.start(settings(), "qemu-killed")
    try:
        session = greet(guest)
        os.kill(children_of(guest)[0], signal.SIGKILL)
        with pytest.raises(LinkClosed):
            session.request("facts", {}, 20)
    finally:
        guest.stop()


def test_stopping_before_the_guest_has_booted_leaves_nothing(qemu: Qemu) -> None:
    for pause in (0.0, 0.5):
        guest = qemu.start(settings(), "qemu-early")
        time.sleep(pause)
        pids = children_of(guest)
        guest.stop()
        guest.stop()  # a second time is no error
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_guest_that_says_bye_ends_the_machine_by_itself(qemu: Qemu) -> None:
    guest = qemu.start(settings(), "qemu-bye")
    try:
        session = greet(guest)
        session.bye(10)
        wait_until(lambda: not guest.alive())
        assert "Power down" in guest.stderr_tail()
    finally:
        guest.stop()


def test_two_guests_at_once_have_addresses_of_their_own(tmp_path: Path, works: Check) -> None:
    require(works)
    with lab(tmp_path, disk=False) as one:
        environment = Qemu(one)
        guests = [environment.start(settings(cpus=1), f"qemu-twin-{index}") for index in range(2)]
        try:
            for guest in guests:
                assert greet(guest).request("facts", {}, 10)["pid"] == 1
                assert guest.disk is None
            if os.geteuid() == 0:
                assert len({guest.network.guest_address for guest in guests if guest.network}) == 2
        finally:
            for guest in guests:
                guest.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system without O_DIRECT needs root")
def test_a_file_system_without_direct_access_is_reported(tmp_path: Path, qemu: Qemu) -> None:
    mounted = tmp_path / "ramfs"
    mounted.mkdir()
    subprocess.run(["mount", "-t", "ramfs", "none", mounted], check=True)
    try:
        file = mounted / "disk.img"
        file.write_bytes(pattern(0, DISK_BYTES))
        environment = Qemu(dataclasses.replace(qemu.lab, disk_file=file))
        with pytest.raises(EnvironmentFailed, match="disk_cache none needs O_DIRECT"):
            environment.start(settings(disk_cache="none"), "qemu-ramfs")
        guest = environment.start(settings(), "qemu-ramfs")
        try:
            assert guest.disk is not None
            assert guest.disk.conditions["host_cache"] == "yes"
            assert "O_DIRECT" in guest.disk.conditions["host_cache_reason"]
            assert guest.effective["disk_cache"]["direct"] is False
        finally:
            guest.stop()
    finally:
        subprocess.run(["umount", mounted], check=True)


def test_an_unknown_processor_is_refused_with_what_is_allowed(qemu: Qemu) -> None:
    with pytest.raises(EnvironmentFailed, match="unable to find CPU model 'Z80'") as caught:
        qemu.start(settings(cpu="Z80"), "qemu-z80")
    assert "Haswell" in caught.value.advice
    assert "qemu64" in caught.value.advice


def test_a_clock_that_counts_instructions_has_one_thread(qemu: Qemu) -> None:
    asked = settings(icount="2,sleep=off")
    assert (asked.icount, asked.tcg_thread) == ("shift=2,sleep=off", "single")
    assert asked.model_dump(exclude_unset=True) == {"icount": "shift=2,sleep=off"}
    assert settings(icount="auto", tcg_thread="single").model_fields_set == {"icount", "tcg_thread"}
    assert settings(icount="auto").icount == "shift=auto"
    assert qemu.accelerator(asked) == "tcg,thread=single"
    assert qemu.clock_options(asked) == ["-icount", "shift=2,sleep=off"]
    assert qemu.clock_options(settings()) == []


def test_what_this_qemu_refuses_is_said_when_it_is_prepared(qemu: Qemu) -> None:
    with pytest.raises(EnvironmentFailed, match="unable to find CPU model 'Z80'") as caught:
        qemu.prepare(settings(cpu="Z80"))
    assert "Haswell" in caught.value.advice
    with pytest.raises(EnvironmentFailed, match="ioeventfd is required for iothread"):  # only KVM has that there
        qemu.prepare(settings(machine="microvm", disk_device="virtio-scsi", disk_iothread=True))
    assert list(qemu.lab.scratch.iterdir()) == []


def test_huge_pages_are_those_of_the_host_or_are_refused_when_it_is_prepared(qemu: Qemu) -> None:
    free = re.search(r"HugePages_Free: +(\d+)", Path("/proc/meminfo").read_text())
    if free is None or int(free[1]) * 2 < 256:
        with pytest.raises(EnvironmentFailed, match=r"QEMU ended at once: .*memory"):
            qemu.prepare(settings(huge_pages=True, memory="256M"))
        return
    guest = qemu.start_machine(settings(huge_pages=True, memory="256M"), "qemu-huge", runs=False)
    try:
        assert guest.effective["huge_pages"] is True
    finally:
        guest.stop()


@pytest.mark.parametrize("aio", ["threads", "io_uring"])
def test_requests_are_issued_as_was_asked(qemu: Qemu, aio: str) -> None:
    """QEMU does not say how over its monitor, but a ring of requests is a descriptor."""
    guest = qemu.start_machine(settings(disk_aio=aio), "qemu-aio", runs=False)
    try:
        [pid] = children_of(guest)
        held = {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()}
        assert ("anon_inode:[io_uring]" in held) == (aio == "io_uring")
    finally:
        guest.grace_s = 0.0
        guest.stop()


def test_a_disk_with_a_file_system_is_mounted_and_is_the_guests_own(qemu: Qemu) -> None:
    environment = Qemu(dataclasses.replace(qemu.lab, room=Room(4 << 20, 10)))
    held = disk_file(qemu).read_bytes()
    guest = environment.start(settings(memory="256M", cpus=1), "qemu-files")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.path == "/data/disk.img"
        assert guest.disk.conditions["disk_path"] == "ext4 on virtio-blk"
        whole = {"file": guest.disk.path, "span": DISK_BYTES, "size": 65536}
        assert measure(session, "disk", "sequential-read", whole).check.passed
        assert measure(session, "disk", "random-write", whole).check.passed
        own = {"file": "/data/own", "span": 4 << 20, "size": 65536, "sync": "end"}
        assert measure(session, "disk", "write", own).check.passed
    finally:
        guest.stop()
    assert disk_file(qemu).read_bytes() == held


def test_unknown_and_impossible_settings_are_refused(qemu: Qemu) -> None:
    for wrong in (
        {"colour": "red"}, {"memory": "1M"}, {"memory": "300000001"}, {"cpus": 0}, {"machine": "i8086"},
        {"disk_device": "floppy"}, {"disk_cache": "maybe"}, {"cpu": "a b"}, {"cpu": "x,file=/etc/passwd;"},
    ):  # fmt: skip
        with pytest.raises(ValidationError):
            settings(**wrong)
    with pytest.raises(ValidationError):
        KvmSettings.model_validate({"tcg_thread": "multi"})
    for wrong_count in ("fast", "shift=11", "shift=2,sleep=maybe", "auto,rr=record,rrfile=/tmp/x"):
        with pytest.raises(ValidationError, match="icount is auto, or as QEMU's -icount takes it"):
            settings(icount=wrong_count)
    with pytest.raises(ValidationError, match="icount needs tcg_thread single"):
        settings(icount="auto", tcg_thread="multi")
    with pytest.raises(ValidationError):
        KvmSettings.model_validate({"icount": "auto"})
    with pytest.raises(ValidationError, match="disk_device ide needs machine pc"):
        settings(disk_device="ide", machine="q35")
    with pytest.raises(ValidationError, match="a processor is one of"):
        settings(cpu="a b")
    with pytest.raises(UsageError, match="not settings of qemu"):
        qemu.start(KvmSettings(), "qemu-wrong")


def test_a_missing_program_is_named_with_its_package(qemu: Qemu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingProgram) as caught:
        qemu.start(settings(), "qemu-missing")
    assert caught.value.advice == "install the Debian package qemu-system-x86"


def test_a_machine_under_kvm(tmp_path: Path) -> None:
    with lab(tmp_path) as one:
        environment = Kvm(one)
        require(environment.check())
        guest = environment.start(KvmSettings(), "kvm-boots")
        try:
            assert greet(guest).request("facts", {}, 10)["pid"] == 1
            assert guest.effective["accelerator"] == "kvm"
        finally:
            guest.stop()


@pytest.mark.skipif(not os.access("/dev/kvm", os.R_OK | os.W_OK), reason="this user has no /dev/kvm")
def test_a_machine_under_kvm_is_ended_whether_its_kernel_runs_or_hangs(tmp_path: Path) -> None:
    with lab(tmp_path) as one:
        guest = Kvm(one).start(KvmSettings(cpu="qemu64"), "kvm-hangs")
        try:
            assert guest.effective["accelerator"] == "kvm"
            time.sleep(1.0)
            pids = children_of(guest)
        finally:
            guest.stop()
        assert pids
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
def test_an_image_of_containers_can_be_written_and_has_what_programs_expect(qemu: Qemu, tmp_path: Path) -> None:
    layout(tmp_path / "image", {"latest": made(user_land())})
    image = settings(root=f"oci:{tmp_path / 'image'}", memory="256M")
    qemu.prepare(image)
    script = "echo new >/etc/passwd; cat /etc/passwd; touch /srv/app/x /tmp/x /dev/shm/x; ls /srv/app; ls /dev/pts"
    for number in range(2):  # the second has nothing of the first
        guest = qemu.start(image, f"image-{number}-{os.getpid()}")
        try:
            words = ["/bin/sh", "-c", f"ls /srv/app; {script}"]
            ran = greet(guest).request("run-program", {"words": words, "seconds": 60}, 70)
            assert ran["output"].split() == ["new", "x", "ptmx"]
        finally:
            guest.stop()
