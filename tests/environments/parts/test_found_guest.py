"""A guest that a daemon has started: how its processes are found, and how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.parts.found_guest import FoundAccount, FoundGuest, cgroup_named, unescaped
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import CgroupMount
from virtometer.processes import stat_of

SCOPE = "machine.slice/machine-qemu\\x2d1\\x2dweb.scope"


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[bytes]]:
    """A process that works, with a child, and that is no child of a guest's launcher."""
    process = subprocess.Popen(["sh", "-c", "sleep 60 & while :; do :; done"], start_new_session=True)
    yield process
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("machine/qemu-1-web.libvirt-qemu/emulator", "machine/qemu-1-web.libvirt-qemu"),
        (f"{SCOPE}/libvirt/vcpu0", SCOPE),
        ("system.slice/other.service", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_cgroup_of_a_guest_has_its_name(
    path: str, found: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CgroupMount, "cgroup_of", lambda self, pid: tmp_path / path)
    mount = CgroupMount(2, tmp_path, "/", ())
    assert cgroup_named(mount, 1, "web") == (None if found is None else tmp_path / found)


def test_the_cgroup_of_a_process_is_looked_up(lab: LabContext) -> None:
    me = stat_of(os.getpid())
    assert me is not None
    account = FoundAccount(lab, "me", me, "no-such-domain", owned=False)
    assert account.inner is None
    assert os.getpid() in account.processes()
    account.remove()


def test_names_of_units_have_escapes() -> None:
    assert unescaped("machine-lxc\\x2d7\\x2dvirtometer\\x2dt1.scope") == "machine-lxc-7-virtometer-t1.scope"


def test_all_that_was_found_ends_with_the_guest(lab: LabContext, busy: subprocess.Popen[bytes]) -> None:
    guest = FoundGuest(lab, "found", Settings())
    assert not guest.alive()
    guest.follow(busy.pid, "no-such-name")
    wait_until(lambda: len(guest.processes()) == 2)
    assert guest.alive()
    guest.grace_s = 0.0
    guest.stop()
    assert busy.wait(5) == -signal.SIGKILL
    assert not guest.alive()
    assert guest.cpu_ns() > 0


def test_what_has_ended_is_not_followed(lab: LabContext) -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(EnvironmentFailed, match="web"):
        FoundGuest(lab, "found", Settings()).follow(process.pid, "web")
