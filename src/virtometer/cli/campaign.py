"""What `run` and `resume` have in common: the display while it runs, the table and the report at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from virtometer.cli.console import PlainConsole
from virtometer.cli.display import display
from virtometer.cli.report import write_html
from virtometer.errors import EnvironmentFailed, Interrupted, TrialsFailed
from virtometer.model import Campaign
from virtometer.runner.campaign import Progress
from virtometer.store.files import resume_command


def execute(directory: Path, work: Callable[[Progress], Campaign]) -> None:
    """Run a campaign in `directory` with a display on standard error; print its table and where the report is.

    Raises Interrupted after Ctrl-C, saying what was kept and how to go on, EnvironmentFailed when not one trial worked,
    and TrialsFailed when some failed that can be done here.
    """
    shown = display(PlainConsole(stderr=True))
    try:
        with shown:
            campaign = work(shown)
        conclude(campaign, directory)
    except KeyboardInterrupt as cause:
        if shown.directory is None:
            raise Interrupted("stopped before anything was measured") from cause
        raise Interrupted(
            f"stopped: everything measured so far is kept in {directory}",
            advice=f"go on with: {resume_command(directory)}",
        ) from cause
    if all(record.status == "failed" for record in campaign.trials):
        reason = campaign.trials[0].reason if campaign.trials else "there was none"
        raise EnvironmentFailed(f"not one trial worked; the first: {reason}", advice="the report has all reasons")
    faults = [record for record in campaign.trials if record.at_fault]
    if faults:
        raise TrialsFailed(
            f"{len(faults)} of {len(campaign.trials)} trials failed; the first: {faults[0].reason}",
            advice=f"measure them again with: {resume_command(directory)} --failed",
        )


def conclude(campaign: Campaign, directory: Path) -> None:
    """Print the table, write DIR/report.html and, last, print its path. The table comes even where DIR is read-only."""
    from virtometer.report import words
    from virtometer.report.terminal import table

    console = PlainConsole()
    console.print(table(campaign))
    failed = sum(record.at_fault for record in campaign.trials)
    not_here = sum(record.not_here for record in campaign.trials)
    for count, what in ((failed, "failed"), (not_here, "cannot be done here")):
        if count:
            said = f"{count} of {len(campaign.trials)} trials {what}; the report says why"
            console.print(said, markup=False, highlight=False)
    missing = len(campaign.planned) - len(campaign.trials)
    if missing:
        said = f"{missing} of {len(campaign.planned)} trials are still to do: "
        command = resume_command(directory)
        console.print(said + command, markup=False, highlight=False, soft_wrap=True)
    raw = campaign.clock == "guest"
    if raw:
        console.print(words.RAW, markup=False, highlight=False)
    report = write_html(campaign, directory / ("report-raw.html" if raw else "report.html"))
    console.print(f"report: {report}", markup=False, soft_wrap=True, highlight=False)
