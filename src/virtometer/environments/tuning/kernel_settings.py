"""Settings of the host's kernel below /proc/sys: their values, writing, and which others change with one.

Some settings are two forms of one: a write to `vm.dirty_bytes` sets `vm.dirty_ratio` to 0, and the other way round.
Source: Linux Documentation/admin-guide/sysctl/vm.rst (dirty_bytes, dirty_background_bytes, overcommit_kbytes), net
Documentation/networking/ip-sysctl.rst (ip_forward). Those are known before they are set. All others are found by
reading the settings beside one before and after.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from virtometer.environments.tuning.sysfs_settings import refused
from virtometer.errors import EnvironmentFailed

ROOT = Path("/proc/sys")

_FORMS = (
    ("vm/dirty_bytes", "vm/dirty_ratio"),
    ("vm/dirty_background_bytes", "vm/dirty_background_ratio"),
    ("vm/overcommit_kbytes", "vm/overcommit_ratio"),
    ("vm/nr_hugepages", "vm/nr_hugepages_mempolicy"),
)
"""Pairs of settings, each of which changes the other."""

_BY_THEMSELVES = frozenset({"kernel/ns_last_pid", "kernel/perf_event_max_sample_rate", "vm/stat_refresh"})
"""They change, or do something, whoever reads them."""

_WRITABLE = 0o222


def other_forms(setting: str) -> list[str]:
    """The settings that are known to change with one, of those that this host has. Names are files below /proc/sys."""
    others = [two for one, two in _FORMS if one == setting] + [one for one, two in _FORMS if two == setting]
    return [one for one in others if (ROOT / one).exists()]


def beside(setting: str) -> dict[str, str]:
    """All settings that may change with one, with their values: what can be set in the same part of /proc/sys."""
    part = ROOT / Path(setting).parts[0]
    return {name: value for name in _names(part) if (value := _value(name)) is not None}


def _names(part: Path) -> Iterator[str]:
    for directory, inner, files in os.walk(part, onerror=lambda _: None):
        inner[:] = [one for one in inner if one != "binfmt_misc"]  # a file system of its own
        for file in files:
            name = str((Path(directory) / file).relative_to(ROOT))
            if name not in _BY_THEMSELVES:
                yield name


def _value(name: str) -> str | None:
    """The value of what can be read and written; None for anything else."""
    path = ROOT / name
    try:
        return path.read_text().strip() if path.stat().st_mode & _WRITABLE else None
    except (OSError, ValueError):
        return None


def read(setting: str) -> str:
    """The value of a setting. Raises EnvironmentFailed where it cannot be read."""
    try:
        return (ROOT / setting).read_text().strip()
    except (OSError, ValueError) as cause:
        raise _refused(setting, cause) from cause


def write(setting: str, value: str) -> None:
    """Set a setting. Raises EnvironmentFailed where the kernel refuses it."""
    try:
        (ROOT / setting).write_text(value)
    except OSError as cause:
        raise _refused(setting, cause) from cause


def _refused(setting: str, cause: OSError | ValueError) -> EnvironmentFailed:
    return refused(f"the kernel setting {setting}", cause.strerror if isinstance(cause, OSError) else str(cause))
