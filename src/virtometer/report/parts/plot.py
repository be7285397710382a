"""What all plots are made of, as Vega-Lite: how they look, their rows, and the colours of environments.

Colours are CSS variables of the page, so that one picture serves light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from virtometer.report.parts import words

INK, FAINT, _GRID = "var(--ink)", "var(--soft)", "var(--line)"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
NUMBERS = ",~r"  # labels of an axis; with `g` the ticks 100, 200, 300 would become 1e+2, 2e+2, 3e+2
# Okabe and Ito's colours, which people of all kinds of colour vision tell apart, without their yellow and black.
_PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A", "#A6761D"]
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
_SHORT = 22  # characters


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot: its specification, what it shows in words, and a caption."""

    spec: dict[str, Any]
    alternative: str
    caption: str


def by_environment(names: Sequence[str], among: Sequence[str] = ()) -> tuple[alt.Color, alt.Shape]:
    """Colours and shapes of environments, with a legend above the plot.

    among: these and others, so that an environment has one colour in plots with and without the others.
    """
    order = [*dict.fromkeys([*among, *names])]
    places = [order.index(name) for name in names]
    # Four short names or two long ones fit beside each other.
    columns = 4 if max(map(len, names), default=0) <= _SHORT else 2
    legend = alt.Legend(
        title=None, orient="top", labelColor="var(--ink)", symbolOpacity=1, columns=columns, labelLimit=680 / columns
    )
    palette = [_PALETTE[place % len(_PALETTE)] for place in places]
    shapes = [_SHAPES[place % len(_SHAPES)] for place in places]
    colour = alt.Color("e:N", sort=list(names), scale=alt.Scale(domain=list(names), range=palette), legend=legend)
    return colour, alt.Shape("e:N", sort=list(names), scale=alt.Scale(domain=list(names), range=shapes), legend=legend)


def scale(middle: float, unit: str) -> tuple[float, str]:
    """Factor and name of the prefixed unit in which this value reads well: counts have a prefix here as well."""
    if unit == "s" or unit in ("B/s", "FLOP/s"):
        return words.prefixed(middle, unit)
    found = next(((size, prefix) for size, prefix in words.PREFIXES if middle >= size), (1.0, ""))
    if found[0] == 1.0:
        return 1.0, unit
    return found[0], f"{found[1]}/s" if unit == "1/s" else f"{found[1]}{unit}"


def data(values: list[dict[str, Any]]) -> alt.InlineData:
    """Rows that a plot carries with it."""
    return alt.InlineData(values=tuple(values))  # a list would be copied row by row whenever a chart is copied


def finish(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    """Common looks; width is left to the page."""
    spec: dict[str, Any] = chart.properties(
        width="container", autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
    ).to_dict(validate=False)  # takes a tenth of a second for each plot; tests draw them all
    spec.pop("$schema", None)
    # Each call of altair for a part of this would copy the whole plot.
    spec["config"] = _merged(spec.get("config", {}), _LOOKS)
    return spec


_LOOKS: dict[str, Any] = {
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": FAINT,
        "domain": False,
        "tickColor": _GRID,
        "gridColor": _GRID,
        "labelFontSize": 12,
        "labelSeparation": 6,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
    "axisY": {"grid": False, "ticks": False, "labelPadding": 8, "labelLimit": 170},
    "background": "transparent",
    "font": _FONT,
    "padding": 4,
}


def _merged(given: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Both configurations, where ours stand before those that were there."""
    return given | {
        name: {**given.get(name, {}), **value} if isinstance(value, dict) else value for name, value in ours.items()
    }
