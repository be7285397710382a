"""What host this is. Reads /proc, changes nothing."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from virtometer.runner.watch.foreign import frequency_facts


def read_table(path: str) -> dict[str, int]:
    """The numbers of a file with a name and a number in each line, such as /proc/meminfo (kB)."""
    table = {}
    for line in Path(path).read_text().splitlines():
        key, _, rest = line.partition(" ")
        number = rest.strip().removesuffix(" kB")
        if number.isdecimal():
            table[key.rstrip(":")] = int(number)
    return table


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().splitlines()[0].strip()
    except (OSError, IndexError):
        return ""


def _fingerprint(secret: str) -> str:
    """Tells machines apart without telling which one it is: machine-id(5) asks not to publish it."""
    return hashlib.sha256(f"virtometer {secret}".encode()).hexdigest()[:16] if secret else ""


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return platform.machine()


def _cpu_features() -> str:
    wanted = ("sse2", "avx", "avx2", "fma", "avx512f", "svm", "vmx", "hypervisor")
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "flags":
            present = set(value.split())
            return " ".join(name for name in wanted if name in present)
    return ""


IDENTITY = (
    "hostname",
    "machine_id",
    "cpu_model",
    "cpu_features",
    "cpus",
    "cpus_allowed",
    "memory_bytes",
    "kernel",
    "architecture",
    "governor",
    "transparent_huge_pages",
    "user",
)
_MEMORY_TOLERANCE = 0.02  # what a kernel reserves at boot differs a little from boot to boot


def facts() -> dict[str, Any]:
    """What this host is. The fields in IDENTITY decide whether a campaign may go on here."""
    return {
        "hostname": platform.node(),
        "machine_id": _fingerprint(_first_line("/etc/machine-id")),
        "cpu_model": _cpu_model(),
        "cpu_features": _cpu_features(),
        "cpus": os.cpu_count() or 0,
        "cpus_allowed": len(os.sched_getaffinity(0)),
        "memory_bytes": read_table("/proc/meminfo").get("MemTotal", 0) * 1024,
        "swap_bytes": read_table("/proc/meminfo").get("SwapTotal", 0) * 1024,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "os": _os_name(),
        "clock_source": _first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        **frequency_facts(os.sched_getaffinity(0)),
        "transparent_huge_pages": _first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "address_randomisation": _first_line("/proc/sys/kernel/randomize_va_space"),
        "user": "root" if os.geteuid() == 0 else "ordinary user",
    }


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return platform.system()


def changed(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two hosts, one phrase each; empty when they are the same."""
    return [
        f"{key} was {then.get(key)!r} and is {now.get(key)!r}"
        for key in IDENTITY
        if then.get(key) != now.get(key) and not (key == "memory_bytes" and _close(then.get(key), now.get(key)))
    ]


def _close(then: object, now: object) -> bool:
    return isinstance(then, int) and isinstance(now, int) and abs(then - now) <= _MEMORY_TOLERANCE * max(then, now)
