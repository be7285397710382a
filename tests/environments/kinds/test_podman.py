"""A container of Podman."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.environments.a_container import (
    Start,
    agent_of,
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
def test_its_monitor_writes_nothing_where_the_laboratory_was_called(start: Start) -> None:
    guest, _ = start()
    [conmon] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "conmon\n"]
    assert Path(f"/proc/{conmon}/cwd").readlink() != Path.cwd()
    guest.stop()


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
