"""Values over two axes as colours, with each value written into its cell."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from virtometer.report.parts.plot import data

_TIMES = 8  # between the largest and the smallest value, from which on colours are logarithmic
_DARK = 0.55  # of the scale, from which on text is white


class Colours:
    """The scale of colours from `low` to `high`, which several heat maps may share."""

    def __init__(self, low: float, high: float) -> None:
        """Logarithmic where the values differ much."""
        self.low, self.high = low, high
        self.log = high / low > _TIMES

    def dark(self, value: float) -> bool:
        """Whether text on the colour of a value must be light."""
        if self.high <= self.low:
            return False
        at = (value - self.low) / (self.high - self.low)
        if self.log:
            at = math.log(value / self.low) / math.log(self.high / self.low)
        return at > _DARK


def heat_map(
    cells: list[dict[str, Any]], x: alt.X, y: alt.Y, title: str, colours: Colours, tooltip: list[str], *, step: int
) -> alt.LayerChart | alt.FacetChart:
    """The layers. title: of the legend. step: pixels of a row.

    cells: rows with the value `v` (None: no colour), the text `t`, whether this is on a `dark` colour, and what x, y
    and the tooltip name.
    """
    colour = alt.Color(
        "v:Q",
        scale=alt.Scale(
            type="log" if colours.log else "linear", scheme="viridis", domain=[colours.low, colours.high], reverse=True
        ),
        legend=alt.Legend(
            title=title, format=",.3~r", labelColor="var(--ink)", titleColor="var(--soft)", gradientLength=100
        ),
    )
    base = alt.Chart(data(cells), height=alt.Step(step))
    return alt.layer(
        base.transform_filter("datum.v != null").mark_rect(aria=False).encode(x=x, y=y, color=colour, tooltip=tooltip),
        base.mark_text(fontSize=11, aria=False).encode(
            x=x, y=y, text="t:N", color=alt.condition("datum.dark", alt.value("white"), alt.value("black"))
        ),
    )
