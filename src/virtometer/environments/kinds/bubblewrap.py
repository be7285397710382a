"""bubblewrap: namespaces of its own, but for the network: that of the host, or as root a port of the bridge.

Needs no root.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from virtometer.environments.base import Check, Environment, Guest, Lacks, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry, nsenter, youngest_inside
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.agent_bits import AgentBits
from virtometer.environments.parts.binds import BINDS
from virtometer.environments.parts.host_network import HostNetworkSettings, join_network, require_network
from virtometer.environments.parts.limits import CgroupLimits, limit, no_limits, require_limits
from virtometer.environments.parts.process_guest import ON_DESCRIPTOR, ProcessGuest, check_by_starting
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.environments.parts.user_layers import user_layers
from virtometer.host.own_mounts import with_mounts
from virtometer.programs import Words


class BubblewrapSettings(HostNetworkSettings, RootSettings, AgentBits, CgroupLimits):
    """Limits, which bubblewrap itself does not have, the size of the agent, its root directory, and the network."""


class Bubblewrap(Environment):
    """A sandbox of namespaces around the agent, in a read-only root file system of its own."""

    kind: ClassVar[str] = "bubblewrap"
    title: ClassVar[str] = "bubblewrap"
    meaning: ClassVar[str] = (
        "a sandbox of namespaces around the agent, with the network of the host or, for root, a port of the bridge; "
        "needs no root"
    )
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("cgroup", "ipc", "mnt", "pid", "user", "uts")
    usual_start_s: ClassVar[float] = 0.05
    usual_overhead_s: ClassVar[float] = 0.15
    by_launcher: ClassVar[bool] = True
    may_share_network: ClassVar[bool] = True
    one_user: ClassVar[str] = "its user namespace has no other user"
    program: ClassVar[str] = "bwrap"
    package: ClassVar[str] = "bubblewrap"
    settings_type: ClassVar[type[Settings]] = BubblewrapSettings

    def lacks(self) -> Lacks:
        """Limits, where this user cannot make cgroups."""
        return Lacks(cpu_limit=no_limits(), memory_limit=no_limits())

    def check(self) -> Check:
        """Start the agent in a sandbox."""
        check = check_by_starting(self, BubblewrapSettings())
        if check.works or check.advice:
            return check
        return Check(False, check.reason, user_namespace_advice())

    def prepare(self, settings: Settings) -> None:
        """Build the root file system."""
        assert isinstance(settings, BubblewrapSettings)
        self.program_file()
        require_limits(settings, self.lab.processors)
        require_network(self.lab, settings)
        if settings.root != "host" or os.geteuid() == 0:
            settings.prepare_root(self.lab, settings.agent(self.lab))

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start bwrap, which hands the channel on to the agent."""
        assert isinstance(settings, BubblewrapSettings)
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            argv = self._sandbox(settings, guest)
            limit(guest, settings)
            namespace = join_network(guest, settings)
            purpose = f"bubblewrap guest {guest_id}"
            guest.launch(argv, purpose=purpose, namespace=namespace, inherits=True, descriptor=True)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """Its namespaces, by nsenter: bwrap itself has no way in."""
        assert isinstance(settings, BubblewrapSettings)
        agent = str(settings.agent(self.lab)) if settings.root == "host" and os.geteuid() != 0 else AGENT
        pid = youngest_inside(guest.processes())
        spaces = ["user", "mount", "uts", "ipc", "pid", "cgroup"]
        return GuestEntry("nsenter", nsenter(self.lab.programs, pid, spaces), agent)

    def _sandbox(self, settings: BubblewrapSettings, guest: ProcessGuest) -> Words:
        """The words that start the agent in its root directory, with the disk file."""
        bwrap, agent, disk = self.program_file(), settings.agent(self.lab), self.lab.disk_file
        system: Words = ["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys"]
        shared: Words = [] if settings.network == "none" else ["--share-net"]
        unshare: Words = ["--unshare-all", *shared, "--die-with-parent", "--chdir", "/", "--"]
        if settings.root == "host" and os.geteuid() != 0:
            settings.note_root(guest)
            layers = user_layers(guest, bwrap, agent)
            # Nothing can be added to the host's own directories: what is there keeps its path.
            shown: list[str | Path] = ["--bind", disk.parent, disk.parent] if disk else []
            for one in settings.binds():
                shown += ["--bind" if one.writable else "--ro-bind", one.host, one.guest]
                guest.effective.setdefault(BINDS, []).append(f"{one.host}:{one.guest}:{'rw' if one.writable else 'ro'}")
            guest.disk = disk_as_file(self.lab)
            return [*layers.before, bwrap, *layers.argv, *system, *shown, *unshare, agent, *ON_DESCRIPTOR]
        root = settings.make_root(guest, agent)
        argv: list[str | Path] = [*with_mounts(self.lab.programs, root.mounts), bwrap]
        argv += ["--bind" if root.writable else "--ro-bind", root.directory, "/", *system]
        argv += [] if root.writable else ["--tmpfs", "/tmp"]
        argv += ["--bind", disk.parent, DATA] if disk else []
        guest.disk = disk_as_file(self.lab, f"{DATA}/{disk.name}" if disk else "")
        return [*argv, *unshare, AGENT, *ON_DESCRIPTOR]


def user_namespace_advice() -> str:
    """What stands in the way of user namespaces, as far as the kernel's switches show."""
    if os.geteuid() == 0:
        return ""
    for switch, closed, opened in (
        ("kernel/unprivileged_userns_clone", "0", "1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user/max_user_namespaces", "0", "15000"),
    ):
        path = Path("/proc/sys") / switch
        if path.exists() and path.read_text().strip() == closed:
            return f"as root: sysctl {switch.replace('/', '.')}={opened}"
    return "run as root"
