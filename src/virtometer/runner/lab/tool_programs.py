"""The programs of this host that a plan's workloads and tuning run: which they are, and which version of each."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.tuning.steps import carried_programs
from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs
from virtometer.workloads.base import Workload

_LIMIT_S = 10.0


def tools_of(resolved: ResolvedPlan) -> tuple[Workload[Any], ...]:
    """The plan's workloads that are programs of the host's, each once."""
    named = {work.workload for work in resolved.works.values() if work.workload.program}
    return tuple(sorted(named, key=lambda tool: tool.name))


def tuning_programs(resolved: ResolvedPlan) -> tuple[str, ...]:
    """Programs of the host that guests carry because the tuning of the plan runs them in there: names, each once."""
    found: dict[str, None] = {}
    for environment in resolved.plan.environments:
        steps = (*resolved.plan.tuning, *resolved.settings[environment.name].tuning)
        found |= dict.fromkeys(carried_programs(resolved.kind(environment), steps))
    return tuple(found)


def versions(resolved: ResolvedPlan, programs: Programs) -> dict[str, str]:
    """By tool, what decides whether two campaigns used the same one: its version, path and the begin of its SHA-256."""
    found: dict[str, str] = {}
    for tool in tools_of(resolved):
        path = shutil.which(tool.program)
        if path is None:
            found[tool.name] = "not installed"
            continue
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found[tool.name] = f"{version_line(path, tool.version_option, programs)}, {path}, SHA-256 {digest[:16]}"
    return found


def version_line(path: str | Path, option: str, programs: Programs) -> str:
    """The first line that a program prints about its version."""
    try:
        purpose = f"which version is {path}"
        asked = programs.run([path, option], purpose=purpose, check=False, whole=True, limit_s=_LIMIT_S)
    except (EnvironmentFailed, OSError):
        return "of no known version"
    lines = asked.stdout.decode(errors="replace").strip().splitlines()
    return lines[0][:100] if lines else "of no known version"
