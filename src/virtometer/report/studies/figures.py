"""The figure of a table as SVG: printed values hollow, new ones filled with their intervals.

It needs no script and takes no time, unlike a picture by Vega: a study has some fifty of them. Colours are CSS
variables of the page; `plain` has them as colours, for other formats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.report.parts.words import significant
from virtometer.studies.units import unit_and_factor

WIDTH, LEFT, RIGHT, ROW, _HEAD, _AXIS = 640, 230, 24, 17, 20, 34
"""Pixels: of a picture, of its labels, of its right edge, of a row."""

_SPACE, _FONT = "http://www.w3.org/2000/svg", "system-ui, Arial, DejaVu Sans, sans-serif"
_FONT_OF_PRINT = "Liberation Sans, sans-serif"
_STYLE = (
    ".g{stroke:var(--line);stroke-width:1}.p{fill:var(--card);stroke:var(--soft);stroke-width:1.6}"
    ".n{fill:var(--accent);stroke:var(--accent)}.i{stroke:var(--accent);stroke-width:2.5}"
)
_MOST_LABEL = 36
_COLOURS = {"--ink": "#1d2328", "--soft": "#5b6670", "--line": "#dfe3e6", "--accent": "#2f6fb3", "--card": "#ffffff"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, what it shows in words, and its caption."""

    svg: str
    alternative: str
    caption: str


@dataclass(frozen=True, slots=True)
class _Dot:
    row: str
    column: str
    printed: float | None
    cell: StudyCell


def drawing(sections: Sequence[StudySection]) -> Drawing | None:
    """The figure of the cells of some items in the unit that most of them have; None where there are too few."""
    dots = [
        _Dot(row, column.label, _number(cell), cell)
        for one in sections
        for row, cells in zip(one.rows, one.cells, strict=True)
        for column, cell in zip(one.columns, cells, strict=True)
        if cell is not None
    ]
    if any(one.cell.published.better for one in dots):  # beside results, settings and sizes are not drawn
        dots = [one for one in dots if one.cell.published.better]
    units = [one.cell.published.unit_printed for one in dots]
    unit = max(units, key=units.count, default="")
    dots = [one for one in dots if one.cell.published.unit_printed == unit and _numbers(one)]
    if len(dots) < 2:
        return None
    numbers = [number for one in dots for number in _numbers(one)]
    low, high = min(numbers), max(numbers)
    logarithmic = low > 0 and high / low > 8
    scale = Scale(low if logarithmic else min(0.0, low), high, logarithmic)
    rows = list(dict.fromkeys(one.row for one in dots))
    measured = sum(one.cell.value is not None for one in dots)
    return Drawing(
        _svg(dots, rows, scale, unit),
        f"{len(dots)} printed values, from {significant(low)} to {significant(high)} {unit}; {measured} measured here",
        f"In {unit}{', logarithmic' if logarithmic else ''}. Hollow: printed."
        + (" Filled, with its 95 % interval: here. The machines differ: only the order counts." if measured else ""),
    )


def plain(svg: str) -> str:
    """The picture with colours in place of variables and one font, for what is no page.

    vl_convert brings this font along, and embeds it eight times as fast as DejaVu Sans.
    """
    return re.sub(r"var\((--[a-z]+)\)", lambda found: _COLOURS[found[1]], svg).replace(_FONT, _FONT_OF_PRINT)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where numbers from low to high lie, from the pixel `first` to `last`."""

    low: float
    high: float
    logarithmic: bool
    first: float = LEFT
    last: float = WIDTH - RIGHT

    def at(self, number: float) -> float:
        """The pixel of a number."""
        low, high, of = self.low, self.high, number
        if self.logarithmic:
            low, high, of = math.log(low), math.log(high), math.log(number)
        share = (of - low) / (high - low) if high > low else 0.5
        return round(self.first + share * (self.last - self.first), 1)

    def ticks(self) -> list[float]:
        """Powers of ten with their halves and fifths, or five round steps."""
        if not self.logarithmic:
            raw = (self.high - self.low) / 4 or 1.0
            size = 10 ** math.floor(math.log10(raw))
            step = next(size * of for of in (1, 2, 4, 5, 10) if size * of >= raw)
            first = math.ceil(self.low / step)
            return [step * at for at in range(first, first + 6) if step * at <= self.high]
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        few = len(decades) <= 3
        found = [of * 10.0**at for at in decades for of in ((1, 2, 5) if few else (1,))]
        some = [one for one in found if self.low <= one <= self.high]
        return some[:: max(1, math.ceil(len(some) / 7))]


def _svg(dots: Sequence[_Dot], rows: Sequence[str], scale: Scale, unit: str) -> str:
    parts: list[str] = []
    y = 4
    for row in rows:
        mine = [one for one in dots if one.row == row]
        several = len(mine) > 1 or mine[0].column != row
        parts.append(text_at(4, y + 13, row, weight="600"))
        y += _HEAD if several else 0
        for one in mine:
            middle = y + ROW / 2
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{middle}" y2="{middle}" class="g"/>')
            if several:
                parts.append(text_at(LEFT - 10, middle + 4, one.column, anchor="end"))
            parts += _marks(one, scale, middle)
            y += ROW
        y += 6
    bottom = y
    for tick in scale.ticks():
        x = scale.at(tick)
        parts.insert(0, f'<line x1="{x}" x2="{x}" y1="0" y2="{bottom}" class="g"/>')
        parts.append(text_at(x, bottom + 14, significant(tick, 2), anchor="middle"))
    parts.append(text_at((LEFT + WIDTH - RIGHT) / 2, bottom + 29, unit, anchor="middle", soft=True))
    return picture_of(parts, bottom + _AXIS)


def picture_of(parts: Sequence[str], height: float) -> str:
    """The whole SVG of its parts."""
    head = f'<svg xmlns="{_SPACE}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return f'{head} font-family="{_FONT}" font-size="11"><style>{_STYLE}</style>{"".join(parts)}</svg>'


def _marks(one: _Dot, scale: Scale, y: float) -> list[str]:
    parts = []
    if one.printed is not None:
        parts.append(f'<circle cx="{scale.at(one.printed)}" cy="{y}" r="4" class="p"/>')
    if one.cell.value is not None:
        of = one.cell.value.estimate
        if of.low is not None and of.high is not None:
            parts.append(f'<line x1="{scale.at(of.low)}" x2="{scale.at(of.high)}" y1="{y}" y2="{y}" class="i"/>')
        parts.append(f'<circle cx="{scale.at(of.value)}" cy="{y}" r="3.4" class="n"/>')
    return parts


def text_at(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "", soft: bool = False) -> str:
    """A text with its base line at y; a long one is cut, but for a bold one."""
    shown = text if len(text) <= _MOST_LABEL or weight else f"{text[: _MOST_LABEL - 1]}…"
    bold = f' font-weight="{weight}"' if weight else ""
    colour = "--soft" if soft else "--ink"
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="var({colour})"{bold}>{escape(shown)}</text>'


def _number(cell: StudyCell) -> float | None:
    """The printed number, in the printed unit."""
    value = cell.published
    if value.value is None:
        return None
    return value.value / float(unit_and_factor(value.unit_printed, value.workload, value.metric)[1])


def _numbers(one: _Dot) -> list[float]:
    """All numbers that are drawn of a cell."""
    of = None if one.cell.value is None else one.cell.value.estimate
    found = (one.printed, *((of.value, of.low, of.high) if of is not None else ()))
    return [number for number in found if number is not None and number > 0]
