"""What an environment kind promises to the runner, and what it is given.

A kind is one file or folder below kinds/: a subclass of `Environment` with its `Settings`, and one line in
`registry.py`. The conformance tests in tests/conformance then run against it automatically. A guest that is a tree of
host processes is a `ProcessGuest` of parts/process_guest.py, which has journal, accounting and the complete stop.
A guest that a daemon starts is a `FoundGuest` of parts/found_guest.py.

Conditions. `DiskTarget.conditions` and the agent's own `conditions` (REFERENCE.md) are objects of strings that decide
whether two results may be compared. A key that two environments have with different values leads to the note "not
comparable". Keys ending in `_reason` explain and are never compared. Keys that kinds use, so that they can be compared:

    host_cache   no, when a direct read or write of the guest reaches the host's file with O_DIRECT; yes, when the
                 host's page cache answers it
    host_cache_begins   of the runner: what the host's page cache holds of the file when a trial begins (page_cache.py)
    scheduling_group    of weight.py: the group in which the guest competes for processors
    disk_path    how the file gets there: file (the same system calls on the same file, bind mounts included), a name
                 of the kernel in between, a device such as virtio-blk (recorded and not compared: it is what is
                 measured)
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.parts import CpuReading
from virtometer.host.network.lan import Lan, NetworkPath
from virtometer.host.owned.journal import Journal, Resource
from virtometer.host.owned.shared import Shared
from virtometer.host.programs import HostProgram
from virtometer.link.channel import Stream
from virtometer.model import Kind, Namespace, Room, Settings
from virtometer.model.command_defaults import CommandDefaults
from virtometer.programs import Programs

__all__ = [
    "Check",
    "DiskTarget",
    "Environment",
    "Guest",
    "LabContext",
    "Lacks",
    "Lan",
    "Namespace",
    "NetworkPath",
    "Room",
    "Settings",
    "disk_as_file",
    "host_cache",
]


@dataclass(frozen=True, slots=True)
class Lacks:
    """What guests of a kind cannot have: why not, in words. Empty where they can."""

    disk: str = ""
    network: str = ""
    several_guests: str = ""
    cpu_limit: str = ""
    memory_limit: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Answer of a kind's check: does it work on this host, why not, what to do, and what was found out."""

    works: bool
    reason: str
    advice: str = ""
    found: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabContext:
    """What a kind works with. Directories exist; `scratch` lies on the file system that disk workloads measure.

    agent: the agent's static binary. agent_32: the one of 32 bits, where it is built. cache: content-addressed images,
    kept between campaigns. scratch: this campaign's working files. disk_file: the one file behind every disk workload
    (filled as KERNELS.md says), or None. lan: the network of this laboratory, made when the first guest needs it.
    shared: what its guests share on the host. Whoever made the LabContext calls `close()`. host_programs: what
    workloads of this campaign run beside the agent. A kind puts their files into its guests. processors: numbers of the
    processors that guests and laboratory may use in total. more_disk_files: alike, for guests that work at the same
    time. on_bridge: guests that may do without a network of their own get one as the others have, with which they are
    compared or which reach them. room: what workloads of this campaign take on a file system; a guest whose disk is a
    device gets it formatted then, with the disk file in it. None: no workload needs one.
    """

    agent: Path
    cache: Path
    scratch: Path
    disk_file: Path | None
    journal: Journal
    programs: Programs
    lan: Lan
    host_programs: tuple[HostProgram, ...] = ()
    processors: frozenset[int] = field(default_factory=lambda: frozenset(os.sched_getaffinity(0)))
    more_disk_files: tuple[Path, ...] = ()
    on_bridge: bool = False
    room: Room | None = None
    agent_32: Path | None = None
    shared: Shared = field(default_factory=Shared)

    def close(self) -> None:
        """Remove what its guests have shared, and its network. Idempotent."""
        try:
            self.shared.close()
        finally:
            self.lan.close()

    def program_path(self, name: str) -> str | None:
        """Where a program of `host_programs` lies, on the host as in guests; None where this host has none."""
        return next((str(one.path) for one in self.host_programs if one.name == name and one.path), None)


@dataclass(frozen=True, slots=True)
class DiskTarget:
    """Where a guest finds the campaign's disk file, and what the kind knows about the way there.

    file: what is behind it on the host: the disk file, or an image of the guest's own.
    """

    path: str
    conditions: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None


def host_cache(file: Path) -> dict[str, str]:
    """The condition host_cache for a kind that hands direct access to the host on, where the file system takes it."""
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        return {"host_cache": "yes", "host_cache_reason": "the file system of the disk file refuses O_DIRECT"}
    return {"host_cache": "no"}


def disk_as_file(lab: LabContext, inside: str = "") -> DiskTarget | None:
    """The campaign's disk file reached by plain system calls of the host's kernel, under the name it has `inside`."""
    if lab.disk_file is None:
        return None
    conditions = {"disk_path": "file", **host_cache(lab.disk_file)}
    return DiskTarget(inside or str(lab.disk_file), conditions, lab.disk_file)


class Guest(ABC):
    """One running instance. Made by `Environment.start`, which must leave nothing behind when it fails."""

    guest_id: str
    stream: Stream
    disk: DiskTarget | None
    network: NetworkPath | None
    effective: dict[str, Any]  # the settings that it really got, as far as the host's side knows
    refused_programs: Mapping[str, str]  # those of lab.host_programs that it cannot run, each with the reason
    # The path of a program that is the guest's own, not one of lab.host_programs; None where it has none of that name.
    find_program: Callable[[str], str | None] = staticmethod(lambda name: None)
    # What its root directory says of commands as this user, or as its own, where it is an image of containers. Raises
    # EnvironmentFailed where it has no such user.
    command_defaults: Callable[[str | None], CommandDefaults | None] = staticmethod(lambda user: None)
    on_this_host: bool = True  # whether its work is processor time of this host's kernel, also where none is shown
    warm_up_s: float = 0.0  # how long it goes on working for the message that released a slice, at the slice's cost
    warm_ups: Mapping[str, float] = MappingProxyType({})  # the same of operations ("os pipe") that need longer, s

    @abstractmethod
    def alive(self) -> bool:
        """Whether the guest's processes still run."""

    @abstractmethod
    def place(self, processors: Collection[int]) -> None:
        """Keep all its processes on these processors, also those that they start later. Raises EnvironmentFailed."""

    @abstractmethod
    def cpu_ns(self) -> int:
        """Host CPU time used so far by all processes that are this guest (ended ones included), in ns.

        Raises OSError with the reason where nobody knows it, which is not 0.
        """

    def processes(self) -> list[int]:
        """Pids of the host's processes that are this guest now; empty where nobody knows them."""
        return []

    def find_threads(self) -> None:
        """Find the threads that it has started since the last call, for `run_delay_ns`."""
        return

    def run_delay_ns(self) -> int | None:
        """How long the threads that were found were ready and had no processor, in ns; None where nobody counts it."""
        return None

    def quota_periods(self) -> tuple[int, int] | None:
        """Periods in which a quota has held it back, and all in which it had work; None where it has no quota."""
        return None

    def cpu_parts(self) -> CpuReading | None:
        """How the CPU time of the last `cpu_ns` is divided, by the last `run_delay_ns`; None where it is unknown."""
        return None

    @abstractmethod
    def stderr_tail(self) -> str:
        """The end of what the guest or its launcher printed beside the protocol, for error messages."""

    @abstractmethod
    def stop(self) -> None:
        """End the guest, within ten seconds, by force where needed. Afterwards nothing of it is left. Idempotent."""


class Environment(Kind, ABC):
    """A kind of environment that this host may have: how its guests are checked, prepared and started."""

    resources: ClassVar[tuple[Resource, ...]] = ()  # what only this kind may leave on a host, and how it is removed

    def __init__(self, lab: LabContext) -> None:
        """Only keeps the context: construction does no work."""
        self.lab = lab

    def program_file(self) -> Path:
        """Where `program` lies on this host. Raises MissingProgram."""
        return self.lab.programs.find(self.program, self.package)

    def lacks(self) -> Lacks:
        """What this kind cannot give on this host to this user."""
        return Lacks()

    @abstractmethod
    def check(self) -> Check:
        """Find out in under two seconds whether this kind works here, by starting it, not by believing a file."""

    def check_with(self, settings: Settings) -> Check:
        """As `check`, of guests with these settings; those that are not named by `check_settings` have defaults."""
        return self.check()

    @abstractmethod
    def prepare(self, settings: Settings) -> None:
        """Build or fetch what a start needs, cached by content. May take minutes the first time."""

    def share(self, settings: Settings) -> None:
        """Make on this host what all guests with these settings share, before the first start. Raises as `prepare`."""

    @abstractmethod
    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start a guest and return without waiting for the agent's greeting.

        `guest_id` is unique on this host and at most 24 of [a-z0-9-]. Called from a thread that lives as long as the
        guest: it dies with that thread.
        """

    def start_control(self, settings: Settings, guest_id: str) -> Guest:
        """As `start`, of the control of a comparison with guests `by_launcher`: launched as those are, if possible."""
        return self.start(settings, guest_id)

    def add_agent(self, guest: Guest, settings: Settings, guest_id: str) -> Guest:
        """Start another agent within a guest that lives, where `several_agents`; its CPU time adds to the guest's.

        `guest_id` is its own, for the journal. Stopped before `guest`.
        """
        raise EnvironmentFailed(f"a guest of {self.title} has one agent")

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """How the host starts a program in a guest that lives, without its agent.

        Raises EnvironmentFailed or MissingProgram where that is not possible now.
        """
        return NoEntry("has no program that starts another one in a guest that runs")
