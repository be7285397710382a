"""What `run`, `time`, `resume` and `study run` have in common: display of a running campaign, conclusion, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from virtometer.analysis import Analysis, analyse
from virtometer.analysis.notes.conditions import ANSWER
from virtometer.cli.parts.conclusion import conclude
from virtometer.cli.parts.console import PlainConsole
from virtometer.cli.parts.display import display
from virtometer.cli.parts.profiled import profiled_in
from virtometer.counted import counted
from virtometer.errors import AnswersDiffer, EnvironmentFailed, Interrupted, TrialsFailed
from virtometer.model import Campaign
from virtometer.runner.campaign.progress import Progress
from virtometer.store.files import resume_command


def execute(
    directory: Path, work: Callable[[Progress], Campaign], also: Callable[[Analysis], object] | None = None
) -> None:
    """Run a campaign in `directory` with a display on standard error; print its table and where the report is.

    also: what becomes of the analysis beside that, also where trials failed.

    Raises Interrupted after Ctrl-C, saying what was kept and how to go on, EnvironmentFailed when not one trial worked,
    TrialsFailed when some failed that can be done here, and AnswersDiffer when a command's answer is not that of the
    baseline.
    """
    shown = display(PlainConsole(stderr=True))
    try:
        with shown:
            campaign = work(shown)
        analysis = analyse(campaign, profiled_in(directory))
        try:
            conclude(analysis, directory, piped=True)
        finally:
            # Files that were asked for do not need the page.
            if also is not None:
                also(analysis)
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
    counts = analysis.counts
    if counts.failed:
        first = next(record.reason for record in campaign.trials if record.at_fault)
        raise TrialsFailed(
            f"{counts.failed} of {counted(counts.ran, 'trial')} failed; the first: {first}",
            advice=f"measure them again with: {resume_command(directory)} --failed",
        )
    _refuse_other_answers(analysis)


def _refuse_other_answers(analysis: Analysis) -> None:
    """Raise AnswersDiffer where a command's answer is not that of the baseline, or changed from guest to guest."""
    found = []
    for one in analysis.findings:
        if other := [name for condition, name in ANSWER.items() if condition in one.unlike]:
            found.append(f"{one.workload} in {one.subject} has another {' and '.join(other)}")
    if found:
        raise AnswersDiffer(
            f"{counted(len(found), 'result')} of other work than in {analysis.campaign.plan.baseline}: {found[0]}",
            advice="accept another output with --output-may-differ (output_may_differ in plans)",
        )
