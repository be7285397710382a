"""What a campaign found, in sentences that stay short however many workloads there are."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, Work, outliers, simulate
from virtometer.analysis import analyse
from virtometer.report.summary import sentences


def said(count: int, efficiency: float, noise: float) -> str:
    works = [Work(f"w{number}") for number in range(count)]
    places = [Place("native"), Place("runc", "runc", {"": efficiency})]
    ((name, text),) = sentences(analyse(simulate(places, works, seed=2, noise=outliers(noise))).findings)
    assert name == "runc"
    return text


def test_a_few_are_all_named() -> None:
    assert said(3, 0.5, 0.001).count("w") == 3 + "slower".count("w")


def test_of_many_the_worst_are_named_and_the_others_counted() -> None:
    text = said(20, 0.5, 0.001)
    assert text.startswith("slower at w") and text.count("(0.5") + text.count("(0.4") == 6
    assert " and 14 more" in text


def test_many_undecided_ones_are_counted() -> None:
    text = said(20, 0.9, 0.3)
    assert "undecided" in text
    assert len(text) < 300
