"""Kinds that are a runtime of OCI containers: the agent in a root file system of its own, with a network of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from virtometer.environments.base import Guest, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.container import Container, ContainerSettings
from virtometer.environments.parts.guest_interfaces import interfaces_of
from virtometer.environments.parts.limits import effective_limits
from virtometer.environments.parts.oci import add_state, write_bundle
from virtometer.environments.parts.process_guest import ON_DESCRIPTOR, ProcessGuest
from virtometer.host.cpu.accounting import CgroupAccount
from virtometer.host.own_mounts import with_mounts
from virtometer.host.owned.journal import Resource
from virtometer.programs import Words

_HAND_ON = "--preserve-fds=1"


class OciSettings(ContainerSettings):
    """Those of containers, and the network."""

    host_network: ClassVar[str] = "host"

    network: Literal["bridge", "host", "none"] = Field(
        default="bridge",
        description="bridge: a veth pair on the laboratory's bridge; host: that of the host; none: the loopback alone",
    )

    def join(self, guest: ProcessGuest) -> Path | None:
        """Give a guest its network; returns the namespace on the bridge, None where it is another one."""
        if self.network == "bridge":
            return guest.add_network()
        guest.effective["network"] = self.network
        guest.read_back(lambda: interfaces_of(guest))
        return None


class OciEnvironment(Container):
    """Namespaces and cgroups as a runtime makes them; the channel is a descriptor that the runtime hands on.

    A runtime in the foreground copies stdin and stdout of its container, some by threads of their own: it would work on
    the guest's processor for each message. A subclass has `container`, which is its only resource.
    """

    settings_type: ClassVar[type[Settings]] = OciSettings
    container: ClassVar[Resource]
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.15
    several_agents: ClassVar[bool] = True

    def runtime(self, mounts: Sequence[Words] = ()) -> Words:
        """The words that call the runtime where these commands have mounted something."""
        return [*with_mounts(self.lab.programs, mounts), self.program_file()]

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the runtime's `run`, which executes the agent as its configuration says."""
        assert isinstance(settings, OciSettings)
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            root = settings.make_root(guest, settings.agent(self.lab))
            directory = guest.make_directory()
            state = add_state(self.lab, guest, self.program_file(), self.container, directory)
            namespace = settings.join(guest)
            account = guest.account
            disk_file = self.lab.disk_file
            write_bundle(
                directory,
                root=root,
                disk_directory=disk_file.parent if disk_file else None,
                namespace=namespace,
                own_network=settings.network != "host",
                cgroups_path=account.container_path() if isinstance(account, CgroupAccount) else None,
                resources=settings.resources(),
                channel=ON_DESCRIPTOR,
            )
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.read_back(lambda: effective_limits(account))
            argv: Words = [*self.runtime(root.mounts), "--root", state, "run", _HAND_ON, "--bundle", directory]
            argv.append(f"virtometer-{guest_id}")
            guest.launch(argv, purpose=f"{self.title} guest {guest_id}", descriptor=True)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """The runtime's `exec`."""
        assert isinstance(guest, ProcessGuest)
        state, container = guest.directory / "state", f"virtometer-{guest.guest_id}"
        return GuestEntry(f"{self.program} exec", [*self.runtime(), "--root", state, "exec", container], AGENT)

    def add_agent(self, guest: Guest, settings: Settings, guest_id: str) -> Guest:
        """Another process in the container, by the runtime's `exec`."""
        assert isinstance(guest, ProcessGuest)
        with ProcessGuest.starting(self.lab, guest_id, settings) as agent:
            agent.disk, agent.network = guest.disk, guest.network
            state, container = guest.directory / "state", f"virtometer-{guest.guest_id}"
            argv: Words = [*self.runtime(), "--root", state, "exec", _HAND_ON, container, AGENT, *ON_DESCRIPTOR]
            purpose = f"agent {guest_id} in the {self.title} guest {guest.guest_id}"
            agent.launch(argv, purpose=purpose, descriptor=True)
        return agent
