"""How long commands take on the host itself, before a plan for them is made: the agent runs each for a moment."""

from __future__ import annotations

import json
import os
import shutil
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.errors import CommandFailed, CommandNotFound, NotExecutable
from virtometer.model import PlanWorkload
from virtometer.programs import Programs
from virtometer.runner.lab.agent import agent_path
from virtometer.workloads.base import Place, Work

_WINDOW_S = 0.05
_LONGEST_S = 3600.0
_ADVICE = "--ignore-failure and --output-may-differ accept other statuses and other outputs"


def native_lengths_s(resolved: ResolvedPlan) -> list[float]:
    """Seconds of one run of the command of each workload: the median of a few runs of short ones, one run of long ones.

    Raises CommandFailed with what the agent says of a command that does not work here.
    """
    programs, agent = Programs(), str(agent_path())
    return [_length_s(one, resolved.works[one.name], agent, programs) for one in resolved.plan.workloads]


def refuse_missing(words: Sequence[str], variables: Mapping[str, str], workdir: Path) -> None:
    """Raises CommandNotFound or NotExecutable where the program of a command is not there, or is no program."""
    program = words[0]
    if "/" not in program:
        if shutil.which(program, path=variables.get("PATH", os.defpath)) is None:
            raise CommandNotFound(f"there is no program {program} on the PATH")
        return
    file = workdir / program
    if not file.exists():
        raise CommandNotFound(f"there is no program {program}")
    if not file.is_file() or not os.access(file, os.X_OK):
        raise NotExecutable(f"{program} cannot be executed")


def _length_s(workload: PlanWorkload, work: Work, agent: str, programs: Programs) -> float:
    argv = [agent, "measure", work.workload.kernel, "--op", work.agent_op, "--seconds", str(_WINDOW_S), "--json"]
    for name, value in work.arguments(Place()).items():
        argv.append(f"--{name}" if value is True else f"--no-{name}" if value is False else f"--{name}={value}")
    done = programs.run(argv, purpose="run a command once", limit_s=_LONGEST_S, check=False, whole=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing was said"]
        raise CommandFailed(f"{workload.name}: {said[-1].removeprefix('virtometer-agent: ')}", advice=_ADVICE)
    samples = json.loads(done.stdout)["samples"]
    lengths_ns: list[int] = [one["end_ns"] - one["start_ns"] for one in samples]
    return statistics.median(lengths_ns) * 1e-9
