"""Executes a plan: begins a campaign, or goes on with one that was interrupted."""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from virtometer import __version__
from virtometer.analysis.live import LiveEstimates
from virtometer.counted import counted
from virtometer.deferred_signals import deferred_signals
from virtometer.design.feasible import disk_files
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.schedule.shuffle import Generator
from virtometer.design.schedule.start_order import started_in_order
from virtometer.design.schedule.trials import schedule
from virtometer.environments.base import Environment, LabContext, Settings
from virtometer.environments.leftovers import remove_leftovers, tunings_left
from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.host import still_tuned
from virtometer.errors import EnvironmentFailed, HostChanged, Interrupted, LinkError, MissingProgram
from virtometer.host.cpu.weight import laboratory_group
from virtometer.host.lock.host_lock import HostLock
from virtometer.host.rlimits import raise_hard_limits
from virtometer.model import (
    Campaign,
    CommandLine,
    EnvironmentStatus,
    Failure,
    FailureKind,
    HostTuningEvent,
    Mark,
    MarkKind,
    Plan,
    Stage,
    Trial,
    TrialRecord,
    TuningState,
    not_undone,
)
from virtometer.programs import Programs, now
from virtometer.runner.campaign.follow_up import second_stage
from virtometer.runner.campaign.here import growing_guests_here, residents_here
from virtometer.runner.campaign.page_cache import alike, files_stay
from virtometer.runner.campaign.progress import Progress
from virtometer.runner.campaign.remaining_time import RemainingTime
from virtometer.runner.campaign.stages import has_next, next_stage
from virtometer.runner.campaign.tuned_host import tunes_host
from virtometer.runner.execution.executor import Executor
from virtometer.runner.execution.failures import failed
from virtometer.runner.guests.pool import Guests, compares_network, why_unprepared, with_advice
from virtometer.runner.guests.processors import laboratory_aside
from virtometer.runner.lab import tool_programs
from virtometer.runner.lab.agent import agent_digest, agent_path
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.doctor import status
from virtometer.runner.watch import host
from virtometer.store.files import resume_command
from virtometer.store.ledger import Ledger

_BASELINE_FAILURES = 2


def begin(
    resolved: ResolvedPlan, plan_text: str, directory: Path, seed: int, progress: Progress, *, beside: bool = False
) -> Campaign:
    """Execute a plan into a new results directory and return what was measured.

    `beside`: also where another laboratory measures on this host; the trials are marked then. Raises HostBusy without
    it, EnvironmentFailed when an environment that the plan insists on does not work here or the baseline does not start
    twice in a row, LedgerError, StorageError, and Interrupted after Ctrl-C: everything measured so far is then kept.
    """
    with HostLock(beside=beside, tunes=tunes_host(resolved.plan), tell=progress.message) as lock:
        return _begin(resolved, plan_text, directory, seed, progress, lock)


def _begin(
    resolved: ResolvedPlan, plan_text: str, directory: Path, seed: int, progress: Progress, lock: HostLock
) -> Campaign:
    plan = resolved.plan
    statuses, commands = _examine(resolved, progress)
    programs = Programs()
    versions = _versions(resolved, programs)
    working = [state.name for state in statuses if state.works]
    resident = residents_here(resolved, working, directory)
    growing_guests = growing_guests_here(resolved, working, directory)
    for sentence in [*resident.sentences(), *(one.sentence for one in growing_guests if one.apart)]:
        progress.message(sentence)
    planned = schedule(plan, working, seed, resident.of_blocks, [one.scenario for one in growing_guests if one.apart])
    campaign = Campaign(
        plan=plan,
        plan_text=plan_text,
        seed=seed,
        created_at=now(),
        host=host.facts(),
        versions=versions,
        environments=statuses,
        planned=planned,
        trials=(),
        guests=(),
        commands=(*commands, *programs.drain()),
    )
    with Ledger.create(directory, campaign) as ledger:
        return _execute(campaign, resolved, ledger, progress, lock, frozenset())


def resume(
    directory: Path, progress: Progress, *, failed: bool = False, beside: bool = False, more: int | None = None
) -> Campaign:
    """Go on with a campaign after any interruption; trials that are done are never repeated.

    `failed`: measure those again that failed, but not what cannot be done here. `beside` as for `begin`. `more`: a
    further stage of at most so many blocks for what is undecided. Raises HostChanged when this is not the host or the
    agent that the campaign began with, and what `begin` raises.
    """
    with Ledger.open(directory, write=True) as ledger, ExitStack() as held:
        campaign = ledger.read()
        resolved = resolve(campaign.plan, KINDS)
        tunes = tunes_host(campaign.plan)
        lock = held.enter_context(HostLock(beside=beside, tunes=tunes, tell=progress.message))
        _remove_tunings(ledger, campaign, progress)
        differences = host.changed(campaign.host, host.facts())
        programs = Programs()
        then, here = campaign.versions, _versions(resolved, programs)
        differences += [
            f"{key} was {then.get(key)} and is {here[key]}"
            for key in here.keys() - {"python", "agent"}
            if then.get(key, here[key]) != here[key]
        ]
        if differences:
            raise HostChanged(
                f"{directory} cannot be resumed, because this is not what it began on: {'; '.join(differences)}",
                advice="begin a new campaign: results of two hosts or two instruments do not mix",
            )
        again = frozenset(record.trial.index for record in campaign.trials if failed and record.at_fault)
        if again or more is not None or len(ledger.finished()) < len(campaign.planned):
            needed = {p.environment for trial in campaign.planned for p in trial.placements}
            ledger.note((), [*_examine(resolved, progress, needed)[1], *programs.drain()])
        else:  # killed between its last trial and its end: nothing to measure, but perhaps something to clean up
            with lab_context(Path(tempfile.gettempdir())) as lab:
                _clean_up(lab, progress)
        return _execute(campaign, resolved, ledger, progress, lock, again, more)


def _clean_up(lab: LabContext, progress: Progress) -> None:
    """Remove what laboratories that were killed left behind, and say so.

    Raises HostLeftTuned where a tuning of the host is among it that cannot be undone.
    """
    if sentences := remove_leftovers(lab.journal, lab.programs):
        progress.cleaned_up(sentences)
    if left := tunings_left(lab.journal):
        raise still_tuned("; ".join(left.values()), lab.journal)


def _remove_tunings(ledger: Ledger, campaign: Campaign, progress: Progress) -> None:
    """Undo the tunings of the host in the middle of which this campaign's laboratory was killed; record the outcome."""
    if not (open_ones := not_undone(campaign.tunings)):
        return
    with lab_context(Path(tempfile.gettempdir())) as lab:
        if sentences := remove_leftovers(lab.journal, lab.programs):
            progress.cleaned_up(sentences)
        left = tunings_left(lab.journal)
        for one in open_ones:
            state = TuningState.LEFT if one.tuning in left else TuningState.UNDONE
            if state is not one.state:
                ledger.note_tuning(HostTuningEvent(now(), one.tuning, state, left.get(one.tuning, one.what)))


def _examine(
    resolved: ResolvedPlan, progress: Progress, needed: set[str] | None = None
) -> tuple[tuple[EnvironmentStatus, ...], tuple[CommandLine, ...]]:
    """Check and prepare every environment of the plan; refuse or report those that do not work here.

    Returns what the checks said and the command lines that they ran.
    """
    plan = resolved.plan
    statuses: list[EnvironmentStatus] = []
    kinds: dict[str, Environment] = {}
    checked: dict[tuple[str, Settings | None], EnvironmentStatus] = {}
    with lab_context(Path(tempfile.gettempdir())) as lab:
        _clean_up(lab, progress)
        for environment in plan.environments:
            kind = kinds.setdefault(environment.kind, KINDS[environment.kind](lab))
            settings = resolved.settings[environment.name]
            deciding = _deciding(kind, settings)
            if (environment.kind, deciding) not in checked:
                progress.stage(f"checking {environment.name}")
                checked[environment.kind, deciding] = status(kind, deciding)
            found = replace(checked[environment.kind, deciding], name=environment.name)
            if found.works:
                progress.stage(f"preparing {environment.name}")
            statuses.append(_with_settings(kind, settings, found, plan) if found.works else found)
    for state in statuses:
        if state.works:
            continue
        insists = plan.unavailable == "refuse" or state.name == plan.baseline
        if state.name in needed if needed is not None else insists:
            raise EnvironmentFailed(f"{state.name} does not work here: {state.reason}", advice=state.advice)
        if needed is None:
            progress.message(with_advice(f"{state.name} is not available here: {state.reason}", state.advice))
    return tuple(statuses), tuple(lab.programs.drain())


def _deciding(kind: Environment, settings: Settings) -> Settings | None:
    """Those of the settings with which the kind is checked. None: its default ones."""
    if not kind.check_settings:
        return None
    default = kind.settings_type()
    given = {name: getattr(settings, name) for name in kind.check_settings}
    changed = {name: value for name, value in given.items() if value != getattr(default, name)}
    return default.model_copy(update=changed) if changed else None


def _with_settings(kind: Environment, settings: Settings, found: EnvironmentStatus, plan: Plan) -> EnvironmentStatus:
    """Whether a kind that works here works with these settings too: what it needs for them is made ready now."""
    cause = why_unprepared(kind, settings, plan)
    return found if cause is None else replace(found, works=False, reason=cause.sentence, advice=cause.advice)


def _versions(resolved: ResolvedPlan, programs: Programs) -> dict[str, str]:
    agent = agent_path()
    return {
        "virtometer": __version__,
        "python": platform.python_version(),
        "agent_sha256": agent_digest(agent),
        "agent": agent.name,
        **tool_programs.versions(resolved, programs),
    }


def _execute(
    campaign: Campaign,
    resolved: ResolvedPlan,
    ledger: Ledger,
    progress: Progress,
    lock: HostLock,
    again: frozenset[int],
    more: int | None = None,
) -> Campaign:
    """`again` are the trials that failed and are to be measured once more; `more` as in `resume`."""
    directory, plan = ledger.directory, campaign.plan
    finished = ledger.finished() - again
    progress.begun(directory, plan, campaign.planned, len(finished))
    rest = [trial for trial in campaign.planned if trial.index not in finished]
    if rest or more is not None or has_next(campaign):
        for work in resolved.works.values():
            raise_hard_limits(work.parameters.limits)  # guests inherit them
        span = plan.disk_span if resolved.on_disk else 0
        if span:
            progress.stage(f"filling the disk file with {span >> 20} MiB")
        tools, carried = tool_programs.tools_of(resolved), tool_programs.tuning_programs(resolved)
        try:
            with (
                lab_context(directory, span, tools, disk_files(resolved), resolved.file_room, carried) as lab,
                laboratory_group(lab.journal),
            ):
                if agent_digest(lab.agent) != campaign.versions["agent_sha256"]:
                    raise HostChanged("the agent was replaced while the campaign began", advice="begin again")
                stages = _Stages(ledger, resolved, lab, progress, lock)
                stages.run(campaign, rest, again)
                while has_next(found := ledger.read()) and (trials := stages.extended(found)) is not None:
                    stages.run(ledger.read(), trials)
                if more is not None and (trials := stages.extended(ledger.read(), more)) is not None:
                    stages.run(ledger.read(), trials)
        except KeyboardInterrupt as cause:
            done, total = len(ledger.finished()), len(ledger.read().planned)
            raise Interrupted(
                f"stopped: {done} of {counted(total, 'trial')} {'is' if done == 1 else 'are'} kept in {directory}",
                advice=f"go on with: {resume_command(directory)}",
            ) from cause
    return ledger.read()


class _Stages:
    """The stages of one campaign: each has the guests and the plan that it needs."""

    def __init__(
        self, ledger: Ledger, resolved: ResolvedPlan, lab: LabContext, progress: Progress, lock: HostLock
    ) -> None:
        self._ledger = ledger
        self._resolved = resolved
        self._lab = lab
        self._progress = progress
        self._lock = lock

    def run(self, campaign: Campaign, trials: Sequence[Trial], again: frozenset[int] = frozenset()) -> None:
        """Execute trials of the campaign. `again`: those that failed and are measured once more."""
        if trials:
            if campaign.plan != self._resolved.plan:  # a second stage has added environments
                self._resolved = resolve(campaign.plan, KINDS)
            resolved = self._resolved
            with laboratory_aside(resolved, self._lab):
                _Execution(campaign, resolved, self._ledger, self._lab, self._progress, self._lock, again).run(trials)

    def extended(self, campaign: Campaign, more: int | None = None) -> tuple[Trial, ...] | None:
        """The trials of the stage that follows, which the ledger holds when they are returned; None where none does."""
        if more is None and campaign.plan.sequential and campaign.follow_up_stage is None:
            found: tuple[Stage, tuple[Trial, ...]] | None
            found = second_stage(campaign, self._prepared, self._ledger.directory)
        else:
            found = next_stage(campaign, more)
        if found is None:
            return None
        stage, trials = found
        self._ledger.extend(stage, trials)
        self._progress.extended(stage, (*campaign.planned, *trials))
        return trials

    def _prepared(self, resolved: ResolvedPlan, names: Collection[str]) -> dict[str, tuple[str, str]]:
        """Make ready what further cells need. Their kinds work here: the first stage has run."""
        kinds: dict[str, Environment] = {}
        missing = {}
        for one in (one for one in resolved.plan.environments if one.name in names):
            self._progress.stage(f"preparing {one.name}")
            kind = kinds.setdefault(one.kind, KINDS[one.kind](self._lab))
            found = EnvironmentStatus(one.name, one.kind, True, "", "", {})
            found = _with_settings(kind, resolved.settings[one.name], found, resolved.plan)
            if not found.works:
                missing[one.name] = (found.reason, found.advice)
                self._progress.message(with_advice(f"{one.name} is not available here: {found.reason}", found.advice))
        return missing


class _Execution:
    """The loop over start groups: start their guests, run their trials, stop the guests."""

    def __init__(
        self,
        campaign: Campaign,
        resolved: ResolvedPlan,
        ledger: Ledger,
        lab: LabContext,
        progress: Progress,
        lock: HostLock,
        again: frozenset[int],
    ) -> None:
        self.planned = campaign.planned
        self._seed = campaign.seed
        self._plan = campaign.plan
        self._resolved = resolved
        self._ledger = ledger
        self._lab = lab
        self._progress = progress
        self._lock = lock
        self._reasons = {
            one.trial.index: one.failure.reason
            for one in campaign.trials
            if one.failure is not None and one.trial.index in again
        }
        self._guests = Guests(resolved, lab, progress, ledger.note_tuning)
        self._executor = Executor(resolved, lab, campaign.trials)
        self._remaining_time = RemainingTime({name: work.window_s for name, work in resolved.works.items()})
        self._done = 0
        self._estimates = LiveEstimates(campaign.plan)
        for record in campaign.trials:
            if record.trial.index not in again:
                self._count_in(record)
        for start in campaign.guests:
            self._remaining_time.start(start.environment, start.provision_s)

    def run(self, rest: Sequence[Trial]) -> None:
        """Execute the trials that are left, in their planned order."""
        try:
            self._guests.prepare({p.environment for trial in rest for p in trial.placements})
            position = 0
            while position < len(rest):
                group = rest[position].start_group
                end = next((i for i in range(position, len(rest)) if rest[i].start_group != group), len(rest))
                self._run_group(rest, position, end)
                position = end
        finally:
            with deferred_signals():
                try:
                    self._guests.close()
                finally:
                    self._ledger.note(self._guests.starts, self._lab.programs.drain())
            self._guests.starts = []

    def _run_group(self, rest: Sequence[Trial], begin: int, end: int) -> None:
        scenario = self._plan.scenario(rest[begin].scenario).type
        # Sorted: guests of one environment are to have different disk files, and there are only as many as these need.
        keys = sorted({key for trial in rest[begin:end] for key in trial.guests})
        # Where each works alone, all have the same disk file.
        on_bridge = scenario in ("pair", "matrix") or compares_network(self._resolved)
        self._guests.begin_group([] if scenario == "alone" else keys, on_bridge=on_bridge, alone=scenario == "alone")
        try:
            if scenario != "alone":
                self._guests.start_together(started_in_order(trial.placements for trial in rest[begin:end]))
            elif self._plan.enter and self._plan.fresh == "block":
                self._guests.start_together(started_in_order(trial.placements for trial in rest[begin:end]))
                self._progress.stage("entering the guests")
                self._guests.enter(Generator(self._seed + rest[begin].index))
            while begin < end:
                count = _interleaved(rest, begin, end)
                self._run_trials(rest, begin, count)
                begin += count
        finally:
            self._guests.stop_all()

    def _run_trials(self, rest: Sequence[Trial], begin: int, count: int) -> None:
        """Execute one trial, or those whose guests take turns, and record them in one transaction."""
        trials = rest[begin : begin + count]
        if count > 1:
            self._guests.start_together(started_in_order(trial.placements for trial in trials))
        records = {trial.index: self._started(trial) for trial in trials}
        ready = [trial for trial in trials if records[trial.index] is None]
        self._warm_disks(ready)
        for trial in ready:
            self._progress.trial_started(trial)
        records |= {record.trial.index: record for record in self._executed(ready)}
        marked = [self._marked(record) for record in records.values() if record is not None]
        again = frozenset(trial.index for trial in trials if trial.index in self._reasons)
        self._ledger.record(marked, self._guests.starts, self._lab.programs.drain(), again=again)
        for start in self._guests.starts:
            self._remaining_time.start(start.environment, start.provision_s)
        self._guests.starts = []
        self._guests.stop_broken()
        for number, record in enumerate(marked, begin + 1):
            self._count_in(record)
            left = self._remaining_time.left(rest[number:])
            self._progress.trial_finished(record, self._done, len(self.planned), left, self._estimates.cells)
        self._refuse_no_baseline()

    def _executed(self, trials: Sequence[Trial]) -> list[TrialRecord]:
        """The records of trials whose guests live. What the failure of another one ended is executed once more."""
        found: list[TrialRecord] = []
        rest, marks = list(trials), list[Mark]()
        while rest:
            made = self._executor.run(rest, self._guests.running, self._seed + rest[0].index)
            found += [replace(one, marks=(*one.marks, *marks)) if one.failure is None else one for one in made]
            done = {record.trial.index for record in made}
            assert done, "one trial has failed, or all have a record"
            rest = [trial for trial in rest if trial.index not in done]
            if rest:
                self._guests.stop_broken()
                started = {trial: self._started(trial) for trial in rest}
                found += [record for record in started.values() if record is not None]
                rest = [trial for trial, record in started.items() if record is None]
            marks = [Mark(MarkKind.AGAIN, "measured later than its block, because another command ended its guest")]
        return found

    def _warm_disks(self, trials: Sequence[Trial]) -> None:
        """Let the host's page cache hold the same of the disks of all guests that use one in these trials."""
        on_disk = self._resolved.on_disk
        keys = {one.guest_key for trial in trials for one in trial.placements if one.workload in on_disk}
        guests = [self._guests.running[key] for key in keys]
        files = [guest.guest.disk.file for guest in guests if guest.guest.disk is not None]
        used = [file for file in files if file is not None]
        begins = alike(used, keep=files_stay(self._resolved), tell=self._progress.stage)
        for guest in guests:
            disk = guest.guest.disk
            guest.disk_begins = begins.get(disk.file, "") if disk is not None and disk.file is not None else ""

    def _started(self, trial: Trial) -> TrialRecord | None:
        """Start the guests of a trial that do not run yet. Returns the record of one that fails by this."""
        started_at, begun = now(), time.monotonic()
        try:
            for key in trial.guests:
                self._guests.ensure(key)
            for placement in trial.placements:
                key = placement.guest_key
                self._guests.ensure_agent(key, placement.instance)
        except (EnvironmentFailed, LinkError, MissingProgram) as cause:
            number = next(one.ordinal for one in trial.placements if one.guest_key == key)
            failure = Failure(FailureKind.START, cause.reason, number)
            return failed(trial, failure, started_at, time.monotonic() - begun)
        return None

    def _refuse_no_baseline(self) -> None:
        """Raise EnvironmentFailed where the baseline does not start: nothing could be compared."""
        baseline, guests = self._plan.baseline, self._guests
        if guests.is_unprepared(baseline) or guests.baseline_failures >= _BASELINE_FAILURES:
            raise EnvironmentFailed(
                f"the baseline {baseline} does not start, so nothing can be compared; the campaign stops: "
                f"{guests.why_not(baseline)}",
                advice=f"when it works again, go on with: {resume_command(self._ledger.directory)} --failed",
            )

    def _count_in(self, record: TrialRecord) -> None:
        """One more trial is done."""
        self._done += 1
        self._remaining_time.trial(record)
        if self._plan.scenario(record.trial.scenario).type == "alone":
            self._estimates.add(record)

    def _marked(self, record: TrialRecord) -> TrialRecord:
        """Marks that a trial gets for how it came to be measured."""
        marks = [self._lock.mark()]
        if reason := self._reasons.get(record.trial.index):
            marks.append(Mark(MarkKind.AGAIN, f"measured later than its block, because it had failed ({reason})"))
        added = tuple(mark for mark in marks if mark is not None and record.failure is None)
        return replace(record, marks=(*record.marks, *added)) if added else record


def _interleaved(rest: Sequence[Trial], begin: int, end: int) -> int:
    """How many trials from `begin` on are interleaved: those whose guests take turns, or one."""
    turns = rest[begin].turns
    if turns is None:
        return 1
    return next((at for at in range(begin, end) if rest[at].turns != turns), end) - begin
