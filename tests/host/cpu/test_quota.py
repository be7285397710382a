"""How often a quota held a guest back, by the kernel's own counters."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from virtometer.environments.parts.limits import no_limits
from virtometer.host.cpu.accounting import CgroupAccount, TreeAccount, open_account
from virtometer.host.cpu.quota import quota_periods
from virtometer.host.owned.journal import Journal


def test_without_a_group_nothing_is_known() -> None:
    assert quota_periods(TreeAccount("guest-1")) is None


@pytest.mark.skipif(bool(no_limits()), reason="limits of processor time need a cgroup, which root alone can make")
def test_a_busy_process_is_held_back_in_most_of_its_periods(tmp_path: Path) -> None:
    account = open_account(f"quota-{os.getpid()}", Journal(tmp_path))
    assert isinstance(account, CgroupAccount)
    try:
        directory, version = account.join("cpu")
        assert quota_periods(account) is None
        if version == 1:
            (directory / "cpu.cfs_period_us").write_text("20000")
            (directory / "cpu.cfs_quota_us").write_text("1000")
        else:
            (directory / "cpu.max").write_text("1000 20000")
        words = ["timeout", "1", "sh", "-c", "while :; do :; done"]
        subprocess.run(words, preexec_fn=account.enter, check=False)
        found = quota_periods(account)
    finally:
        account.remove()
    assert found is not None
    assert 1 < found[0] <= found[1]
