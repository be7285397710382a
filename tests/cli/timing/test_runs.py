"""How many timed runs the options of `virtometer time` ask for."""

from __future__ import annotations

from typing import Any

import pytest

from virtometer.cli.timing.runs import MOST, runs
from virtometer.errors import UsageError


def of(length_s: float, *options: int | None, budget_s: float = 60.0) -> int | None:
    return runs(*options).of(length_s, budget_s, 3)


def test_an_exact_number_is_kept_whatever_a_run_takes() -> None:
    assert [of(length_s, 17, None, None) for length_s in (0.0001, 0.05, 100.0)] == [17] * 3
    assert runs(17, None, None).fixed


def test_a_smallest_number_is_asked_for_where_blocks_may_have_less() -> None:
    for length_s, usual in ((0.001, 36), (0.05, 36), (5.0, 6)):
        assert of(length_s, None, usual, None) is None
        assert of(length_s, None, usual + 1, None) == usual + 1
    assert not runs(None, 100, None).fixed


def test_without_turns_a_block_has_one_run_for_certain() -> None:
    asked = runs(None, 20, None, turns=False)
    assert asked.of(0.09, 60, 2) == 20
    assert runs(None, 20, None).of(0.09, 60, 2) is None


def test_a_largest_number_bounds_what_fits_into_the_budget() -> None:
    assert of(0.01, None, None, 50) == 50
    assert of(1.0, None, None, 50) == 20
    assert of(30.0, None, None, 50) == 6, "a verdict takes six blocks"
    assert of(30.0, None, None, 3) == 3
    assert of(30.0, None, 9, 50) == 9
    assert runs(None, None, 50).fixed


def test_without_options_the_plan_decides() -> None:
    assert of(0.05, None, None, None) is None
    assert not runs(None, None, None).fixed


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ((0, None, None), {}), ((-3, None, None), {}), ((MOST + 1, None, None), {}), ((None, 0, None), {}),
        ((None, None, 0), {}), ((5, 3, None), {}), ((5, None, 9), {}), ((None, 9, 5), {}),
        ((5, None, None), {"budget": True}), ((5, None, None), {"precision": True}),
        ((None, None, 5), {"precision": True}),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused(given: tuple[int | None, ...], more: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        runs(*given, **more)


def test_bounds_go_with_a_budget() -> None:
    assert runs(None, 3, 9, budget=True).most == 9
    assert runs(None, 3, None, budget=True, precision=True).least == 3
