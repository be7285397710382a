"""User-mode Linux, with the real program: what it boots, what reaches it, and what is left when it has ended."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

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
    processes_naming,
    require,
)
from tests.sentences import Said
from virtometer.environments.base import Check, LabContext, Room
from virtometer.environments.kinds.uml.kind import UmlSettings, UserModeLinux
from virtometer.errors import EnvironmentFailed, LinkClosed, MissingProgram


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """What the kind's check says here, asked once."""
    with lab(tmp_path_factory.mktemp("check")) as one:
        return UserModeLinux(one).check()


@pytest.fixture
def uml(tmp_path: Path, works: Check) -> Iterator[UserModeLinux]:
    """The kind, on a LabContext of its own; skips where it does not work."""
    require(works)
    with lab(tmp_path) as one:
        environment = UserModeLinux(one)
        environment.prepare(UmlSettings())
        yield environment


def disk_file(environment: UserModeLinux) -> Path:
    file = environment.lab.disk_file
    assert file is not None
    return file


def kernel_process(text: str) -> int:
    """The first process of user-mode Linux itself, not what started it."""
    return min(pid for pid in processes_naming(text) if Path(f"/proc/{pid}/exe").readlink().name == "linux.uml")


@pytest.mark.parametrize("cpus", [0, 2, 64])
def test_it_has_one_processor_and_refuses_others(said: Said, cpus: int) -> None:
    assert UmlSettings.model_validate({"cpus": 1}) == UmlSettings()
    with pytest.raises(ValidationError, match="has 1 processor") as refused:
        UmlSettings.model_validate({"cpus": cpus})
    [error] = refused.value.errors()
    said(error["msg"].removeprefix("Value error, "))


def test_a_disk_with_a_file_system_is_mounted_and_is_the_guests_own(uml: UserModeLinux) -> None:
    environment = UserModeLinux(dataclasses.replace(uml.lab, room=Room(4 << 20, 10)))
    held = disk_file(uml).read_bytes()
    guest = environment.start(UmlSettings(), "uml-files")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.path == "/data/disk.img"
        assert guest.disk.conditions["disk_path"] == "ext4 on ubd"
        whole = {"file": guest.disk.path, "span": DISK_BYTES, "size": 65536}
        assert measure(session, "disk", "random-write", whole).check.passed
        own = {"file": "/data/own", "span": 4 << 20, "size": 65536, "sync": "end"}
        assert measure(session, "disk", "write", own).check.passed
    finally:
        guest.stop()
    assert disk_file(uml).read_bytes() == held


def test_a_guest_boots_with_the_agent_as_its_first_process_and_the_memory_asked_for(uml: UserModeLinux) -> None:
    asked = 128 << 20
    guest = uml.start(UmlSettings(memory=asked), "uml-boots")
    try:
        session = greet(guest)
        facts = session.request("facts", {}, 10)
        assert facts["pid"] == 1
        assert facts["os"] == "Linux"
        assert facts["cpus_online"] == 1
        # The kernel and 64 bytes for every page of 4 KiB take their part; hash tables and buffers are less than that.
        kernel = uml.lab.programs.find("linux.uml", "user-mode-linux").stat().st_size
        assert asked - kernel - 2 * (asked // 64) < facts["memory_bytes"] < asked - asked // 64
        assert {"name": "ubda", "bytes": DISK_BYTES} in facts["block_devices"]
        assert guest.effective["memory_bytes"] == asked
        assert guest.alive()
        assert guest.cpu_ns() > 0
    finally:
        guest.stop()
    assert not guest.alive()
    assert processes_naming("umid=uml-boots") == []


def test_the_guest_reads_the_hosts_file_and_its_writes_reach_it(uml: UserModeLinux) -> None:
    file = disk_file(uml)
    with file.open("r+b") as disk:  # something that only a fill can repair
        disk.seek(DISK_BYTES // 2)
        disk.write(bytes(DISK_BYTES // 2))
    guest = uml.start(UmlSettings(), "uml-disk")
    try:
        session = greet(guest)
        assert guest.disk is not None
        assert guest.disk.conditions["host_cache"] == "yes"
        half = {"file": guest.disk.path, "span": DISK_BYTES // 2, "size": 65536}
        assert measure(session, "disk", "sequential-read", half).check.passed
        whole = {"file": guest.disk.path, "span": DISK_BYTES}
        measure(session, "disk", "fill", {**whole, "overwrite": True})
        measure(session, "disk", "sequential-write", {**whole, "size": 65536}, seconds=1.0)
        session.bye(10)
    finally:
        guest.stop()
    assert file.read_bytes() == pattern(0, DISK_BYTES)


@pytest.mark.skipif(os.geteuid() != 0, reason="a tap device needs root")
def test_the_guest_reaches_a_peer_over_its_tap_and_the_tap_is_gone_afterwards(uml: UserModeLinux) -> None:
    guest = uml.start(UmlSettings(), "uml-net")
    try:
        session = greet(guest)
        path = guest.network
        assert path is not None
        assert path.kind == "tap"
        before = interfaces(path.namespace)
        assert any(name.startswith("tap") for name in before)
        done = peer_measure(uml.lab, guest, session)
        assert done.value > 0
    finally:
        guest.stop()
    assert not any(name.startswith("tap") for name in interfaces(path.namespace))


def test_a_guest_that_hangs_is_ended_with_all_its_processes(uml: UserModeLinux) -> None:
    guest = uml.start(UmlSettings(), "uml-hangs")
    try:
        greet(guest)
        pids = processes_naming("umid=uml-hangs")
        assert pids
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    finally:
        guest.stop()
    assert processes_naming("umid=uml-hangs") == []
    assert guest.cpu_ns() > 0


def test_a_guest_whose_kernel_process_is_killed_ends_at_once_with_its_helpers(uml: UserModeLinux) -> None:
    guest = uml.start(UmlSettings(), "uml-killed")
    try:
        session = greet(guest)
        os.kill(kernel_process("umid=uml-killed"), signal.SIGKILL)
        with pytest.raises(LinkClosed):
            session.request("facts", {}, 20)
    finally:
        guest.stop()
    assert processes_naming("umid=uml-killed") == []


def test_stopping_before_the_guest_has_booted_leaves_nothing(uml: UserModeLinux) -> None:
    for pause in (0.0, 0.05, 0.3):
        guest = uml.start(UmlSettings(), "uml-early")
        time.sleep(pause)
        guest.stop()
        guest.stop()  # a second time is no error
        assert processes_naming("umid=uml-early") == []


def test_two_guests_at_once_are_strangers_to_each_other(tmp_path: Path, works: Check) -> None:
    require(works)
    with lab(tmp_path, disk=False) as one:
        environment = UserModeLinux(one)
        guests = [environment.start(UmlSettings(), f"uml-twin-{index}") for index in range(2)]
        try:
            for guest in guests:
                assert greet(guest).request("facts", {}, 10)["pid"] == 1
                assert guest.disk is None
        finally:
            for guest in guests:
                guest.stop()


def test_what_cannot_be_started_is_one_sentence_and_leaves_nothing(uml: UserModeLinux) -> None:
    blank = uml.lab.scratch / "a b"
    blank.mkdir()
    odd = UserModeLinux(dataclasses.replace(uml.lab, scratch=blank))
    with pytest.raises(EnvironmentFailed, match="no path with a comma, colon or blank"):
        odd.start(UmlSettings(), "uml-odd")
    blank.rmdir()


def test_memory_that_does_not_fit_is_refused_before_the_guest_meets_a_bus_error(uml: UserModeLinux) -> None:
    free = shutil.disk_usage("/dev/shm").free
    with pytest.raises(EnvironmentFailed, match=r"where [0-9]+ MiB are free"):
        uml.start(UmlSettings(memory=(free >> 20 << 20) + (1 << 30)), "uml-large")


def test_the_guests_memory_is_in_memory_whatever_the_users_temporary_directory(
    uml: UserModeLinux, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    guest = uml.start(UmlSettings(), "uml-memory")
    try:
        greet(guest)
        maps = Path(f"/proc/{kernel_process('umid=uml-memory')}/maps").read_text()
    finally:
        guest.stop()
    assert "/dev/shm/" in maps
    assert str(tmp_path) not in maps.replace(str(uml.lab.scratch), "")


def test_a_missing_program_is_named_with_its_package(uml: UserModeLinux, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(MissingProgram) as caught:
        uml.start(UmlSettings(), "uml-missing")
    assert caught.value.advice == "install the Debian package user-mode-linux"
    check = uml.check()
    assert not check.works
    assert check.advice == "install the Debian package user-mode-linux"


def test_a_kernel_that_dies_at_once_is_a_check_that_fails(
    tmp_path: Path, uml: UserModeLinux, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "linux.uml"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho ptrace is not allowed here\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    check = uml.check()
    assert not check.works
    assert "ptrace is not allowed here" in check.reason


@pytest.mark.parametrize(
    ("prints", "boots"),
    [
        ("printf 'Checking that ptrace can change system call numbers...'", False),
        ("echo Run /init as init process", False),
        ("while sleep 0.2; do date +%N; done", True),
    ],
)
def test_a_kernel_that_stands_still_is_told_from_one_that_boots_slowly(
    tmp_path: Path, uml: UserModeLinux, monkeypatch: pytest.MonkeyPatch, prints: str, boots: bool
) -> None:
    program = tmp_path / "bin" / "linux.uml"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{prints}\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("virtometer.environments.kinds.uml.kind.SILENT_S", 2.0)
    monkeypatch.setattr("virtometer.environments.kinds.uml.kind.CHECK_S", 4.0)
    check = uml.check()
    assert check.works == boots
    assert boots == ("booting" in check.found)
    assert boots or prints.split(maxsplit=1)[1].strip("'") in check.reason


def test_unknown_and_impossible_settings_are_refused() -> None:
    for wrong in ({"cpus": 2}, {"memory": "1"}, {"memory": "12X"}, {"memory": -1}, {"memory": "65537K"}):
        with pytest.raises(ValidationError):
            UmlSettings.model_validate(wrong)
    assert UmlSettings.model_validate({"memory": "1G"}).memory == 1 << 30


def test_one_processor_is_all_that_it_has(uml: UserModeLinux, said: Said) -> None:
    lacks = uml.lacks()
    assert not lacks.memory_limit
    said(lacks.cpu_limit)


def test_without_a_tap_there_is_a_guest_without_network(uml: UserModeLinux) -> None:
    class NoLan(type(uml.lab.lan)):  # type: ignore[misc]
        def unavailable(self) -> str:
            return "network namespaces with a bridge need root"

    lan = NoLan(uml.lab.journal, uml.lab.programs)
    bare: LabContext = dataclasses.replace(uml.lab, lan=lan)
    environment = UserModeLinux(bare)
    assert "need root" in environment.lacks().network
    guest = environment.start(UmlSettings(), "uml-no-net")
    try:
        assert guest.network is None
        assert greet(guest).request("facts", {}, 10)["interfaces"] in (["lo"], [])
    finally:
        guest.stop()
