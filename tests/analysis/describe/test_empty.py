"""Efficiency without the start of an empty program."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from tests.analysis.simulated_campaigns import Place, Work, changed, gaussian, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.describe.empty import MEASURE, WithoutEmpty
from virtometer.model import Campaign, Run

ASKED = {"relative_to_empty": True}
LONG = Work("long", "command", "time", "s", 0.02, parameters=ASKED)
NATIVE, BOX = Place("native"), Place("box", "runc", {"": 0.5})
EMPTY_S = {"native": 0.001, "box": 0.012}


def measured(empty_s: dict[str, float], *works: Work) -> Campaign:
    def with_empty(run: Run) -> Run:
        took_s = empty_s.get(run.placement.environment)
        return run if took_s is None else changed(run, measures={MEASURE: {"unit": "s", "value": took_s}})

    return with_runs(simulate([NATIVE, BOX], works, noise=gaussian(0.02)), with_empty)


def test_the_empty_program_is_taken_from_both_sides_of_each_block() -> None:
    analysis = analyse(measured(EMPTY_S, LONG))
    ((key, found),) = analysis.without_empty.items()
    assert key == ("long", "box")
    assert found.ratio is not None and found.why == ""
    native, box = (analysis.treatments["long", place].values for place in ("native", "box"))
    rate = 1.0001  # of the simulated clocks
    logs = [math.log((native[one] - 0.001 * rate) / (box[one] - 0.012 * rate)) for one in range(8)]
    bounds = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    of = found.ratio.estimate
    assert (of.value, of.low, of.high) == pytest.approx(
        (math.exp(sum(logs) / 8), math.exp(bounds.low), math.exp(bounds.high))
    )
    assert (found.ratio.subject, found.ratio.reference, found.ratio.better) == ("box", "native", "higher")


@pytest.mark.parametrize(
    ("empty_s", "where"),
    [
        ({"native": 0.001, "box": 0.039}, "box"),  # of about 40 ms
        ({"native": 0.0195, "box": 0.001}, "native"),
        ({"native": 0.5, "box": 0.001}, "native"),
        ({"native": 0.001}, "box"),
        ({"native": 0.0, "box": 0.001}, "native"),
        ({}, "box"),
    ],
)
def test_a_command_that_is_not_clearly_longer_has_no_ratio(empty_s: dict[str, float], where: str) -> None:
    found = analyse(measured(empty_s, LONG)).without_empty["long", "box"]
    assert found.ratio is None and found.why.endswith(where)


def test_it_is_asked_for_each_command() -> None:
    other = Work("other", "command", "time", "s", 0.02)
    none: dict[tuple[str, str], WithoutEmpty] = {}
    assert analyse(measured(EMPTY_S, other)).without_empty == none
    assert {name for name, _ in analyse(measured(EMPTY_S, other, LONG, Work())).without_empty} == {"long"}
