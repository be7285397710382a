"""Cells of figures whose values are printed nowhere: how they are described, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.studies.charts import Chart, misplaced

GOOD: dict[str, Any] = {
    "item": "F5.13",
    "drawn": "lines",
    "along": "guests",
    "cells": {
        "workload": "disk",
        "metric": "throughput",
        "unit_printed": "MB/s",
        "member": "sum",
        "block_bytes": "32K",
    },
    "rows": [
        {"label": "alone", "set": {"guests": 1, "member": "single"}},
        {"label": "{} at once", "of": {"guests": [2, 3]}},
    ],
    "columns": [
        {"label": "rate", "set": {"options.file_bytes": "10M"}},
        {"label": "time", "set": {"metric": "time", "unit_printed": "ms"}},
    ],
}


def test_each_level_is_a_row_and_rows_change_what_columns_have() -> None:
    cells = Chart.model_validate(GOOD).values("some2000")
    assert [one.row for one in cells[::2]] == ["alone", "2 at once", "3 at once"]
    assert [(one.guests, one.member) for one in cells[::2]] == [(1, "single"), (2, "sum"), (3, "sum")]
    assert [one.id for one in cells[:3]] == ["some2000/F5.13/r1c1", "some2000/F5.13/r1c2", "some2000/F5.13/r2c1"]
    assert cells[3].place == (2, 2)


def test_a_cell_has_sizes_as_numbers_units_directions_and_no_value() -> None:
    rate, time = Chart.model_validate(GOOD).values("some2000")[:2]
    assert (rate.block_bytes, rate.options) == ((32 << 10,), {"file_bytes": 10 << 20})
    assert (rate.unit, rate.better, time.unit, time.better) == ("B/s", "higher", "s", "lower")
    assert (rate.value, rate.printed, rate.status, rate.system) == (None, "", "nowhere", "linux")
    use = {**GOOD, "cells": {**GOOD["cells"], "metric": "cpu use", "unit_printed": "%"}}
    assert Chart.model_validate(use).values("some2000")[0].better == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cells": {**GOOD["cells"], "colour": "red"}}, "colour"),
        ({"rows": [{"label": "a", "of": {"height": [1]}}]}, "height"),
        ({"cells": {**GOOD["cells"], "value": 3}}, "value"),
        ({"rows": [{"label": "a", "set": {"guests": "many"}}]}, "many"),
        ({"rows": [{"label": "a", "set": {"unit_printed": "furlong"}}]}, "furlong"),
        ({"rows": [{"label": "a", "set": {"metric": ""}}]}, "metric"),
        ({"along": ""}, "along"),
        ({"drawn": "bars"}, "along"),
        ({"rows": []}, "rows"),
        ({"unavailable": "so it is"}, "rows"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_no_cell_can_have_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Chart.model_validate({**GOOD, **change})


@pytest.mark.parametrize(
    ("study", "item", "right"),
    [
        ("zupka2008", "F5.13", True),
        ("zupka2008", "F4.3", False),  # a listing with values
        ("zupka2008", "F5.15/lmdd", False),
        ("tsiouprou2010", "F5.1", False),  # draws printed tables
        ("zupka2008", "F9.9", False),
        ("nobody2000", "F5.13", False),
    ],
)
def test_only_figures_without_printed_values_are_charts(study: str, item: str, right: bool) -> None:
    chart = Chart.model_validate({**GOOD, "item": item})
    assert (misplaced(study, chart) == "") is right
