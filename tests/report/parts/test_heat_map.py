"""Heat maps: scales of colours, and text that can be read on them."""

from __future__ import annotations

from typing import Any

import altair as alt
import pytest

from virtometer.report.parts.heat_map import Colours, heat_map


@pytest.mark.parametrize(("high", "log"), [(7.9, False), (8.1, True)])
def test_values_that_differ_much_have_logarithmic_colours(high: float, log: bool) -> None:
    assert Colours(1.0, high).log is log


def test_text_is_light_on_the_dark_half_of_the_scale() -> None:
    linear, logarithmic = Colours(1.0, 5.0), Colours(1.0, 100.0)
    assert [linear.dark(value) for value in (1.0, 3.0, 3.4, 5.0)] == [False, False, True, True]
    assert [logarithmic.dark(value) for value in (1.0, 10.0, 20.0)] == [False, False, True]
    assert not Colours(2.0, 2.0).dark(2.0)


def test_each_cell_has_its_text_and_only_those_with_values_a_colour() -> None:
    cells: list[dict[str, Any]] = [
        {"x": "a", "y": "b", "v": 1.0, "t": "1", "dark": False},
        {"x": "a", "y": "c", "v": None, "t": "", "dark": False},
    ]
    made = heat_map(cells, alt.X("x:N"), alt.Y("y:N"), "s", Colours(1.0, 2.0), ["t:N"], step=30).to_dict()
    rect, text = made["layer"]
    assert rect["mark"]["type"] == "rect" and rect["transform"] == [{"filter": "datum.v != null"}]
    assert rect["encoding"]["color"]["scale"]["domain"] == [1.0, 2.0]
    assert text["encoding"]["text"]["field"] == "t"
