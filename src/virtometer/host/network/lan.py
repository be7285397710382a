"""The laboratory's own network: one namespace with a bridge, guests on veth pairs or taps.

    namespace virtometer-PID-N: br0 10.77.0.1/24 --- vethN === eth0 10.77.0.N  in a container's network namespace
                                                 --- tapN  === eth0 10.77.0.N  in a machine whose VMM runs in here

Nothing is ever made in the host's own network namespace, not even for a moment.
"""

from __future__ import annotations

import errno
import itertools
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.directories import detach_mount
from virtometer.host.owned.journal import Journal, Resource
from virtometer.programs import Programs, Words

NAMESPACES = Path("/run/netns")
BRIDGE = "br0"
SUBNET = "10.77.0"
HOST_ADDRESS = f"{SUBNET}.1"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class NetworkPath:
    """How a guest reaches the laboratory's side of the network.

    `host_address` is where a peer agent listens, in network namespace `namespace` (None = the host's own);
    `peer_address` is what the guest calls to reach it (differs from host_address behind address translation).
    `kind` is loopback, veth, tap, slirp, ...: paths of another kind are never compared in silence.
    `guest_address` and `prefix` are set where the guest has an interface of its own; `guest_interface` is named only
    where the guest itself has to configure it (`configure-network` of PROTOCOL.md). `port` is the interface in
    `namespace` to which the guest is connected, where it alone is.
    """

    kind: str
    host_address: str
    peer_address: str
    namespace: str | None
    guest_interface: str = ""
    guest_address: str = ""
    prefix: int = 0
    port: str = ""

    def configuration(self) -> dict[str, str | int]:
        """Arguments of `configure-network`."""
        return {"interface": self.guest_interface, "address": self.guest_address, "prefix": self.prefix}


LOOPBACK = NetworkPath(kind="loopback", host_address="127.0.0.1", peer_address="127.0.0.1", namespace=None)


class Lan:
    """One network per laboratory, made when the first guest is attached."""

    def __init__(self, journal: Journal, programs: Programs) -> None:
        """Does no work."""
        self.journal = journal
        self.programs = programs
        number = next(_NUMBERS)
        self.name = f"virtometer-{os.getpid()}-{number}"
        self._journal_id = f"lan-{os.getpid()}-{number}"
        self._open = False
        self._ports: dict[str, tuple[int, str]] = {}
        self._next = 2

    def unavailable(self) -> str:
        """Why this user cannot have such a network here, in one sentence; empty where he can."""
        if os.geteuid() != 0:
            return "network namespaces with a bridge need root"
        for program in ("ip", "unshare"):
            if shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin") is None:
                return f"the program {program} is not installed"
        return ""

    def advice(self) -> str:
        """What to do where it is unavailable."""
        return "run as root" if os.geteuid() != 0 else "install the Debian packages iproute2 and util-linux"

    def add_namespace(self, guest_id: str, name: str, pid: int | None = None) -> Path:
        """Make (and journal for the guest) a network namespace; returns its file, for nsenter --net=FILE.

        pid: of a process whose namespace gets the name, instead of a new one.
        Not by `ip netns add`, which leaves a mount on /run/netns itself behind for ever. Raises EnvironmentFailed where
        somebody else has this name. The journal knows the file before it exists, as a draft of a random name: the
        draft's second link is the namespace's name, so that a clean-up knows whose the name is.
        """
        path = NAMESPACES / name
        draft = f".virtometer-{secrets.token_hex(8)}"
        NAMESPACES.mkdir(mode=0o755, parents=True, exist_ok=True)
        if os.path.lexists(path):
            raise _taken(name)
        try:
            self.journal.record(guest_id, DRAFT, draft=draft, name=name)
            (NAMESPACES / draft).touch(exist_ok=False)
            self._name(guest_id, draft, name, pid)
        except BaseException:
            delete_draft(draft, name, self.programs)
            raise
        (NAMESPACES / draft).unlink()
        return path

    def _name(self, guest_id: str, draft: str, name: str, pid: int | None) -> None:
        path = NAMESPACES / name
        try:
            os.link(NAMESPACES / draft, path)
        except FileExistsError as cause:
            raise _taken(name) from cause
        self.journal.record(guest_id, NAMESPACE, name=name)
        argv: Words = [self.programs.find("unshare", "util-linux"), f"--net={path}", "true"]
        if pid is not None:
            argv = [self.programs.find("mount", "mount"), "--bind", f"/proc/{pid}/ns/net", path]
        self.programs.run(argv, purpose=f"network namespace {name}")

    def delete_namespace(self, name: str) -> None:
        """Delete a network namespace made by `add_namespace`. Idempotent."""
        delete_namespace(name, self.programs)

    def attach_veth(self, guest_id: str, guest_namespace: str) -> NetworkPath:
        """Give a namespace an interface eth0 on the bridge, with its address, up."""
        number = self._take_number(guest_id, "veth")
        port = f"veth{number}"
        self._ip(
            self.name,
            f"link add {port} type veth peer name eth0 address {_mac(number)} netns {guest_namespace}",
            *_without_ipv6(port),
            f"link set {port} master {BRIDGE} up",
        )
        self._ip(
            guest_namespace,
            *_without_ipv6("eth0"),
            "link set lo up",
            f"address add {SUBNET}.{number}/24 dev eth0",
            "link set eth0 up",
        )
        return self._path("veth", number)

    def attach_tap(self, guest_id: str, queues: int = 1) -> tuple[str, NetworkPath]:
        """Make a tap device (with vnet_hdr) on the bridge for a VMM that runs inside the Lan's namespace.

        `queues` above 1: one that the VMM opens so many times. Returns its name and the path; the VMM is started
        through `nsenter --net=/run/netns/NAME`, or with `ProcessGuest.launch(namespace=path.namespace)`.
        """
        number = self._take_number(guest_id, "tap")
        port = f"tap{number}"
        self._ip(
            self.name,
            f"tuntap add {port} mode tap vnet_hdr{' multi_queue' if queues > 1 else ''}",
            *_without_ipv6(port),
            f"link set {port} master {BRIDGE} up",
        )
        return port, self._path("tap", number)

    def detach(self, guest_id: str) -> None:
        """Remove the guest's interface from the bridge and free its address. Idempotent."""
        number, kind = self._ports.pop(guest_id, (0, ""))
        if number and self._open:
            arguments = ["link", "delete", f"{kind}{number}"]
            self._run_ip(["-n", self.name, *arguments], check=False)
            self._ip(self.name, f"neighbour flush to {SUBNET}.{number}")

    def close(self) -> None:
        """Remove the whole network. Idempotent."""
        if self._open:
            self._open = False
            self._ports.clear()
            delete_namespace(self.name, self.programs)
            self.journal.forget(self._journal_id)

    def _make(self) -> None:
        if self._open:
            return
        if reason := self.unavailable():
            raise EnvironmentFailed(f"no network for guests: {reason}", advice=self.advice())
        try:
            self.add_namespace(self._journal_id, self.name)
        except BaseException:
            self.journal.forget(self._journal_id)
            raise
        self._open = True
        try:
            self._ip(
                self.name,
                "link set lo up",
                f"link add {BRIDGE} type bridge stp_state 0 forward_delay 0 mcast_snooping 0",
                *_without_ipv6(BRIDGE),
                f"address add {HOST_ADDRESS}/24 dev {BRIDGE}",
                f"link set {BRIDGE} up",
            )
        except BaseException:
            self.close()
            raise

    def _take_number(self, guest_id: str, kind: str) -> int:
        """The last part of an address that no guest has; taken in turn, so that no neighbour remembers another MAC."""
        if guest_id in self._ports:
            raise ValueError(f"{guest_id} is attached already")
        self._make()
        used = {number for number, _ in self._ports.values()}
        for _ in range(2, 255):
            number, self._next = self._next, self._next + 1 if self._next < 254 else 2
            if number not in used:
                self._ports[guest_id] = (number, kind)
                return number
        raise EnvironmentFailed("the laboratory's network has no address left: 253 guests are attached")

    def _path(self, kind: str, number: int) -> NetworkPath:
        return NetworkPath(
            kind=kind,
            host_address=HOST_ADDRESS,
            peer_address=HOST_ADDRESS,
            namespace=self.name,
            guest_interface="eth0" if kind == "tap" else "",
            guest_address=f"{SUBNET}.{number}",
            prefix=24,
            port=f"{kind}{number}" if kind in ("veth", "tap") else "",
        )

    def _ip(self, namespace: str, *lines: str) -> None:
        """Run several ip commands inside a namespace, as one process."""
        self._run_ip(["-n", namespace, "-batch", "-"], input_bytes="\n".join(lines).encode() + b"\n")

    def _run_ip(self, arguments: list[str], *, check: bool = True, input_bytes: bytes | None = None) -> None:
        purpose = "network of the guests" + (": " + input_bytes.decode().strip() if input_bytes else "")
        ip = self.programs.find("ip", "iproute2")
        self.programs.run([ip, *arguments], purpose=purpose, check=check, input_bytes=input_bytes)


def delete_draft(draft: str, name: str, programs: Programs) -> bool:
    """Remove what `add_namespace` has not finished, with the name where that is a link of this draft. Idempotent.

    Returns whether anything was there.
    """
    path = NAMESPACES / draft
    if not path.is_file():
        return False
    if path.stat().st_nlink > 1:
        delete_namespace(name, programs)
    path.unlink()
    return True


def delete_namespace(name: str, programs: Programs) -> None:
    """Remove a network namespace's name; it ends with its last process. Idempotent."""
    path = NAMESPACES / name
    detach_mount(path)
    try:
        path.unlink(missing_ok=True)
    except OSError as cause:
        if cause.errno != errno.EBUSY:
            raise
        # Somebody else's first `ip netns add` has mounted /run/netns over itself since: our mount lies beneath it, out
        # of reach. Removed in a mount namespace that does not have the upper one, the file takes every mount with it.
        script = 'umount -l "$1"; umount -l "$2"; exec rm -f "$2"'
        unshare = programs.find("unshare", "util-linux")
        words: list[str | Path] = [
            unshare,
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            script,
            "sh",
            NAMESPACES,
            path,
        ]
        programs.run(words, purpose=f"remove the network namespace {name}")


def _remove_left_draft(fields: Mapping[str, Any], programs: Programs) -> str:
    draft, name = str(fields["draft"]), str(fields["name"])
    if "/" in draft + name or not delete_draft(draft, name, programs):
        return ""
    return f"unfinished network namespace {name}"


def _remove_left_namespace(fields: Mapping[str, Any], programs: Programs) -> str:
    name = str(fields["name"])
    if "/" in name or not (NAMESPACES / name).exists():
        return ""
    delete_namespace(name, programs)
    return f"network namespace {name}"


DRAFT = Resource("draft", _remove_left_draft)
"""Fields: draft, name (a file in /run/netns that is on its way to be a namespace; a link of it has the name)."""

NAMESPACE = Resource("namespace", _remove_left_namespace)
"""Field: name (a network namespace in /run/netns; the interfaces in it go with it)."""


def _taken(name: str) -> EnvironmentFailed:
    sentence = f"the network namespace {name} belongs to somebody else"
    return EnvironmentFailed(sentence, advice=f"remove {NAMESPACES / name}")


def _without_ipv6(interface: str) -> list[str]:
    """Keep router solicitations off a network that is measured; a kernel without IPv6 refuses the very word."""
    return [f"link set {interface} addrgenmode none"] if Path("/proc/net/if_inet6").exists() else []


def _mac(number: int) -> str:
    return f"02:76:6d:0a:4d:{number:02x}"
