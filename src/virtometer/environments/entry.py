"""The way into a guest from the host, by the environment's own program, such as the `exec` of a runtime."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from virtometer.errors import EnvironmentFailed
from virtometer.processes import stat_of
from virtometer.programs import Programs, Words


@dataclass(frozen=True, slots=True)
class GuestEntry:
    """words: of the program on the host, before those of the program in the guest; none natively.

    way: what it is called in tables. agent: path of the agent's file as the guest sees it.
    """

    way: str
    words: Words
    agent: str


@dataclass(frozen=True, slots=True)
class NoEntry:
    """Why a guest cannot be entered from the host, without its subject."""

    reason: str


def nsenter(programs: Programs, pid: int, namespaces: Collection[str]) -> Words:
    """The words that run what follows them in these namespaces of a process, as nsenter(1) names them.

    Raises MissingProgram.
    """
    keep = ["--preserve-credentials"] if "user" in namespaces else []
    return [programs.find("nsenter", "util-linux"), f"--target={pid}", *(f"--{one}" for one in namespaces), *keep, "--"]


def youngest_inside(processes: Collection[int]) -> int:
    """The youngest of these processes of the host that has a process namespace of its own: the agent of a guest.

    Raises EnvironmentFailed where there is none.
    """
    found = [one for pid in processes if _is_inside(pid) and (one := stat_of(pid)) is not None]
    if not found:
        raise EnvironmentFailed("no process of the guest is in a process namespace of its own")
    return max(found, key=lambda one: (one.start, one.pid)).pid


def _is_inside(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/ns/pid").readlink() != Path("/proc/self/ns/pid").readlink()
    except OSError:
        return False
