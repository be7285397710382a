"""A campaign of two commands that was profiled, with known truth: what it did, and what its operations cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, simulate, with_runs
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.profile.counts import Counts
from virtometer.analysis.profile.predict import Profiled
from virtometer.model import Campaign, Run

NATIVE_S = 0.1
CALL_S = 1e-7
CALLS = 100_000
SLOWER = 21.0
"""Of simple calls in the box: they explain 2 times the native time."""

COUNTS = Counts(
    classes={"simple calls": CALLS, "starts of programs": 1, "syncs": 3},
    calls={"getppid": CALLS, "execve": 1, "fsync": 3},
    sent=0, received=2_000, read_by_calls=0, wall_s=0.11, user_s=0.05, system_s=0.01, minor_faults=90, major_faults=0,
    waits=1, preempted=2, read=4_096, written=0, counted_s=5.5, start_faults=40,
)  # fmt: skip


def counts(**more: Any) -> Counts:
    return replace(COUNTS, **more)


def timed(efficiency: float, empty_slower: float = 1.0, system_s: float = 0.01) -> Campaign:
    """The commands: `one` was profiled, `other` was not. system_s: of their timed runs."""

    def with_measures(run: Run) -> Run:
        there = run.placement.environment != "native"
        measures = {
            "user": {"unit": "s", "value": 0.02, "timed_by": "nothing"},
            "system": {"unit": "s", "value": system_s, "timed_by": "nothing"},
            "empty": {"unit": "s", "value": 0.001 * (empty_slower if there else 1), "timed_by": "nothing"},
        }
        return changed(run, measures=measures)

    works = [Work(name, "command", "time", "s", NATIVE_S) for name in ("one", "other")]
    places = [Place("native"), Place("box", "runc", {"": efficiency})]
    return with_runs(simulate(places, works, noise=gaussian(0.001)), with_measures)


def priced(**efficiency: float) -> Campaign:
    """The operations. efficiency: of computing and of simple calls, which are not measured without one."""
    works = [Work("computing", "os", "procedure", "s", 2e-9)]
    if "calls" in efficiency:
        works.append(Work("simple calls", "os", "system-call", "s", CALL_S, parameters={"call": "null"}))
    of = {"computing": efficiency.get("computing", 1.0), "simple calls": efficiency.get("calls", 1.0)}
    return simulate([Place("native"), Place("box", "runc", of)], works, noise=gaussian(0.001), control=False)


def profiled(
    measured: float = 4.0, empty_slower: float = 1.0, of: Counts = COUNTS, system_s: float = 0.01, **efficiency: float
) -> Analysis:
    """The command takes `measured` times as long in the box."""
    given = efficiency or {"computing": 1.0, "calls": 1 / SLOWER}
    return analyse(
        timed(1 / measured, empty_slower, system_s), Profiled({"one": of}, analyse(priced(**given)).findings)
    )
