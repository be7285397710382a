"""A container of a daemon that the tests start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.a_container import agent_of, status
from tests.environments.kinds.docker.test_root import Start, left, start
from tests.environments.own_dockerd import OwnDockerd
from tests.sentences import Said
from tests.waiting import wait_until
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.docker.kind import Docker
from virtometer.environments.kinds.docker.settings import DockerSettings
from virtometer.environments.leftovers import remove_guest, remove_leftovers
from virtometer.errors import EnvironmentFailed, LinkClosed
from virtometer.host.owned.journal import Journal

__all__ = ["start"]
REPOSITORY = Path(__file__).resolve().parents[4]


def test_the_agent_is_alone_in_a_host_of_its_own(start: Start) -> None:
    guest, talk = start()
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert (facts["pid"], facts["hostname"]) == (1, "virtometer")
    assert sorted(facts["interfaces"]) == ["eth0", "lo"]
    assert guest.account.processes() == [agent_of(guest)]
    mounts = Path(f"/proc/{agent_of(guest)}/mountinfo").read_text().splitlines()
    [root] = [line for line in mounts if line.split()[4] == "/"]
    assert "ro" in root.split()[5].split(",")
    assert " overlay " in root


def test_it_competes_as_the_guests_of_other_kinds_do(start: Start) -> None:
    guest, _ = start()
    assert guest.effective["scheduling_group"].startswith("own, weight")
    assert f"virtometer-{guest.guest_id}/" in Path(f"/proc/{agent_of(guest)}/cgroup").read_text()


@pytest.mark.parametrize("seccomp", [True, False])
def test_the_filter_of_system_calls_is_a_setting(start: Start, seccomp: bool) -> None:
    guest, _ = start(seccomp=seccomp)
    assert status(agent_of(guest), "Seccomp") == ("2" if seccomp else "0")


def test_capabilities_are_a_setting(start: Start) -> None:
    guest, _ = start(capabilities=["NET_RAW"])
    assert int(status(agent_of(guest), "CapEff"), 16) == 1 << 13


def test_limits_take_effect(start: Start) -> None:
    guest, _ = start(cpus=0.5, memory="64M", cpuset=[0])
    effective = guest.effective
    assert (effective["cpus"], effective["memory"], effective["cpuset"]) == (0.5, 64 << 20, "0")
    assert guest.daemon is not None
    assert guest.daemon.inspect(guest.name)["HostConfig"]["MemorySwap"] == -1


@pytest.mark.parametrize(("channel", "network"), [("attach", "laboratory"), ("socket", "host"), ("auto", "none")])
def test_the_ways_to_the_agent_and_to_others(start: Start, channel: str, network: str) -> None:
    guest, talk = start(channel=channel, network=network)
    assert guest.effective["channel"] == ("attach" if channel == "attach" else "socket")
    kind = {"laboratory": "veth", "host": "loopback", "none": None}[network]
    assert (guest.network and guest.network.kind) == kind
    assert talk.measure("memory", "read", {"size": 1 << 20}).check.passed
    same = Path(f"/proc/{agent_of(guest)}/ns/net").readlink() == Path("/proc/self/ns/net").readlink()
    assert same == (network == "host")
    guest.stop()
    assert traces.of(guest.guest_id) == []


def test_a_command_is_counted_in_the_container(start: Start) -> None:
    guest, talk = start(root="host")
    script = "memory = b'x' * (150 << 20); sum(range(10**7))"
    words = {"program": "/usr/bin/env", "arguments": json.dumps(["python3", "-c", script])}
    done = talk.measure("command", "time", words | {"variables": json.dumps({"PATH": os.environ["PATH"]})})
    counted = done.measures["user"].value + done.measures["system"].value
    assert 0.05 < counted < 2 * done.value
    assert 130 << 20 < done.measures["peak-memory"].value < 300 << 20
    assert guest.cpu_ns() > counted * 1e9


def test_another_runtime_makes_it(start: Start) -> None:
    guest, talk = start(runtime="crun")
    assert guest.effective["runtime"] == "crun"
    assert talk.measure("memory", "read", {"size": 1 << 20}).check.passed


def test_a_runtime_that_refuses_the_socket_gets_the_other_channel(
    daemon: OwnDockerd, lab: LabContext, start: Start
) -> None:
    """runsc hands no socket of the host on. Debian's takes a network namespace of a new kernel for the host's."""
    if "sandbox" not in daemon.docker("info", "--format", "{{json .Runtimes}}"):
        pytest.skip("runsc is not installed")
    guest, talk = start(runtime="sandbox")
    assert guest.effective["channel"] == "attach"
    assert guest.network is None
    assert guest.cpu_ns() > 0
    assert talk.measure("memory", "read", {"size": 1 << 20}).check.passed
    guest.stop()
    assert traces.of(guest.guest_id) == []
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


def test_what_the_user_has_stays(start: Start, daemon: OwnDockerd, tmp_path: Path) -> None:
    archive = tmp_path / "mine.tar"
    shell = subprocess.run(["which", "busybox"], capture_output=True, text=True).stdout.strip() or "/bin/true"
    subprocess.run(["tar", "--create", "--file", archive, "--directory", "/", shell.lstrip("/")], check=True)
    daemon.docker("import", str(archive), "mine")
    daemon.docker("create", "--name", "mine", "mine", shell)
    daemon.docker("volume", "create", "mine")
    guest, _ = start()
    guest.stop()
    assert daemon.docker("ps", "--all", "--format", "{{.Names}} {{.Image}}") == "mine mine"
    assert daemon.docker("volume", "ls", "--quiet") == "mine"
    daemon.docker("rm", "mine")
    daemon.docker("volume", "rm", "mine")
    daemon.docker("image", "rm", "mine")


def test_after_a_sigkill_only_what_is_ours_goes(
    daemon: OwnDockerd, lab: LabContext, agent: Path, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    guest_id, disk = new_id(), tmp_path / "disk"
    disk.mkdir()
    (disk / "disk.img").write_bytes(bytes(1 << 20))
    (tmp_path / "its").mkdir()
    words = ["docker", guest_id, str(agent), str(tmp_path / "its"), str(disk / "disk.img"), '{"root": "host"}', "0"]
    laboratory = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.laboratory", *words], stdout=subprocess.PIPE, cwd=REPOSITORY
    )
    assert laboratory.stdout is not None
    assert laboratory.stdout.readline() == b"up\n"
    laboratory.kill()
    laboratory.communicate()
    assert any(left(daemon))
    journal = Journal(tmp_path / "its" / "state")
    [sentence] = [one for one in remove_leftovers(journal, lab.programs) if guest_id in one and "could not" not in one]
    assert "container" in sentence
    lab.shared.close()
    assert left(daemon) == ["", "", ""]
    assert traces.after_a_kill(guest_id) == []


def test_a_daemon_that_stops_is_named_in_one_sentence(
    daemon: OwnDockerd, lab: LabContext, new_id: Callable[[], str], said: Said
) -> None:
    one = Docker(lab)
    settings = DockerSettings()
    one.prepare(settings)
    guest = one.start(settings, new_id())
    talk = Talk(guest)
    talk.greet()
    daemon.stop()
    try:
        wait_until(lambda: not guest.alive(), ANSWER_S)
        with pytest.raises(LinkClosed):
            talk.session.ping(ANSWER_S)
        with pytest.raises(EnvironmentFailed) as failed:
            one.start(settings, new_id())
        said(failed.value.sentence, address=daemon.address)
        with pytest.raises(EnvironmentFailed, match=guest.guest_id):
            guest.stop()
        assert lab.journal.resources(guest.guest_id), "it is remembered"
        lab.shared.close()
    finally:
        daemon.start()
    remembered = sorted(lab.journal.directory.glob("*.json"), reverse=True)
    assert [path.stem.startswith("0-shared") for path in remembered] == [False, False, True]
    for path in remembered:
        entry = lab.journal.read(path)
        assert entry is not None
        assert "could not" not in remove_guest(path, entry, lab.programs)
    assert left(daemon) == ["", "", ""]


def test_without_its_program_the_check_names_the_package(
    daemon: OwnDockerd, lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lab.programs.find
    monkeypatch.setattr(
        lab.programs, "find", lambda name, package: real("no-such-docker" if name == "docker" else name, package)
    )
    check = Docker(lab).check()
    assert not check.works
    assert check.advice == "install the Debian package docker.io"


def test_without_root_the_check_says_who_may_use_it(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    check = Docker(lab).check()
    assert (check.works, check.advice) == (False, "run as root")


def test_the_check_has_the_socket_and_the_runtime(daemon: OwnDockerd, lab: LabContext) -> None:
    assert Docker.check_settings == ("socket", "runtime")
    works = Docker(lab).check_with(DockerSettings(runtime="crun", socket=daemon.address))
    assert works.works, works
    assert works.found["runtime"] == "crun"
    lacking = Docker(lab).check_with(DockerSettings(runtime="kata"))
    assert not lacking.works
    assert "crun" in lacking.advice
    assert not Docker(lab).check_with(DockerSettings(socket="/no/such/docker.sock")).works
