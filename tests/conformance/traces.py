"""What a guest can leave behind on a host, found by name: processes, mounts, namespaces, cgroups, sockets, files."""

from __future__ import annotations

import os
import time
from pathlib import Path

from virtometer.host.cpu.accounting import all_cgroup_mounts
from virtometer.host.network.lan import NAMESPACES
from virtometer.processes import process_stats


def of(*words: str) -> list[str]:
    """Everything on this host that carries one of the words in its name."""

    def named(text: str) -> bool:
        return any(word in text for word in words)

    found = []
    for one in process_stats():
        if one.state not in "ZX" and one.pid != os.getpid():
            name = f"{_read(f'/proc/{one.pid}/cmdline')} {_read(f'/proc/{one.pid}/cgroup')}"
            if named(name):
                found.append(f"process {one.pid}: {name}")
    mounts = _read("/proc/self/mountinfo").splitlines()
    found += [f"mount {line}" for line in mounts if named(line)]
    if NAMESPACES.is_dir():
        found += [f"namespace {path}" for path in NAMESPACES.iterdir() if named(path.name)]
    for mount in all_cgroup_mounts():
        for directory, _, _ in os.walk(mount.path):
            if named(directory):
                found.append(f"cgroup {directory}")
    for place in ("/run", "/var/lib/lxc"):
        for directory, _, files in os.walk(place):
            found += [f"file {path}" for path in (directory, *(f"{directory}/{name}" for name in files)) if named(path)]
    found += [f"socket {line}" for line in _read("/proc/net/unix").splitlines() if named(line)]
    return found


def after_a_kill(*words: str) -> list[str]:
    """The same, once programs that died with their laboratory are gone: in the kernel one dies when that returns."""
    deadline = time.monotonic() + 5.0
    left = of(*words)
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = of(*words)
    return left


def host_interfaces() -> list[str]:
    """Network interfaces in the host's own namespace."""
    return sorted(path.name for path in Path("/sys/class/net").iterdir())


def _read(path: str) -> str:
    try:
        return Path(path).read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
