"""One placement while its trial runs, and the run that it leaves."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from virtometer.analysis.score.overlap import TimedRun
from virtometer.analysis.score.tool_measures import REPORTED
from virtometer.clock import intervals
from virtometer.environments.images.oci.image import PREFIX
from virtometer.errors import LinkError, UsageError
from virtometer.host.cpu.weight import CONDITION
from virtometer.link.messages import Done
from virtometer.link.session import Session
from virtometer.model import AgentReport, ClockFault, ClockFit, Excluded, Placement, Run, Sample
from virtometer.model.held_back import HELD_BACK, held_back
from virtometer.runner.execution.clock_monitor import ClockMonitor
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.state import RunState
from virtometer.runner.execution.time_limit import READING_S, within
from virtometer.runner.guests.processors import Placed
from virtometer.runner.guests.running import RunningGuest
from virtometer.workloads.base import Reading, Work

_MARK = 160  # characters: the end of a guest's stderr may be long, and each sample has the mark


@dataclass(slots=True)
class PlacementRun:
    """One placement while its trial runs. `clock_fault`: why its clock ended the trial.

    Of windows in turn: the run of one guest, which all trials share that have it; `failure` ends these.
    """

    placement: Placement
    running_guest: RunningGuest
    work: Work
    state: RunState
    clock: ClockMonitor
    seconds: float
    parameters: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading | None = None  # of a tool's output
    placed: Placed | None = None
    beside: int = 0  # guests for which it was placed, itself one of them
    done_ns: int = 0
    clock_fault: ClockFault | None = None
    failure: TrialFailed | None = None

    @property
    def lost(self) -> bool:
        """Whether the failure of another run has ended its guest. It is to be made once more then."""
        return self.failure is None and self.running_guest.broken

    @property
    def name(self) -> str:
        """Name of the guest."""
        return self.running_guest.name

    @property
    def session(self) -> Session:
        """With the agent of the guest."""
        return self.running_guest.session

    @property
    def measured(self) -> bool:
        """Whether its value counts."""
        return self.placement.role == "measured"

    @property
    def warm_up_s(self) -> float:
        """What does not count of a slice, beside its first iteration."""
        guest = self.running_guest.guest
        return max(guest.warm_up_s, guest.warm_ups.get(self.work.name, 0.0))

    @property
    def runs(self) -> int:
        """How many runs its window has, where they are counted; else 1."""
        return int(self.parameters.get("runs", 1))

    @property
    def conditions(self) -> dict[str, str]:
        """What the agent reported, and what the guest got."""
        conditions = dict(self.state.conditions)
        if self.state.host_timed:
            conditions["timing"] = self.state.timing  # of a run too that did not come to its end
        guest = self.running_guest.guest
        if "disk" in self.work.needs and guest.disk is not None:
            conditions |= guest.disk.conditions
            if self.running_guest.whole.disk_begins:
                conditions["host_cache_begins"] = self.running_guest.whole.disk_begins
        if "peer" in self.work.needs and guest.network is not None:
            conditions["network_path"] = guest.network.kind
        if self.work.workload.program:
            root = str(self.running_guest.record.effective.get("root", "host"))
            conditions["program_of"] = "the host" if root in ("agent", "host") else root
        root = str(self.running_guest.record.effective.get("root", ""))
        if root.startswith(PREFIX):
            conditions["root"] = root
        if CONDITION in self.running_guest.record.effective:
            conditions[CONDITION] = str(self.running_guest.record.effective[CONDITION])
        if self.running_guest.record.effective.get("cpus") and (periods := guest.quota_periods()):
            conditions[HELD_BACK] = held_back(periods)
        processors = self.running_guest.record.effective["facts"].get("cpus_allowed", 0)
        if self.placed is not None:
            conditions |= self.placed.conditions
            processors = min(processors, len(self.placed.processors))
        if 0 < processors < self.work.threads:
            conditions["processors"] = f"{processors} for {self.work.threads} threads"
        return conditions

    def refuse_other_metric(self, done: Done) -> None:
        """Raise LinkError for a result in another unit or direction than the operation's: it is another quantity."""
        unit, better = self.work.workload.agent_metric(self.work.op)
        if (done.unit, done.better) != (unit, better):
            raise LinkError(
                f"the agent reports {self.work.name} in {done.unit}, {done.better} is better; "
                f"its unit is {unit}, {better} is better"
            )

    def run(self) -> Run:
        """What was measured, without a score. Raises UsageError where the output of a tool cannot be read."""
        done = self.state.done
        if done is None:
            return self._run(self.state.samples, None)
        report = _report(done)
        with within(READING_S, f"reading what {self.work.name} printed"):
            self.reading = reading = self.work.read(done.output or "")
        if reading is None:
            return self._run(self.state.samples, report)
        measures = {**report.measures, REPORTED.name: {"unit": self.work.operation.unit, "value": reading.value}}
        samples = tuple(replace(sample, work=reading.work or 1) for sample in self.state.samples)
        return self._run(samples, replace(report, value=reading.value, measures=measures))

    def failed_run(self, reason: str) -> Run | None:
        """What is kept of a trial that failed for a reason; None where no sample came and the clock is not blamed."""
        clock_error = self.state.clock_error
        fault = self.clock_fault or (clock_error.fault if clock_error is not None else None)
        if not self.state.samples and fault is None:
            return None
        try:
            run = self.run()
        except UsageError:
            assert self.state.done is not None
            run = self._run(self.state.samples, replace(_report(self.state.done), value=None))
        mark = textwrap.shorten(reason, _MARK, placeholder=" ...")
        samples = tuple(replace(sample, excluded=Excluded.FAILED_TRIAL, mark=mark) for sample in run.samples)
        return replace(run, samples=samples, fault=fault)

    def timed(self, run: Run, clock: ClockFit) -> TimedRun:
        """What `run` gave, in host time."""
        return TimedRun(
            run,
            clock,
            intervals.of_run(run, clock),
            self.name,
            self.seconds,
            self.work.workload.name,
            gaps=not (self.state.host_timed or self.state.in_slices),
            tool_work=self.reading.work if self.reading is not None else None,
            # Null iterations come before what the laboratory releases.
            around_s=None if self.state.host_timed else (self.done_ns - self.clock.began_ns) * 1e-9,
        )

    def _run(self, samples: tuple[Sample, ...], report: AgentReport | None) -> Run:
        service = self.placement.role == "service"
        operation = self.work.operation
        return Run(
            placement=self.placement,
            guest_id=self.running_guest.record.guest_id,
            kernel=self.work.workload.kernel,
            op="serve" if service else self.work.op,
            parameters=self.parameters,
            threads=1 if service else self.work.threads,
            unit=operation.unit,
            better=operation.better,
            conditions=self.conditions,
            samples=samples,
            probes=self.clock.probes,
            report=report,
        )


def guests_of(running: Sequence[PlacementRun]) -> list[RunningGuest]:
    """Their guests, each once."""
    return list({id(one.running_guest): one.running_guest for one in running}.values())


def _report(done: Done) -> AgentReport:
    return AgentReport(
        value=done.value,
        cpu_s=(done.cpu.user_ns + done.cpu.system_ns) * 1e-9,
        check=done.check.model_dump(),
        measures={name: measure.model_dump() for name, measure in done.measures.items()},
        histograms={name: histogram.model_dump() for name, histogram in done.histograms.items()},
        output=done.output,
    )
