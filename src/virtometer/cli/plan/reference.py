"""`virtometer plan reference`: what may stand in a plan, as tables for a terminal or as the page docs/PLANS.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from virtometer.cli.parts.console import PlainConsole
    from virtometer.design.reference.tables import FieldText, Section


def reference(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A workload, a kind of environment, or a part of plans (plan, environments, workloads, limits, "
            "rules); all by default.",
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page docs/PLANS.md instead.")] = False,
) -> None:
    """Show what may stand in a plan: workloads, operations, parameters, environments, settings."""
    from virtometer.cli.parts.encoding import put_document
    from virtometer.runner.campaign.here import reference_here

    found = reference_here(name)
    if markdown:
        from virtometer.design.reference.page import page

        put_document(page(found))
        return
    from virtometer.cli.parts.console import PlainConsole

    console = PlainConsole()
    for number, section in enumerate(found):
        if number:
            console.print()
        _show(section, console)


def _show(section: Section, console: PlainConsole) -> None:
    from rich.text import Text

    title = f" ({section.title})" if section.title != section.name else ""
    kind = "" if section.group == "plan" else f"{section.group} "
    console.print(Text(f"{kind}{section.name}{title}: {section.meaning}", style="bold"))
    for fact in section.facts:
        console.print(Text(fact.replace("`", "")))
    if section.operations:
        table = _table("operation", "unit", "better", "work")
        for name, one in section.operations.items():
            table.add_row(name, one.unit, one.better, one.work)
        console.print(table)
        console.print()
    if not section.entries:
        console.print(f"no {section.noun}s")
        return
    table = _table(section.noun, "values", "default", "meaning")
    for entry in section.entries:
        lines = [entry.meaning, *(f"default {other}" for other in entry.other_defaults)]
        if entry.ops not in ("", "all"):
            lines.append(f"operations: {entry.ops}")
        table.add_row(entry.name, _values(entry), entry.default, "\n".join(lines))
    console.print(table)


def _values(entry: FieldText) -> str:
    """Type and bounds in one cell. A choice is only its values."""
    if entry.type == "choice":
        return entry.allowed
    return f"{entry.type}, {entry.allowed}" if entry.allowed else entry.type


def _table(first: str, *others: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    table.add_column(first, no_wrap=True)
    for head in others:
        table.add_column(head, ratio=2 if head == "meaning" else None, max_width=24 if head != "meaning" else None)
    return table
