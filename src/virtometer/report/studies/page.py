"""The page of a study: one file that needs nothing else, without any script."""

from __future__ import annotations

from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.analysis.studies.results import StudyResults
from virtometer.report.studies import words
from virtometer.report.studies.answers import blocks
from virtometer.report.studies.charts import picture
from virtometer.report.studies.claims import claim_rows, claims_counted
from virtometer.report.studies.figures import Drawing
from virtometer.report.studies.groups import groups_table
from virtometer.studies.printed import Column
from virtometer.visible import visible

_TEXTS = "in words"


def page(found: StudyResults) -> str:
    """Make the page."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True, finalize=_shown
    )
    return environment.from_string(_resource("study.html.jinja")).render(_context(found))


def _shown(value: object) -> object:
    return visible(value, keep="\n\t") if isinstance(value, str) and not isinstance(value, Markup) else value


def _context(found: StudyResults) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = {}
    in_figures = {name for one in found.sections for name in one.drawn}
    by_name = {one.item.item: one for one in found.sections}
    for at, one in enumerate(found.sections):
        group = _TEXTS if one.item.kind == "text" else ", ".join(one.item.experiments) or "without an experiment"
        figure = None if one.item.item in in_figures or one.item.kind == "text" else picture(_drawn(one, by_name))
        shown = bool(sum(drawn.filled for drawn in _drawn(one, by_name))) or not found.campaigns
        groups.setdefault(group, []).append(_item(one, f"i{at}", figure, found) | {"open": shown})
    texts = groups.pop(_TEXTS, [])
    return {
        "css": Markup(_resource("page.css")),
        "study": found.study,
        "question": found.of.question,
        "filled": words.filled_words(found),
        "answers": blocks(found),
        "campaigns": bool(found.campaigns),
        "claims": claim_rows(found),
        "claims_counted": claims_counted(found),
        "experiments": found.experiments,
        "legend": words.LEGEND,
        "groups": [(f"g{at}", name, some) for at, (name, some) in enumerate([*groups.items(), *_named(texts)])],
    }


def _named(texts: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(_TEXTS, texts)] if texts else []


def _drawn(one: StudySection, by_name: dict[str, StudySection]) -> list[StudySection]:
    """The items whose cells a figure shows: those that it draws, or itself."""
    return [by_name[name] for name in one.drawn] or [one]


def _item(one: StudySection, identity: str, figure: Drawing | None, found: StudyResults) -> dict[str, Any]:
    shown = words.shown(one)
    unit, labels = words.header(shown)
    of_rows, of_cells = words.marks(shown)
    return {
        "id": identity,
        "title": f"{one.item.item}: {one.item.title}" if one.item.kind != "text" else f"{one.item.item}",
        "count": f"{one.filled} of {len(one.all_cells)} cells" if found.campaigns and one.all_cells else "",
        "about": "; ".join(
            part
            for part in (
                one.item.kind,
                f"section {one.item.section}" if one.item.section not in one.item.item else "",
                one.item.conditions,
            )
            if part
        ),
        "unit": unit,
        "columns": labels,
        "rows": [
            (words.marked(label, of_row), [_cell(*one) for one in zip(row, shown.columns, marks, strict=True)])
            for label, row, of_row, marks in zip(shown.rows, shown.cells, of_rows, of_cells, strict=True)
        ],
        "groups": groups_table(shown, campaigns=bool(found.campaigns)),
        "figure": None if figure is None else (Markup(figure.svg), figure.alternative, figure.caption),
        "drawn": one.drawn,
        "nowhere": words.nowhere_words(one, campaigns=bool(found.campaigns)),
        "plain_columns": [column.label for column in shown.columns],
        "host_cpu": words.HOST_CPU if one.has_cpus else "",
        "charted": one.chart is not None,
        "sentences": [
            text
            for text in (
                words.environments_words(one),
                words.short_words(one, found),
                f"Not available today: {one.item.not_available}." if one.item.not_available else "",
            )
            if text
        ],
        "remarks": [*found.remarks[one.item.item], *words.reasons_words(one, campaigns=bool(found.campaigns))],
    }


def _cell(cell: StudyCell | None, column: Column, mark: str) -> dict[str, str]:
    """What is said of a cell, with the letter of its group as `mark`; empty for none."""
    found = words.lines_of(cell, unit=not column.unit)
    return {**found, "mark": mark} if found and mark else found


def _resource(name: str) -> str:
    return resources.files("virtometer.report").joinpath(name).read_text(encoding="utf-8")
