"""A hypervisor that libvirt reaches at a URI, through the program virsh.

Every call is a process of its own with all its commands, so that each is recorded, and so that the driver `test`, whose
state ends with the connection, does the same as all others. Sources: virsh(1), libvirt's "Connection URIs".
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from virtometer.environments.parts.found_guest import unescaped
from virtometer.errors import EnvironmentFailed
from virtometer.host.cpu.accounting import all_cgroup_mounts, bare_unified, remove_cgroup
from virtometer.host.owned.journal import Resource
from virtometer.processes import KILL_LIMIT_S, kill_all, process_stats, stat_of, tree_of
from virtometer.programs import Programs

CONTAINER_DRIVERS = ("lxc", "openvz")
DAEMON_DRIVERS = {"qemu": "libvirt-daemon-driver-qemu", "lxc": "libvirt-daemon-driver-lxc"}
"""Drivers of the daemon libvirtd, each with its Debian package."""

RESTART_S = 10.0
"""How long a hypervisor that answered before is waited for: systemd starts a libvirtd again that crashed."""

_UNDEFINE = {"qemu": ("--nvram", "--managed-save", "--snapshots-metadata")}
"""What is removed with a domain, of the drivers that keep it: variables of its firmware, its saved state, snapshots."""

_SCHEME = re.compile(r"([a-z]+)(?:\+([a-z0-9]+))?")
_CONTROLLER = "libvirt_lxc"
_GONE = re.compile(r"domain not found|failed to get domain|no domain with matching", re.IGNORECASE)
_UNREACHABLE = re.compile(r"failed to connect (to the hypervisor|socket)|no connection driver", re.IGNORECASE)
_LOST = re.compile(r"end of file while reading|cannot recv data|client socket is closed", re.IGNORECASE)
_END_S = 30.0  # libvirtd itself gives a machine fifteen seconds to end

_LOOK_S = 0.001
_LATE_S = 0.3  # the daemon may still work on what a laboratory asked for that was killed since

Command = Sequence[str | Path]


def driver_of(uri: str) -> str:
    """The driver that a URI names, such as lxc of lxc+unix:///system. ValueError where it is no such URI."""
    found = _SCHEME.fullmatch(urlsplit(uri).scheme)
    if found is None or ":" not in uri:
        raise ValueError("it must be a URI of libvirt such as qemu:///system")
    return found[1]


def is_local(uri: str) -> bool:
    """Whether the hypervisor runs on this host, so that its processes and files are this host's."""
    parts = urlsplit(uri)
    return not parts.netloc and parts.scheme.partition("+")[2] in ("", "unix")


def default_uri(driver: str) -> str:
    """Where guests are made without a setting: at LIBVIRT_DEFAULT_URI where it is set, by its daemon's `driver`."""
    given = os.environ.get("LIBVIRT_DEFAULT_URI", "")
    with suppress(ValueError):
        named = driver_of(given)
        if named in CONTAINER_DRIVERS if driver == "lxc" else named not in CONTAINER_DRIVERS:
            return given
        if {named, driver} <= DAEMON_DRIVERS.keys():
            return driver + given.removeprefix(named)
    return f"{driver}:///system" if os.geteuid() == 0 or driver == "lxc" else f"{driver}:///session"


class Connection:
    """The hypervisor at one URI."""

    def __init__(self, programs: Programs, uri: str) -> None:
        """Does no work."""
        self._programs = programs
        self.uri = uri
        self.driver = driver_of(uri)
        self.local = is_local(uri)
        self._version: dict[str, str] = {}
        self._models: list[str] | None = None
        self._reached = False

    def run(
        self,
        *commands: Command,
        purpose: str,
        limit_s: float = 30.0,
        pass_fds: Sequence[int] = (),
        input_bytes: bytes | None = None,
    ) -> str:
        """Run commands of virsh one after the other, over one connection; returns what they printed.

        Raises EnvironmentFailed with libvirt's reason at the first that fails.
        """
        status, printed, reason = self._try(
            *commands, purpose=purpose, limit_s=limit_s, pass_fds=pass_fds, input_bytes=input_bytes
        )
        if status != 0:
            raise self._failure(purpose, reason)
        return printed

    def _try(
        self,
        *commands: Command,
        purpose: str,
        limit_s: float,
        pass_fds: Sequence[int] = (),
        input_bytes: bytes | None = None,
    ) -> tuple[int, str, str]:
        """The status, what was printed, and the reason of a failure.

        A hypervisor that answered the last time is waited for: nothing was asked of it where it cannot be reached.
        """
        deadline = time.monotonic() + (RESTART_S if self._reached else 0.0)
        while True:
            status, printed, reason = self._once(commands, purpose, limit_s, pass_fds, input_bytes)
            self._reached = status == 0 or not _UNREACHABLE.search(reason)
            if self._reached or time.monotonic() >= deadline:
                return status, printed, reason
            time.sleep(RESTART_S / 20)

    def _once(
        self,
        commands: Sequence[Command],
        purpose: str,
        limit_s: float,
        pass_fds: Sequence[int],
        input_bytes: bytes | None,
    ) -> tuple[int, str, str]:
        virsh = self._programs.find("virsh", "libvirt-clients")
        line = "; ".join(shlex.join(map(str, command)) for command in commands)
        argv: list[str | Path] = [virsh, "--quiet", "--connect", self.uri, line]
        result = self._programs.run(
            argv,
            purpose=purpose,
            limit_s=limit_s,
            check=False,
            whole=True,
            pass_fds=pass_fds,
            input_bytes=input_bytes,
        )
        lines = result.stderr.decode(errors="replace").splitlines()
        reasons = [one.removeprefix("error: ").strip() for one in lines if one.startswith("error: ")]
        # What fails does not keep virsh from the next command, whose status it returns. The first failure is the cause.
        status = result.returncode or (1 if reasons else 0)
        reason = ": ".join(dict.fromkeys(filter(None, reasons[:2]))) or f"status {status}"
        return status, result.stdout.decode(errors="replace"), reason

    def _failure(self, purpose: str, reason: str) -> EnvironmentFailed:
        return EnvironmentFailed(f"libvirt at {self.uri} ({purpose}): {reason}", advice=self.advice(reason))

    def advice(self, reason: str) -> str:
        """What to do about a reason that is known."""
        package = DAEMON_DRIVERS.get(self.driver, "")
        if "no connection driver" in reason:
            return (
                f"install the Debian package {package}, and start libvirtd again"
                if package
                else (f"install a libvirt that has the driver {self.driver}")
            )
        if _UNREACHABLE.search(reason) and self.local and package:
            return (
                f"start libvirtd (Debian packages libvirt-daemon-system and {package}), or set LIBVIRT_DEFAULT_URI or "
                "the setting uri to where it listens"
            )
        if _UNREACHABLE.search(reason):
            return "see whether virsh can connect to this URI; passwords are read from libvirt's auth.conf alone"
        if self.driver == "lxc" and self.local and "cgroup" in reason.lower() and bare_unified():
            places = " ".join(map(str, bare_unified()))
            return f"start libvirtd without the cgroup2 beside v1: unshare -m sh -c 'umount -l {places}; exec libvirtd'"
        return ""

    def version(self) -> dict[str, str]:
        """The versions of libvirt and of the hypervisor. Asked once."""
        if self._version:
            return self._version
        printed = self.run(["version"], purpose="ask for versions")
        found = dict(line.split(": ", 1) for line in printed.splitlines() if ": " in line)
        names = {"Using library": "libvirt", "Running hypervisor": "hypervisor"}
        self._version = {
            name: found[key].removeprefix("libvirt ").strip() for key, name in names.items() if key in found
        }
        return self._version

    def security_models(self) -> list[str]:
        """The models by which the hypervisor keeps domains from the host, such as apparmor and dac. Asked once."""
        if self._models is None:
            printed = self.run(["capabilities"], purpose="ask what the hypervisor can do")
            self._models = re.findall(r"<secmodel>\s*<model>([\w-]+)</model>", printed.partition("<guest>")[0])
        return self._models

    def state(self, name: str) -> str | None:
        """What a domain does, in libvirt's words (running, paused, shut off); None where there is none of this name."""
        status, printed, reason = self._try(["domstate", name], purpose=f"ask for the state of {name}", limit_s=30.0)
        if status == 0:
            return printed.strip()
        if _GONE.search(reason):
            return None
        raise self._failure(f"ask for the state of {name}", reason)

    def description(self, name: str) -> str:
        """The XML of a domain as it is now."""
        return self.run(["dumpxml", name], purpose=f"read the definition of {name}")

    def statistics(self, name: str) -> dict[str, str]:
        """What `virsh domstats` knows of a domain; empty where the driver has none."""
        purpose = f"read the statistics of {name}"
        status, printed, _ = self._try(["domstats", name], purpose=purpose, limit_s=30.0)
        lines = [line.strip() for line in printed.splitlines()] if status == 0 else []
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def remove(self, name: str) -> str:
        """Destroy and undefine a domain of ours; returns what was removed, nothing where it was gone already."""
        removed = self._removed(name)
        if self.local:
            for directory in cgroups_of(name):
                remove_cgroup(directory)
        return removed

    def _removed(self, name: str) -> str:
        purpose = f"destroy {name}"
        for _ in range(2):
            status, _, reason = self._try(["destroy", name], purpose=purpose, limit_s=_END_S)
            if status == 0 or not _LOST.search(reason):  # the daemon may have died of it
                break
        if status != 0 and _GONE.search(reason):
            return ""
        if status != 0 and self.state(name) in ("running", "paused", "in shutdown"):
            raise self._failure(purpose, reason)
        purpose = f"undefine {name}"
        undefine = ["undefine", name, *_UNDEFINE.get(self.driver, ())]
        deadline = time.monotonic() + _LATE_S
        while True:
            status, _, reason = self._try(undefine, purpose=purpose, limit_s=_END_S)
            if status == 0 or _GONE.search(reason):  # what was never defined is gone with its end
                return f"domain {name}"
            if time.monotonic() > deadline:
                raise self._failure(purpose, reason)
            time.sleep(_LATE_S / 10)


def process_of(name: str, uuid: str) -> int | None:
    """The process of this host that is a domain: an emulator with its UUID, or the controller of its container."""
    for one in process_stats():
        with suppress(OSError):
            words = Path(f"/proc/{one.pid}/cmdline").read_bytes().split(b"\0")
            if one.state in "ZX":
                continue
            controller = words[0].endswith(_CONTROLLER.encode()) and _after(words, b"--name") == name.encode()
            if controller or _after(words, b"-uuid") == uuid.encode() or _after(words, b"--startvm") == uuid.encode():
                return one.pid
    return None


def _after(words: Sequence[bytes], option: bytes) -> bytes | None:
    return words[words.index(option) + 1] if option in words[:-1] else None


def cgroups_of(name: str) -> list[Path]:
    """Cgroups that a daemon created for a domain. Those of a container that ended while it started are not removed."""
    found = [
        directory
        for mount in all_cgroup_mounts()
        for partition in ("machine", "machine.slice")
        for directory in (mount.path / partition).glob("*virtometer*")
    ]
    return [one for one in found if f"-{name}." in f"-{unescaped(one.name)}."]


def kill_domain(name: str, uuid: str) -> None:
    """SIGKILL the processes of a domain on this host, also those that are stopped. libvirtd notices automatically.

    They are stopped first. A controller that ends between two looks could leave a container's first process. That
    process would wait for it forever, and hold the pipe by which the daemon waits for both.
    """
    root = process_of(name, uuid)
    if root is None:
        return
    known = _stopped_tree(root)
    kill_all(lambda: [p for p, start in known.items() if (s := stat_of(p)) and s.start == start and s.runs])


def _stopped_tree(root: int) -> dict[int, int]:
    """Stop a process and its descendants until none of them can start another; returns their pids and start times."""
    known: dict[int, int] = {}
    deadline = time.monotonic() + KILL_LIMIT_S
    while new := {pid: one.start for pid in tree_of(root) if pid not in known and (one := stat_of(pid))}:
        for pid in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
        known |= new
        while time.monotonic() < deadline and not all((s := stat_of(p)) is None or s.state in "TtZX" for p in new):
            time.sleep(_LOOK_S)
    return known


def _remove_left(fields: Mapping[str, Any], programs: Programs) -> str:
    connection = Connection(programs, str(fields["uri"]))
    name = str(fields["name"])
    if not name.startswith("virtometer-"):
        return ""
    if connection.local:
        kill_domain(name, str(fields["uuid"]))
    removed = connection.remove(name)
    if not removed:
        time.sleep(_LATE_S)
        removed = connection.remove(name)
    return removed


DOMAIN = Resource("libvirt-domain", _remove_left)
"""Fields: uri, name, uuid (of a domain that we define, which outlives the laboratory and the boot of the host)."""
