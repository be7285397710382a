"""`virtometer report`: the table, and the report as HTML, JSON or CSV, from a results directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.encoding import put_document, say

if TYPE_CHECKING:
    from virtometer.model import Campaign


class Format(StrEnum):
    """What `--format` takes."""

    HTML = "html"
    JSON = "json"
    CSV = "csv"
    FINDINGS_CSV = "findings-csv"
    SAMPLES_CSV = "samples-csv"
    PROBES_CSV = "probes-csv"


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
        bool, typer.Option("--raw", help="Time everything by the guests' own clocks, put nothing right.")
    ] = False,
) -> None:
    """Print the table of a campaign and write its report. Works while the campaign still runs."""
    from virtometer.cli.notice import notice
    from virtometer.errors import UsageError
    from virtometer.store.ledger import Ledger

    if kind is None and out is not None:
        raise UsageError("--out needs --format", advice=f"add --format {', '.join(Format)}")
    with notice("reading the ledger ..."), Ledger.open(directory) as ledger:
        campaign = ledger.read()
    if raw:
        from virtometer.analysis import by_guest_clocks

        campaign = by_guest_clocks(campaign)
    if kind is None:
        from virtometer.cli.campaign import conclude

        conclude(campaign, directory)
    elif kind is Format.HTML and out is None:
        say(str(write_html(campaign, directory / ("report-raw.html" if raw else "report.html"))))
    else:
        _put(campaign, kind, out)


def write_html(campaign: Campaign, path: Path) -> Path:
    """Write the HTML report under its own name into a results directory and return its path."""
    from virtometer.report import render
    from virtometer.store.files import storage
    from virtometer.store.output import write_own

    with _advised(Format.HTML), storage(path.parent):
        write_own(path, render(campaign, Format.HTML.value))
    return path


def _put(campaign: Campaign, kind: Format, path: Path | None) -> None:
    """Write a report to the file that the user named, or to standard output."""
    from virtometer.report import render
    from virtometer.store.output import write_named

    text = render(campaign, kind.value)
    if path is None or str(path) == "-":
        put_document(text)
        return
    with _advised(kind):
        write_named(path, text)


@contextmanager
def _advised(kind: Format) -> Iterator[None]:
    from virtometer.errors import StorageError

    try:
        yield
    except StorageError as cause:
        raise StorageError(
            f"the report cannot be written: {cause.sentence}",
            advice=f"write it elsewhere: virtometer report DIR --format {kind} --out FILE",
        ) from cause
