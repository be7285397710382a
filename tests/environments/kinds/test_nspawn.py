"""A container of systemd-nspawn."""

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
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.kinds.nspawn import Nspawn


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    return starting(Nspawn(lab), new_id)


@needs_root
def test_the_shared_root_file_system_and_the_hosts_run_stay_as_they_are(lab: LabContext, start: Start) -> None:
    root = agent_root(lab)
    before = {path.name for path in root.iterdir()}, sorted(path.name for path in Path("/run").iterdir())
    guest, _ = start()
    during = {path.name for path in root.iterdir()}, sorted(path.name for path in Path("/run").iterdir())
    guest.stop()
    assert during[0] == before[0]
    assert during[1] == before[1]
    assert not list(root.parent.glob(f".#{root.name}*"))


@needs_root
def test_its_filter_of_system_calls_is_on(start: Start) -> None:
    guest, _ = start()
    assert status(agent_of(guest), "Seccomp") == "2"
    guest.stop()
