"""What runtimes of OCI containers have in common: the bundle, limits, and the container's state.

Source: opencontainers/runtime-spec 1.0.2.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from virtometer.environments.accounting import Account, CgroupAccount, all_cgroup_mounts
from virtometer.environments.agent_root import AGENT, DATA
from virtometer.environments.base import LabContext, Settings
from virtometer.environments.journal import Resource
from virtometer.environments.process_guest import ProcessGuest
from virtometer.model import parse_size
from virtometer.programs import Programs

_PERIOD_US = 100_000

Bytes = Annotated[int, BeforeValidator(parse_size)]


class CgroupLimits(Settings):
    """Limits that the host's cgroups enforce on a container. None: no limit."""

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


def write_bundle(
    directory: Path,
    *,
    root: Path,
    disk_directory: Path | None,
    namespace: Path,
    cgroups_path: str | None,
    resources: dict[str, Any],
) -> None:
    """Write config.json into `directory`: the agent alone, as uid 0 with the capabilities that docker gives."""
    config = {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": False,
            "user": {"uid": 0, "gid": 0},
            "args": [AGENT, "stdio"],
            "env": ["PATH=/"],
            "cwd": "/",
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), _CAPABILITIES),
            "noNewPrivileges": True,
        },
        "root": {"path": str(root), "readonly": True},
        "hostname": "virtometer",
        "mounts": _mounts(disk_directory),
        "linux": {
            "namespaces": [
                *({"type": one} for one in ("pid", "ipc", "uts", "mount")),
                {"type": "network", "path": str(namespace)},
            ],
            "resources": resources,
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        }
        | ({"cgroupsPath": cgroups_path} if cgroups_path else {}),
    }
    (directory / "config.json").write_text(json.dumps(config, indent=1))


_CAPABILITIES = [
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_FSETID",
    "CAP_FOWNER",
    "CAP_NET_RAW",
    "CAP_SETGID",
    "CAP_SETUID",
    "CAP_NET_BIND_SERVICE",
    "CAP_SYS_CHROOT",
    "CAP_KILL",
]


def _mounts(disk_directory: Path | None) -> list[dict[str, Any]]:
    def mount(kind: str, to: str, *options: str) -> dict[str, Any]:
        return {"destination": to, "type": kind, "source": kind, "options": list(options)}

    closed = ("nosuid", "noexec", "nodev")
    found = [
        mount("proc", "/proc", *closed),
        mount("tmpfs", "/dev", "nosuid", "strictatime", "mode=755", "size=65536k"),
        mount("sysfs", "/sys", *closed, "ro"),
        mount("tmpfs", "/tmp", "nosuid", "nodev", "mode=1777"),
    ]
    if disk_directory is not None:
        options = ["rbind", "rw", "nosuid", "nodev"]
        found.append({"destination": DATA, "type": "bind", "source": str(disk_directory), "options": options})
    return found


def container_of(runtime: str) -> Resource:
    """Containers of a runtime. Fields: program, root (state directory), container (id)."""
    return Resource(runtime, _delete_container)


def add_state(lab: LabContext, guest: ProcessGuest, program: Path, resource: Resource, directory: Path) -> Path:
    """Make the runtime's state directory in the guest's; what a killed runtime leaves in it is deleted at the stop."""
    state = directory / "state"
    fields = {"program": str(program), "root": str(state), "container": f"virtometer-{guest.guest_id}"}
    lab.journal.record(guest.guest_id, resource, **fields)
    state.mkdir()
    guest.on_stop(lambda: resource.remove(fields, lab.programs))
    return state


def _delete_container(fields: Mapping[str, Any], programs: Programs) -> str:
    root, container = Path(fields["root"]), str(fields["container"])
    if not (root.is_dir() and any(root.iterdir())):
        return ""
    argv: list[str | Path] = [str(fields["program"]), "--root", root, "delete", "--force", container]
    programs.run(argv, purpose=f"remove the container {container}", check=False, limit_s=10)
    return f"container {container}"


def effective_limits(account: Account) -> dict[str, Any]:
    """What the kernel really enforces on the container inside an account, read back from its cgroups."""
    if not isinstance(account, CgroupAccount):
        return {}
    inner = account.container_path().lstrip("/")
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
