"""virsh: which hypervisor a URI names, and what libvirt's test driver answers, which needs no daemon."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.libvirt import domain_xml, virsh
from virtometer.environments.kinds.libvirt.virsh import (
    DOMAIN,
    Connection,
    cgroups_of,
    default_uri,
    driver_of,
    is_local,
    kill_domain,
    process_of,
)
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.host.cpu.accounting import cgroup_mounts, remove_cgroup
from virtometer.processes import process_stats, stat_of, tree_of
from virtometer.programs import Programs

needs_virsh = pytest.mark.skipif(shutil.which("virsh") is None, reason="the package libvirt-clients is not installed")
UUID = "22222222-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("uri", "driver", "local"),
    [
        ("qemu:///system", "qemu", True),
        ("lxc+unix:///system?socket=/run/x", "lxc", True),
        ("qemu+ssh://root@host.example/system", "qemu", False),
        ("esx://host/?no_verify=1", "esx", False),
        ("vbox:///session", "vbox", True),
        ("xen+tls:///system", "xen", False),
        ("test:///default", "test", True),
    ],
)
def test_a_uri_names_a_driver(uri: str, driver: str, local: bool) -> None:
    assert (driver_of(uri), is_local(uri)) == (driver, local)


@pytest.mark.parametrize("uri", ["", "qemu", "/run/x", "Qemu-1:///system"])
def test_what_is_no_uri_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match="must be a URI of libvirt"):
        driver_of(uri)


@pytest.mark.parametrize(
    ("given", "driver", "expected"),
    [
        ("qemu+unix:///system?socket=/s", "qemu", "qemu+unix:///system?socket=/s"),
        ("qemu+unix:///system?socket=/s", "lxc", "lxc+unix:///system?socket=/s"),
        ("lxc:///system", "qemu", "qemu:///system"),
        ("xen:///system", "qemu", "xen:///system"),
        ("xen:///system", "lxc", "lxc:///system"),
        ("no uri", "lxc", "lxc:///system"),
    ],
)
def test_the_default_follows_the_environment(
    given: str, driver: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBVIRT_DEFAULT_URI", given)
    assert default_uri(driver) == expected


def test_the_default_is_the_daemon_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBVIRT_DEFAULT_URI", raising=False)
    assert default_uri("qemu") == ("qemu:///system" if os.geteuid() == 0 else "qemu:///session")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert default_uri("qemu") == "qemu:///session"


@needs_virsh
def test_the_whole_life_of_a_domain_over_one_connection(lab: LabContext, tmp_path: Path) -> None:
    words = {"name": "virtometer-life", "uuid": UUID, "memory_kib": "262144", "cpus": "2"}
    text = domain_xml.filled(domain_xml.built_in("test"), words, {}, "of the test driver")
    connection = Connection(lab.programs, "test:///default")
    printed = connection.run(
        ["define", "/dev/stdin"],
        ["start", "virtometer-life"],
        ["domstate", "virtometer-life"],
        ["dumpxml", "virtometer-life"],
        ["destroy", "virtometer-life"],
        ["domstate", "virtometer-life"],
        ["undefine", "virtometer-life"],
        ["list", "--all", "--name"],
        purpose="live",
        input_bytes=text.encode(),
    )
    begin, end = printed.index("<domain"), printed.index("</domain>") + len("</domain>")
    facts = domain_xml.facts(domain_xml.parsed(printed[begin:end], "it"))
    assert (facts["domain_type"], facts["domain_uuid"], facts["cpus"]) == ("test", UUID, 2)
    assert facts["memory_bytes"] == 256 << 20
    assert "running" in printed[:begin]
    assert printed[end:].split() == ["shut", "off", "test"], "the driver has a domain of its own"
    assert [line.purpose for line in lab.programs.drain()] == ["live"]


@needs_virsh
def test_what_libvirt_answers(lab: LabContext) -> None:
    connection = Connection(lab.programs, "test:///default")
    assert connection.local
    assert set(connection.version()) == {"libvirt", "hypervisor"}
    assert connection.version() is connection.version()
    assert connection.state("test") == "running"
    assert connection.state("no such domain") is None
    assert connection.statistics("no such domain") == {}
    assert "state.state" in connection.statistics("test")
    assert connection.security_models() == ["testSecurity"]
    assert connection.description("test").startswith("<domain")
    assert connection.remove("no such domain") == ""


@needs_virsh
def test_libvirts_reason_is_the_reason(lab: LabContext) -> None:
    connection = Connection(lab.programs, "test:///default")
    with pytest.raises(EnvironmentFailed) as raised:
        connection.run(["start", "test"], purpose="start it twice")
    assert "libvirt at test:///default (start it twice): " in raised.value.sentence
    assert "already" in raised.value.sentence
    assert not raised.value.advice
    with pytest.raises(EnvironmentFailed, match="already"):
        connection.run(["start", "test"], ["dumpxml", "test"], purpose="go on after a failure")


@needs_virsh
@pytest.mark.parametrize(
    ("uri", "package"),
    [
        ("qemu+unix:///system?socket=/no/such/socket", "libvirt-daemon-driver-qemu"),
        ("lxc+unix:///system?socket=/no/such/socket", "libvirt-daemon-driver-lxc"),
        ("bhyve:///nowhere", ""),
    ],
)
def test_without_a_daemon_the_advice_names_the_packages(said: Said, lab: LabContext, uri: str, package: str) -> None:
    with pytest.raises(EnvironmentFailed, match=r"failed to connect|no connection driver") as raised:
        Connection(lab.programs, uri).version()
    assert package in raised.value.advice
    said(raised.value.advice)


@needs_virsh
def test_a_hypervisor_that_stays_away_is_waited_for_once(
    lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virsh, "RESTART_S", 0.5)
    connection = Connection(lab.programs, "test:///default")
    assert connection.state("test") == "running"
    connection.uri = f"qemu+unix:///system?socket={tmp_path}/none"
    calls = []
    for _ in range(2):
        lab.programs.drain()
        with pytest.raises(EnvironmentFailed, match="failed to connect"):
            connection.state("test")
        calls.append(len(lab.programs.drain()))
    assert calls[0] > 1 and calls[1] == 1


@needs_virsh
def test_a_destroy_of_which_the_daemon_died_is_asked_once_more(
    lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died = tmp_path / "died"
    dying = tmp_path / "virsh"
    dying.write_text(
        f"""#!/bin/sh
case "$*" in *destroy*)
    [ -e {died} ] || {{ touch {died}; echo "error: End of file while reading data: Input/output error" >&2; exit 1; }}
esac
exec {shutil.which("virsh")} "$@"
"""
    )
    dying.chmod(0o755)
    monkeypatch.setattr(lab.programs, "find", lambda *_: dying)
    assert Connection(lab.programs, "test:///default").remove("test") == "domain test"
    assert died.exists()


def test_without_virsh_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(self: Programs, name: str, package: str) -> Path:
        raise MissingProgram(f"no {name}", advice=f"install the Debian package {package}")

    monkeypatch.setattr(Programs, "find", find)
    with pytest.raises(MissingProgram, match="no virsh") as raised:
        Connection(Programs(), "qemu:///system").version()
    assert raised.value.advice == "install the Debian package libvirt-clients"


def test_a_driver_that_is_missing_is_named_with_its_package(said: Said) -> None:
    reason = "no connection driver available for lxc:///system"
    advice = Connection(Programs(), "lxc:///system").advice(reason)
    assert "libvirt-daemon-driver-lxc" in advice
    said(advice)
    assert "driver bhyve" in Connection(Programs(), "bhyve:///system").advice(reason)


def test_a_hybrid_host_is_told_how_to_start_the_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virsh, "bare_unified", lambda: [Path("/sys/fs/cgroup/unified")])
    advice = Connection(Programs(), "lxc:///system").advice("cannot find cgroup mount")
    assert "umount -l /sys/fs/cgroup/unified; exec libvirtd" in advice


# --- processes ------------------------------------------------------------------------------------------------

_SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def run() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Run a program whose command line has these words."""
    running = []

    def begin(*words: str, name: str = "emulator") -> subprocess.Popen[bytes]:
        process = subprocess.Popen([name, "-c", _SLEEP, *words], executable=sys.executable)
        running.append(process)
        wait_until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes().startswith(name.encode()))
        return process

    yield begin
    for process in running:
        process.kill()
        process.wait()


def test_the_process_of_a_domain_is_found(run: Callable[..., subprocess.Popen[bytes]]) -> None:
    assert process_of("web", UUID) is None
    emulator = run("-name", "guest=web", "-uuid", UUID)
    assert process_of("web", UUID) == emulator.pid
    assert process_of("web", UUID.replace("2", "3")) is None
    container = run("--name", "store", name="/usr/lib/libvirt/libvirt_lxc")
    assert process_of("store", "") == container.pid
    assert process_of("stor", "") is None
    box = run("--startvm", UUID.replace("2", "4"))
    assert process_of("box", UUID.replace("2", "4")) == box.pid


def test_a_domain_is_killed_with_its_tree_even_where_it_is_stopped(run: Callable[..., subprocess.Popen[bytes]]) -> None:
    words = ["sh", "-c", "sleep 60 & kill -STOP $$; wait", "sh", "-uuid", UUID]
    emulator = subprocess.Popen(words, executable="/bin/sh")
    wait_until(lambda: len(tree_of(emulator.pid)) == 2)
    tree = tree_of(emulator.pid)
    kill_domain("web", UUID)
    assert emulator.wait(10) == -9
    assert not [one for pid in tree if (one := stat_of(pid)) and one.state not in "ZX"]
    kill_domain("web", UUID)


_FORKS = """
import os, time
for _ in range(1_000):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    time.sleep(0.0003)
time.sleep(60)
"""


@pytest.mark.parametrize("again", range(4))
def test_a_domain_that_starts_processes_while_it_is_killed_leaves_none(again: int) -> None:
    words = ["emulator", "-c", _FORKS, "-uuid", UUID]
    emulator = subprocess.Popen(words, executable=sys.executable, start_new_session=True)
    wait_until(lambda: len(tree_of(emulator.pid)) > 20)
    kill_domain("web", UUID)
    assert emulator.wait(10) == -9
    left = [one.pid for one in process_stats() if one.session == emulator.pid and one.state not in "ZX"]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


@pytest.mark.skipif(os.geteuid() != 0 or not cgroup_mounts(), reason="cgroups and root are needed")
def test_the_cgroups_of_a_domain_are_found_by_its_name() -> None:
    machine = cgroup_mounts()[0].path / "machine"
    was_there = machine.is_dir()
    mine = machine / f"lxc-1-virtometer-{os.getpid()}-a.libvirt-lxc"
    other = machine / f"lxc-1-virtometer-{os.getpid()}-ab.libvirt-lxc"
    try:
        (mine / "below").mkdir(parents=True)
        other.mkdir()
        assert cgroups_of(f"virtometer-{os.getpid()}-a") == [mine]
        assert cgroups_of("virtometer") == []
        remove_cgroup(mine)
        assert not mine.exists() and other.is_dir()
    finally:
        for directory in (mine / "below", mine, other, *([] if was_there else [machine])):
            if directory.is_dir():
                directory.rmdir()


@needs_virsh
def test_the_clean_up_removes_what_is_named_as_ours_alone() -> None:
    fields = {"uri": "test:///default", "name": "test", "uuid": UUID}
    assert DOMAIN.remove(fields, Programs()) == ""
    assert DOMAIN.remove({**fields, "name": "virtometer-gone"}, Programs()) == ""
    assert not DOMAIN.ends_at_boot
