"""What runtimes of OCI containers have in common: the bundle, and the container's state.

Source: opencontainers/runtime-spec 1.0.2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.guest_root import GuestRoot
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.host.owned.journal import Resource
from virtometer.programs import Programs, Words


def write_bundle(
    directory: Path,
    *,
    root: GuestRoot,
    disk_directory: Path | None,
    namespace: Path | None,
    cgroups_path: str | None,
    resources: dict[str, Any],
    channel: Sequence[str] = ("stdio",),
    own_network: bool = True,
) -> None:
    """Write config.json into `directory`: the agent alone, as uid 0 with the usual capabilities of a container.

    channel: the agent's words for its channel. own_network: whether there is a new network namespace where `namespace`
    is None; if not, the network is the launcher's.
    """
    network = (
        [{"type": "network"} | ({"path": str(namespace)} if namespace else {})] if namespace or own_network else []
    )
    config = {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": False,
            "user": {"uid": 0, "gid": 0},
            "args": [AGENT, *channel],
            "env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            "cwd": "/",
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), _CAPABILITIES),
            "noNewPrivileges": True,
        },
        "root": {"path": str(root.directory), "readonly": not root.writable},
        "hostname": "virtometer",
        "mounts": _mounts(disk_directory, whole=root.writable),
        "linux": {
            "namespaces": [
                *({"type": one} for one in ("pid", "ipc", "uts", "mount")),
                *network,
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


def _mounts(disk_directory: Path | None, *, whole: bool) -> list[dict[str, Any]]:
    """whole: of a root directory with programs of every kind and a /tmp of its own."""

    def mount(kind: str, to: str, *options: str) -> dict[str, Any]:
        return {"destination": to, "type": kind, "source": kind, "options": list(options)}

    closed = ("nosuid", "noexec", "nodev")
    found = [
        mount("proc", "/proc", *closed),
        mount("tmpfs", "/dev", "nosuid", "strictatime", "mode=755", "size=65536k"),
        mount("sysfs", "/sys", *closed, "ro"),
    ]
    if whole:
        found.append(mount("devpts", "/dev/pts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"))
        found.append(mount("tmpfs", "/dev/shm", *closed, "mode=1777"))
    else:
        found.append(mount("tmpfs", "/tmp", "nosuid", "nodev", "mode=1777"))
    if disk_directory is not None:
        options = ["rbind", "rw", "nosuid", "nodev"]
        found.append({"destination": DATA, "type": "bind", "source": str(disk_directory), "options": options})
    return found


def container_of(runtime: str, before: Callable[[Programs], Words] = lambda _: []) -> Resource:
    """Containers of a runtime. Fields: program, root (state directory), container (id).

    before: the words that stand before the runtime's own on this host.
    """

    def delete(fields: Mapping[str, Any], programs: Programs) -> str:
        root, container = Path(fields["root"]), str(fields["container"])
        if not (root.is_dir() and any(root.iterdir())):
            return ""
        argv = [*before(programs), str(fields["program"]), "--root", root, "delete", "--force", container]
        programs.run(argv, purpose=f"remove the container {container}", check=False, limit_s=10)
        return f"container {container}"

    return Resource(runtime, delete)


def add_state(lab: LabContext, guest: ProcessGuest, program: Path, resource: Resource, directory: Path) -> Path:
    """Make the runtime's state directory in the guest's; what a killed runtime leaves in it is deleted at the stop."""
    state = directory / "state"
    fields = {"program": str(program), "root": str(state), "container": f"virtometer-{guest.guest_id}"}
    lab.journal.record(guest.guest_id, resource, **fields)
    state.mkdir()
    guest.on_stop(lambda: resource.remove(fields, lab.programs))
    return state
