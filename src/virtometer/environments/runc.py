"""runc: an ordinary container, the agent in a root file system of its own, a network of its own on a veth pair."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from virtometer.environments.accounting import CgroupAccount
from virtometer.environments.agent_root import DATA, agent_root
from virtometer.environments.base import Capabilities, Check, Environment, Guest, Settings
from virtometer.environments.native import disk_as_file
from virtometer.environments.oci import Limits, add_network, add_state, limits_given, write_bundle
from virtometer.environments.process_guest import ProcessGuest, check_by_starting


class RuncSettings(Limits):
    """The limits of containers."""


class Runc(Environment):
    """Namespaces and cgroups as runc makes them; stdin and stdout of the container are the channel."""

    kind: ClassVar[str] = "runc"
    title: ClassVar[str] = "runc"
    meaning: ClassVar[str] = "an ordinary container with namespaces, cgroups and a network of its own"
    program: ClassVar[str] = "runc"
    package: ClassVar[str] = "runc"
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
        if reason := self.bench.lan.unavailable():
            return Check(False, f"a container of runc gets a network of its own, and {reason}", self.bench.lan.advice())
        return check_by_starting(self, RuncSettings())

    def prepare(self, settings: Settings) -> None:
        """Build the root file system."""
        self.program_file()
        agent_root(self.bench)

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start `runc run` in the foreground."""
        assert isinstance(settings, RuncSettings)
        runc = self.program_file()
        with ProcessGuest.starting(self.bench, guest_id) as guest:
            directory = guest.make_directory()
            state = add_state(self.bench, guest, runc, "runc", directory)
            namespace = add_network(self.bench, guest)
            account = guest.account
            disk_file = self.bench.disk_file
            write_bundle(
                directory,
                root=agent_root(self.bench),
                disk_directory=disk_file.parent if disk_file else None,
                namespace=namespace,
                cgroups_path=account.container_path() if isinstance(account, CgroupAccount) else None,
                resources=settings.resources(),
            )
            guest.disk = disk_as_file(self.bench, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.look(lambda: limits_given(account))
            argv: list[str | Path] = [runc, "--root", state, "run", "--bundle", directory, f"virtometer-{guest_id}"]
            guest.launch(argv, purpose=f"runc guest {guest_id}")
        return guest
