"""A container of Podman."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.environments.a_container import (
    Start,
    agent_of,
    check_account,
    check_first_process,
    check_missing_program,
    check_without_root,
    needs_root,
    starting,
    status,
)
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.podman import Podman, PodmanSettings


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    return starting(Podman(lab), new_id)


@needs_root
def test_the_agent_is_the_first_process_of_a_host_of_its_own(start: Start) -> None:
    check_first_process(start)


@needs_root
def test_all_of_it_is_in_the_account(start: Start) -> None:
    check_account(start, ["conmon", "podman", "virtometer-agen"])


@needs_root
def test_its_monitor_writes_nothing_where_the_laboratory_was_called(start: Start) -> None:
    guest, _ = start()
    [conmon] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "conmon\n"]
    assert Path(f"/proc/{conmon}/cwd").readlink() != Path.cwd()
    guest.stop()


@needs_root
def test_without_the_program_the_check_names_the_package(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Podman.package == "podman"
    check_missing_program(Podman, lab, monkeypatch)


@needs_root
def test_the_runtime_of_the_plan_is_checked_alone(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    find = lab.programs.find
    monkeypatch.setattr(
        lab.programs, "find", lambda name, package: find("no-such-crun" if name == "crun" else name, package)
    )
    assert not Podman(lab).check().works
    check = Podman(lab).check_with(PodmanSettings(runtime="runc"))
    assert check.works, check
    assert Podman.check_settings == ("runtime",)


def test_without_root_the_check_says_so(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    check_without_root(Podman, lab, monkeypatch)


@needs_root
def test_nothing_of_the_hosts_podman_is_touched(start: Start) -> None:
    places = [Path("/run"), Path("/dev/shm"), Path("/var/lib/containers"), Path("/var/tmp")]
    before = [sorted(place.iterdir()) if place.is_dir() else None for place in places]
    guest, _ = start()
    assert [sorted(place.iterdir()) if place.is_dir() else None for place in places] == before
    guest.stop()
    assert [sorted(place.iterdir()) if place.is_dir() else None for place in places] == before


@needs_root
@pytest.mark.parametrize("seccomp", [True, False])
def test_the_filter_of_system_calls_is_a_setting(start: Start, seccomp: bool) -> None:
    guest, _ = start(seccomp=seccomp)
    assert guest.effective["seccomp"] is seccomp
    assert status(agent_of(guest), "Seccomp") == ("2" if seccomp else "0")
    guest.stop()


@needs_root
def test_the_runtime_below_is_a_setting(start: Start) -> None:
    guest, talk = start(runtime="runc")
    assert guest.effective["runtime"] == "runc"
    assert talk.measure("memory", "read", {"size": 1 << 20}).check.passed
    guest.stop()
