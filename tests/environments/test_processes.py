"""What /proc says of processes, and how they are ended. test_sweep.py has those that a dead laboratory left."""

from __future__ import annotations

import pytest

from virtometer.environments import processes
from virtometer.environments.processes import kill_all
from virtometer.errors import EnvironmentFailed


def test_what_cannot_be_killed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "KILL_LIMIT_S", 0.05)
    with pytest.raises(EnvironmentFailed, match="4194304 do not end"):
        kill_all(lambda: [4_194_304])
