"""One trial: prepare everywhere, wait for every ready, start, watch, compare clocks, score.

Nothing here may hang: every wait has a limit. A trial that fails becomes a record with its reason; only what the user
stops (KeyboardInterrupt) and faults of Virtometer itself pass through.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from virtometer.analysis import host_time, stalls
from virtometer.analysis.host_time import Stretch
from virtometer.environments.base import Workbench
from virtometer.errors import EnvironmentFailed, LinkClosed, LinkError, RemoteError, UsageError
from virtometer.link.belied import ClockBelied
from virtometer.link.messages import Done, Samples, Worked
from virtometer.model import (
    CLOCK_ERROR,
    NOT_HERE,
    ClockFault,
    ClockFit,
    Evidence,
    HostUse,
    Placement,
    PlacementResult,
    Plan,
    Trial,
    TrialRecord,
)
from virtometer.programs import now
from virtometer.runner.clock_watch import ClockWatch
from virtometer.runner.host import WATCH_S, Observer
from virtometer.runner.resident import Resident
from virtometer.runner.running import Running
from virtometer.runner.state import RunState
from virtometer.visible import one_line, visible
from virtometer.workloads.base import Place
from virtometer.workloads.registry import WORKLOADS
from virtometer.workloads.tool import Tool, three_ways


class TrialFailed(Exception):
    """Ends a trial with a reason. `broken` are the guests that must not be used again."""

    def __init__(self, reason: str, broken: Sequence[Resident] = ()) -> None:
        """`reason` is one sentence."""
        super().__init__(reason)
        self.reason = reason
        self.broken = tuple(broken)


class TrialRunner:
    """Executes the trials of one campaign in guests that are already running."""

    def __init__(self, plan: Plan, bench: Workbench) -> None:
        """`bench` is where peers are started from."""
        self._plan = plan
        self._bench = bench
        self._workloads = {workload.name: workload for workload in plan.workloads}
        self._probe_costs: dict[str, float] = {}

    def run(self, trial: Trial, residents: Mapping[str, Resident]) -> TrialRecord:
        """Execute a trial. `residents` has a running guest for every environment that the trial names."""
        started_at, begun = now(), time.monotonic()
        running: list[Running] = []
        try:
            for placement in trial.placements:
                running.append(self._place(placement, residents[placement.environment], trial))
            skew_ns, observer = self._execute(running)
            host, marks, results = self._score(running, observer)
        except TrialFailed as failure:
            for resident in failure.broken:
                resident.broken = True
            found = (one.evidence(failure.reason) for one in running)
            left = tuple(evidence for evidence in found if evidence is not None)
            return failed(trial, failure.reason, started_at, time.monotonic() - begun, left)
        wall_s = time.monotonic() - begun
        return TrialRecord(trial, "done", "", started_at, wall_s, skew_ns, host, marks, tuple(results))

    def _place(self, placement: Placement, resident: Resident, trial: Trial) -> Running:
        planned = self._workloads[placement.workload]
        workload = WORKLOADS[planned.workload]
        guest = resident.guest
        if "disk" in workload.needs and guest.disk is None:
            raise TrialFailed(f"{NOT_HERE}: {resident.lacks('disk')}")
        asked = workload.parameters.model_validate(planned.parameters)
        clock = workload.time_server(asked)
        if ("network" in workload.needs or clock is not None) and guest.network is None:
            raise TrialFailed(f"{NOT_HERE}: {resident.lacks('network')}")
        program = workload.program if isinstance(workload, Tool) else ""
        if refusal := guest.refused_programs.get(program):
            raise TrialFailed(f"{NOT_HERE}: {refusal}")
        try:
            peer = resident.peer(self._bench) if "network" in workload.needs else None
            if peer is not None:
                peer.drain()
            place = Place(
                guest.disk.path if guest.disk else None,
                peer.address if peer else None,
                resident.outside_clock(self._bench).address(clock) if clock is not None else None,
                self._bench.program_path(program),
            )
            parameters = workload.arguments(planned.op, asked, place)
        except UsageError as cause:  # the plan was checked against a place that has everything: this one has not
            raise TrialFailed(f"{NOT_HERE}: {cause.sentence}") from cause
        except (EnvironmentFailed, LinkError) as cause:
            raise TrialFailed(cause.sentence, [resident]) from cause
        run = f"t{trial.index}"
        watch = ClockWatch(resident.session, self._plan.limits, resident.guest.cpu_ns, self._probe_costs)
        seconds = planned.seconds or self._plan.seconds
        state = RunState(run, gated=resident.timing == "laboratory")
        return Running(placement, resident, workload, planned, parameters, state, watch, seconds)

    def _execute(self, running: Sequence[Running]) -> tuple[int, Observer]:
        """Barrier and window. Returns the skew of the starts in ns and the observer."""
        for one in running:
            with self._guarded(one):
                self._prepare(one)
        self._wait(running, "ready", self._plan.limits.prepare_s, None)
        for one in running:
            with self._guarded(one):
                one.clock.before(one.seconds)
        observer = Observer([one.resident.guest.cpu_ns for one in running])
        observer.tick()
        sent = []
        for one in running:
            sent.append(time.monotonic_ns())
            with self._guarded(one):
                self._start(one)
        longest = max(one.seconds for one in running)
        self._wait(running, "done", longest + self._plan.limits.run_extra_s, observer)
        observer.tick()
        for one in running:
            with self._guarded(one):
                one.clock.after()
        return max(sent) - min(sent), observer

    def _prepare(self, one: Running) -> None:
        one.resident.session.begin_run()
        one.clock.early()
        arguments = {
            "run": one.state.run,
            "kernel": one.workload.kernel,
            "op": one.workload.agent_op(one.planned.op),
            "parameters": dict(one.parameters),
            "threads": one.planned.threads,
            "cpus": None,
            "seconds": one.seconds,
            "timing": one.resident.timing,
        }
        one.resident.session.request("prepare", arguments, self._plan.limits.answer_s)

    def _start(self, one: Running) -> None:
        one.state = one.state.started()
        one.clock.starting()
        one.resident.session.request("start", {"run": one.state.run}, self._plan.limits.answer_s)

    def _wait(self, running: Sequence[Running], phase: str, limit_s: float, observer: Observer | None) -> None:
        """Take events until every run has reached `phase`; one that fails or is too late ends the trial."""
        watch_at = time.monotonic()
        deadline = watch_at + limit_s
        while waiting := [one for one in running if one.state.phase != phase]:
            left = deadline - time.monotonic()
            if left <= 0:
                for one in waiting:
                    self._refuse_belied(one)
                late = "; ".join(_late(one, phase, limit_s) for one in waiting)
                raise TrialFailed(late, [one.resident for one in waiting])
            if not any(one.resident.session.pending for one in waiting):
                sessions = [one.resident.session for one in waiting]
                select.select(sessions, [], [], min(left, WATCH_S))
            if observer is not None and time.monotonic() >= watch_at:
                observer.tick()
                watch_at = time.monotonic() + WATCH_S * 0.9
            for one in waiting:
                with self._guarded(one):
                    if observer is not None:
                        one.clock.ask()
                    self._take(one)
                if one.state.fault is not None:
                    self._stop_others(running, one)
                    raise TrialFailed(_reason(one))

    def _take(self, one: Running) -> None:
        while one.state.phase not in ("done", "failed") and (event := one.resident.session.next_event(0.0)) is not None:
            one.state = one.state.after(event)
            if isinstance(event, Done):
                one.refuse_other_metric(event)
                one.done_ns = one.resident.session.event_ns
            if isinstance(event, Samples):
                one.clock.arrived(one.state.samples[-1], one.resident.session.event_ns)
            if isinstance(event, Worked):
                one.clock.worked(event, one.resident.session.event_ns)
            if one.state.waits:
                one.clock.let_go(one.state.run)
                one.state = one.state.let_go()

    def _refuse_belied(self, one: Running) -> None:
        with self._guarded(one):
            if one.state.belied is not None:
                raise one.clock.sized(one.state.belied)

    def _stop_others(self, running: Sequence[Running], failed_one: Running) -> None:
        """The other runs of a failed trial are of no use: their guests are not used again."""
        for one in running:
            if one is not failed_one:
                one.resident.broken = True

    @contextmanager
    def _guarded(self, one: Running) -> Iterator[None]:
        """Turn what can go wrong between laboratory and agent into the trial's reason."""
        try:
            yield
        except RemoteError as cause:
            reason = f"{NOT_HERE}: {cause.message}" if cause.code == "not-supported" else cause.sentence
            raise TrialFailed(f"{one.resident.plan.name}: {reason}") from cause
        except LinkError as cause:
            # What the session says names the guest already, what the channel says does not.
            reason = cause.sentence.removeprefix(f"{one.resident.plan.name}: ")
            if isinstance(cause, ClockBelied):
                one.clock_fault = cause.fault
            if isinstance(cause, LinkClosed) and one.resident.ended():
                words = one_line(one.resident.guest.last_words())
                reason = "the guest ended in the middle of the trial" + (f": {words}" if words else "")
            raise TrialFailed(f"{one.resident.plan.name}: {reason}", [one.resident]) from cause

    def _score(
        self, running: Sequence[Running], observer: Observer
    ) -> tuple[HostUse | None, tuple[str, ...], list[PlacementResult]]:
        """Convert to host time, cut to the stretch in which all measured placements overlap, add up."""
        fits, timed = [], []
        for one in running:
            self._refuse_belied(one)
            with self._guarded(one):
                fits.append(one.clock.judge(one.state.samples))
            stretches = host_time.of(one.state.samples, fits[-1], one.clock.probes, by_laboratory=one.state.gated)
            timed.append(stretches)
        measured = [pair for pair in zip(running, timed, strict=True) if pair[0].placement.role == "measured"]
        start = max(stretches[0].start_ns for _, stretches in measured)
        end = min(stretches[-1].end_ns for _, stretches in measured)
        if end <= start:
            raise TrialFailed("the measured placements never ran at the same time")
        use = observer.use(start, end)
        results = [
            self._result(one, fit, stretches, (start, end), observer.guest_cpu_s(index, start, end))
            for index, (one, fit, stretches) in enumerate(zip(running, fits, timed, strict=True))
        ]
        marks = [*observer.marks(start, end, self._plan.rules)]
        for (one, stretches), result in zip(zip(running, timed, strict=True), results, strict=True):
            if one.placement.role == "measured":
                marks.append(self._stall(one, stretches, result))
        return use, tuple(filter(None, marks)), results

    def _stall(self, one: Running, stretches: Sequence[Stretch], result: PlacementResult) -> str:
        """The mark of a run that was stopped for a while; empty where it was not."""
        pairs = zip(stretches, result.samples, strict=True)
        used = [(stretch, sample.work) for stretch, sample in pairs if sample.used]
        mark = stalls.stops(used, gaps=not one.state.gated).mark(self._plan.rules.max_stall_share)
        return f"{mark} in {one.resident.plan.name}" if mark else ""

    def _result(
        self,
        one: Running,
        fit: ClockFit,
        stretches: Sequence[Stretch],
        window: tuple[float, float],
        guest_cpu_s: float | None,
    ) -> PlacementResult:
        done = one.state.done
        assert isinstance(done, Done)
        limit = self._plan.limits.clock_error
        # Pieces of work that the laboratory timed are judged together: what counts is their sum, which is known better.
        errors = [fit.relative_bound if one.state.gated else stretch.relative_bound for stretch in stretches]
        marks = [_mark(stretch, window, error, limit) for stretch, error in zip(stretches, errors, strict=True)]
        samples = tuple(
            replace(sample, used=not mark, mark=mark) for sample, mark in zip(one.state.samples, marks, strict=True)
        )
        work = sum(sample.work for sample in samples if sample.used)
        elapsed_s = sum(stretch.duration_s for stretch, mark in zip(stretches, marks, strict=True) if not mark)
        if work <= 0 or elapsed_s <= 0:
            reason = next((mark for mark in marks if mark), "no work was done")
            advice = ""
            if min(errors) > limit:
                one.clock_fault = ClockFault("uncertain", bound=min(errors))
                advice = "; longer windows make it smaller"
            raise TrialFailed(f"{one.resident.plan.name}: no sample could be used: {reason}{advice}")
        result = PlacementResult(
            placement=one.placement,
            guest_id=one.resident.record.guest_id,
            kernel=one.workload.kernel,
            op=one.planned.op,
            parameters=one.parameters,
            threads=one.planned.threads,
            unit=done.unit,
            better=done.better,
            value=elapsed_s / work if done.unit == "s" else work / elapsed_s,
            agent_value=done.value,
            samples=samples,
            probes=one.clock.probes,
            clock=fit,
            window_start_host_ns=round(window[0]),
            window_end_host_ns=round(window[1]),
            work=work,
            guest_cpu_s=guest_cpu_s,
            agent_cpu_s=(done.cpu.user_ns + done.cpu.system_ns) * 1e-9,
            check=done.check.model_dump(),
            conditions=one.conditions,
            measures={name: measure.model_dump() for name, measure in done.measures.items()},
            histograms={name: histogram.model_dump() for name, histogram in done.histograms.items()},
        )
        if not isinstance(one.workload, Tool):
            return result
        # Empty passages come before what the laboratory lets go.
        around_s = elapsed_s if one.state.gated else (one.done_ns - one.clock.started_ns) * 1e-9
        return self._of_tool(one, one.workload, result, done, around_s)

    def _of_tool(
        self, one: Running, tool: Tool, result: PlacementResult, done: Done, around_s: float
    ) -> PlacementResult:
        """The result of a program that timed itself: its own number, put right, beside the stopwatch's."""
        operation = tool.operations[one.planned.op]
        try:
            reading = tool.read(one.planned.op, done.output or "")
        except UsageError as cause:
            raise TrialFailed(f"{one.resident.plan.name}: {cause.sentence}") from cause
        if not reading.value > 0:
            raise TrialFailed(f"{one.resident.plan.name}: {tool.program} says that it did nothing")
        ways = three_ways(reading, operation.unit, result.clock.rate, around_s)
        told = {"tool-says": ways.tool, "tool-corrected": ways.corrected, "tool-by-stopwatch": ways.stopwatch}
        work = reading.work or 1
        return replace(
            result,
            unit=operation.unit,
            better=operation.better,
            value=ways.corrected,
            agent_value=ways.tool,
            work=work,
            samples=tuple(replace(sample, work=work) for sample in result.samples),
            measures={
                **result.measures,
                **{name: {"unit": operation.unit, "value": value} for name, value in told.items() if value is not None},
            },
        )


def failed(
    trial: Trial, reason: str, started_at: str, wall_s: float, evidence: tuple[Evidence, ...] = ()
) -> TrialRecord:
    """The record of a trial without a result. Its reason may quote anybody's text, and becomes one line."""
    reason = visible(" ".join(reason.splitlines()))
    return TrialRecord(trial, "failed", reason, started_at, wall_s, 0, None, (), (), evidence)


def _reason(one: Running) -> str:
    assert one.state.fault is not None
    code, message = one.state.fault.code, one.state.fault.message
    text = f"{NOT_HERE}: {message}" if code == "not-supported" else f"the agent says {code}: {message}"
    return f"{one.resident.plan.name}: {text}"


def _late(one: Running, phase: str, limit_s: float) -> str:
    """Which workload of which guest did not reach a phase in time, and how far it had come."""
    who = f"{one.resident.plan.name}: {one.planned.name}"
    if phase == "ready":
        return f"{who} was not ready within {limit_s:g} s of being asked to get ready"
    count = len(one.state.samples)
    came = f"{count} sample{'' if count == 1 else 's'} had come" if count else "no sample had come"
    let_go = ", and an iteration that was let go had not ended" if one.state.works else ""
    return f"{who} was not done within {limit_s:g} s of its start, with a window of {one.seconds:g} s: {came}{let_go}"


def _mark(stretch: Stretch, window: tuple[float, float], error: float, limit: float) -> str:
    """Why a sample cannot be used: outside the scored window, or its duration is not known well enough; else empty."""
    if stretch.start_ns < window[0] - 1 or stretch.end_ns > window[1] + 1:
        return "outside the stretch in which all measured placements overlap"
    if error > limit:
        return f"{CLOCK_ERROR} ±{error:.2%} exceeds the limit of {limit:.2%}"
    return ""
