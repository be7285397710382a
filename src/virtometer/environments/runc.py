"""runc: an ordinary container, the agent in a root file system of its own, a network of its own on a veth pair."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.accounting import CgroupAccount
from virtometer.environments.agent_root import AGENT, DATA, agent_root
from virtometer.environments.base import Capabilities, Check, Environment, Guest, Namespace, Settings, disk_as_file
from virtometer.environments.journal import Resource
from virtometer.environments.oci import CgroupLimits, add_state, container_of, effective_limits, write_bundle
from virtometer.environments.process_guest import ProcessGuest, check_by_starting

_CONTAINER = container_of("runc")


class RuncSettings(CgroupLimits):
    """The limits of containers."""


class Runc(Environment):
    """Namespaces and cgroups as runc makes them; stdin and stdout of the container are the channel."""

    kind: ClassVar[str] = "runc"
    title: ClassVar[str] = "runc"
    meaning: ClassVar[str] = "an ordinary container with namespaces, cgroups and a network of its own"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.15
    usual_overhead_s: ClassVar[float] = 0.15
    several_agents: ClassVar[bool] = True
    program: ClassVar[str] = "runc"
    package: ClassVar[str] = "runc"
    resources: ClassVar[tuple[Resource, ...]] = (_CONTAINER,)
    settings_type: ClassVar[type[Settings]] = RuncSettings

    def capabilities(self) -> Capabilities:
        """Everything, as root."""
        return Capabilities(
            disk=True,
            network=True,
            several_guests=True,
            cpu_limit=True,
            memory_limit=True,
            settings=tuple(RuncSettings.model_fields),
        )

    def check(self) -> Check:
        """Start a container."""
        if reason := self.lab.lan.unavailable():
            return Check(False, f"a container of runc gets a network of its own, and {reason}", self.lab.lan.advice())
        return check_by_starting(self, RuncSettings())

    def prepare(self, settings: Settings) -> None:
        """Build the root file system."""
        self.program_file()
        agent_root(self.lab)

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start `runc run` in the foreground."""
        assert isinstance(settings, RuncSettings)
        runc = self.program_file()
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            directory = guest.make_directory()
            state = add_state(self.lab, guest, runc, _CONTAINER, directory)
            namespace = guest.add_network()
            account = guest.account
            disk_file = self.lab.disk_file
            write_bundle(
                directory,
                root=agent_root(self.lab),
                disk_directory=disk_file.parent if disk_file else None,
                namespace=namespace,
                cgroups_path=account.container_path() if isinstance(account, CgroupAccount) else None,
                resources=settings.resources(),
            )
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.read_back(lambda: effective_limits(account))
            argv: list[str | Path] = [runc, "--root", state, "run", "--bundle", directory, f"virtometer-{guest_id}"]
            guest.launch(argv, purpose=f"runc guest {guest_id}")
        return guest

    def add_agent(self, guest: Guest, settings: Settings, guest_id: str) -> Guest:
        """Another process in the container, by `runc exec`."""
        assert isinstance(guest, ProcessGuest)
        with ProcessGuest.starting(self.lab, guest_id, settings) as agent:
            agent.disk, agent.network = guest.disk, guest.network
            state, container = guest.directory / "state", f"virtometer-{guest.guest_id}"
            argv: list[str | Path] = [self.program_file(), "--root", state, "exec", container, AGENT, "stdio"]
            agent.launch(argv, purpose=f"agent {guest_id} in the runc guest {guest.guest_id}")
        return agent
