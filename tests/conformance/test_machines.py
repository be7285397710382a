"""The models of machines, and disks with a file system: the promises of a kind, with other settings than its own."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import traces
from tests.conformance.conftest import DISK_BYTES, REGISTRY, lab_context, require
from tests.conformance.conversation import Talk
from tests.conftest import nothing_is_left
from virtometer.environments.base import Check, LabContext, Room
from virtometer.environments.leftovers import remove_leftovers
from virtometer.errors import MissingProgram
from virtometer.model import Limits
from virtometer.runner.execution.services import Peer
from virtometer.runner.lab.agent import agent_path

REPOSITORY = Path(__file__).resolve().parents[2]
ROOM = Room(8 << 20, 300)
IOTHREAD = {"disk_device": "virtio-scsi", "disk_iothread": True, "disk_aio": "io_uring"}
AHCI = {"machine": "q35", "disk_device": "ahci", "network_device": "e1000e"}
SHAPED = {"sockets": 1, "cores": 2, "threads": 1}

# kind, settings, whether its disk has a file system, whether that takes too long for every day
VARIANTS: list[tuple[str, dict[str, Any], bool, bool]] = [
    ("qemu", {"machine": "pc", **IOTHREAD}, True, False),
    ("qemu", {"machine": "q35", "disk_device": "nvme", "disk_format": "qcow2"}, False, False),
    ("qemu", {"machine": "microvm"}, True, False),
    ("qemu", {"network_backend": "socket"}, False, False),
    ("qemu", {"network_backend": "socket", "disk_backing": "nbd", "network_device": "rtl8139"}, True, True),
    ("uml", {}, True, False),
    ("qemu", {"bits": 32, "cpu": "qemu32"}, False, False),
    ("qemu", {"bits": 32, "machine": "q35", "disk_device": "ahci", "network_device": "e1000e"}, True, True),
    ("qemu", {"bits": 32, "machine": "microvm"}, False, True),
    ("qemu", {"root": "debian", "disk_device": "ide", "network_device": "e1000"}, True, True),
    ("qemu", {"root": "debian", "machine": "microvm", "disk_format": "qcow2"}, False, True),
    ("uml", {"root": "debian"}, True, True),
    ("qemu", {"machine": "microvm", "disk_device": "virtio-scsi", "disk_cache": "unsafe"}, False, True),
    ("qemu", {"machine": "q35", "disk_cache": "writethrough", "disk_aio": "threads", "network_queues": 2}, True, True),
    ("qemu", {"machine": "pc", "disk_device": "ide", "network_device": "e1000"}, True, True),
    ("qemu", {"machine": "pc", "disk_cache": "directsync", "network_device": "rtl8139"}, False, True),
    ("qemu", {**AHCI, "disk_format": "qcow2"}, True, True),
    ("qemu", {"disk_backing": "block", "disk_device": "nvme"}, True, True),
    ("qemu", {"disk_backing": "nbd", "disk_format": "qcow2", "machine": "microvm"}, True, True),
    ("qemu", {"disk_backing": "iscsi", "disk_device": "virtio-scsi"}, True, True),
    ("libvirt", {"machine": "q35", "disk_device": "virtio-scsi", "cpus": 1}, True, False),
    ("libvirt", {"disk_device": "ide", "network_device": "e1000", "disk_cache": "unsafe"}, True, True),
    ("qemu", {"network_offloads": False, "guest_kernel": "generic", **SHAPED}, True, True),
]  # fmt: skip


def marked() -> list[Any]:
    """The variants, named by their settings, the long ones marked."""
    return [
        pytest.param(
            kind, settings, files, id=" ".join([kind, *map(str, settings.values()), *(["files"] if files else [])]),
            marks=[pytest.mark.slow] if slow else [],
        )
        for kind, settings, files, slow in VARIANTS
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "settings", "files"), marked())
def test_a_variant_keeps_the_promises_of_its_kind(
    kind: str,
    settings: dict[str, Any],
    files: bool,
    checks: Callable[[str], Check],
    agent: Path,
    disk_file: Path,
    tmp_path: Path,
) -> None:
    require(kind, checks)
    require_target(settings)
    interfaces, held = traces.host_interfaces(), disk_file.read_bytes()
    with lab_context(agent, tmp_path, disk_file) as lab:
        context = dataclasses.replace(lab, room=ROOM if files else None, agent_32=small_agent(settings))
        environment = REGISTRY[kind](context)
        wanted = environment.settings_type.model_validate(settings)
        environment.prepare(wanted)
        guest = environment.start(wanted, f"variant-{os.getpid()}")
        try:
            talk = Talk(guest)
            talk.greet()
            facts = talk.session.request("facts", {}, 30)
            assert (facts["pid"], facts["bits"]) == (1, settings.get("bits", 64))
            check_disk(talk, files)
            check_network(talk, context)
            assert guest.cpu_ns() > 0
        finally:
            guest.stop()
        assert not guest.alive()
    nothing_is_left(lab)
    assert traces.of(str(tmp_path), lab.lan.name) == []
    assert traces.host_interfaces() == interfaces
    if files:
        assert disk_file.read_bytes() == held, "a guest with a file system has an image of its own"


def small_agent(settings: dict[str, Any]) -> Path | None:
    """The agent of 32 bits where the settings ask for it; the test is skipped where it is not built."""
    if settings.get("bits") != 32:
        return None
    try:
        return agent_path("i686-linux")
    except MissingProgram as cause:
        pytest.skip(f"{cause}: {cause.advice}")


def require_target(settings: dict[str, Any]) -> None:
    """Skip the test where the settings ask for iSCSI and this host cannot have it."""
    programs = all(map(shutil.which, ("tgtd", "tgtadm"))) and list(Path("/usr/lib").glob("*/qemu/block-iscsi.so"))
    if settings.get("disk_backing") == "iscsi" and (os.geteuid() != 0 or not programs):
        pytest.skip("iSCSI needs root and the Debian packages tgt and qemu-block-extra")


def check_disk(talk: Talk, files: bool) -> None:
    """The disk file has its contents, as a device or as a file; where there is a file system, files can be made."""
    disk = talk.guest.disk
    assert disk is not None
    assert disk.conditions["disk_path"].startswith("ext4 on ") == files
    for op in ("random-read", "random-write"):
        done = talk.measure("disk", op, {"file": disk.path, "size": 65_536, "span": DISK_BYTES, "direct": True})
        assert done.check.passed
    if files:
        assert disk.path == "/data/disk.img"
        own = {"file": f"{disk.path}.own", "size": 65_536, "span": ROOM.files}
        assert talk.measure("disk", "write", own).check.passed
        for op in ("create-sequential", "stat-random", "delete-random"):
            assert talk.measure("disk", op, {"folder": f"{disk.path}.many", "files": ROOM.names}).value > 0


def check_network(talk: Talk, lab: LabContext) -> None:
    """A peer answers over it."""
    network = talk.guest.network
    assert network is not None
    peer = Peer(lab, f"peer-{os.getpid()}", network, Limits())
    try:
        assert talk.measure("net", "request-response", {"peer": peer.endpoints()[0].address, "size": 1}).check.passed
    finally:
        peer.stop()


@pytest.mark.parametrize(("kind", "settings", "files"), marked())
def test_after_a_sigkill_of_its_laboratory_nothing_is_left(
    kind: str,
    settings: dict[str, Any],
    files: bool,
    checks: Callable[[str], Check],
    agent: Path,
    disk_file: Path,
    tmp_path: Path,
    new_id: Callable[[], str],
) -> None:
    require(kind, checks)
    require_target(settings)
    small_agent(settings)
    guest_id, interfaces = new_id(), traces.host_interfaces()
    room = str(ROOM.files if files else 0)
    words = [kind, guest_id, *map(str, (agent, tmp_path, disk_file)), json.dumps(settings), room]
    argv = [sys.executable, "-m", "tests.conformance.laboratory", *words]
    laboratory = subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert laboratory.stdout is not None
    assert laboratory.stdout.readline() == b"up\n"
    laboratory.kill()
    laboratory.communicate()
    (tmp_path / "next").mkdir()
    lab = lab_context(agent, tmp_path / "next", disk_file).lab
    lab.journal.directory = tmp_path / "state"
    said = remove_leftovers(lab.journal, lab.programs)
    assert not any("could not" in sentence for sentence in said), said
    assert list((tmp_path / "state").iterdir()) == []
    assert list((tmp_path / "scratch").iterdir()) == []
    assert traces.after_a_kill(guest_id, str(tmp_path), f"virtometer-{laboratory.pid}") == []
    assert traces.host_interfaces() == interfaces


@pytest.mark.slow
@pytest.mark.timeout(1800)  # an emulated machine boots fifty times
@pytest.mark.parametrize(
    "asked",
    [{"machine": "pc"}, {"machine": "q35"}, {"machine": "microvm"}, {"bits": 32, "cpu": "qemu32"}],
    ids=lambda asked: " ".join(map(str, asked.values())),
)
def test_fifty_starts_leave_nothing(
    asked: dict[str, Any], checks: Callable[[str], Check], agent: Path, disk_file: Path, tmp_path: Path
) -> None:
    require("qemu", checks)
    with lab_context(agent, tmp_path, disk_file) as lab:
        environment = REGISTRY["qemu"](dataclasses.replace(lab, agent_32=small_agent(asked)))
        settings = environment.settings_type.model_validate({**asked, "memory": "128M", "cpus": 1})
        environment.prepare(settings)
        for number in range(50):
            guest = environment.start(settings, f"fifty-{number}-{os.getpid()}")
            try:
                Talk(guest).greet()
            finally:
                guest.stop()
            assert traces.of(guest.guest_id) == []
    nothing_is_left(lab)
    assert traces.of(str(tmp_path), lab.lan.name) == []
