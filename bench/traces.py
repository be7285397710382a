"""What laboratories have left on the host: processes, mounts, namespaces, cgroups, files.

Only for laboratories that we started, so that it can be asked beside others: they are known by their pids, which are
part of every name that they give, by a variable in their environment, which what they start inherits, and by the places
where they work.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "VIRTOMETER_TRACE"


@dataclass(frozen=True, slots=True)
class Laboratories:
    """Laboratories that have ended. `places`: their results directory, and TMPDIR as it was set for them alone."""

    pids: Sequence[int]
    mark: str  # the value of VARIABLE in their environment
    places: Sequence[Path]

    def named(self, name: str) -> bool:
        """Whether one of them gave this name: to a guest, a check, its network, its journal."""
        pids = "|".join(map(str, self.pids)) or "none"
        pattern = rf"(?<![a-z0-9])(?:v|virtometer-|virtometer-v|lan-|check-[a-z0-9]+-)(?:{pids})(?![0-9])"
        return re.search(pattern, name) is not None

    def inside(self, path: str) -> bool:
        """Whether a path lies in one of their places."""
        return any(f"{path}/".startswith(f"{place.resolve()}/") for place in self.places)


def traces(laboratories: Laboratories) -> list[str]:
    """One line for each thing that still exists because of these laboratories."""
    found = (_processes, _mounts, _namespaces, _cgroups, _journal, _working_files)
    return [line for kind in found for line in kind(laboratories)]


def _processes(laboratories: Laboratories) -> Iterator[str]:
    mark = f"{VARIABLE}={laboratories.mark}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            marked = mark in (entry / "environ").read_bytes().split(b"\0")
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if marked or laboratories.named(words) or any(str(p.resolve()) in words for p in laboratories.places):
                yield f"process {entry.name}: {words}"


def _mounts(laboratories: Laboratories) -> Iterator[str]:
    points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    yield from (f"mount {point}" for point in points if laboratories.inside(point) or laboratories.named(point))


def _namespaces(laboratories: Laboratories) -> Iterator[str]:
    names = sorted(path.name for path in Path("/run/netns").glob("*"))
    yield from (f"network namespace {name}" for name in names if laboratories.named(name))


def _cgroups(laboratories: Laboratories) -> Iterator[str]:
    for top, folders, _ in os.walk("/sys/fs/cgroup"):
        yield from (f"cgroup {top}/{name}" for name in folders if laboratories.named(name))


def _journal(laboratories: Laboratories) -> Iterator[str]:
    owned = re.compile(rf'"pid": (?:{"|".join(map(str, laboratories.pids)) or "none"})[,}}]')
    runtime = os.environ.get("XDG_RUNTIME_DIR", "/run")
    in_tmp = Path("/tmp").glob(f"virtometer-{os.geteuid()}*")
    for directory in {Path("/run/virtometer"), Path(runtime) / "virtometer", *in_tmp}:
        for path in sorted(directory.glob("*")):
            with contextlib.suppress(OSError):
                if laboratories.named(path.name) or (path.is_file() and owned.search(path.read_text())):
                    yield f"journal {path}"


def _working_files(laboratories: Laboratories) -> Iterator[str]:
    for place in laboratories.places:
        yield from (f"directory {path}" for path in sorted(place.glob("work-*")))
        yield from (f"file {path}" for path in sorted(place.glob("*virtometer*")))
