"""`virtometer check-table`: what cannot be in a table that is printed elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def check_table(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", help="The table; - is standard input.")],
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find values of a table that cannot be: wrong means and sums, slips of digits, broken orders.

    A plain table has a header with labels of columns; its rows begin with their label. Rows and columns called mean,
    average, sum or total are calculated from the others. A table with the columns row, column and value has one value
    in each line; study and item separate several tables.

    Commas, semicolons and tabs separate fields. Commas may be decimal points.

    The exit status is 20 where something was found, 0 where nothing was.
    """
    from virtometer.analysis.plausible.check import check
    from virtometer.analysis.plausible.reading import MOST_BYTES, read
    from virtometer.cli.parts.console import PlainConsole
    from virtometer.cli.parts.encoding import put_document
    from virtometer.cli.parts.exit_statuses import FOUND
    from virtometer.cli.parts.table_file import table_bytes
    from virtometer.report.plausible import document, parts

    grids = read(table_bytes(file, MOST_BYTES), str(file))
    found = check(grids)
    if json:
        put_document(document(found, grids))
    else:
        console = PlainConsole()
        for part in parts(found, grids):
            console.print(part)
    if found:
        raise typer.Exit(FOUND)
