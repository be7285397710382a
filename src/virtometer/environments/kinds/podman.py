"""Podman: a container of an engine without a daemon, with its default filter of system calls.

Nothing of the host's Podman is read or written: state, storage and locks lie in a tmpfs on /run that only the guest's
processes have. The cgroups of the container and of its monitor conmon lie below the guest's, which has the limits.
"""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from virtometer.environments.base import Guest, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry, nsenter
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.parts.container import Container, ContainerSettings
from virtometer.environments.parts.limits import limit
from virtometer.environments.parts.process_guest import ON_DESCRIPTOR, ProcessGuest
from virtometer.host.cpu.accounting import CgroupAccount
from virtometer.host.own_mounts import hide_bare_cgroup2, own_mounts
from virtometer.programs import Words

_HOME = "/run/virtometer-podman"
_FLAGS = (
    "--preserve-fds=1", "--rm", "--network=host", "--no-hosts", "--dns=none",
    "--log-driver=none", "--hostname=virtometer",
)  # fmt: skip


class PodmanSettings(ContainerSettings):
    """Limits, the size of the agent, and what Podman puts around a container."""

    runtime: Literal["crun", "runc"] = Field(default="crun", description="the OCI runtime that makes the container")
    seccomp: bool = Field(
        default=True, description="Podman's default filter of system calls, through which each system call goes"
    )


class Podman(Container):
    """`podman run` in the foreground; the channel is a descriptor, because conmon would copy stdin and stdout."""

    kind: ClassVar[str] = "podman"
    title: ClassVar[str] = "Podman"
    meaning: ClassVar[str] = "a container of an engine without a daemon, with its default filter of system calls"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 0.5
    own_memory: ClassVar[int] = 48 << 20  # of podman and conmon, which stay beside the container
    program: ClassVar[str] = "podman"
    package: ClassVar[str] = "podman"
    check_settings: ClassVar[tuple[str, ...]] = ("runtime",)
    settings_type: ClassVar[type[Settings]] = PodmanSettings

    def prepare(self, settings: Settings) -> None:
        """Find the runtime too."""
        assert isinstance(settings, PodmanSettings)
        self.lab.programs.find(settings.runtime, settings.runtime)
        super().prepare(settings)

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start `podman run` in the network namespace of the guest, which its container shares as that of a host."""
        assert isinstance(settings, PodmanSettings)
        podman, disk_file = self.program_file(), self.lab.disk_file
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            root = settings.make_root(guest, settings.agent(self.lab))
            directory = guest.make_directory()
            runtime = self.lab.programs.find(settings.runtime, settings.runtime)
            (directory / "containers.conf").write_text(_configuration(runtime))
            (directory / "storage.conf").write_text(_storage())
            namespace = guest.add_network()
            account = guest.account
            cgroups = "--cgroups=disabled"
            if isinstance(account, CgroupAccount):
                account.container_path()
                cgroups = f"--cgroup-parent=/{account.inner}"
            limit(guest, settings)
            mounts: list[Words] = [*hide_bare_cgroup2(), *root.mounts]
            mounts.append(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/run"])
            # conmon writes a file `oom` into its directory where a container ends for lack of memory.
            argv: list[str | Path] = [*own_mounts(self.lab.programs, mounts), "env", f"--chdir={directory}"]
            argv += [f"CONTAINERS_CONF={directory / 'containers.conf'}"]
            argv += [f"CONTAINERS_STORAGE_CONF={directory / 'storage.conf'}", podman, "run", *_FLAGS, cgroups]
            argv += [] if root.writable else ["--read-only"]
            argv += _same_limits()
            if not settings.seccomp:
                argv.append("--security-opt=seccomp=unconfined")
            if disk_file is not None:
                argv.append(f"--mount=type=bind,source={disk_file.parent},destination={DATA}")
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.effective |= {"runtime": settings.runtime, "seccomp": settings.seccomp}
            argv += ["--rootfs", f"{root.directory}{'' if root.writable else ':O'}", AGENT, *ON_DESCRIPTOR]
            guest.launch(argv, purpose=f"Podman guest {guest_id}", namespace=namespace.name, descriptor=True)
        return guest

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """`podman exec`, in the mount namespace that has Podman's state."""
        assert isinstance(guest, ProcessGuest) and guest.process is not None
        files = {"CONTAINERS_CONF": "containers.conf", "CONTAINERS_STORAGE_CONF": "storage.conf"}
        variables = [f"{name}={guest.directory / file}" for name, file in files.items()]
        inside = nsenter(self.lab.programs, guest.process.pid, ["mount", "net"])
        words: Words = [*inside, "env", *variables, self.program_file(), "exec", "--latest"]
        return GuestEntry("nsenter, podman exec", words, AGENT)


def _same_limits() -> list[str]:
    """The limits of this process: Podman raises them for containers, which needs a capability that root may lack.

    It lowers its own limit of processes to the highest number of a process.
    """
    most = int(Path("/proc/sys/kernel/pid_max").read_text())
    processes = [most if one == resource.RLIM_INFINITY else min(one, most) for one in _limit(resource.RLIMIT_NPROC)]
    found = {"nofile": _limit(resource.RLIMIT_NOFILE), "nproc": processes}
    return [f"--ulimit={name}={soft}:{hard}" for name, (soft, hard) in found.items()]


def _limit(number: int) -> tuple[int, int]:
    return resource.getrlimit(number)


def _configuration(runtime: Path) -> str:
    """As containers.conf(5): everything that Podman would keep on the host lies in its own /run."""
    engine = {
        "cgroup_manager": "cgroupfs",
        "events_logger": "none",
        "lock_type": "file",
        "runtime": str(runtime),
        "tmp_dir": f"{_HOME}/tmp",
        "static_dir": f"{_HOME}/libpod",
        "volume_path": f"{_HOME}/volumes",
    }
    return f"{_table('engine', engine)}{_table('network', {'network_config_dir': f'{_HOME}/networks'})}"


def _storage() -> str:
    """As containers-storage.conf(5)."""
    return _table("storage", {"driver": "overlay", "graphroot": f"{_HOME}/graph", "runroot": f"{_HOME}/run"})


def _table(name: str, values: dict[str, str]) -> str:
    """A table of TOML, whose strings are those of JSON."""
    return f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
