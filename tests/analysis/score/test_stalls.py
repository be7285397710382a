"""Which stalls of a guest disturb a trial, and which are a property of the place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from virtometer.analysis.score.stalls import Stalls, stalls_of
from virtometer.clock.intervals import Interval
from virtometer.model import MarkKind


def run(lengths: list[float], gaps: dict[int, float] | None = None) -> list[tuple[Interval, int]]:
    """Samples of these lengths (s) and equal work; `gaps`: seconds before a sample, by its number."""
    at, made = 5.0, []
    for number, length in enumerate(lengths):
        at += (gaps or {}).get(number, 0.0001)
        made.append((Interval(at * 1e9, (at + length) * 1e9, length, 0.0, 0.0, 0.0), 1000))
        at += length
    return made


def test_a_run_without_a_stop_has_no_mark() -> None:
    found = stalls_of(run([0.0125] * 80), gaps=True)
    assert (found.count, found.share) == (0, 0.0)
    assert found.mark(0.1, "box") is None


@pytest.mark.parametrize("place", [0, 40, 79])
def test_one_stop_within_a_sample_is_marked(place: int) -> None:
    lengths = [0.0125] * 80
    lengths[place] += 5.0
    found = stalls_of(run(lengths), gaps=True)
    assert found.count == 1
    assert found.lost_s == pytest.approx(5.0, rel=0.01)
    assert found.share == pytest.approx(5 / 6, rel=0.01)
    assert found.longest_at_s == pytest.approx(place * 0.0126, abs=0.02)
    mark = found.mark(0.1, "box")
    assert mark is not None and mark.kind is MarkKind.STALL
    assert mark.text.startswith("5 s of the window of 6.01 s were lost in one stall")
    assert mark.text.endswith("(the plan allows 10%) in box")
    assert found.mark(0.9, "box") is None


def test_a_stop_between_samples_is_marked_too() -> None:
    found = stalls_of(run([0.0125] * 80, {30: 0.5}), gaps=True)
    assert found.count == 1
    assert found.lost_s == pytest.approx(0.5, rel=0.01)
    assert stalls_of(run([0.0125] * 80, {30: 0.5}), gaps=False).count == 0


def test_a_few_stops_add_up() -> None:
    lengths = [0.0125] * 80
    lengths[10] += 0.3
    lengths[50] += 0.2
    found = stalls_of(run(lengths), gaps=True)
    assert found.count == 2
    assert "lost in 2 stalls, the longest 0.12" in str(found.mark(0.1, "box"))


@pytest.mark.parametrize("quota", [0.05, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("windows", [3, 10, 100])
def test_a_quota_of_processor_time_is_a_property_of_the_place(quota: float, windows: int) -> None:
    """Work of 12.5 ms with a quota: each period of 100 ms gives `quota` of it, the rest is a stall."""
    lengths, left = [], quota * 0.1
    for _ in range(max(round(windows * quota * 0.1 / 0.0125), 3)):
        need, length = 0.0125, 0.0
        while need > left:
            need, length, left = need - left, length + left + (1 - quota) * 0.1, quota * 0.1
        left -= need
        lengths.append(length + need)
    assert stalls_of(run(lengths), gaps=True).mark(0.1, "box") is None


def test_long_stops_that_come_regularly_are_no_disturbance() -> None:
    lengths = [0.0125, 0.0125, 0.0125, 0.9] * 6
    assert stalls_of(run(lengths), gaps=True).count == 0


def test_different_amounts_of_work_are_no_stops() -> None:
    made = [
        (replace(stretch, duration_s=work * 1e-5), work)
        for (stretch, _), work in zip(run([1.0] * 5), [1, 9, 2, 50, 4], strict=True)
    ]
    assert stalls_of(made, gaps=False).count == 0


@pytest.mark.parametrize("lengths", [[], [1.0], [0.01, 5.0]])
def test_too_few_samples_tell_nothing(lengths: list[float]) -> None:
    assert stalls_of(run(lengths), gaps=True) == Stalls(0.0, 0.0, 0, 0.0)
