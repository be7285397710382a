"""What a finding says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from virtometer.model import Estimate, Finding, Quantity, Verdict


def finding(*unlike: str) -> Finding:
    value = Quantity("box", "bandwidth", "B/s", "higher", "geometric mean", None)
    ratio = Quantity("box", "efficiency", "", "higher", "geometric mean", None, "native")
    return Finding(workload="w", op="triad", value=value, ratio=ratio, verdict=Verdict.UNDECIDED, unlike=unlike)


def test_comparable_is_where_no_condition_differs() -> None:
    assert finding().comparable
    assert not finding("io").comparable
    assert not finding("io", "threads").comparable


def test_findings_without_notes_and_levels_share_none() -> None:
    one, two = finding(), finding()
    assert (one.notes, dict(one.levels)) == ((), {})
    assert one.levels is not two.levels


def test_an_interval_is_one_of_95_percent_where_nothing_else_is_said() -> None:
    assert Estimate(1.0, 0.9, 1.1, 8).level == 0.95


@pytest.mark.parametrize(("low", "high", "excluded"), [(0.9, 1.1, False), (1.01, 1.1, True), (None, None, False)])
def test_only_an_interval_excludes_a_value(low: float | None, high: float | None, excluded: bool) -> None:
    assert Estimate(1.05, low, high, 8).excludes(1) is excluded


def test_nothing_is_behind_a_quantity_without_an_estimate() -> None:
    assert (finding().value.n, replace(finding().value, estimate=Estimate(1.0, None, None, 3)).n) == (0, 3)


def test_verdicts_are_their_words() -> None:
    assert [str(one) for one in Verdict] == [
        "slower", "faster", "equivalent", "undecided", "baseline", "not available here"
    ]  # fmt: skip
