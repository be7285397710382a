"""A daemon as it is found, asked, and not taken for another one."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.environments.own_dockerd import OwnDockerd
from tests.sentences import Said
from virtometer.environments.kinds.docker.daemon import CONTAINER, IMAGE, VOLUMES, Daemon, address_of, remove_container
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs


def test_the_daemon_says_what_it_is(daemon: OwnDockerd) -> None:
    facts = Daemon(Programs(), daemon.address).facts()
    assert facts.version == daemon.docker("version", "--format", "{{.Server.Version}}")
    assert facts.default_runtime == "runc"
    assert {"runc", "crun"} <= set(facts.runtimes)
    assert (facts.cgroup_driver, facts.storage_driver) == ("cgroupfs", "overlay2")


def test_a_runtime_that_it_lacks_is_refused_with_those_that_it_has(daemon: OwnDockerd, said: Said) -> None:
    one = Daemon(Programs(), daemon.address)
    assert one.runtime(None) == "runc"
    assert one.runtime("crun") == "crun"
    with pytest.raises(EnvironmentFailed) as refused:
        one.runtime("kata")
    assert all(name in refused.value.advice for name in one.facts().runtimes)
    said(refused.value.sentence, address=daemon.address)


def test_a_failure_has_the_reason_of_the_daemon(daemon: OwnDockerd) -> None:
    with pytest.raises(EnvironmentFailed, match="no-such-image") as failed:
        Daemon(Programs(), daemon.address).run(["run", "--pull=never", "no-such-image"], purpose="try")
    assert "\n" not in failed.value.sentence
    assert "--help" not in failed.value.sentence


@pytest.mark.parametrize("bound", [True, False], ids=["nobody listens", "no file"])
def test_without_a_daemon_one_sentence_says_so(bound: bool, tmp_path: Path, said: Said) -> None:
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as one:
        if bound:
            one.bind(str(path))
    with pytest.raises(EnvironmentFailed) as failed:
        Daemon(Programs(), address_of(Programs(), str(path))).facts()
    said(f"{failed.value.sentence}\n{failed.value.advice}", path=path)


def test_a_socket_that_the_user_may_not_use_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    path = tmp_path / "docker.sock"

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))
        monkeypatch.setattr(socket.socket, "connect", refuse)
        with pytest.raises(EnvironmentFailed) as failed:
            Daemon(Programs(), f"unix://{path}").require()
    said(f"{failed.value.sentence}\n{failed.value.advice}", path=path)


@pytest.mark.parametrize("address", ["tcp://192.0.2.7:2375", "ssh://user@example.org", "npipe:////./pipe/docker"])
def test_a_daemon_of_another_host_is_refused(address: str, monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    with pytest.raises(EnvironmentFailed) as refused:
        address_of(Programs(), address)
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(EnvironmentFailed, match=address.partition(":")[0]):
        address_of(Programs(), None)
    said(f"{refused.value.sentence}\n{refused.value.advice}")


def test_the_context_of_the_user_is_followed(
    daemon: OwnDockerd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    daemon.docker("context", "create", "mine", "--docker", f"host={daemon.address}")
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "mine"}))
    assert address_of(Programs(), None) == daemon.address


def a_docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program docker that prints something else."""
    program = tmp_path / "docker"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def test_a_daemon_whose_kernel_is_another_one_is_refused(
    daemon: OwnDockerd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    info = json.loads(daemon.docker("info", "--format", "{{json .}}")) | {"KernelVersion": "6.6.1-linuxkit"}
    (tmp_path / "info").write_text(json.dumps(info))
    a_docker(tmp_path, monkeypatch, f"cat {tmp_path}/info")
    with pytest.raises(EnvironmentFailed) as refused:
        Daemon(Programs(), daemon.address).facts()
    said(refused.value.sentence, address=daemon.address, here=os.uname().release)


@pytest.mark.parametrize("answer", ["", "null", "[]", "{}", "{", '{"KernelVersion": 3}'])
def test_what_answers_something_else_is_no_daemon(
    daemon: OwnDockerd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    a_docker(tmp_path, monkeypatch, f"echo '{answer}'")
    with pytest.raises(EnvironmentFailed, match=daemon.address):
        Daemon(Programs(), daemon.address).facts()


def test_what_is_gone_is_no_fault(daemon: OwnDockerd, new_id: Callable[[], str]) -> None:
    name = f"virtometer-{new_id()}"
    assert not remove_container(Daemon(Programs(), daemon.address), name)
    fields = {"address": daemon.address, "name": name, "count": 2}
    assert [one.remove(fields, Programs()) for one in (CONTAINER, VOLUMES, IMAGE)] == ["", "", ""]


def test_the_clean_up_removes_what_is_named_as_ours_alone(daemon: OwnDockerd) -> None:
    daemon.docker("volume", "create", "mine-0")
    fields = {"address": daemon.address, "name": "mine", "count": 1}
    assert [one.remove(fields, Programs()) for one in (CONTAINER, VOLUMES, IMAGE)] == ["", "", ""]
    assert daemon.docker("volume", "ls", "--quiet") == "mine-0"
    daemon.docker("volume", "rm", "mine-0")
