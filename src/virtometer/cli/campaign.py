"""What `run` and `resume` have in common: the display while it runs, the table and the report at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from virtometer.analysis.counted import counted
from virtometer.cli.console import PlainConsole
from virtometer.cli.display import display
from virtometer.cli.notice import notice
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
        conclude(campaign, directory, piped=True)
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
            f"{len(faults)} of {counted(len(campaign.trials), 'trial')} failed; the first: {faults[0].reason}",
            advice=f"measure them again with: {resume_command(directory)} --failed",
        )


def conclude(campaign: Campaign, directory: Path, *, piped: bool = False) -> None:
    """Print the table, write DIR/report.html and, last, print its path. The table comes even where DIR is read-only.

    `piped`: say what takes a moment also where standard error is no terminal.
    """
    from virtometer.report import words
    from virtometer.report.terminal import table

    console = PlainConsole()
    with notice("analysing the results ...", piped=piped):
        made = table(campaign)
    console.print(made)
    failed = sum(record.at_fault for record in campaign.trials)
    not_here = sum(record.not_here for record in campaign.trials)
    for count, what in ((failed, "failed"), (not_here, "not available here")):
        if count:
            said = f"{count} of {counted(len(campaign.trials), 'trial')} {what}; the report says why"
            console.print(said, markup=False, highlight=False)
    missing = len(campaign.planned) - len(campaign.trials)
    if missing:
        of = counted(len(campaign.planned), "trial")
        said = f"{missing} of {of} {'is' if missing == 1 else 'are'} still to do: "
        command = resume_command(directory)
        console.print(said + command, markup=False, highlight=False, soft_wrap=True)
    raw = campaign.clock == "guest"
    if raw:
        console.print(words.RAW, markup=False, highlight=False)
    with notice("writing the report ...", piped=piped):
        report = write_html(campaign, directory / ("report-raw.html" if raw else "report.html"))
    console.print(f"report: {report}", markup=False, soft_wrap=True, highlight=False)
