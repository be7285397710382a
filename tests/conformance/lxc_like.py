"""A kind of environment that the product does not know: one class, and one line of the registry (in conftest.py).

Like a container of LXC it has a root file system mounted on the host, namespaces, and a network on the laboratory's
bridge. `unshare` makes it; root is needed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from virtometer.environments.base import Check, Environment, Guest, Lacks, Namespace, Settings, disk_as_file
from virtometer.environments.images.agent_root import AGENT, DATA, agent_root
from virtometer.environments.parts.process_guest import ProcessGuest, check_by_starting
from virtometer.host.owned.directories import remove_directory
from virtometer.host.owned.journal import Resource
from virtometer.programs import Programs

# Arguments: the root file system, the directory of the disk file or nothing, the program chroot, the agent.
_INSIDE = """
mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" &&
mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" || exit 1
[ -z "$2" ] || mount --bind "$2" "$1/data" || exit 1
exec "$3" "$1" "$4" stdio
"""


def _remove_rootfs(fields: Mapping[str, Any], programs: Programs) -> str:
    return remove_directory(Path(fields["path"]))


_ROOTFS = Resource("lxc-like", _remove_rootfs)


class LxcLike(Environment):
    """A container that needs no runtime."""

    kind: ClassVar[str] = "lxc-like"
    title: ClassVar[str] = "a container like those of LXC"
    meaning: ClassVar[str] = "a container of namespaces with a root file system and a network of its own"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.1
    usual_overhead_s: ClassVar[float] = 0.15
    program: ClassVar[str] = "unshare"
    package: ClassVar[str] = "util-linux"
    resources: ClassVar[tuple[Resource, ...]] = (_ROOTFS,)
    settings_type: ClassVar[type[Settings]] = Settings

    def lacks(self) -> Lacks:
        """Limits."""
        return Lacks(cpu_limit="it has no limits", memory_limit="it has no limits")

    def check(self) -> Check:
        """Start a container."""
        if reason := self.lab.lan.unavailable():
            return Check(False, f"the container gets a network of its own, and {reason}", self.lab.lan.advice())
        return check_by_starting(self, self.settings_type())

    def prepare(self, settings: Settings) -> None:
        """Build the root file system."""
        self.program_file()
        agent_root(self.lab)

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent as the first process of the container, with its channel on two pipes."""
        disk = self.lab.disk_file
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            rootfs = self._mount(guest)
            namespace = guest.add_network()
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk.name}" if disk else "")
            argv: list[str | Path] = [self.program_file(), "--mount", "--pid", "--uts", "--ipc"]
            argv += ["--fork", "--kill-child"]
            argv += ["sh", "-c", _INSIDE, "sh", rootfs, disk.parent if disk else ""]
            argv += [self.lab.programs.find("chroot", "coreutils"), AGENT]
            guest.launch(argv, purpose=f"container {guest_id}", namespace=namespace.name)
        return guest

    def _mount(self, guest: ProcessGuest) -> Path:
        """Mount the shared root file system, read-only, where only this container has it."""
        rootfs = Path(tempfile.gettempdir()) / f"virtometer-{guest.guest_id}.rootfs"
        self.lab.journal.record(guest.guest_id, _ROOTFS, path=str(rootfs))
        guest.on_stop(lambda: remove_directory(rootfs))
        rootfs.mkdir()
        mount = self.lab.programs.find("mount", "mount")
        argv: list[str | Path] = [mount, "-o", "bind,ro", agent_root(self.lab), rootfs]
        self.lab.programs.run(argv, purpose=f"root file system of {guest.guest_id}")
        return rootfs
