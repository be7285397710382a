"""A container of LXC."""

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
from virtometer.environments.kinds import lxc
from virtometer.environments.kinds.lxc import Lxc
from virtometer.environments.parts.guest_root import GuestRoot
from virtometer.errors import EnvironmentFailed


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    return starting(Lxc(lab), new_id)


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
    lines = lxc.configuration(GuestRoot(Path("/r")), Path("/a b\\c"))
    assert ("lxc.mount.entry", "/a\\040b\\134c data none bind,rw,create=dir 0 0") in lines
    with pytest.raises(EnvironmentFailed, match="root file system"):
        lxc.configuration(GuestRoot(Path("/r\nlxc.hook.start = x")), None)
