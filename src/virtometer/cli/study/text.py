"""What `virtometer study list` and `show` print for people, as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from virtometer.cli.study.layout import filled, folded, listed
from virtometer.cli.study.machine import study_object
from virtometer.counted import counted
from virtometer.studies.data import studies
from virtometer.studies.printed import number, printed, words, words_with_unit

if TYPE_CHECKING:
    from virtometer.studies.data import Claim, Item, PublishedValue, Study
    from virtometer.studies.printed import PrintedItem, Table

_COUNTS = ("tables", "figures", "texts", "values", "claims")
_INDENT = "  "


def studies_lines(width: int) -> list[str]:
    """All studies: how many tables, figures, texts, values and claims they have, and their citations."""
    found = [study_object(study) for study in studies().values()]
    cells = [[f"{one[name]:,}" for name in _COUNTS] for one in found]
    lines = folded("study", [one["study"] for one in found], _COUNTS, cells, width)
    for study in studies().values():
        lines += ["", *study_lines(study, width)]
    return lines


def study_lines(study: Study, width: int) -> list[str]:
    """The key of a study and its citation."""
    return filled(f"{study.study}: {study.citation}", width, _INDENT)


def items_lines(study: Study, some: Iterable[Item], width: int) -> list[str]:
    """The items of a study: name, kind, title, experiments and units."""
    rows = [
        (item.item, item.kind, item.title, ", ".join(item.experiments), ", ".join(item.units))
        for item in some
    ]  # fmt: skip
    header = ("item", "kind", "title", "experiments", "units")
    return [*study_lines(study, width), "", *listed(header, rows, width, (24, 6, None, 14, 14))]


def item_lines(item: Item, width: int, *, alone: bool) -> list[str]:
    """One item: its head, then its table, its numbers, or what its figure draws.

    alone: the tables of a figure do not stand elsewhere.
    """
    found = printed(item)
    lines = [*filled(f"{item.study} {item.item}: {item.title}", width, _INDENT), *_head(found, width), ""]
    if found.table is not None:
        return [*lines, *_table(found.table, width), *_notes(found.values, item, width)]
    if found.listed:
        labels = [f"{one.row}: {one.column}" for one in found.listed]
        cells = [[_marked(one, found.listed, unit=True)] for one in found.listed]
        return [*lines, *folded("", labels, [""], cells, width)[1:], *_notes(found.values, item, width)]
    if found.drawn:
        for drawn in found.drawn:
            lines += filled(f"draws {drawn.item}: {drawn.title}", width, _INDENT)
            table = printed(drawn).table
            if alone and table is not None:
                lines += ["", *_table(table, width), *_notes(printed(drawn).values, drawn, width), ""]
        return lines if lines[-1] else lines[:-1]
    return [*lines, "The study prints the values of this figure nowhere."]


def claims_lines(some: Sequence[Claim], width: int) -> list[str]:
    """Claims as a table: id, statement, numbers, and what tests it."""
    if not some:
        return ["claims: none"]
    rows = [
        (claim.claim_id.rpartition("/")[2], claim.statement, claim_numbers(claim), tested(claim))
        for claim in some
    ]  # fmt: skip
    return [
        f"{counted(len(some), 'claim')}:",
        *listed(("id", "statement", "numbers", "tested by"), rows, width, (4, None, 16, 22)),
    ]


def claim_numbers(claim: Claim) -> str:
    """The numbers of a claim with their unit: shares in percent, all others as they are."""
    if claim.value is None:
        return ""
    share = claim.unit == "share"
    ends = [_figure(one * 100 if share else one) for one in (claim.value, claim.high) if one is not None]
    unit = "%" if share else claim.unit
    return f"{' to '.join(ends)} {'' if unit == '1' else unit}".rstrip()


def _figure(one: float) -> str:
    return f"{round(one):,}" if abs(one) >= 1000 else f"{one:.4g}"


def tested(claim: Claim) -> str:
    """The experiments that test a claim, or why it cannot be tried."""
    return ", ".join(claim.tested_by) or f"cannot be tried here: {claim.untried}"


def _head(found: PrintedItem, width: int) -> list[str]:
    """What the study says of the item as a whole, and what was added to it."""
    item = found.item
    inferred = dict.fromkeys(name for one in found.values for name in one.inferred)
    facts = {
        "": item.kind
        if item.item.endswith(item.section) and " " in item.section
        else f"{item.kind}, section {item.section}",
        "experiments": ", ".join(item.experiments),
        "conditions": item.conditions,
        "rows": item.rows if item.kind == "figure" else "",
        "columns": item.columns if item.kind == "figure" else "",
        "units": ", ".join(item.units) if item.kind == "figure" else "",
        "inferred, not stated by the study": ", ".join(inferred),
        "not available today": item.not_available,
    }
    lines = []
    for name, fact in facts.items():
        if fact:
            lines += filled(f"{name}: {fact}" if name else fact, width, _INDENT)
    return lines


def _table(table: Table, width: int) -> list[str]:
    """The table. A unit that all columns have stands in the corner, else each column has its own."""
    found = [cell for row in table.cells for cell in row if cell is not None]
    units = [column.unit for column in table.columns]
    one = units[0] if len(set(units)) == 1 else ""
    header = [
        f"{column.label} [{column.unit}]" if column.unit and not one else column.label
        for column in table.columns
    ]  # fmt: skip
    cells = [
        ["" if cell is None else _marked(cell, found, unit=not unit) for cell, unit in zip(row, units, strict=True)]
        for row in table.cells
    ]
    labels = [label or "(nothing printed)" for label in table.rows]
    return folded(one and f"[{one}]", labels, header, cells, width)


def _marked(value: PublishedValue, beside: Sequence[PublishedValue], *, unit: bool) -> str:
    """A cell in words; a restored one begins with the number of its note."""
    text = words_with_unit(value) if unit else words(value)
    sources = _sources(beside)
    return f"[{sources.index(value.restored_from) + 1}] {text}" if value.restored_from else text


def _sources(some: Iterable[PublishedValue]) -> list[str]:
    return list(dict.fromkeys(one.restored_from for one in some if one.restored_from))


def _notes(some: Sequence[PublishedValue], item: Item, width: int) -> list[str]:
    """How cells were restored, and what is legible of those that are not."""
    lines = []
    for at, source in enumerate(_sources(some), 1):
        how, _, of = source.partition(": ")
        of = of.replace(f"{item.study}/", "")
        lines += filled(f"[{at}] restored: {'equal to' if how == 'equal' else 'from'} {of}", width, _INDENT)
    legible = [
        f"{one.row}, {one.column}: {one.conditions['legible']}"
        for one in some
        if not number(one) and "legible" in one.conditions
    ]
    if legible:
        lines += filled(f"legible parts of unreadable cells: {'; '.join(legible)}", width, _INDENT)
    return ["", *lines] if lines else []
