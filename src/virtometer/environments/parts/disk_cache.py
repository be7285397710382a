"""Which cache stands before the disk of a machine: the one that is asked for, or the nearest that the file allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from virtometer.environments.base import host_cache
from virtometer.errors import EnvironmentFailed

DIRECT = ("none", "directsync")
"""The modes of the cache that go past the page cache of the host."""


@dataclass(frozen=True, slots=True)
class DiskCache:
    """How the program of a machine opens the file of a disk. conditions: what of this the results depend on."""

    mode: str
    conditions: Mapping[str, str]

    @property
    def direct(self) -> bool:
        """Whether it goes past the page cache of the host."""
        return self.mode in DIRECT


def disk_cache(file: Path, mode: str, *, asked: bool) -> DiskCache:
    """The cache for a file. asked: whether the plan names the mode.

    Raises EnvironmentFailed where the file system of the file refuses the mode that is asked for.
    """
    conditions = host_cache(file)
    refused = conditions["host_cache"] == "yes"
    if mode in DIRECT and refused:
        if asked:
            raise EnvironmentFailed(
                f"disk_cache {mode} needs O_DIRECT, which the file system of {file} refuses",
                advice="use disk_cache writeback, or put the campaign on another file system",
            )
        mode = "writeback"
    direct = mode in DIRECT
    return DiskCache(mode, conditions if refused or direct else {"host_cache": "yes"})
