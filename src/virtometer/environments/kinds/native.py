"""The host itself: the agent as an ordinary process. What every other kind is compared with.

With limits it is in cgroups of its own, as a container is, and with the network on the bridge it is behind the same
veth pair: what differs between native and a container can be switched on one by one. An image of containers is its root
directory in a mount namespace, which ends with it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from virtometer.environments.base import (
    Check,
    Environment,
    Guest,
    Lacks,
    Namespace,
    Settings,
    disk_as_file,
)
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.images.oci.image import PREFIX, oci_image
from virtometer.environments.parts.agent_bits import AgentBits
from virtometer.environments.parts.binds import BindSettings, native_mounts
from virtometer.environments.parts.guest_root import layer_over, require_layer
from virtometer.environments.parts.host_network import (
    HostNetworkSettings,
    apart,
    join_network,
    network_of,
    require_apart,
    require_network,
)
from virtometer.environments.parts.limits import CgroupLimits, limit, no_limits, require_limits
from virtometer.environments.parts.process_guest import ON_DESCRIPTOR, ProcessGuest, check_by_starting
from virtometer.environments.parts.root_settings import root_name
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.weight import inner_group
from virtometer.host.own_mounts import with_mounts
from virtometer.host.programs import refusals
from virtometer.programs import Words

_OF_KERNEL = ("/proc", "/sys", "/dev")
# A shell that waits for the agent, which enters a cgroup first.
_LAUNCHER = ("/bin/sh", "-c", '(echo 0 >"$0" && exec "$@"); exit $?')


def _root(root: str) -> str:
    return root_name(root, ("host",))


class NativeSettings(HostNetworkSettings, BindSettings, AgentBits, CgroupLimits):
    """What makes native like the guests that it is compared with.

    bridge_network: the value of `network` where others are on the bridge of a container engine: the host's own.
    """

    bridge_network: ClassVar[str] = "loopback"

    root: Annotated[str, AfterValidator(_root)] = Field(
        default="host",
        max_length=4096,
        description="root directory: host, that of the host itself; oci:PATH and the like, as of containers: an image "
        "of containers, by chroot, which needs root",
    )


class Native(Environment):
    """No virtualization: the baseline. Accounted in the same way as all others."""

    kind: ClassVar[str] = "native"
    title: ClassVar[str] = "native"
    meaning: ClassVar[str] = "the host itself, with the agent as an ordinary process"
    settings_type: ClassVar[type[Settings]] = NativeSettings
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ()
    usual_start_s: ClassVar[float] = 0.05
    usual_overhead_s: ClassVar[float] = 0.15
    program: ClassVar[str] = "virtometer-agent"
    several_agents: ClassVar[bool] = True
    may_share_network: ClassVar[bool] = True

    def program_file(self) -> Path:
        """The agent itself."""
        return self.lab.agent

    def lacks(self) -> Lacks:
        """Limits, where this user cannot make cgroups."""
        return Lacks(cpu_limit=no_limits(), memory_limit=no_limits())

    def check(self) -> Check:
        """Start the agent."""
        return check_by_starting(self, NativeSettings())

    def prepare(self, settings: Settings) -> None:
        """Find the agent."""
        assert isinstance(settings, NativeSettings)
        settings.agent(self.lab)
        require_apart(settings)
        require_limits(settings, self.lab.processors)
        require_network(self.lab, settings)
        if settings.root == "host":
            settings.binds()
        else:
            if os.geteuid() != 0:
                raise EnvironmentFailed(
                    "natively, only root can enter an image of containers, by chroot", advice="run as root"
                )
            image = oci_image(settings.root.removeprefix(PREFIX), self.lab.cache, self.lab.journal, self.lab.programs)
            require_layer(self.lab, image.root, "an image of containers needs a writable layer")
            settings.binds(image.root)

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """Nothing: a program is started as it is."""
        assert isinstance(settings, NativeSettings)
        if settings.root != "host":
            return NoEntry("is entered by chroot alone where it has the files of an image")
        return GuestEntry("the start of the program alone", [], str(settings.agent(self.lab)))

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent with its channel on a descriptor, as containers have it."""
        return self._start(settings, guest_id, by_launcher=False)

    def start_control(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent by a program that stays beside it, in a group inside the guest's, as runtimes do.

        Without namespaces, limits or a root directory: these are what is measured of a container.
        """
        return self._start(settings, guest_id, by_launcher=True)

    def _start(self, settings: Settings, guest_id: str, *, by_launcher: bool) -> Guest:
        assert isinstance(settings, NativeSettings)
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            limit(guest, settings)
            namespace = join_network(guest, settings)
            self._launch(guest, settings, namespace, by_launcher=by_launcher)
        return guest

    def _launch(
        self, guest: ProcessGuest, settings: NativeSettings, namespace: str | None, *, by_launcher: bool = False
    ) -> None:
        guest.disk = disk_as_file(self.lab)
        # What no guest can be given may still run on the host itself.
        guest.refused_programs = refusals(one for one in self.lab.host_programs if one.path is None)
        if settings.root == "host":
            mounts = native_mounts(guest, settings.binds())
            agent: Words = [settings.agent(self.lab)]
        else:
            mounts, agent = self._in_image(guest, settings)
        before = [*with_mounts(self.lab.programs, mounts), *apart(guest, settings)]
        # Without namespaces, what a command leaves behind outlives its parents: the first process ends it with them.
        argv: list[str | Path] = [*before, settings.agent(self.lab), "keep", *agent, *ON_DESCRIPTOR]
        if by_launcher:
            group = inner_group(guest.account)
            guest.effective["launched"] = "by a program that stays" + (", in a group inside its own" if group else "")
            argv = [*_LAUNCHER, group / "cgroup.procs" if group else "/dev/null", *argv]
        purpose = f"native guest {guest.guest_id}"
        guest.launch(argv, purpose=purpose, namespace=namespace, inherits=True, descriptor=True)

    def _in_image(self, guest: ProcessGuest, settings: NativeSettings) -> tuple[list[Words], Words]:
        """What makes the root directory of an image, for `own_mounts`, and the words that start the agent in it.

        It has the kernel's file systems of the host, the disk file, and what is shared.
        """
        lab = self.lab
        image = oci_image(settings.root.removeprefix(PREFIX), lab.cache, lab.journal, lab.programs)
        guest.effective["root"] = image.condition
        guest.refused_programs = image.refusals(lab.host_programs)
        guest.find_program = image.find
        guest.command_defaults = image.command_defaults
        shared = image.with_agent(settings.agent(lab), lab.journal, lab.programs)
        root = layer_over(guest, shared, settings.binds(shared))
        mounts = list(root.mounts)
        for place in _OF_KERNEL:
            mounts.append(["mount", "--rbind", place, f"{root.directory}{place}"])
        if lab.disk_file is not None:
            mounts.append(["mount", "--bind", lab.disk_file.parent, f"{root.directory}{DATA}"])
            guest.disk = disk_as_file(lab, f"{DATA}/{lab.disk_file.name}")
        chroot = lab.programs.find("chroot", "coreutils")
        return mounts, [chroot, root.directory, AGENT]

    def add_agent(self, guest: Guest, settings: Settings, guest_id: str) -> Guest:
        """Another process of the host, in the same network."""
        assert isinstance(guest, ProcessGuest)
        assert isinstance(settings, NativeSettings)
        if settings.root != "host":
            raise EnvironmentFailed("another agent of a native guest would not share what it writes in an image")
        if settings.limited():
            raise EnvironmentFailed("another agent of a native guest would not share the limits of the guest")
        with ProcessGuest.starting(self.lab, guest_id, settings) as agent:
            agent.network = guest.network
            self._launch(agent, settings, network_of(guest))
        return agent
