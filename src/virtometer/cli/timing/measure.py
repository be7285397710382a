"""The steps of `virtometer time` once its options are understood: natively at first, then the campaign, then files."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from virtometer.analysis import Analysis
from virtometer.cli import campaign
from virtometer.cli.parts.notice import notice
from virtometer.cli.parts.times import time_words
from virtometer.cli.plan.files import TIME, load_text_for_here, seed_of
from virtometer.cli.timing.commands import Command
from virtometer.cli.timing.exports import Exports
from virtometer.cli.timing.outputs import differing, shown
from virtometer.cli.timing.plan import document, least_s, text_of
from virtometer.cli.timing.profile import Profiling
from virtometer.cli.timing.runs import Runs
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.errors import TrialsFailed, VirtometerError
from virtometer.runner.campaign.execute import begin
from virtometer.runner.campaign.pilot import Pilot, native_pilots


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the options say, checked. plan: with the environments, and without the commands.

    parameters: those that all commands have. cold: each run has a guest of its own. evicted: finds a parameter of each
    command, of the files that leave the page cache; none without that. left_out: sentences about environments. there:
    where commands run. line: the command line. profiling: how commands are profiled; None: they are not.
    """

    commands: Sequence[Command]
    parameters: Mapping[str, Any]
    plan: Mapping[str, Any]
    left_out: Sequence[str]
    runs: Runs
    exports: Exports
    there: Path
    directory: Path
    line: str
    seed: int | None
    beside: bool
    cold: bool
    evicted: Callable[[], Sequence[Mapping[str, Any]]]
    profiling: Profiling | None = None


def measure(asked: Asked) -> None:
    """Run each command natively, then everywhere; print the table, and write the files.

    Raises what a campaign raises. Files are written where some trials failed, too.
    """
    first, _ = _loaded(asked, document(asked.plan, asked.commands, asked.parameters))
    os.chdir(asked.there)  # guests of an ordinary user can write in the current directory alone
    with notice("running each command natively ..."):
        pilots = native_pilots(first, beside=asked.beside, tell=_say)
    for command, pilot in zip(asked.commands, pilots, strict=True):
        if pilot.printed is not None and "show_output" in asked.parameters:
            _say(shown(command.name, asked.plan["baseline"], pilot.printed))
    counts = None if asked.profiling is None else asked.profiling.counts(beside=asked.beside, tell=_say)
    plan = _planned(asked, pilots)
    resolved, skipped = _loaded(asked, plan)
    _say_what_is_beyond(plan, resolved, pilots)
    for sentence in [*asked.left_out, *skipped]:
        _say(f"virtometer: {sentence}")
    number = seed_of(resolved.plan, asked.seed)
    analyses: list[Analysis] = []
    failed: TrialsFailed | None = None
    try:
        with _tables(asked):
            campaign.execute(
                asked.directory,
                lambda progress: begin(
                    resolved, text_of(plan, asked.line), asked.directory, number, progress, beside=asked.beside
                ),
                analyses.append,
            )
    except TrialsFailed as cause:  # the others have a profile all the same
        failed = cause
    finally:
        for analysis in analyses:
            if "show_output" in asked.parameters:
                for text in differing(analysis.campaign):
                    _say(text)
            asked.exports.write(analysis, {one.name: one.values for one in asked.commands})

    def profile() -> None:
        if asked.profiling is not None and counts is not None and analyses:
            with _tables(asked):
                asked.profiling.conclude(counts, analyses[0], plan, asked.directory, number, beside=asked.beside)

    go_on(profile, failed, _say)


def go_on(then: Callable[[], None], failed: TrialsFailed | None, tell: Callable[[str], object]) -> None:
    """Do what follows a campaign, and then raise what the campaign raised, if anything.

    tell: gets the sentence and the advice of what `then` raises beside that; alone it is raised itself.
    """
    try:
        then()
    except VirtometerError as cause:
        if failed is None:
            raise
        for sentence in filter(None, (cause.sentence, cause.advice)):
            tell(f"virtometer: {sentence}")
    if failed is not None:
        raise failed


def _tables(asked: Asked) -> AbstractContextManager[object]:
    """Tables go to standard error where a file is exported to standard output."""
    return redirect_stdout(sys.stderr) if asked.exports.to_output else nullcontext()


def _planned(asked: Asked, pilots: Sequence[Pilot]) -> dict[str, Any]:
    """The plan by what is known of the commands."""
    plan, lengths_s = asked.plan, [one.length_s for one in pilots]
    guests = len(plan["environments"]) + 1
    runs = [asked.runs.of(length_s, plan["budget_s"], guests) for length_s in lengths_s]
    extra_s = max(one.before_s for one in pilots)
    made = document(
        plan, asked.commands, asked.parameters, lengths_s, runs, extra_s, cold=asked.cold, own=asked.evicted()
    )
    if asked.runs.fixed:
        del made["budget_s"]
    return made


def _say_what_is_beyond(plan: Mapping[str, Any], resolved: ResolvedPlan, pilots: Sequence[Pilot]) -> None:
    """Say so where the blocks of a plan take longer than its budget."""
    starts_s = {one.name: resolved.kind(one).usual_start_s for one in resolved.plan.environments}
    longer_s = least_s(plan, [one.length_s for one in pilots], starts_s)
    if longer_s > plan.get("budget_s", math.inf):
        sentence = f"{plan['blocks']} blocks take {time_words(longer_s)} at least, which is more than the budget"
        _say(f"virtometer: {sentence}")


def _loaded(asked: Asked, plan: Mapping[str, Any]) -> tuple[ResolvedPlan, list[str]]:
    return load_text_for_here(text_of(plan, asked.line), TIME, asked.directory)


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)
