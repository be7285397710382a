"""What silent residents cost: native guests beside another guest that does nothing.

    python -m bench.residents [--rounds 6] [--seconds 0.2] [--together] [KIND ...]

Two native guests take turns, as in a campaign. In each round this is done beside every kind, beside all of them at
once, and beside nothing (the A/A row), in random order. With --together it is not done beside each kind alone.

The residents are stopped (SIGSTOP) in the slices of one of the two guests. The slices of the other guest are some ms
away, so the speeds of both differ by the work of silent residents. The guest that has residents stopped changes from
round to round.

activity: speed with residents that run / with residents that are stopped. presence: speed with residents / without any,
which is as noisy as the host is over the seconds between. Both have a 95 % interval; below 1 residents cost something.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import spread
from virtometer.design.parse import read_plan
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.environments.base import LabContext
from virtometer.environments.registry import KINDS
from virtometer.errors import VirtometerError
from virtometer.model import GuestKey, Placement, PlanWorkload, Trial
from virtometer.runner.execution.executor import Executor
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.lab.context import lab_context

P = ParamSpec("P")
T = TypeVar("T")
KINDS_HERE = ("bubblewrap", "runc", "gvisor", "uml", "qemu")
NOTHING, ALL = "nothing (A/A)", "all of them"

_PLAN = """
virtometer: 1
name: residents
environments:
  - {{name: native, kind: native}}
{environments}
workloads:
  - {{name: cpu, workload: linpack, op: classic, parameters: {{size: 100}}, scheduling: interleaved}}
  - {{name: triad, workload: memory, op: triad, parameters: {{size: 32M}}, scheduling: interleaved}}
  - {{name: disk, workload: disk, op: random-read, parameters: {{direct: true}}, scheduling: interleaved}}
  - {{name: context switch, workload: os, op: context-switch, scheduling: interleaved}}
  - {{name: system call, workload: os, op: system-call, scheduling: interleaved}}
seconds: {seconds}
fresh: block
disk_span: 64M
limits: {{clock_error: 0.05}}
"""

Speeds = Mapping[str, float]
"""By workload: how fast a native guest was, above 0; more is faster."""
Found = dict[tuple[str, str], list[float]]


@dataclass(frozen=True, slots=True)
class Visit:
    """One measurement: the speeds while the residents ran, and while they were stopped."""

    residents: str
    running: Speeds
    stopped: Speeds


def activity(rounds: Sequence[Sequence[Visit]]) -> Found:
    """By workload and residents, a number for each round: the log of the speed with them running to stopped."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for visit in (visit for visits in rounds for visit in visits):
        for workload, speed in visit.running.items():
            found[workload, visit.residents].append(math.log(speed / visit.stopped[workload]))
    return dict(found)


def presence(rounds: Sequence[Sequence[Visit]]) -> Found:
    """As `activity`: the log of the speed with residents to that with nothing in the same round."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for visits in rounds:
        (without,) = (visit for visit in visits if visit.residents == NOTHING)
        for visit in visits:
            for workload in visit.running if visit is not without else ():
                with_them = math.log(visit.running[workload]) + math.log(visit.stopped[workload])
                alone = math.log(without.running[workload]) + math.log(without.stopped[workload])
                found[workload, visit.residents].append((with_them - alone) / 2)
    return dict(found)


def rows(found: Found) -> Iterator[str]:
    """A line for each workload and each kind of residents: ratio, interval, spread of a round."""
    yield f"{'workload':16}{'residents':16}{'ratio':>8}{'95 % interval':>20}{'sd of a round':>16}"
    for (workload, residents), logs in sorted(found.items()):
        of, ratio = spread(logs), interval(logs)
        assert of is not None and ratio is not None
        shown = "-" if ratio.low is None or ratio.high is None else f"{ratio.low:.4f} to {ratio.high:.4f}"
        yield f"{workload:16}{residents:16}{ratio.value:8.4f}{shown:>20}{of.sd:16.4f}"


class Host:
    """Starts residents beside two native guests, and measures these."""

    def __init__(self, resolved: ResolvedPlan, lab: LabContext) -> None:
        self._plan = resolved.plan
        self._settings = resolved.settings
        self._lab = lab
        self._runner = Executor(resolved, lab)
        self._count = 0
        self._running: dict[GuestKey, RunningGuest] = {}
        self._own: set[int] = set()

    @contextmanager
    def resident(self, keys: Sequence[GuestKey]) -> Iterator[None]:
        """These guests live."""
        started: list[GuestKey] = []
        try:
            for key in keys:
                self._running[key] = self._start(key)
                started.append(key)
            yield
        finally:
            for key in started:
                self._running.pop(key).stop()

    def _start(self, key: GuestKey) -> RunningGuest:
        planned = next(one for one in self._plan.environments if one.name == key.environment)
        kind = KINDS[planned.kind](self._lab)
        settings = self._settings[planned.name]
        kind.prepare(settings)
        self._count += 1
        return RunningGuest.start(kind, planned, settings, f"resident-{self._count}", self._plan.limits, key.number)

    def visit(self, name: str, stops: int) -> Visit:
        """Measure both native guests in each workload. `stops`: in the slices of which one residents are stopped."""
        others = sorted(untraced(below(os.getpid())) - self._own)
        speeds: dict[int, dict[str, float]] = {1: {}, 2: {}}
        try:
            for number in (1, 2):
                session = self._running[GuestKey("native", number)].session
                released, sign = type(session).send_release, signal.SIGSTOP if number == stops else signal.SIGCONT
                # The runner has no place where something could be done before a slice.
                session.send_release = before(partial(_tell, others, sign), partial(released, session))  # type: ignore[method-assign]
            for workload in self._plan.workloads:
                for number, value in self._speeds(workload):
                    speeds[number][workload.name] = value
        finally:
            _tell(others, signal.SIGCONT)
        return Visit(name, speeds[3 - stops], speeds[stops])

    def _speeds(self, workload: PlanWorkload) -> Iterator[tuple[int, float]]:
        trials = [
            Trial(number, 0, number, 0, (Placement("native", workload.name, guest=number + 1),), turns=0)
            for number in range(2)
        ]
        for record in self._runner.run(trials, self._running, random.getrandbits(32)):
            if record.failure is not None:
                raise SystemExit(f"{workload.name}: {record.reason}")
            (run,) = record.runs
            yield run.placement.guest, run.scored.value if run.better == "higher" else 1 / run.scored.value

    @contextmanager
    def natives(self) -> Iterator[None]:
        """Both native guests live, and are no residents."""
        with self.resident([GuestKey("native", 1), GuestKey("native", 2)]):
            self._own = below(os.getpid())
            yield


def before(first: Callable[[], None], then: Callable[P, T]) -> Callable[P, T]:
    """A call that does something before."""

    def both(*given: P.args, **named: P.kwargs) -> T:
        first()
        return then(*given, **named)

    return both


def below(process: int) -> set[int]:
    """The processes that a process has started, directly and indirectly."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            children[int((entry / "stat").read_text().rpartition(")")[2].split()[1])].append(int(entry.name))
    found, rest = set(), list(children[process])
    while rest:
        found.add(one := rest.pop())
        rest += children[one]
    return found


def untraced(processes: Iterable[int]) -> set[int]:
    """Those that no sandbox traces: what it traces stands still when it does, and its signals are the sandbox's."""
    found = set()
    for one in processes:
        with suppress(OSError):
            if "TracerPid:\t0\n" in Path(f"/proc/{one}/status").read_text():
                found.add(one)
    return found


def _tell(processes: Sequence[int], sign: signal.Signals) -> None:
    for one in processes:
        with suppress(ProcessLookupError):
            os.kill(one, sign)


def measure(host: Host, kinds: Sequence[str], rounds: int, *, together: bool) -> Iterator[list[Visit]]:
    """The visits of each round. `together`: not beside each kind alone."""
    states: dict[str, list[GuestKey]] = {NOTHING: [], **{kind: [GuestKey(kind)] for kind in kinds if not together}}
    states[ALL] = [GuestKey(kind) for kind in kinds]
    with host.natives():
        host.visit(NOTHING, 1)  # the first runs examine long windows
        for number in range(rounds):
            visits = []
            for state in random.sample(list(states), len(states)):
                with host.resident(states[state]):
                    time.sleep(0.3)  # what a start leaves to the host's kernel
                    visits.append(host.visit(state, 1 + number % 2))
            yield visits


def main() -> int:
    """Print the table. The status is 0: a cost is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", default=list(KINDS_HERE))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--together", action="store_true")
    given = parser.parse_args()
    environments = "\n".join(f"  - {{name: {kind}, kind: {kind}}}" for kind in given.kinds)
    plan = read_plan(_PLAN.format(environments=environments, seconds=given.seconds), "residents.yaml", KINDS).resolved
    begun = time.monotonic()
    visits: list[list[Visit]] = []
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder:
        try:
            with lab_context(Path(folder) / "r", plan.plan.disk_span) as lab:
                visits.extend(measure(Host(plan, lab), given.kinds, given.rounds, together=given.together))
        except VirtometerError as cause:
            raise SystemExit(cause.sentence) from cause
    for name, found in (("activity", activity(visits)), ("presence", presence(visits))):
        print(f"{name}:")
        print("\n".join(rows(found)))
    print(f"{given.rounds} rounds in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
