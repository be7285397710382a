"""Docker: a container of a daemon's, as its users start it.

The daemon and its containers belong to the user: nothing that has not a name of ours is touched. The agent connects to
a socket of the laboratory's in a directory that is mounted, because `docker run` would copy each message twice: the
client copies it, and the daemon. The container's processes are children of the daemon's shim, and are found.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from virtometer.environments.base import Check, Guest, LabContext, Namespace, Settings, disk_as_file
from virtometer.environments.entry import GuestEntry, NoEntry
from virtometer.environments.images.agent_root import AGENT, DATA
from virtometer.environments.kinds.docker.daemon import (
    CONTAINER,
    IMAGE,
    LABEL,
    PACKAGE,
    PROGRAM,
    VOLUMES,
    Daemon,
    address_of,
    remove_container,
)
from virtometer.environments.kinds.docker.root import ContainerRoot, bind, make_image, make_root, shared_of
from virtometer.environments.kinds.docker.settings import DockerSettings
from virtometer.environments.parts.binds import BINDS
from virtometer.environments.parts.container import Container
from virtometer.environments.parts.found_guest import FoundGuest
from virtometer.environments.parts.limits import enforced, require_limits
from virtometer.environments.parts.process_guest import check_by_starting, check_with_network
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.host.cpu.accounting import CgroupAccount
from virtometer.host.cpu.weight import CONDITION, weigh
from virtometer.host.network.lan import LOOPBACK, NetworkPath
from virtometer.host.owned.journal import Resource
from virtometer.link.channel import Stream
from virtometer.programs import Words
from virtometer.visible import one_line

_CHANNEL = "/virtometer-channel"
_SOCKET = "agent"
_CONNECT_S = 30.0
_LOOK_S = 0.05
_LAST = 300  # letters of what a container printed, in a sentence


class _NoSocket(EnvironmentFailed):
    """The runtime lets no container reach a socket of the host."""


class DockerGuest(FoundGuest):
    """A container of a daemon's."""

    def __init__(self, lab: LabContext, guest_id: str, settings: Settings | None = None) -> None:
        """Use `starting`."""
        super().__init__(lab, guest_id, settings)
        self.daemon: Daemon | None = None
        self.name = ""

    def bind(self) -> None:
        """Keep its processes on the processors of its settings."""
        if self._processors is not None:
            self.place(self._processors)

    def stderr_tail(self) -> str:
        """The end of what the agent printed, as the daemon's log has it, else what the program docker printed."""
        if self.daemon is not None and not self._stopped:
            self._tail = self.daemon.logs(self.name).encode() or self._tail
        return super().stderr_tail()


class Docker(Container):
    """`docker run` in the background."""

    kind: ClassVar[str] = "docker"
    title: ClassVar[str] = "Docker"
    meaning: ClassVar[str] = "a container of a Docker daemon of this host, by any of its runtimes"
    namespaces: ClassVar[tuple[Namespace, ...] | None] = ("ipc", "mnt", "net", "pid", "uts")
    usual_start_s: ClassVar[float] = 1.0
    usual_overhead_s: ClassVar[float] = 0.3
    own_memory: ClassVar[int] = 24 << 20  # of the shim, which stays beside the container
    program: ClassVar[str] = PROGRAM
    package: ClassVar[str] = PACKAGE
    check_settings: ClassVar[tuple[str, ...]] = ("socket", "runtime")
    resources: ClassVar[tuple[Resource, ...]] = (CONTAINER, VOLUMES, IMAGE)
    settings_type: ClassVar[type[Settings]] = DockerSettings

    def __init__(self, lab: LabContext) -> None:
        """Only keeps the context."""
        super().__init__(lab)
        self._daemons: dict[str, Daemon] = {}
        self._without_socket: set[tuple[str, str]] = set()

    def daemon(self, settings: DockerSettings) -> Daemon:
        """The daemon of these settings, which is asked nothing yet. Raises EnvironmentFailed or MissingProgram."""
        self.program_file()
        address = address_of(self.lab.programs, settings.socket)
        return self._daemons.setdefault(address, Daemon(self.lab.programs, address))

    def check_with(self, settings: Settings) -> Check:
        """Whether the daemon answers and knows the runtime, and a container starts."""
        assert isinstance(settings, DockerSettings)
        laboratory = settings.network == "laboratory"
        if laboratory and (reason := self.lab.lan.unavailable()) and os.geteuid() != 0:
            return Check(False, f"a guest of {self.title} gets a network of its own, and {reason}", "run as root")
        try:
            daemon = self.daemon(settings)
            facts, runtime = daemon.facts(), daemon.runtime(settings.runtime)
        except VirtometerError as cause:
            return Check(False, cause.sentence, cause.advice)
        check = check_with_network(self, settings) if laboratory else check_by_starting(self, settings)
        advice = check.advice or ("" if check.works else f"see whether docker --host {daemon.address} run works")
        found = {**check.found, "docker": facts.version, "runtime": runtime, "storage_driver": facts.storage_driver}
        return Check(check.works, check.reason, advice, found)

    def prepare(self, settings: Settings) -> None:
        """See whether the daemon can do it, and build the root directory. Raises EnvironmentFailed where it cannot."""
        assert isinstance(settings, DockerSettings)
        require_limits(settings, self.lab.processors)
        agent = settings.agent(self.lab)
        self.daemon(settings).runtime(settings.runtime)
        settings.prepare_root(self.lab, agent)

    def share(self, settings: Settings) -> None:
        """Make the daemon's image."""
        assert isinstance(settings, DockerSettings)
        agent = settings.agent(self.lab)
        make_image(self.lab, self.daemon(settings), agent, settings.shared_root(self.lab, agent))

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start a container, by another channel where its runtime refuses the first."""
        assert isinstance(settings, DockerSettings)
        daemon = self.daemon(settings)
        try:
            return self._start_by_channel(daemon, settings, guest_id)
        except EnvironmentFailed:
            images = {key: name for key, name in self.lab.shared.names().items() if key[0] == daemon.address}
            gone = [key for key, name in images.items() if not daemon.has_image(name)]
            if not gone:
                raise
            for key in gone:  # somebody has removed what no container used, as `docker system prune` does
                self.lab.shared.forget(key)
            return self._start_by_channel(daemon, settings, guest_id)

    def _start_by_channel(self, daemon: Daemon, settings: DockerSettings, guest_id: str) -> Guest:
        known = daemon.address, daemon.runtime(settings.runtime)
        if settings.channel == "attach" or (settings.channel == "auto" and known in self._without_socket):
            return self._start(daemon, settings, guest_id, by_socket=False)
        try:
            return self._start(daemon, settings, guest_id, by_socket=True)
        except _NoSocket:
            if settings.channel == "socket":
                raise
            self._without_socket.add(known)
            return self._start(daemon, settings, guest_id, by_socket=False)

    def entry(self, guest: Guest, settings: Settings) -> GuestEntry | NoEntry:
        """`docker exec`."""
        assert isinstance(guest, DockerGuest) and guest.daemon is not None
        return GuestEntry("docker exec", guest.daemon.argv(["exec", guest.name]), AGENT)

    def _start(self, daemon: Daemon, settings: DockerSettings, guest_id: str, *, by_socket: bool) -> DockerGuest:
        facts = daemon.facts()
        disk_file = self.lab.disk_file
        name = f"virtometer-{guest_id}-{secrets.token_hex(4)}"
        with DockerGuest.starting(self.lab, guest_id, settings) as guest:
            root = make_root(guest, daemon, settings, name)
            self.lab.journal.record(guest_id, CONTAINER, address=daemon.address, name=name)
            guest.on_stop(lambda: remove_container(daemon, name))
            guest.daemon, guest.name = daemon, name
            words = _options(name, guest_id, settings, root, daemon.runtime(settings.runtime))
            parent = _parent(guest) if facts.cgroup_driver == "cgroupfs" else None
            if parent is not None:
                words.append(f"--cgroup-parent={parent}")
            if disk_file is not None:
                words.append(bind(disk_file.parent, DATA))
            guest.disk = disk_as_file(self.lab, f"{DATA}/{disk_file.name}" if disk_file else "")
            guest.effective |= {
                "docker": facts.version,
                "runtime": daemon.runtime(settings.runtime),
                "storage_driver": facts.storage_driver,
                "cgroup_driver": facts.cgroup_driver,
                "security": list(facts.security),
                "seccomp": settings.seccomp,
                "network": settings.network,
                "channel": "socket" if by_socket else "attach",
            }
            if by_socket:
                self._by_socket(guest, settings, [*words, root.image, AGENT], parent)
            else:
                self._attached(guest, settings, [*words, root.image, AGENT], parent)
            if root.shared:
                guest.effective[BINDS] = shared_of(daemon.inspect(name)["Mounts"], root.shared)
            if settings.cpuset is None:
                guest.bind()
        return guest

    def _by_socket(self, guest: DockerGuest, settings: DockerSettings, words: Words, parent: str | None) -> None:
        assert guest.daemon is not None
        directory = guest.make_directory() / "channel"
        directory.mkdir()
        directory.chmod(0o755)  # the directory above is closed to others, and a daemon may map users
        words = ["run", "--detach", bind(directory, _CHANNEL), *words, "connect", f"unix:{_CHANNEL}/{_SOCKET}"]
        with _listening(directory / _SOCKET) as listener:
            guest.daemon.run(words, purpose=f"Docker guest {guest.guest_id}")
            self._found(guest, settings, parent)
            guest.stream = _accepted(guest, listener)

    def _attached(self, guest: DockerGuest, settings: DockerSettings, words: Words, parent: str | None) -> None:
        daemon = guest.daemon
        assert daemon is not None
        daemon.run(["create", "--interactive", *words, "stdio"], purpose=f"Docker guest {guest.guest_id}")
        attach = daemon.argv(["start", "--attach", "--interactive", guest.name])
        guest.enter(attach, f"channel of the Docker guest {guest.guest_id}")
        deadline = time.monotonic() + _CONNECT_S
        while daemon.inspect(guest.name)["State"]["Status"] == "created" and guest.entering():
            if time.monotonic() > deadline:
                raise EnvironmentFailed(f"Docker did not start {guest.name} within {_CONNECT_S:g} s")
            time.sleep(_LOOK_S)
        self._found(guest, settings, parent)

    def _found(self, guest: DockerGuest, settings: DockerSettings, parent: str | None) -> None:
        """Find the processes of a container that was started, and give it its network."""
        daemon = guest.daemon
        assert daemon is not None
        seen = daemon.inspect(guest.name)
        pid, identity = int(seen["State"]["Pid"]), str(seen["Id"])
        if pid == 0:
            raise _ended(guest)
        if not _is_of(pid, identity):
            raise EnvironmentFailed(
                f"the containers of the Docker daemon at {daemon.address} are not on this host: process {pid} is none "
                "of theirs here",
                advice="use a daemon that runs on this host itself",
            )
        if parent is not None and pid in guest.account.processes():
            guest.watch(pid, f"the container {guest.name}")
            guest.read_back(lambda: enforced(f"{parent.lstrip('/')}/{identity}"))
        else:  # systemd makes the groups, or the runtime leaves its processes where they are
            if parent is not None:
                guest.on_stop(guest.account.remove)
            guest.follow(pid, identity)
        match settings.network:
            case "laboratory" if (daemon.address, str(seen["HostConfig"]["Runtime"])) in self._without_socket:
                guest.effective["network"] = "none: its runtime takes no interface that comes after the start"
            case "laboratory":
                guest.add_network(pid)
            case "host":
                guest.network = LOOPBACK
                if self.lab.on_bridge:
                    guest.network = replace(LOOPBACK, guest_address=LOOPBACK.host_address, prefix=8)
            case "bridge":
                guest.network = _on_bridge(seen["NetworkSettings"]["Networks"]["bridge"])


def _is_of(pid: int, identity: str) -> bool:
    """Whether a process of this host belongs to a container, by the name of its group, or by its arguments."""
    try:
        return any(
            identity in Path(f"/proc/{pid}/{file}").read_text(errors="replace") for file in ("cgroup", "cmdline")
        )
    except OSError:
        return False


def _options(name: str, guest_id: str, settings: DockerSettings, root: ContainerRoot, runtime: str) -> Words:
    """Options of docker run."""
    network = "none" if settings.network == "laboratory" else settings.network
    found: Words = [
        f"--name={name}", f"--label={LABEL}={guest_id}", "--hostname=virtometer", f"--runtime={runtime}",
        f"--network={network}", "--pull=never", "--log-driver=json-file", "--log-opt=max-size=1m", "--cgroupns=host",
    ]  # fmt: skip
    if network == "host":
        found.remove("--hostname=virtometer")
    found += [] if root.writable else ["--read-only", "--tmpfs=/tmp:exec,mode=1777"]
    found += root.mounts
    if not settings.seccomp:
        found.append("--security-opt=seccomp=unconfined")
    if settings.capabilities is not None:
        found += ["--cap-drop=ALL", *(f"--cap-add={one}" for one in settings.capabilities)]
    if settings.cpus is not None:
        found.append(f"--cpus={settings.cpus:g}")
    if settings.cpuset is not None:
        found.append(f"--cpuset-cpus={','.join(map(str, settings.cpuset))}")
    if settings.memory is not None:
        found += [f"--memory={settings.memory}", "--memory-swap=-1"]  # of swap as much as other kinds of guests have
    return found


def _parent(guest: DockerGuest) -> str | None:
    """The group in which the daemon makes that of the container: ours, with the weight of all guests.

    None where this user cannot have one: then its group is where the daemon makes it.
    """
    account = guest.account
    if not isinstance(account, CgroupAccount):
        return None
    account.container_path()
    guest.effective[CONDITION] = weigh(account)
    return f"/{account.inner}"


def _on_bridge(network: Mapping[str, Any]) -> NetworkPath:
    """The way of a container on Docker's own bridge, at whose address on the host a peer listens."""
    gateway = str(network["Gateway"])
    return NetworkPath(
        kind="docker-bridge",
        host_address=gateway,
        peer_address=gateway,
        namespace=None,
        guest_address=str(network["IPAddress"]),
        prefix=int(network["IPPrefixLen"]),
    )


# --- the channel ----------------------------------------------------------------------------------------------


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """A socket with this path, of any length, that anybody may use who reaches it."""
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(f"/proc/self/fd/{directory}/{path.name}")
            path.chmod(0o666)
            listener.listen(1)
            listener.settimeout(_LOOK_S)
            yield listener
    finally:
        os.close(directory)


def _accepted(guest: DockerGuest, listener: socket.socket) -> Stream:
    """The connection of the agent. Raises EnvironmentFailed where the container ends without one."""
    deadline = time.monotonic() + _CONNECT_S
    while time.monotonic() < deadline:
        alive = guest.alive()
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if not alive:
                raise _ended(guest) from None
            continue
        connection.settimeout(None)
        fd = connection.detach()
        return Stream(fd, fd)
    raise _NoSocket(f"the agent in {guest.name} did not connect to {_CHANNEL} within {_CONNECT_S:g} s")


def _ended(guest: DockerGuest) -> EnvironmentFailed:
    """The error of a container that ended while it was started."""
    said = one_line(guest.stderr_tail())[-_LAST:]
    sentence = f"the container {guest.name} ended while it was started" + (f": {said}" if said else "")
    return _NoSocket(sentence) if f"cannot connect to {_CHANNEL}" in said else EnvironmentFailed(sentence)
