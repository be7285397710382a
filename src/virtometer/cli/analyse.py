"""`virtometer analyse`: findings from a table of numbers that were measured elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from virtometer.cli.encoding import put_document
from virtometer.cli.shares import share_option


def analyse(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="The table; - is standard input.")],
    against: Annotated[
        str, typer.Option("--against", metavar="TREATMENT", help="The treatment that the others are compared with.")
    ],
    margin: Annotated[
        str, typer.Option("--margin", help="Difference that is small enough to be called equivalent: 0.05 or 5%.")
    ] = "5%",
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Compare numbers from elsewhere by the rules of campaigns.

    The table is CSV with a header line and one row a value, in the columns block, metric, unit, better (higher or
    lower), value, and treatment. Several values of a treatment in one block are numbered in the column replicate.
    Instead of treatment there may be a column factor:NAME for each factor: the treatment is then NAME=LEVEL, ...
    """
    from virtometer.analysis.elsewhere import compare
    from virtometer.analysis.long_table import read
    from virtometer.cli.console import PlainConsole
    from virtometer.report.machine import findings_text
    from virtometer.report.terminal import ResultTable

    share = share_option("--margin", margin)
    found = compare(read(_content(file), str(file)), against, share)
    if json:
        put_document(findings_text(found, share))
    else:
        PlainConsole().print(ResultTable(found))


def _content(path: Path) -> bytes:
    from virtometer.errors import UsageError

    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as cause:
        raise UsageError(f"{path} cannot be read: {(cause.strerror or str(cause)).lower()}") from cause
