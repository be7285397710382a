"""How often a quota of processor time has held a guest back, as the kernel counts it for the guest's cgroups.

Sources: Documentation/scheduler/sched-bwc.rst (cpu.stat of v1), cgroup-v2.rst (cpu.stat) of Linux.
"""

from __future__ import annotations

from pathlib import Path

from virtometer.host.cpu.accounting import Account, CgroupAccount, all_cgroup_mounts


def quota_periods(account: Account) -> tuple[int, int] | None:
    """Periods in which a guest with a quota was held back, and all in which it had work; None without a quota.

    The quota is that of the account's group, or that of a group which a container runtime made in it.
    """
    if not isinstance(account, CgroupAccount):
        return None
    found = None
    for mount in all_cgroup_mounts():
        if mount.version == 2 or "cpu" in mount.controllers:
            group = mount.path / account.inner
            for one in (group, *(path for path in group.glob("*") if path.is_dir())):
                found = _counted(one) or found
    return found


def _counted(group: Path) -> tuple[int, int] | None:
    """Of one group; the kernel counts no periods where it has no quota."""
    try:
        words = (group / "cpu.stat").read_text().split()
    except OSError:
        return None
    values = dict(zip(words[::2], words[1::2], strict=False))
    periods = int(values.get("nr_periods", 0))
    return (int(values.get("nr_throttled", 0)), periods) if periods else None
