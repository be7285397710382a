"""`virtometer report`: the table, and the report as HTML, JSON or CSV, from a results directory."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.encoding import put_document, say

if TYPE_CHECKING:
    from virtometer.analysis import Analysis


class Format(StrEnum):
    """What `--format` takes."""

    HTML = "html"
    JSON = "json"
    CSV = "csv"
    FINDINGS_CSV = "findings-csv"
    GROUPS_CSV = "groups-csv"
    MATRICES_CSV = "matrices-csv"
    SAMPLES_CSV = "samples-csv"
    PROBES_CSV = "probes-csv"
    HYPERFINE_JSON = "hyperfine-json"
    HYPERFINE_JSON_2 = "hyperfine-json-2"
    HYPERFINE_CSV = "hyperfine-csv"
    HYPERFINE_MARKDOWN = "hyperfine-markdown"
    JUNIT = "junit"
    BENCHER = "bencher"


_MAKERS: dict[Format | None, str] = {
    None: "virtometer.report.formats.terminal",
    Format.HTML: "virtometer.report.formats.html",
    Format.JSON: "virtometer.report.machine.document",
}
"""Where a report is made; the others are made where CSV is."""


def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The campaign's results directory.")],
    kind: Annotated[
        Format | None,
        typer.Option("--format", help="html is written to DIR/report.html, the others to standard output."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write to this file instead; - is standard output.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Time everything by the guests' own clocks, correct nothing.")
    ] = False,
    notes: Annotated[
        bool,
        typer.Option("--notes", help="Print all notes, further measures of groups, and how verdicts were reached."),
    ] = False,
) -> None:
    """Print the table of a campaign, or make its report. Works while the campaign still runs."""
    from virtometer.cli.parts.importing import importing
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError
    from virtometer.store.ledger import Ledger

    if kind is not None and notes:
        raise UsageError("--notes is for the table", advice="leave out --notes: every format has all notes")
    if kind is None and out is not None:
        raise UsageError("--out needs --format", advice=f"add --format {', '.join(Format)}")
    maker = _MAKERS.get(kind, "virtometer.report.machine.tables")
    with notice("reading the ledger ..."), Ledger.open(directory) as ledger, importing("virtometer.analysis", maker):
        campaign = ledger.read()

    from virtometer.analysis import analyse, by_guest_clocks
    from virtometer.cli.parts.conclusion import print_table, write_html
    from virtometer.cli.parts.profiled import profiled_in
    from virtometer.report.parts.left_tuned import left_tuned

    analysis = analyse(by_guest_clocks(campaign) if raw else campaign, profiled_in(directory))
    if kind is not None:  # tables and pages may be read by a program alone
        for sentence in left_tuned(campaign):
            typer.echo(sentence, err=True)
    if kind is None:
        print_table(analysis, directory, notes=notes)
        say(f"page with all plots: virtometer report {quote(str(directory))} --format html{' --raw' if raw else ''}")
    elif kind is Format.HTML and out is None:
        say(str(write_html(analysis, directory)))
    else:
        _put(analysis, kind, out, directory)


def _put(analysis: Analysis, kind: Format, path: Path | None, directory: Path) -> None:
    """Write a report to the file that the user named, or to standard output."""
    from virtometer.cli.parts.conclusion import advised
    from virtometer.report import render
    from virtometer.store.output import write_named

    text = render(analysis, kind.value)
    if path is None or str(path) == "-":
        put_document(text)
        return
    with advised(kind, directory):
        write_named(path, text)
