"""What is said of a study on a terminal, as tables of texts; the terminal lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.results import StudyResults
from virtometer.report.studies import words
from virtometer.report.studies.claims import claims_counted


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts: the corner, the labels of its columns and rows, and its cells, shaped rows x columns."""

    corner: str
    columns: Sequence[str]
    rows: Sequence[str]
    cells: Sequence[Sequence[str]]


def head(found: StudyResults) -> list[str]:
    """The paragraphs before the answers."""
    return [
        f"{found.study.study}: {found.of.question}",
        found.study.citation,
        words.filled_words(found),
        *claims_counted(found),
    ]


def grid(section: StudySection) -> Grid | None:
    """The cells of an item, a line for each thing that is said of a row; None where it has no rows to show."""
    section = words.shown(section)
    if not section.rows:
        return None
    unit, labels = words.header(section)
    rows, cells = [], []
    of_rows, of_cells = words.marks(section)
    for label, row, of_row, marks in zip(section.rows, section.cells, of_rows, of_cells, strict=True):
        texts = [words.lines_of(cell, unit=not column.unit) for cell, column in zip(row, section.columns, strict=True)]
        for what in words.LINES:
            line = [text.get(what, "") for text in texts]
            if what == words.PRINTED:
                rows.append(words.marked(label, of_row))
                cells.append([words.marked(text, mark) for text, mark in zip(line, marks, strict=True)])
            elif any(line):
                rows.append(f"  {what}")
                cells.append(line)
    return Grid(unit and f"[{unit}]", labels, rows, cells)


def notes(section: StudySection, found: StudyResults) -> list[str]:
    """The sentences below the cells."""
    said = [
        f"Draws {', '.join(section.drawn)}." if section.drawn else "",
        words.nowhere_words(section, campaigns=bool(found.campaigns)),
        words.environments_words(section),
        words.short_words(section, found),
        *found.remarks[section.item.item],
        *words.reasons_words(section, campaigns=bool(found.campaigns)),
    ]
    return [text for text in said if text]
