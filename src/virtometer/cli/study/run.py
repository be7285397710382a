"""`virtometer study run`: measure the experiments of a published study, one plan after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.choosing import ShortForm
from virtometer.cli.parts.encoding import say
from virtometer.cli.run import BESIDE_HELP
from virtometer.visible import visible

if TYPE_CHECKING:
    from virtometer.cli.study.experiments import State
    from virtometer.design.plan.resolved import ResolvedPlan
    from virtometer.errors import TrialsFailed, VirtometerError
    from virtometer.studies.data import Study


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that is to be measured. directory: of its campaign. text: of its plan. skipped: what will fail.

    state: of the campaign, where it was begun. again: whether the trials that failed are measured once more.
    """

    name: str
    directory: Path
    resolved: ResolvedPlan
    text: str
    skipped: list[str]
    state: State | None
    again: bool

    @property
    def rest(self) -> frozenset[int]:
        """The trials that are to be measured of a campaign that was begun."""
        if self.state is None:
            return frozenset()
        return self.state.left | self.state.failed if self.again else self.state.left


def run(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study of the list, such as klein2008.")],
    experiments: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXPERIMENT", help="Experiments of the study, such as linpack; all by default."),
    ] = None,
    short: ShortForm = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="One campaign a folder in here; results/STUDY or STUDY-short."),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Measure the trials again that failed.")] = False,
    beside: Annotated[bool, typer.Option("--beside", help=BESIDE_HELP)] = False,
) -> None:
    """Measure the experiments of a study, and write its page. Called again, it goes on where it was stopped.

    Each experiment is a plan, and each plan makes a campaign of its own. What a campaign has measured is kept. An
    experiment that fails does not stop the others; the exit status is that of the first one.
    """
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        from virtometer.cli.study.experiments import plans_of
        from virtometer.cli.study.names import experiments_named, study_named
        from virtometer.errors import EnvironmentFailed, LedgerError, PlanError, UsageError, VirtometerError
        from virtometer.report.drawing.drawer import DRAWER

    found = study_named(study)
    plans = plans_of(found.study)
    if not plans:
        raise UsageError(f"{found.study} has no experiment that this version measures")
    _refuse_without_plan(found, experiments or ())
    named = experiments_named(found, plans, experiments or ())
    folder = out or Path("results") / (f"{found.study}-short" if short else found.study)
    problems: dict[str, VirtometerError] = {}
    todo = []
    for name in named:
        try:
            one = _read(name, plans[name], folder / name, short=short, again=failed)
        except (EnvironmentFailed, LedgerError, PlanError) as error:
            # The other experiments do not need this one.
            problems[name] = error
            _tell(name, error)
            continue
        _refuse_another(one)
        if one.state is None or one.rest:
            todo.append(one)
        elif fault := _ended(one, one.state):
            problems[name] = fault
    _announce(todo, folder)
    try:
        for number, one in enumerate(todo, 1):
            say(f"\n{found.study} {one.name} ({number} of {len(todo)})")
            DRAWER.close()  # no guest is measured beside the memory that it takes
            try:
                _measure(one, beside=beside)
            except VirtometerError as error:
                if isinstance(error, _of_all()):
                    raise
                problems[one.name] = error
                _tell(one.name, error)
    finally:
        # Also what was measured before a stop has its page.
        _page(found, folder, problems)
    if problems:
        raise next(iter(problems.values()))


def _of_all() -> tuple[type[VirtometerError], ...]:
    """The errors after which the other experiments cannot be measured either, or are not wanted."""
    from virtometer.errors import HostBusy, HostLeftTuned, Interrupted, StorageError

    return HostBusy, HostLeftTuned, Interrupted, StorageError


def _refuse_without_plan(study: Study, names: Sequence[str]) -> None:
    """Raise UsageError where an experiment is named that no plan measures."""
    from virtometer.analysis.studies.results import results
    from virtometer.cli.study.experiments import without_plan
    from virtometer.cli.study.names import named_in
    from virtometer.errors import UsageError

    if names:
        reasons = without_plan(study.study, results(study, ()).sections)
        for name in names:
            if (key := named_in(name, reasons)) is not None:
                raise UsageError(f"{study.study} {key} cannot be measured: {reasons[key]}")


def _refuse_another(one: Experiment) -> None:
    """Raise UsageError where the campaign of an experiment is of another plan, or of another form of it."""
    from virtometer.errors import UsageError

    if one.state is None:
        return
    plan = one.state.campaign.plan
    if plan.name != one.resolved.plan.name:
        sentence = f"{one.directory} holds a campaign of another plan, '{plan.name}'"
    elif plan.shortened != one.resolved.plan.shortened:
        sentence = f"{one.directory} holds this experiment in another form"
    else:
        return
    raise UsageError(sentence, advice="choose another folder with --out")


def _ended(one: Experiment, state: State) -> TrialsFailed | None:
    """Say that an experiment was measured. Returns what `resume` raises where some of its trials failed."""
    from virtometer.counted import counted
    from virtometer.errors import TrialsFailed

    place = visible(str(one.directory))
    say(f"{one.name}: measured already, in {place}")
    if not state.failed:
        return None
    error = TrialsFailed(
        f"{len(state.failed)} of {counted(len(state.campaign.trials), 'trial')} failed",
        advice=f"measure them again with --failed; why they failed: virtometer report {place}",
    )
    _tell(one.name, error)
    return error


def _tell(experiment: str, error: VirtometerError) -> None:
    sentence = visible(error.sentence, keep="\n")
    say(f"{experiment}: {sentence}")
    if error.advice:
        say(f"  {error.advice}")


def _read(name: str, plan: Path, directory: Path, *, short: bool, again: bool) -> Experiment:
    from virtometer.cli.plan.files import load_for_here
    from virtometer.cli.study.experiments import state_of

    state = state_of(directory)
    resolved, text, skipped = load_for_here(plan, directory, short=short)
    return Experiment(
        name, directory, resolved, f"# Run with --short.\n{text}" if short else text, skipped, state, again
    )


def _announce(todo: list[Experiment], folder: Path) -> None:
    """What will be measured, for how long, and what of it is shortened. Of what was begun, the rest."""
    from virtometer.cli.parts.times import time_words
    from virtometer.counted import counted
    from virtometer.runner.campaign.here import seconds_here, seconds_left

    total = 0.0
    for one in todo:
        if one.state is None:
            seconds, rest = seconds_here(one.resolved, one.directory), ""
        else:
            seconds = seconds_left(one.state.campaign, one.rest)
            rest = f", for {len(one.rest):,} of {counted(len(one.state.campaign.planned), 'trial')}"
        total += seconds
        say(f"{one.name}: about {time_words(seconds)} of measuring{rest}")
        for sentence in one.resolved.plan.shortened:
            say(f"  shortened: {visible(sentence)}")
        for sentence in one.skipped:
            say(f"  {visible(sentence)}")
    if todo:
        say(f"in all about {time_words(total)} of measuring, into {visible(str(folder))}; starts of guests come on top")


def _measure(one: Experiment, *, beside: bool) -> None:
    from virtometer.cli import campaign
    from virtometer.cli.plan.files import seed_of
    from virtometer.runner.campaign.execute import begin, resume

    if one.state is not None:
        campaign.execute(
            one.directory, lambda progress: resume(one.directory, progress, failed=one.again, beside=beside)
        )
        return
    seed = seed_of(one.resolved.plan, None)
    campaign.execute(
        one.directory,
        lambda progress: begin(one.resolved, one.text, one.directory, seed, progress, beside=beside),
    )


def _page(study: Study, folder: Path, problems: dict[str, VirtometerError]) -> None:
    """Write the page of the study into the folder of its campaigns, of those that can be read.

    problems: of the experiments that were asked for, already on the terminal. Those of others end nothing.
    """
    from virtometer.cli.study.report import Format, analyses_in, show
    from virtometer.errors import LedgerError

    try:
        analyses, unreadable = analyses_in([folder], told=problems)
    except LedgerError:  # none was begun, or none can be read
        return
    show(study, analyses, unreadable, Format.HTML, folder / f"{study.study}.html")
