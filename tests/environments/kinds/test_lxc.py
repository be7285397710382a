"""A container of LXC."""

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
from virtometer.environments.kinds import lxc
from virtometer.environments.kinds.lxc import Lxc
from virtometer.errors import EnvironmentFailed


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    return starting(Lxc(lab), new_id)


@needs_root
def test_the_agent_is_the_first_process_of_a_host_of_its_own(start: Start) -> None:
    check_first_process(start)


@needs_root
def test_all_of_it_is_in_the_account(start: Start) -> None:
    check_account(start, ["lxc-start", "virtometer-agen"])


@needs_root
def test_without_the_program_the_check_names_the_package(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Lxc.package == "lxc"
    check_missing_program(Lxc, lab, monkeypatch)


def test_without_root_the_check_says_so(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    check_without_root(Lxc, lab, monkeypatch)


@needs_root
def test_the_cgroups_that_it_makes_are_the_guests(start: Start) -> None:
    guest, _ = start()
    for pid in guest.account.processes():
        paths = [line.split(":", 2)[2] for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()]
        assert all(path.startswith(f"/virtometer-{guest.guest_id}/") for path in paths), paths
    guest.stop()


@needs_root
def test_the_filter_of_the_distribution_is_on_where_there_is_one(start: Start) -> None:
    guest, _ = start()
    assert (status(agent_of(guest), "Seccomp") == "2") == guest.effective["seccomp"]
    guest.stop()


@needs_root
def test_nothing_is_kept_in_the_hosts_run(start: Start) -> None:
    def kept() -> set[Path]:
        return {path for place in ("/run/lxc", "/run/lock") for path in Path(place).rglob("*")}

    before = kept()
    guest, _ = start()
    assert kept() == before
    guest.stop()
    assert kept() == before


def test_a_path_is_one_field_of_the_configuration() -> None:
    lines = lxc.configuration(Path("/r"), Path("/a b\\c"))
    assert ("lxc.mount.entry", "/a\\040b\\134c data none bind,rw 0 0") in lines
    with pytest.raises(EnvironmentFailed, match="root file system"):
        lxc.configuration(Path("/r\nlxc.hook.start = x"), None)
