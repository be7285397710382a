"""Limits of resources that commands ask for, and what this process can give to guests that it starts.

A process raises its own hard limits with CAP_SYS_RESOURCE alone. Containers do not have this capability, but inherit
the limits of the laboratory. Sources: getrlimit(2), capabilities(7), Documentation/admin-guide/sysctl/fs.rst of Linux.
"""

from __future__ import annotations

import contextlib
import math
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path

Asked = Mapping[str, Sequence[int | None]]
"""Name of a limit, such as nofile -> soft and hard value; None is no limit."""

_SYS_RESOURCE = 24  # the number of the capability


def raise_hard_limits(asked: Asked) -> None:
    """Raise those of this process as far as it may, for all that it starts. Soft limits stay as they are."""
    for number, wanted in _above(asked).values():
        soft, _ = resource.getrlimit(number)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(number, (soft, resource.RLIM_INFINITY if wanted == math.inf else int(wanted)))


def beyond(asked: Asked) -> str:
    """The reason why this process cannot have one of these limits, which it names; empty where it can."""
    for name, (number, wanted) in _above(asked).items():
        most = _number(resource.getrlimit(number)[1])
        if name == "nofile" and wanted > (ceiling := int(Path("/proc/sys/fs/nr_open").read_text())):
            return f"{name} is above {ceiling}, the largest number of open files that this host gives a process"
        if not _may_raise():
            return f"{name} is above the hard limit here, {most:.0f}, which only CAP_SYS_RESOURCE can raise"
    return ""


def _above(asked: Asked) -> dict[str, tuple[int, float]]:
    """Those whose hard value is above that of this process: the number of the limit, and the value."""
    found = {}
    for name, (_, hard) in asked.items():
        number = getattr(resource, f"RLIMIT_{name.upper()}", None)
        wanted = math.inf if hard is None else float(hard)
        if number is not None and wanted > _number(resource.getrlimit(number)[1]):
            found[name] = (number, wanted)
    return found


def _number(limit: int) -> float:
    return math.inf if limit == resource.RLIM_INFINITY else float(limit)


def _may_raise() -> bool:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _SYS_RESOURCE & 1)
    return False
