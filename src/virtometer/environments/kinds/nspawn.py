"""systemd-nspawn: a container as systemd makes it, without a systemd on the host and without its daemon for machines.

It keeps files of its own in /run, which is a tmpfs of its own here, and makes cgroups below the one in which it is
started, which is the guest's in every hierarchy.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.base import Guest, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry, nsenter, youngest_inside
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.container import Container, ContainerSettings
from virtometer.environments.parts.limits import limit
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.host.cpu.accounting import CgroupAccount
from virtometer.host.own_mounts import own_mounts

_FLAGS = ("--quiet", "--register=no", "--keep-unit", "--resolv-conf=off", "--timezone=off", "--pipe")


class Nspawn(Container):
    """The agent as process 1 of the container; stdin and stdout are the channel."""

    kind: ClassVar[str] = "nspawn"
    title: ClassVar[str] = "systemd-nspawn"
    meaning: ClassVar[str] = "a container as systemd makes it, with its filter of system calls"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("cgroup", "ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.25
    program: ClassVar[str] = "systemd-nspawn"
    package: ClassVar[str] = "systemd-container"
    own_filter: ClassVar[str] = "its filter of system calls stays"

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start systemd-nspawn in the network namespace of the guest."""
        assert isinstance(settings, ContainerSettings)
        nspawn, disk_file = self.program_file(), self.lab.disk_file
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            root = settings.make_root(guest, settings.agent(self.lab))
            rootfs, mounts = root.directory, [*root.mounts]
            if not root.writable:
                # The lock of a root directory is a file beside it. What is shared stays as it is: mounted for reading.
                rootfs = guest.make_directory() / "rootfs"
                rootfs.mkdir()
                mounts.append(["mount", "--bind", "-o", "ro", root.directory, rootfs])
            namespace = guest.add_network()
            if isinstance(guest.account, CgroupAccount):
                guest.account.join_all()
            limit(guest, settings)
            mounts.append(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run"])
            own_tmp = ["env", "SYSTEMD_NSPAWN_TMPFS_TMP=0"] if root.writable else []
            argv: list[str | Path] = [*own_mounts(self.lab.programs, mounts), *own_tmp, nspawn, *_FLAGS]
            argv += [] if root.writable else ["--read-only"]
            argv += [f"--directory={rootfs}", f"--machine=virtometer-{guest_id}", "--hostname=virtometer"]
            if disk_file is not None:
                argv.append(f"--bind={_quoted(disk_file.parent)}:{DATA}")
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.launch([*argv, AGENT, "stdio"], purpose=f"systemd-nspawn guest {guest_id}", namespace=namespace.name)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """Its namespaces, by nsenter: `machinectl shell` needs a systemd in the guest and a daemon on the host."""
        pid = youngest_inside(guest.processes())
        spaces = ["mount", "uts", "ipc", "net", "pid", "cgroup"]
        return GuestEntry("nsenter", nsenter(self.lab.programs, pid, spaces), AGENT)


def _quoted(path: Path) -> str:
    """A path for `--bind`, in which a colon separates."""
    return str(path).replace("\\", "\\\\").replace(":", "\\:")
