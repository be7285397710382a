"""How long commands take on the host itself, before a plan for them is made: a guest of the baseline runs each."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.registry import KINDS
from virtometer.errors import CommandFailed, CommandNotFound, NotExecutable, RemoteError, UsageError
from virtometer.host.lock.host_lock import HostLock
from virtometer.host.rlimits import beyond
from virtometer.link.messages import Done, Failed, Ready
from virtometer.model import Limits
from virtometer.runner.execution.time_limit import READING_S, within
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.lab.context import lab_context
from virtometer.workloads.base import Place, Work

_Event = TypeVar("_Event", Ready, Done)
_WINDOW_S = 0.05
_ADVICE = "--ignore-failure accepts any status, and --output-may-differ any output"
_LONGEST_S = 4 * 3600.0  # of a command without a time limit


@dataclass(frozen=True, slots=True)
class Pilot:
    """A command that has run. length_s: of one run. before_s: until the first timed run, with all that came before it.

    printed: the end of what the first run printed; None where that is not kept.
    """

    length_s: float
    before_s: float
    printed: str | None = None


def native_pilots(resolved: ResolvedPlan, *, beside: bool, tell: Callable[[str], object]) -> list[Pilot]:
    """The command of each workload, natively: its length is the median of a few runs, or of a long one that of one run.

    beside, tell: as of HostLock. Raises CommandFailed with what the agent says of a command that does not work there,
    HostBusy before any command has run, and UsageError for a limit of resources that this host does not grant.
    """
    plan = resolved.plan
    place = next(one for one in plan.environments if one.name == plan.baseline)
    settings, name = resolved.settings[place.name], f"pilot-{uuid.uuid4().hex[:8]}"
    for work in resolved.works.values():
        if reason := beyond(work.parameters.limits):
            raise UsageError(f"--ulimit {reason}", advice="choose a lower limit: it must hold natively too")
    with HostLock(beside=beside, tell=tell), lab_context(Path(tempfile.gettempdir())) as lab:
        environment = KINDS[place.kind](lab)
        environment.prepare(settings)
        guest = RunningGuest.start(environment, place, settings, name, plan.limits)
        try:
            works = [(one.name, resolved.works[one.name]) for one in plan.workloads]
            return [_pilot(guest, *work, plan.limits) for work in works]
        finally:
            guest.broken = True  # a command may still run: nothing is asked any more
            guest.stop()


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


def _pilot(guest: RunningGuest, name: str, work: Work, limits: Limits) -> Pilot:
    """By a run of the agent's own: of a long command it runs the command twice, the first time to see its answer."""
    run, session = f"pilot-{uuid.uuid4().hex[:8]}", guest.session
    prepare = {
        "run": run, "kernel": work.workload.kernel, "op": work.agent_op, "parameters": work.arguments(Place()),
        "threads": work.threads, "cpus": None, "seconds": _WINDOW_S, "timing": "agent",
    }  # fmt: skip
    session.begin_run()
    begun = time.monotonic()
    try:
        session.request("prepare", prepare, limits.answer_s)
        _wait(guest, name, Ready, work)
        before_s = time.monotonic() - begun
        session.request("start", {"run": run}, limits.answer_s)
    except RemoteError as cause:
        raise CommandFailed(f"{name}: {cause.message}") from cause
    done = _wait(guest, name, Done, work)
    try:
        with within(READING_S, "reading what it printed"):
            work.read(done.output or "")
    except UsageError as cause:
        raise CommandFailed(f"{name}: {cause.sentence}", advice=cause.advice) from cause
    return Pilot(done.value, before_s, done.output)


def _wait(guest: RunningGuest, name: str, kind: type[_Event], work: Work) -> _Event:
    limit_s = (work.longest_s or _LONGEST_S) + work.seconds + 60.0
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        event = guest.session.next_event(max(deadline - time.monotonic(), 0.0))
        if isinstance(event, Failed):
            advice = _ADVICE if event.error.code == "check-failed" else ""
            limit = guest.memory_limit if event.error.code == "out-of-memory" else ""
            raise CommandFailed(f"{name}: {event.error.message}{limit}", advice=advice)
        if isinstance(event, kind):
            return event
    raise CommandFailed(f"{name}: it did not end within {limit_s:.0f} s", advice="give it a limit with --timeout")
