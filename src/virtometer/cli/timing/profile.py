"""`virtometer time --profile`: counts before the campaign, prices of operations after it, and what both explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from virtometer.analysis import Analysis, analyse
from virtometer.analysis.profile.counts import Counts
from virtometer.cli.parts.conclusion import write_html
from virtometer.cli.parts.console import PlainConsole
from virtometer.cli.parts.display import display
from virtometer.cli.parts.notice import notice
from virtometer.cli.parts.profiled import COUNTS, OPERATIONS, profiled_in
from virtometer.cli.plan.files import load_text_for_here
from virtometer.cli.timing.commands import Command
from virtometer.cli.timing.plan import text_of
from virtometer.counted import counted as counted_words
from virtometer.errors import Interrupted, TrialsFailed
from virtometer.model import Campaign
from virtometer.report.profile.terminal import terminal
from virtometer.runner.campaign.execute import begin
from virtometer.runner.profile.on_host import OnHost, counted
from virtometer.runner.profile.plan import operations_plan
from virtometer.store.files import resume_command, storage
from virtometer.store.output import write_own


@dataclass(frozen=True, slots=True)
class Profiling:
    """What is profiled. input_file: standard input of the commands; None: it is empty.

    discarded: what they print goes to /dev/null.
    """

    commands: Sequence[Command]
    variables: Mapping[str, str]
    workdir: Path
    input_file: Path | None
    discarded: bool = False

    def counts(self, *, beside: bool, tell: Callable[[str], object]) -> dict[str, Counts]:
        """Of each command that can be counted in time. It runs natively twice. Raises what `counted` raises."""
        place = OnHost(self.variables, self.workdir, self.input_file, self.discarded)
        with notice("counting what each command does ..."):
            return counted({one.name: one.words for one in self.commands}, place, beside=beside, tell=tell)

    def conclude(
        self,
        counts: Mapping[str, Counts],
        analysis: Analysis,
        plan: Mapping[str, Any],
        directory: Path,
        seed: int,
        *,
        beside: bool,
    ) -> None:
        """Measure what the operations cost, print what they explain, and write the page again.

        plan: that of the campaign. Raises what a campaign raises, Interrupted, and TrialsFailed at the end where trials
        of operations failed.
        """
        if not counts or not any(one.decisive is not None for one in analysis.findings):
            return
        with storage(directory):
            write_own(directory / COUNTS, Counts.text_of(counts))
        text = text_of(operations_plan(plan, counts), f"virtometer time --profile, for {directory}")
        resolved, _ = load_text_for_here(text, "profile", directory / OPERATIONS)
        shown = display(PlainConsole(stderr=True))
        typer.echo("virtometer: measuring what the operations of the commands cost", err=True)
        try:
            with shown:
                operations = begin(resolved, text, directory / OPERATIONS, seed, shown, beside=beside)
        except KeyboardInterrupt as cause:
            sentence = f"stopped: the times of commands are in {directory}, without a profile"
            advice = "" if shown.directory is None else f"go on with: {resume_command(directory / OPERATIONS)}"
            raise Interrupted(sentence, advice=advice) from cause
        profiled = analyse(analysis.campaign, profiled_in(directory))
        console = PlainConsole()
        for one in terminal(profiled.profiles):
            console.print(one)
        write_html(profiled, directory)
        refuse_failed(operations, directory / OPERATIONS)


def refuse_failed(operations: Campaign, directory: Path) -> None:
    """Raise TrialsFailed where trials of operations failed that can be done here. directory: of their campaign."""
    failed = [record.reason for record in operations.trials if record.at_fault]
    if failed:
        raise TrialsFailed(
            f"{len(failed)} of {counted_words(len(operations.trials), 'trial')} of the profile failed; "
            f"the first: {failed[0]}",
            advice=f"measure them again with: {resume_command(directory)} --failed",
        )
