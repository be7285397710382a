"""The conclusion of a campaign: the table, for `run`, `resume` and `report` alike, and the report as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from virtometer.cli.parts.notice import notice

if TYPE_CHECKING:
    from virtometer.analysis import Analysis


def conclude(analysis: Analysis, directory: Path, *, piped: bool = False) -> None:
    """Print the table, write DIR/report.html and, last, print its path. The table comes even where DIR is read-only.

    `piped`: say what takes a moment also where standard error is no terminal.
    """
    from virtometer.cli.parts.console import PlainConsole

    print_table(analysis, directory, piped=piped)
    with notice("writing the report ...", piped=piped):
        report = write_html(analysis, directory)
    PlainConsole().print(f"report: {report}", markup=False, soft_wrap=True, highlight=False)


def print_table(analysis: Analysis, directory: Path, *, piped: bool = False, notes: bool = False) -> None:
    """Print the table, and what failed or is still to do. No plot is drawn, and nothing is written.

    `notes`: with all notes, and with how the verdicts were reached.
    """
    from shlex import quote

    from virtometer.cli.parts.console import PlainConsole
    from virtometer.counted import counted
    from virtometer.model import UNAVAILABLE
    from virtometer.report.effects import terminal as effect_terminal
    from virtometer.report.findings.summary import method_sentences, noise_and_budget
    from virtometer.report.formats.circumstances import below_commands
    from virtometer.report.formats.terminal import ResultTable
    from virtometer.report.groups.terminal import terminal
    from virtometer.report.parts import words
    from virtometer.report.parts.left_tuned import left_tuned
    from virtometer.report.profile.terminal import terminal as profiles_terminal
    from virtometer.store.files import resume_command

    console = PlainConsole()
    for sentence in left_tuned(analysis.campaign):
        console.print(sentence, markup=False, highlight=False, style="bold")
    all_notes = f"virtometer report {quote(str(directory))} --notes"
    more = None if notes else all_notes
    with notice("analysing the results ...", piped=piped):
        budget = noise_and_budget(analysis)
        made = ResultTable(
            analysis.findings,
            analysis.sweeps,
            analysis.knees,
            budget=budget,
            method=method_sentences(analysis) if notes else None,
            more=all_notes,
            commands=analysis.command_measures,
        )
    if analysis.findings or not analysis.group_results.groups:
        console.print(made)
    for one in (*below_commands(analysis, more), *profiles_terminal(analysis.profiles)):
        console.print(one)
    for one in (*terminal(analysis, more), *effect_terminal.terminal(analysis.effects, more)):
        console.print(one)
    if analysis.group_results.groups and not analysis.findings:
        console.print(budget, markup=False, highlight=False)
    counts = analysis.counts
    for count, what in ((counts.failed, "failed"), (counts.unavailable, UNAVAILABLE)):
        if count:
            sentence = f"{count} of {counted(counts.ran, 'trial')} {what}; the report says why"
            console.print(sentence, markup=False, highlight=False)
    if counts.missing:
        of = counted(counts.planned, "trial")
        sentence = f"{counts.missing} of {of} {'is' if counts.missing == 1 else 'are'} still to do: "
        command = resume_command(directory)
        console.print(sentence + command, markup=False, highlight=False, soft_wrap=True)
    if analysis.campaign.clock == "guest":
        console.print(words.RAW, markup=False, highlight=False)


def write_html(analysis: Analysis, directory: Path) -> Path:
    """Write the HTML report under its own name into a results directory and return its path."""
    from virtometer.report import render
    from virtometer.store.files import storage
    from virtometer.store.output import write_own

    path = directory / ("report-raw.html" if analysis.campaign.clock == "guest" else "report.html")
    with advised("html", directory), storage(directory):
        write_own(path, render(analysis, "html"))
    return path


@contextmanager
def advised(kind: str, directory: Path) -> Iterator[None]:
    """Say how to write the report of a campaign to another place, where the block cannot write it."""
    from shlex import quote

    from virtometer.errors import StorageError

    try:
        yield
    except StorageError as cause:
        raise StorageError(
            f"the report cannot be written: {cause.sentence}",
            advice=f"write it elsewhere: virtometer report {quote(str(directory))} --format {kind} --out FILE",
        ) from cause
