"""LXC: a container of the plain lxc programs, successor of OpenVZ and Linux-VServer. Source: lxc.container.conf(5).

No state of the host's LXC is read or written: the configuration lies in the guest's directory, the locks in a tmpfs on
/run that only the guest's processes have, and the cgroups of monitor and container are the guest's.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.base import Guest, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry, nsenter
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.container import Container, ContainerSettings
from virtometer.environments.parts.guest_root import GuestRoot
from virtometer.environments.parts.limits import CgroupLimits, effective_limits
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import CgroupAccount, all_cgroup_mounts
from virtometer.host.own_mounts import own_mounts
from virtometer.programs import Words

_NAME = "guest"
_SECCOMP = Path("/usr/share/lxc/config/common.seccomp")  # what the configurations of distributions include


class Lxc(Container):
    """`lxc-start` in the foreground, with the agent as process 1; stdin and stdout are the channel."""

    kind: ClassVar[str] = "lxc"
    title: ClassVar[str] = "LXC"
    meaning: ClassVar[str] = "a container of the plain lxc programs, successor of OpenVZ and Linux-VServer"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("cgroup", "ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.15
    program: ClassVar[str] = "lxc-start"
    package: ClassVar[str] = "lxc"
    own_filter: ClassVar[str] = "its filter of system calls stays"

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start `lxc-start` in the network namespace of the guest, which its container shares."""
        assert isinstance(settings, ContainerSettings)
        lxc_start, disk_file = self.program_file(), self.lab.disk_file
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            root = settings.make_root(guest, settings.agent(self.lab))
            directory = guest.make_directory()
            namespace = guest.add_network()
            account = guest.account
            lines = configuration(root, disk_file.parent if disk_file else None)
            if isinstance(account, CgroupAccount):
                account.container_path()
                lines += _cgroups(account.inner)
                guest.read_back(lambda: effective_limits(account))
            lines += limits(settings)
            (directory / "config").write_text("".join(f"{name} = {value}\n" for name, value in lines))
            guest.effective["seccomp"] = _SECCOMP.is_file()
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            mounts: list[Words] = [*root.mounts, ["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run"]]
            argv: list[str | Path] = [*own_mounts(self.lab.programs, mounts), lxc_start, "--foreground"]
            argv += [f"--name={_NAME}", f"--lxcpath={directory}", f"--rcfile={directory / 'config'}"]
            argv += ["--logfile=/dev/stderr", "--logpriority=ERROR"]
            guest.launch(argv, purpose=f"LXC guest {guest_id}", namespace=namespace.name)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """`lxc-attach`, where the monitor listens: its socket is in the network namespace of the guest."""
        assert isinstance(guest, ProcessGuest) and guest.process is not None
        inside = nsenter(self.lab.programs, guest.process.pid, ["mount", "net"])
        attach = self.lab.programs.find("lxc-attach", self.package)
        words: Words = [attach, f"--name={_NAME}", f"--lxcpath={guest.directory}", "--clear-env", "--"]
        return GuestEntry("nsenter, lxc-attach", [*inside, *words], AGENT)


def configuration(root: GuestRoot, disk_directory: Path | None) -> list[tuple[str, str]]:
    """The agent alone, with what the templates of distributions set; no console, so that the pipes stay its own."""
    memory = "dev/shm" if root.writable else "tmp"  # a /tmp of the host's stays
    more = [("lxc.mount.entry", f"tmpfs {memory} tmpfs rw,nosuid,nodev,create=dir 0 0")]
    if not root.writable:
        more.append(("lxc.rootfs.options", "ro"))
    if disk_directory is not None:
        more = [("lxc.mount.entry", f"{_escaped(disk_directory)} data none bind,rw,create=dir 0 0")]
    if _SECCOMP.is_file():
        more.append(("lxc.seccomp.profile", str(_SECCOMP)))
    return [
        ("lxc.rootfs.path", f"dir:{_plain(root.directory)}"),
        ("lxc.uts.name", "virtometer"),
        ("lxc.init.cmd", f"{AGENT} stdio"),
        ("lxc.mount.auto", "proc:mixed sys:ro"),
        *more,
        ("lxc.autodev", "1"),
        ("lxc.tty.max", "0"),
        ("lxc.console.path", "none"),
        ("lxc.net.0.type", "none"),  # it is in its network namespace already
        ("lxc.cap.drop", "mac_admin mac_override sys_time sys_module sys_rawio"),
        ("lxc.apparmor.profile", "unconfined"),
    ]


def limits(settings: CgroupLimits) -> list[tuple[str, str]]:
    """For the container's own cgroup: LXC makes the cpusets above it anew, so that limits there would be lost."""
    by_v1 = {name for mount in all_cgroup_mounts() for name in mount.controllers}
    found = []
    for controller, files in settings.files().items():
        key, version = ("lxc.cgroup", 1) if controller in by_v1 else ("lxc.cgroup2", 2)
        found += [(f"{key}.{name}", value) for name, value in files[version].items()]
    return found


def _cgroups(inner: Path) -> list[tuple[str, str]]:
    return [
        ("lxc.cgroup.relative", "0"),
        ("lxc.cgroup.dir.container", f"{inner}/guest"),
        ("lxc.cgroup.dir.monitor", f"{inner}/monitor"),
        ("lxc.cgroup.dir.monitor.pivot", f"{inner}/pivot"),
    ]


def _escaped(path: Path) -> str:
    """A path as a field of fstab(5)."""
    return str(path).replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011")


def _plain(path: Path) -> str:
    """A path as a value of a line. Raises EnvironmentFailed for one that such a line cannot have."""
    if "\n" in str(path) or str(path) != str(path).strip():
        raise EnvironmentFailed(f"LXC cannot have a root file system at {path}")
    return str(path)
