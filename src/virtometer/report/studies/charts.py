"""The figure of new values whose printed ones are not known, as the study drew it: bars, or lines along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.model import Estimate
from virtometer.model.plain import size_text
from virtometer.report.parts.words import significant
from virtometer.report.studies.figures import (
    LEFT,
    RIGHT,
    ROW,
    WIDTH,
    Drawing,
    Scale,
    drawing,
    picture_of,
    text_at,
)
from virtometer.studies.selectors import text_of

_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f", "#a65628", "#66a61e",
)  # fmt: skip
_PLOT_LEFT, _PLOT_HEIGHT, _TITLE, _AXIS = 74, 220, 22, 40
_ASIDE = 2.5
"""Pixels between the marks of lines at the same place, so that their intervals do not hide each other."""

_SIZES = frozenset({"block_bytes", "options.file_bytes"})
_AXES = {
    "guests": "guests", "threads_or_processes": "processes", "block_bytes": "size of a record",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Mark:
    row: str
    column: str
    x: float
    of: Estimate
    better: str

    @property
    def ends(self) -> tuple[float, float]:
        low, high = self.of.low, self.of.high
        return (self.of.value if low is None else low, self.of.value if high is None else high)


def picture(sections: Sequence[StudySection]) -> Drawing | None:
    """The figure of some items: that of a chart, or the printed and the new cells. None where there is too little."""
    chart = sections[0].chart if len(sections) == 1 else None
    return drawing(sections) if chart is None else _chart(sections[0])


def _chart(section: StudySection) -> Drawing | None:
    """The filled cells of a chart, a panel for each unit of lines, or for each column of bars."""
    of = section.chart
    panels: dict[str, list[_Mark]] = {}
    for row, cells in zip(section.rows, section.cells, strict=True):
        for column, cell in zip(section.columns, cells, strict=True):
            if of is not None and cell is not None and cell.value is not None:
                unit = cell.published.unit_printed
                title = unit if of.along else f"{column.label} [{unit}]"
                panels.setdefault(title, []).append(_mark(cell, row, column.label, of.along))
    if of is None or not panels:
        return None
    parts: list[str] = []
    y = 0.0
    for title, marks in panels.items():
        y = _lines(parts, marks, title, of.along, y) if of.along else _bars(parts, marks, title, of.drawn, y)
    count = sum(len(marks) for marks in panels.values())
    order = " The best stand first." if of.drawn == "best first" else ""
    return Drawing(
        picture_of(parts, y),
        f"{count} values measured here; the study prints none of them",
        f"New values with their 95 % intervals.{order} The study prints the values of this figure nowhere.",
    )


def _mark(cell: StudyCell, row: str, column: str, along: str) -> _Mark:
    assert cell.value is not None
    x = float(text_of(cell.published, along)) if along else 0.0
    return _Mark(row, column, x, cell.value.estimate, cell.published.better)


def _bars(parts: list[str], marks: Sequence[_Mark], title: str, drawn: str, top: float) -> float:
    """A panel of bars, one for each row; returns where the next panel begins."""
    if drawn == "best first":
        marks = sorted(marks, key=lambda one: one.of.value if one.better == "lower" else -one.of.value)
    scale = Scale(0.0, max(one.ends[1] for one in marks) or 1.0, logarithmic=False)
    bottom = top + _TITLE + ROW * len(marks)
    parts.append(text_at(4, top + 15, title, weight="600"))
    for tick in scale.ticks():
        x = scale.at(tick)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{top + _TITLE}" y2="{bottom}" class="g"/>')
        parts.append(text_at(x, bottom + 13, significant(tick, 2), anchor="middle"))
    for at, one in enumerate(marks):
        y = top + _TITLE + ROW * at
        parts.append(text_at(LEFT - 8, y + 12, one.row, anchor="end"))
        width = scale.at(one.of.value) - LEFT
        parts.append(
            f'<rect x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="{ROW - 6}" fill="{_COLOURS[0]}" class="b"/>'
        )
        if one.of.low is not None:
            low, high = (scale.at(end) for end in one.ends)
            parts.append(_whisker(low, y + ROW / 2, high, y + ROW / 2, "var(--ink)"))
    return bottom + 24


def _lines(parts: list[str], marks: Sequence[_Mark], unit: str, along: str, top: float) -> float:
    """A panel of lines along an axis, with their names below; returns where the next panel begins."""
    xs = sorted({one.x for one in marks})
    across = Scale(xs[0], xs[-1], xs[0] > 0 and xs[-1] / xs[0] >= 8, _PLOT_LEFT + 10, WIDTH - RIGHT - 10)
    low, high = min(one.ends[0] for one in marks), max(one.ends[1] for one in marks)
    logarithmic = low > 0 and high / low > 8
    bottom = top + _TITLE + _PLOT_HEIGHT
    up = Scale(low if logarithmic else min(0.0, low), high, logarithmic, bottom, top + _TITLE)
    parts.append(text_at(4, top + 14, f"{unit}{', logarithmic' if logarithmic else ''}", weight="600"))
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(f'<line x1="{_PLOT_LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" class="g"/>')
        parts.append(text_at(_PLOT_LEFT - 6, y + 4, significant(tick, 2), anchor="end"))
    for x in xs:
        label = size_text(int(x)) if along in _SIZES else f"{x:g}"
        parts.append(text_at(across.at(x), bottom + 16, label, anchor="middle"))
    parts.append(text_at((_PLOT_LEFT + WIDTH - RIGHT) / 2, bottom + 31, _AXES[along], anchor="middle", soft=True))
    y = bottom + _AXIS
    series = _series(marks)
    for at, (name, some) in enumerate(series.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        aside = _ASIDE * (at - (len(series) - 1) / 2)
        places = [(round(across.at(one.x) + aside, 1), up.at(one.of.value)) for one in some]
        path = " ".join(f"{x},{y_of}" for x, y_of in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for one, (x, y_of) in zip(some, places, strict=True):
            if one.of.low is not None:
                parts.append(_whisker(x, up.at(one.ends[0]), x, up.at(one.ends[1]), colour))
            parts.append(f'<circle cx="{x}" cy="{y_of}" r="3" fill="{colour}" class="l"/>')
        x = _PLOT_LEFT + (at % 2) * (WIDTH - _PLOT_LEFT) / 2
        parts.append(f'<line x1="{x}" x2="{x + 18}" y1="{y + 8}" y2="{y + 8}" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(text_at(x + 24, y + 12, name))
        y += 16 * (at % 2)
    return y + 26


def _series(marks: Sequence[_Mark]) -> dict[str, list[_Mark]]:
    """The lines by their names: the rows where x changes within a row, else the columns."""
    rows = {one.row: {other.x for other in marks if other.row == one.row} for one in marks}
    by_row = any(len(xs) > 1 for xs in rows.values())
    found: dict[str, list[_Mark]] = {}
    for one in sorted(marks, key=lambda mark: mark.x):
        found.setdefault(one.row if by_row else one.column, []).append(one)
    names = list(dict.fromkeys(one.row if by_row else one.column for one in marks))
    return {name: found[name] for name in names}


def _whisker(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}" stroke="{colour}" stroke-width="1.4" class="w"/>'
