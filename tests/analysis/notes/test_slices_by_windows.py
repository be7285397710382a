"""The ratio in slices beside that in long windows of the same guests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, in_rounds, simulate
from virtometer.analysis.notes.slices_by_windows import notes
from virtometer.model import Campaign, Estimate, Run, Verdict

NATIVE = Place("native")
Rates = Callable[[str, int], tuple[float, float]]


def turning(rates: Rates, blocks: int = 8, windows_in: int | None = None, **more: object) -> Campaign:
    """Two guests took turns. rates: of slices and of long windows, by environment and block.

    windows_in: blocks that have long windows.
    """
    made = simulate([NATIVE, Place("box")], blocks=blocks, **more)  # type: ignore[arg-type]

    def turned(run: Run, block: int) -> Run:
        slices, window = rates(run.placement.environment, block)
        beside = [[window] * 12] if windows_in is None or block < windows_in else []
        return in_rounds(run, [slices] * 10, beside)

    trials = tuple(
        replace(record, runs=tuple(turned(run, record.trial.block) for run in record.runs)) for record in made.trials
    )
    return replace(made, trials=trials)


def test_it_is_the_ratio_in_slices_by_that_in_long_windows() -> None:
    """The host's speed changes from block to block, and native is as fast in slices as in long windows times 0.9."""

    def rates(environment: str, block: int) -> tuple[float, float]:
        speed = 1e9 * (1 + 0.2 * block)
        return (speed * 0.8, speed * 0.6) if environment == "box" else (speed * 0.9, speed)

    finding = finding_of(turning(rates), "box")
    assert finding.slices_by_windows is not None
    found = finding.slices_by_windows.estimate
    assert found.low is not None and found.high is not None
    assert found.value == pytest.approx((0.8 / 0.9) / 0.6, rel=1e-6)
    assert found.n == 8
    assert found.low <= found.value <= found.high
    assert any(note.startswith("slices and long windows disagree: ") for note in finding.notes)
    assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(0.8 / 0.9), (
        "long windows do not count"
    )


def test_of_a_unit_of_which_less_is_better_it_is_turned() -> None:
    made = turning(lambda environment, _: (2e9, 1e9) if environment == "box" else (1e9, 1e9), works=[Work(unit="s")])
    found = finding_of(made, "box").slices_by_windows
    assert found is not None and found.estimate.value == pytest.approx(2.0)


def test_its_interval_is_that_over_blocks() -> None:
    """Blocks differ at random: the interval holds what slices really show in about 95 % of campaigns."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(100):
        logs = rng.normal(0, 0.03, size=(2, 2, 8))

        def rates(environment: str, block: int, logs: np.ndarray = logs) -> tuple[float, float]:
            box = environment == "box"
            true = (1.1, 1.0) if box else (1.0, 1.0)
            return tuple(1e9 * true[way] * float(np.exp(logs[int(box), way, block])) for way in (0, 1))  # type: ignore[return-value]

        found = finding_of(turning(rates), "box").slices_by_windows
        held += found is not None and found.estimate.low is not None and not found.estimate.excludes(1.1)
    assert held >= 88, "fewer are of 100 with a chance of 0.4 %"


@pytest.mark.parametrize("windows_in", [1, 5])
def test_with_long_windows_in_few_blocks_it_has_no_interval(windows_in: int) -> None:
    found = finding_of(turning(lambda *_: (1e9, 1e9), windows_in=windows_in), "box").slices_by_windows
    assert found is not None
    assert (found.estimate.low, found.estimate.high, found.n) == (None, None, windows_in)


def test_without_long_windows_or_slices_nothing_is_known() -> None:
    assert finding_of(turning(lambda *_: (1e9, 1e9), windows_in=0), "box").slices_by_windows is None
    assert finding_of(simulate([NATIVE, Place("box")]), "box").slices_by_windows is None


def test_blocks_that_count_by_long_windows_have_no_slices() -> None:
    made = turning(lambda *_: (1e9, 1e9))

    def apart(run: Run, block: int) -> Run:
        return in_rounds(run, [], [[1e9] * 12], count=True) if block >= 2 else run

    trials = tuple(
        replace(record, runs=tuple(apart(run, record.trial.block) for run in record.runs)) for record in made.trials
    )
    found = finding_of(replace(made, trials=trials), "box").slices_by_windows
    assert found is not None and found.n == 2


def test_the_baseline_has_none() -> None:
    finding = finding_of(turning(lambda *_: (1e9, 1e9)), "native")
    assert (finding.verdict, finding.slices_by_windows) == (Verdict.BASELINE, None)


@pytest.mark.parametrize(
    ("low", "high", "speaks"),
    [(1.06, 1.2, True), (0.8, 0.94, True), (1.04, 1.2, False), (0.9, 0.96, False), (0.99, 1.01, False)],
)
def test_a_note_stands_where_the_difference_is_certain_and_more_than_the_margin(
    low: float, high: float, speaks: bool
) -> None:
    assert bool(notes(Estimate((low * high) ** 0.5, low, high, 8), 0.05)) is speaks


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert notes(None, 0.05) == notes(Estimate(2.0, None, None, 1), 0.05) == []
