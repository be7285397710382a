"""`virtometer analyse`: findings from a table of numbers that were measured elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from virtometer.cli.parts.collector import without_collector
from virtometer.cli.parts.encoding import put_document
from virtometer.cli.parts.shares import share_option
from virtometer.cli.parts.table_file import table_bytes

_MOST_BYTES = 64 << 20  # of a table: about a million rows


def analyse(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="The table; - is standard input.")],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="TREATMENT",
            help="The treatment that the others are compared with; of factors its levels. Of factors it may be left "
            "out: the first treatment of the table.",
        ),
    ] = None,
    margin: Annotated[
        str, typer.Option("--margin", help="Difference that is small enough to be called equivalent: 0.05 or 5%.")
    ] = "5%",
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Print all notes of the table.")] = False,
) -> None:
    """Compare numbers from elsewhere by the rules of campaigns.

    The table is CSV with a header line. Each row has one value, in the columns block, metric, unit, better, value and
    treatment; better is higher or lower. Several values of a treatment in one block are numbered in the column
    replicate.

    Instead of treatment there may be a column factor:NAME for each factor. The treatment is then NAME=LEVEL, ... The
    effects of all factors and of every two of them are shown, with those that cannot be told apart.

    Rows are in the order of execution. Notes name an order that is not random within blocks, and blocks that drift,
    have two modes or resemble their neighbours.
    """
    from virtometer.cli.parts.console import PlainConsole
    from virtometer.cli.parts.notice import notice
    from virtometer.errors import UsageError

    share = share_option("--margin", margin)
    if json and notes:
        raise UsageError("--notes is for the table", advice="leave out --notes: the JSON has all notes")
    with without_collector():
        with notice("reading the table ..."):
            content = table_bytes(file, _MOST_BYTES)  # a file that is refused need not wait for the analysis to load
            from virtometer.analysis.effects.of_table import effects_of_table
            from virtometer.analysis.table.elsewhere import compare
            from virtometer.analysis.table.long_table import read
            from virtometer.counted import counted
            from virtometer.report.effects.terminal import terminal
            from virtometer.report.findings.summary import equivalence_error, undecided
            from virtometer.report.formats.terminal import ResultTable
            from virtometer.report.machine.document import findings_parts

            table = read(content, str(file))
        if against is None and not table.factors:
            there = ", ".join(list(table.treatments)[:10])
            raise UsageError(f"--against TREATMENT is missing; there are {there}")
        with notice(f"analysing {counted(len(table.treatments), 'treatment')} ..."):
            found = compare(table, against if against is not None else next(iter(table.treatments)), share)
            told = effects_of_table(table, against, share) if table.factors else None
        if json:
            with notice("writing the findings ..."):
                parts = [*findings_parts(found, share, told)]
            put_document(*parts)
        elif told is not None:
            console = PlainConsole()
            for part in terminal(told):
                console.print(part)
        else:
            method = [equivalence_error(found)] if notes else None
            PlainConsole().print(ResultTable(found, budget=undecided(found), method=method))
