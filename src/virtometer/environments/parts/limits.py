"""Limits that the host's cgroups enforce on a guest: as settings, as files of a cgroup, and read back from the kernel.

Sources: Documentation/admin-guide/cgroup-v1 (cpusets.rst, memory.rst), scheduler/sched-bwc.rst, cgroup-v2.rst of Linux.
"""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from virtometer.environments.base import Settings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import Account, CgroupAccount, all_cgroup_mounts
from virtometer.model import parse_size

_PERIOD_US = 100_000
_NO_CGROUP = "limits of CPU time and memory need a cgroup, which this user cannot make"
_USE_PROCESSORS = "run as root, or choose the processors of the guest by its setting processors"

Bytes = Annotated[int, BeforeValidator(parse_size)]


class CgroupLimits(Settings):
    """Limits that the host's cgroups enforce on a guest. None: no limit."""

    cpus: float | None = Field(
        default=None, ge=0.01, le=4096, description="processors' worth of CPU time. Without it, no limit"
    )
    cpuset: tuple[Annotated[int, Field(ge=0, le=4095)], ...] | None = Field(
        default=None, min_length=1, description="numbers of the processors it may run on. Without it, all"
    )
    memory: Bytes | None = Field(default=None, ge=16 << 20, description="bytes of memory. Without it, no limit")

    @property
    def needs_long_windows(self) -> str:
        """A quota is paid in every period of it: a guest that rests between slices never uses it up."""
        return super().needs_long_windows if self.cpus is None else "it has a limit of CPU time"

    @property
    def fewest_processors(self) -> int:
        """As many as `cpus` allows to be used at the same time."""
        return 1 if self.cpus is None else math.ceil(self.cpus)

    @property
    def own_processors(self) -> frozenset[int] | None:
        """Those of `cpuset`."""
        return None if self.cpuset is None else frozenset(self.cpuset)

    @model_validator(mode="after")
    def _bound_once(self) -> Self:
        if self.cpuset is not None and "processors" in self.model_fields_set:
            raise ValueError("cpuset and processors both bind the guest to processors; give one of them")
        return self

    def limited(self) -> bool:
        """Whether any limit is requested."""
        return (self.cpus, self.cpuset, self.memory) != (None, None, None)

    def files(self) -> dict[str, dict[int, dict[str, str]]]:
        """Controller -> generation of cgroups -> file -> contents, of the limits that are requested."""
        found: dict[str, dict[int, dict[str, str]]] = {}
        if self.cpus is not None:
            period, quota = str(_PERIOD_US), str(round(self.cpus * _PERIOD_US))
            found["cpu"] = {
                1: {"cpu.cfs_period_us": period, "cpu.cfs_quota_us": quota},
                2: {"cpu.max": f"{quota} {period}"},
            }
        if self.cpuset is not None:
            cpus = ",".join(map(str, self.cpuset))
            found["cpuset"] = {1: {"cpuset.cpus": cpus}, 2: {"cpuset.cpus": cpus}}
        if self.memory is not None:
            found["memory"] = {1: {"memory.limit_in_bytes": str(self.memory)}, 2: {"memory.max": str(self.memory)}}
        return found

    def resources(self) -> dict[str, Any]:
        """As `linux.resources` of the runtime specification."""
        cpu: dict[str, Any] = {}
        if self.cpus is not None:
            cpu |= {"quota": round(self.cpus * _PERIOD_US), "period": _PERIOD_US}
        if self.cpuset is not None:
            cpu["cpus"] = ",".join(map(str, self.cpuset))
        found: dict[str, Any] = {"devices": [{"allow": False, "access": "rwm"}]}
        if cpu:
            found["cpu"] = cpu
        if self.memory is not None:
            found["memory"] = {"limit": self.memory}
        return found


def no_limits() -> str:
    """Why this user cannot have limits on this host; empty where that is possible."""
    counted = any(one.version == 2 or "cpuacct" in one.controllers for one in all_cgroup_mounts())
    return "" if counted and os.geteuid() == 0 else _NO_CGROUP


def require_limits(limits: CgroupLimits, processors: Collection[int]) -> None:
    """Raise EnvironmentFailed where this host or this user cannot have them, before anything is measured.

    processors: those that guests and laboratory may use. The laboratory itself may have left some of them to guests.
    """
    if not limits.limited():
        return
    if reason := no_limits():
        raise EnvironmentFailed(reason, advice=_USE_PROCESSORS)
    missing = set(limits.cpuset or ()) - set(processors)
    if missing:
        numbers = ", ".join(map(str, sorted(missing)))
        raise EnvironmentFailed(f"this host has no processor {numbers}", advice=f"choose from {sorted(processors)}")


def limit(guest: ProcessGuest, limits: CgroupLimits) -> None:
    """Enforce limits on all processes of a guest, by cgroups of its account. Called before the guest is launched.

    Raises EnvironmentFailed where this user or this host has no such cgroups.
    """
    if not limits.limited():
        return
    account = guest.account
    if not isinstance(account, CgroupAccount):
        raise EnvironmentFailed(_NO_CGROUP, advice=_USE_PROCESSORS)
    for controller, files in limits.files().items():
        directory, version = account.join(controller)
        for name, value in files[version].items():
            try:
                (directory / name).write_text(value)
            except OSError as cause:
                refused = f"the host refuses {value} for {name} of a guest's cgroup: {cause.strerror}"
                raise EnvironmentFailed(refused) from cause
    guest.read_back(lambda: enforced(str(account.inner)))


def effective_limits(account: Account) -> dict[str, Any]:
    """What the kernel really enforces on the container inside an account, read back from its cgroups."""
    return enforced(account.container_path().lstrip("/")) if isinstance(account, CgroupAccount) else {}


def enforced(inner: str) -> dict[str, Any]:
    """What the kernel enforces on a cgroup, given by its path below the mount of every hierarchy."""
    effective: dict[str, Any] = {}
    for mount in all_cgroup_mounts():
        where = mount.path / inner
        if quota := _read(where / "cpu.cfs_quota_us"):
            effective["cpus"] = int(quota) / int(_read(where / "cpu.cfs_period_us")) if int(quota) > 0 else None
        if maximum := _read(where / "cpu.max").split():
            effective["cpus"] = int(maximum[0]) / int(maximum[1]) if maximum[0] != "max" else None
        if cpuset := _read(where / "cpuset.cpus.effective") or _read(where / "cpuset.effective_cpus"):
            effective["cpuset"] = cpuset
        if limit := _read(where / "memory.limit_in_bytes") or _read(where / "memory.max"):
            unlimited = limit == "max" or int(limit) >= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            effective["memory"] = None if unlimited else int(limit)
    return effective


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
