"""`virtometer study run`: measure the experiments of a published study, one plan after the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.choosing import ShortForm
from virtometer.cli.parts.encoding import say
from virtometer.cli.run import BESIDE_HELP
from virtometer.visible import visible

if TYPE_CHECKING:
    from virtometer.design.plan.resolved import ResolvedPlan
    from virtometer.errors import VirtometerError


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that is to be measured. directory: of its campaign. text: of its plan. skipped: what will fail."""

    name: str
    directory: Path
    resolved: ResolvedPlan
    text: str
    skipped: list[str]


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
    beside: Annotated[bool, typer.Option("--beside", help=BESIDE_HELP)] = False,
) -> None:
    """Measure the experiments of a study, and write its page. Called again, it goes on where it was stopped.

    Each experiment is a plan, and each plan makes a campaign of its own. What a campaign has measured is kept.
    """
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        from virtometer.cli.study.experiments import plans_of, states
        from virtometer.cli.study.names import experiments_named, study_named
        from virtometer.errors import EnvironmentFailed, TrialsFailed, UsageError

    found = study_named(study)
    plans = plans_of(found.study)
    if not plans:
        raise UsageError(f"{found.study} has no experiment that this version measures")
    named = experiments_named(found, plans, experiments or ())
    folder = out or Path("results") / (f"{found.study}-short" if short else found.study)
    before = states(folder)
    problems: list[VirtometerError] = []
    todo = []
    for name in named:
        try:
            one = _read(name, plans[name], folder / name, short=short)
        except EnvironmentFailed as error:
            # The other experiments do not need this one.
            problems.append(error)
            _tell(name, error)
            continue
        state = before.get(one.name)
        if state is not None and state.plan.name != one.resolved.plan.name:
            raise UsageError(
                f"{one.directory} holds a campaign of another plan, '{state.plan.name}'",
                advice="choose another folder with --out",
            )
        if state is not None and state.plan.shortened != one.resolved.plan.shortened:
            raise UsageError(
                f"{one.directory} holds this experiment in another form", advice="choose another folder with --out"
            )
        if state is not None and state.left == 0:
            say(f"{one.name}: measured already, in {visible(str(one.directory))}")
        else:
            todo.append(one)
    _announce(todo, folder)
    for number, one in enumerate(todo, 1):
        say(f"\n{found.study} {one.name} ({number} of {len(todo)})")
        try:
            _measure(one, resumed=one.name in before, beside=beside)
        except (EnvironmentFailed, TrialsFailed) as error:
            problems.append(error)
            _tell(one.name, error)
    if states(folder):
        _page(found.study, folder)
    if problems:
        raise problems[0]


def _tell(experiment: str, error: VirtometerError) -> None:
    sentence = visible(error.sentence, keep="\n")
    say(f"{experiment}: {sentence}")


def _read(name: str, plan: Path, directory: Path, *, short: bool) -> Experiment:
    from virtometer.cli.plan.files import load_for_here

    resolved, text, skipped = load_for_here(plan, directory, short=short)
    return Experiment(name, directory, resolved, f"# Run with --short.\n{text}" if short else text, skipped)


def _announce(todo: list[Experiment], folder: Path) -> None:
    """What will be measured, for how long, and what of it is shortened."""
    from virtometer.cli.parts.times import time_words
    from virtometer.runner.campaign.here import seconds_here

    total = 0.0
    for one in todo:
        seconds = seconds_here(one.resolved, one.directory)
        total += seconds
        say(f"{one.name}: about {time_words(seconds)} of measuring")
        for sentence in one.resolved.plan.shortened:
            say(f"  shortened: {visible(sentence)}")
        for sentence in one.skipped:
            say(f"  {visible(sentence)}")
    if todo:
        say(f"in all about {time_words(total)} of measuring, into {visible(str(folder))}; starts of guests come on top")


def _measure(one: Experiment, *, resumed: bool, beside: bool) -> None:
    from virtometer.cli import campaign
    from virtometer.cli.plan.files import seed_of
    from virtometer.runner.campaign.whole import begin, resume

    if resumed:
        campaign.execute(one.directory, lambda progress: resume(one.directory, progress, beside=beside))
        return
    seed = seed_of(one.resolved.plan, None)
    campaign.execute(
        one.directory,
        lambda progress: begin(one.resolved, one.text, one.directory, seed, progress, beside=beside),
    )


def _page(study: str, folder: Path) -> None:
    """Write the page of the study into the folder of its campaigns."""
    from virtometer.cli.study.report import Format, report

    report(study, [folder], Format.HTML, folder / f"{study}.html")
