"""What a machine's disk lies on: that it is made, that the guest reads and writes through it, that nothing is left."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.environments.booted import (
    DISK_BYTES,
    assert_seen_dead,
    greet,
    has_ended,
    hide_program,
    lab,
    measure,
    pattern,
    processes_by_name,
    require,
)
from virtometer.environments.kinds.qemu.backing import LOOP
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings
from virtometer.errors import EnvironmentFailed, MissingProgram

EXTRA = list(Path("/usr/lib").glob("*/qemu/block-iscsi.so"))
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a block device needs root")

needs_iscsi = pytest.mark.skipif(
    os.geteuid() != 0 or None in (shutil.which("tgtd"), shutil.which("tgtadm")) or not EXTRA,
    reason="iSCSI needs root and the Debian packages tgt and qemu-block-extra",
)


@pytest.fixture
def qemu(tmp_path: Path) -> Iterator[Qemu]:
    with lab(tmp_path) as one:
        environment = Qemu(one)
        require(environment.check())
        yield environment


def disk_file(environment: Qemu) -> Path:
    assert environment.lab.disk_file is not None
    return environment.lab.disk_file


def devices_of(file: Path) -> str:
    words = ["losetup", "--noheadings", "--output", "NAME", "--associated", str(file)]
    return subprocess.run(words, check=True, capture_output=True).stdout.decode().strip()


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        pytest.param({"disk_backing": "block"}, "virtio-blk on a block device", marks=needs_root),
        ({"disk_backing": "nbd", "disk_cache": "writeback"}, "virtio-blk over NBD"),
        pytest.param({"disk_backing": "iscsi"}, "virtio-blk over iSCSI", marks=needs_iscsi),
    ],
)
def test_a_guest_reads_and_writes_the_disk_file_through_it(qemu: Qemu, asked: dict[str, Any], way: str) -> None:
    settings = QemuSettings.model_validate({**asked, "memory": "256M", "cpus": 1})
    qemu.prepare(settings)
    guest = qemu.start(settings, f"backing-{os.getpid()}")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.conditions["disk_path"] == way
        assert guest.effective["disk_backing"] == asked["disk_backing"]
        whole = {"file": guest.disk.path, "span": DISK_BYTES, "size": 65536}
        assert measure(session, "disk", "sequential-read", whole).check.passed
        assert measure(session, "disk", "random-write", whole, seconds=0.2).check.passed
        assert (devices_of(disk_file(qemu)) != "") == (asked["disk_backing"] == "block")
        session.bye(10)
    finally:
        guest.stop()
    assert devices_of(disk_file(qemu)) == ""
    assert disk_file(qemu).read_bytes() == pattern(0, DISK_BYTES)


@needs_root
def test_two_guests_have_a_device_each(qemu: Qemu) -> None:
    settings = QemuSettings(disk_backing="block")
    guests = [qemu.start_machine(settings, f"two-{number}-{os.getpid()}", runs=False) for number in range(2)]
    try:
        assert len(devices_of(disk_file(qemu)).split()) == 2
        guests[0].grace_s = guests[1].grace_s = 0.0
        guests[0].stop()
        assert len(devices_of(disk_file(qemu)).split()) == 1
    finally:
        for guest in guests:
            guest.stop()
    assert devices_of(disk_file(qemu)) == ""


@needs_root
def test_what_a_killed_laboratory_left_is_removed_once(qemu: Qemu) -> None:
    file = disk_file(qemu)
    subprocess.run(["losetup", "--find", str(file)], check=True)
    assert LOOP.remove({"file": str(file)}, qemu.lab.programs).startswith("block device /dev/loop")
    assert LOOP.remove({"file": str(file)}, qemu.lab.programs) == ""


def test_a_host_without_such_devices_or_programs_says_so(qemu: Qemu, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = qemu.lab.scratch.parent / "bin"
    fake.mkdir()
    (fake / "losetup").write_text("#!/bin/sh\necho 'losetup: cannot find an unused loop device' >&2\nexit 1\n")
    (fake / "losetup").chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake}:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFailed, match="needs a loop device, and the host gives none"):
        qemu.prepare(QemuSettings(disk_backing="block"))
    hide_program(monkeypatch, qemu.lab.programs, "qemu-nbd")
    with pytest.raises(MissingProgram, match="qemu-nbd"):
        qemu.prepare(QemuSettings(disk_backing="nbd"))
    with pytest.raises(EnvironmentFailed, match="disk_backing iscsi needs root"):
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        qemu.start_machine(QemuSettings(disk_backing="iscsi"), f"user-{os.getpid()}", runs=False)


@needs_iscsi
def test_a_machine_that_is_killed_is_seen_dead_although_its_target_lives(qemu: Qemu) -> None:
    guest = qemu.start(QemuSettings(disk_backing="iscsi", memory=128 << 20, cpus=1), f"killed-{os.getpid()}")
    try:
        session = greet(guest)
        pids = processes_by_name(guest)
        assert pids.keys() == {"tgtd", "qemu-system-x86"}
        assert_seen_dead(guest, session, pids["qemu-system-x86"])
    finally:
        guest.stop()
    assert has_ended(pids["tgtd"])
