"""`virtometer compare`: two campaigns, or two environments of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.parts.encoding import put_document
from virtometer.cli.parts.shares import share_option

if TYPE_CHECKING:
    from virtometer.model import Campaign, VerdictBy

_RATIOS: dict[str, VerdictBy] = {"": "total", "total": "total", "typical": "typical"}


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="Results directory of the campaign before.")],
    b: Annotated[
        Path | None, typer.Argument(metavar="B", help="That of the campaign after; without it, A alone is read.")
    ] = None,
    environments: Annotated[
        str, typer.Option("--in", metavar="ENV,ENV", help="With A alone: its two environments, the second is judged.")
    ] = "",
    margin: Annotated[str, typer.Option("--margin", help="Difference that does not matter: 0.05 or 5%.")] = "5%",
    absolute: Annotated[
        bool, typer.Option("--absolute", help="Compare values, not efficiencies; those of the baseline too.")
    ] = False,
    verdict: Annotated[
        str,
        typer.Option("--verdict", help="Ratios to compare: total, or typical ones, which leave stalls out."),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table for a pull request.")] = False,
) -> None:
    """Say what became better or worse from one campaign to another: a new kernel, a new runtime, a new host.

    The exit status is a test for CI. 0: a loss as large as the margin is excluded everywhere. 20: a larger loss is
    shown somewhere. 21: neither is so, or B has lost a value that A has.
    """
    from virtometer.analysis.compared.campaigns import compare_campaigns, differing
    from virtometer.analysis.compared.environments import compare_environments
    from virtometer.cli.parts.console import PlainConsole
    from virtometer.cli.parts.exit_statuses import OF_OUTCOMES
    from virtometer.errors import UsageError
    from virtometer.report.formats import comparison
    from virtometer.report.machine.document import comparison_text
    from virtometer.runner.watch import host

    share = share_option("--margin", margin)
    by = _verdict_by(verdict, absolute=absolute)
    if json and markdown:
        raise UsageError("--json and --markdown exclude each other")
    first = _read(a)
    if b is None:
        names = [name.strip() for name in environments.split(",") if name.strip()]
        if len(names) != 2:
            raise UsageError("one campaign alone needs --in with two environments, or a second campaign")
        found = compare_environments(first, names[0], names[1], share, verdict=by)
    else:
        if environments:
            raise UsageError("--in is for the environments of one campaign; two campaigns were given")
        second = _read(b)
        found = compare_campaigns(first, second, share, absolute=absolute, verdict=by)
        found = replace(found, differing=differing(first, second, host.changed(first.host, second.host)))
    if json:
        put_document(comparison_text(found))
    elif markdown:
        put_document(comparison.markdown(found))
    else:
        PlainConsole().print(comparison.ComparisonTable(found))
    raise typer.Exit(OF_OUTCOMES[found.outcome.value])


def _verdict_by(word: str, *, absolute: bool) -> VerdictBy:
    from virtometer.errors import UsageError

    if word not in _RATIOS:
        raise UsageError(f"--verdict is {word}, but must be total or typical")
    if word == "typical" and absolute:
        raise UsageError("--verdict typical is for ratios of rounds; values (--absolute) have none")
    return _RATIOS[word]


def _read(directory: Path) -> Campaign:
    from virtometer.cli.parts.notice import notice
    from virtometer.store.ledger import Ledger

    with notice("reading the ledger ..."), Ledger.open(directory) as ledger:
        return ledger.read()
