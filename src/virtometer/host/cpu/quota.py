"""How often a quota of processor time has held a guest back, as the kernel counts it for the guest's cgroups.

Sources: Documentation/scheduler/sched-bwc.rst (cpu.stat of v1), cgroup-v2.rst (cpu.stat) of Linux.
"""

from __future__ import annotations

from pathlib import Path

from virtometer.host.cpu.accounting import Account, CgroupAccount, all_cgroup_mounts

HELD_BACK = "held_back_by_quota"
"""The condition of a run: `12 of 15 periods`, of all that its guest has had so far."""


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


def held_back(periods: tuple[int, int]) -> str:
    """As the condition has it."""
    return f"{periods[0]} of {periods[1]} periods"


def held_back_share(condition: str) -> float | None:
    """The share of such a condition; None of another text, and of no periods."""
    words = condition.split()
    if len(words) != 4 or not (words[0].isdecimal() and words[2].isdecimal()) or int(words[2]) == 0:
        return None
    return int(words[0]) / int(words[2])


def _counted(group: Path) -> tuple[int, int] | None:
    """Of one group; the kernel counts no periods where it has no quota."""
    try:
        words = (group / "cpu.stat").read_text().split()
    except OSError:
        return None
    values = dict(zip(words[::2], words[1::2], strict=False))
    periods = int(values.get("nr_periods", 0))
    return (int(values.get("nr_throttled", 0)), periods) if periods else None
