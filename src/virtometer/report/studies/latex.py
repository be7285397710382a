"""A study as a LaTeX document with booktabs, and its figures as PDF files beside it.

It needs what texlive-latex-recommended has. Text from the data is escaped; letters that the fonts lack become `?`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.results import StudyResults
from virtometer.report.studies import words
from virtometer.report.studies.answers import blocks
from virtometer.report.studies.charts import picture
from virtometer.report.studies.claims import claim_rows, claims_counted
from virtometer.report.studies.figures import plain
from virtometer.report.studies.groups import groups_table

_COLUMNS = 5
"""Columns of numbers that fit beside their labels; further ones follow in a table below."""

_PAGE_CM, _LABELS_CM, _GAP_CM, _WIDEST_CM = 17.0, 3.5, 0.43, 5.0

_ESCAPED = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "±": r"\ensuremath{\pm}", "×": r"\ensuremath{\times}",
    "[": "{[}", "]": "{]}",
    "µ": r"\ensuremath{\mu}", "–": "--", "…": r"\ldots{}", "−": r"\ensuremath{-}", "→": r"\ensuremath{\to}",
}  # fmt: skip
_KNOWN = re.compile(r"[ -~\u00a1-\u017f]")

_BEGIN = r"""\documentclass[a4paper,10pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=2cm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{graphicx}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\sloppy
\begin{document}
"""


def escaped(text: str) -> str:
    """Text as LaTeX prints it: every special character is itself."""
    return "".join(_ESCAPED.get(one) or (one if _KNOWN.match(one) else "?") for one in text)


def figures(found: StudyResults) -> Mapping[str, str]:
    """The pictures of the study as SVG with plain colours, by the name of their file without its ending."""
    drawn = {name for one in found.sections for name in one.drawn}
    by_name = {one.item.item: one for one in found.sections}
    made = {}
    for one in found.sections:
        if one.item.kind != "text" and one.item.item not in drawn:
            figure = picture([by_name[name] for name in one.drawn] or [one])
            if figure is not None:
                made[_file_name(one.item.item)] = plain(figure.svg)
    return made


def document(found: StudyResults, folder: str) -> str:
    """The document. folder: where its figures lie, from the document; empty: it has none."""
    pictures = figures(found) if folder else {}
    parts = [
        _BEGIN,
        rf"\section*{{{escaped(found.study.study)}: {escaped(found.of.question)}}}",
        escaped(found.study.citation),
        "",
        escaped(words.filled_words(found)),
        *_answers(found),
        rf"\subsection*{{Claims}}{escaped(' '.join(claims_counted(found)))}",
        _claims(found),
        *_experiments(found),
        r"\subsection*{How to read the tables}",
        *(rf"\textbf{{{escaped(name)}}}: {escaped(text)}.\\" for name, text in words.LEGEND),
    ]
    for one in found.sections:
        parts += _section(one, found, folder, pictures)
    return "\n".join([*parts, r"\end{document}", ""])


def _experiments(found: StudyResults) -> list[str]:
    if not found.experiments:
        return []
    rows = [rf"\textbf{{{escaped(name)}}}: {escaped(state)}.\\" for name, state in found.experiments]
    return [r"\subsection*{Experiments}", *rows]


def _answers(found: StudyResults) -> list[str]:
    parts = []
    for block in blocks(found):
        if block.question:
            parts.append(rf"\subsection*{{{escaped(block.question)}}}")
            parts.append(rf"\textbf{{The study}}: {escaped(block.published)}\\")
        parts += [escaped(sentence) + "\n" for sentence in block.sentences]
        for table in block.tables:
            parts.append(escaped(table.caption))
            parts.append(_table(_widths(len(table.heads)), table.heads, table.rows))
    return parts


def _widths(columns: int) -> list[float]:
    """A wide column, and others that share the rest of the page."""
    first = 4.2 if columns < 6 else 2.8
    return [first, *[(_PAGE_CM - first - _GAP_CM * (columns - 1)) / (columns - 1)] * (columns - 1)]


def _claims(found: StudyResults) -> str:
    campaigns = bool(found.campaigns)
    heads = ["id", "statement", "by the printed cells", *(["here"] if campaigns else [])]
    rows = [[*row[:3], *([row[3]] if campaigns else [])] for row in claim_rows(found)]
    return _table((1, 6.5, 4, 4)[: len(heads)], heads, rows)


def _section(one: StudySection, found: StudyResults, folder: str, pictures: Mapping[str, str]) -> list[str]:
    parts = [rf"\subsection*{{{escaped(one.item.item)}: {escaped(one.item.title)}}}"]
    if one.item.conditions:
        parts.append(escaped(one.item.conditions) + r"\\")
    shown = words.shown(one)
    unit, labels = words.header(shown)
    for at in range(0, len(labels), _COLUMNS):
        parts.append(_cells(shown, unit, labels, slice(at, at + _COLUMNS)))
    groups = groups_table(one, campaigns=bool(found.campaigns))
    if groups is not None:
        parts += [escaped(groups.caption), _table(_widths(len(groups.heads)), groups.heads, groups.rows)]
    parts.append(escaped(words.nowhere_words(one, campaigns=bool(found.campaigns))))
    if one.drawn:
        parts.append(f"Draws {escaped(', '.join(one.drawn))}." + r"\\")
    name = _file_name(one.item.item)
    if name in pictures:
        height = "height=0.8\\textheight,keepaspectratio"
        parts.append(rf"\includegraphics[width=0.8\textwidth,{height}]{{{folder}/{name}.pdf}}" + "\n")
    said = [
        words.environments_words(one),
        words.short_words(one, found),
        f"Not available today: {one.item.not_available}." if one.item.not_available else "",
        *found.remarks[one.item.item],
        *words.reasons_words(one, campaigns=bool(found.campaigns)),
    ]
    return [*parts, *(escaped(text) + "\n" for text in said if text)]


def _cells(one: StudySection, unit: str, labels: Sequence[str], some: slice) -> str:
    """Rows and columns as printed; each printed row has a line for all that is said of its cells."""
    rows: list[list[str]] = []
    of_rows, of_cells = words.marks(one)
    for label, cells, of_row, marks in zip(one.rows, one.cells, of_rows, of_cells, strict=True):
        texts = [
            words.lines_of(cell, unit=not column.unit)
            for cell, column in zip(cells[some], one.columns[some], strict=True)
        ]
        for what in words.LINES:
            line = [text.get(what, "") for text in texts]
            if what == words.PRINTED:
                of = [words.marked(text, mark) for text, mark in zip(line, marks[some], strict=True)]
                rows.append([words.marked(label, of_row), *of])
            elif any(line):
                rows.append([f"    {what}", *line])
    heads = [unit and f"[{unit}]", *labels[some]]
    count = len(heads) - 1
    width = (_PAGE_CM - _LABELS_CM - _GAP_CM * count) / count
    return _table((_LABELS_CM, *([min(width, _WIDEST_CM)] * count)), heads, rows)


def _table(widths: Sequence[float], heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of these widths, cm."""
    shape = "".join(rf">{{\raggedright\arraybackslash}}p{{{width:.2f}cm}}" for width in widths)
    lines = [_row(row) for row in rows]
    return "\n".join(
        [
            rf"{{\footnotesize\begin{{longtable}}{{@{{}}{shape}@{{}}}}",
            r"\toprule",
            _row(heads),
            r"\midrule\endhead",
            *lines,
            r"\bottomrule",
            r"\end{longtable}}",
        ]
    )


def _row(texts: Sequence[str]) -> str:
    indented = [rf"\quad {escaped(text.strip())}" if text.startswith("    ") else escaped(text) for text in texts]
    return " & ".join(indented) + r" \\"


def _file_name(item: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", item).strip("-").lower()
