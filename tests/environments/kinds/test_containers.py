"""What every kind of container of a runtime promises, checked once for each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S
from tests.environments.a_container import agent_of, needs_root, starting
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.crun import Crun
from virtometer.environments.kinds.lxc import Lxc
from virtometer.environments.kinds.nspawn import Nspawn
from virtometer.environments.kinds.podman import Podman
from virtometer.environments.kinds.runc import Runc

# The Debian package, and the processes of a guest.
KINDS: dict[type[Environment], tuple[str, list[str]]] = {
    Runc: ("runc", ["runc", "virtometer-agen"]),
    Crun: ("crun", ["crun", "virtometer-agen"]),
    Podman: ("podman", ["conmon", "podman", "virtometer-agen"]),
    Lxc: ("lxc", ["lxc-start", "virtometer-agen"]),
    Nspawn: ("systemd-container", ["systemd-nspawn", "virtometer-agen"]),
}
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)


@needs_root
@each_kind
def test_the_agent_is_the_first_process_of_a_host_of_its_own_and_all_is_in_the_account(
    kind: type[Environment], lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest, talk = starting(kind(lab), new_id)()
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert (facts["pid"], facts["hostname"]) == (1, "virtometer")
    assert sorted(facts["interfaces"]) == ["eth0", "lo"]
    mounts = Path(f"/proc/{agent_of(guest)}/mountinfo").read_text().splitlines()
    options = {line.split()[4]: line.split()[5].split(",") for line in mounts}
    assert "ro" in options["/"]
    names = sorted(Path(f"/proc/{pid}/comm").read_text().strip() for pid in guest.account.processes())
    assert names == KINDS[kind][1]
    guest.stop()
    assert traces.of(guest.guest_id) == []


@needs_root
@each_kind
def test_without_its_program_the_check_names_the_package(
    kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lab.programs.find

    def find(name: str, package: str) -> Path:
        return real("no-such-program" if name == kind.program else name, package)

    monkeypatch.setattr(lab.programs, "find", find)
    check = kind(lab).check()
    assert not check.works
    assert kind.package == KINDS[kind][0]
    assert check.advice == f"install the Debian package {kind.package}"


@each_kind
def test_without_root_the_check_says_who_may_use_it(
    kind: type[Environment], lab: LabContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    check = kind(lab).check()
    assert not check.works
    assert "root" in check.reason
    assert check.advice == "run as root"
