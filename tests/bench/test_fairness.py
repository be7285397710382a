"""The truth of quotas, when it counts as found, and real containers."""

import pytest

from bench import fairness
from tests.analysis.simulated_campaigns import Place, simulate
from virtometer.model import Estimate


def test_the_figures_of_quotas() -> None:
    truth = fairness.truths((0.3, 0.3, 0.6))
    assert truth["share of guest 1"] == truth["worst share"] == pytest.approx(0.25)
    assert truth["share of guest 3"] == pytest.approx(0.5)
    assert truth["max/min"] == pytest.approx(2) and truth["jain"] == pytest.approx(8 / 9)
    assert truth["cv"] == pytest.approx(0.125**0.5)


def test_a_campaign_is_cut_into_parts_of_whole_blocks() -> None:
    found = fairness.parts(simulate([Place("native"), Place("box")], blocks=14), 6)
    assert [{record.trial.block for record in part.trials} for part in found] == [set(range(6)), set(range(6, 12))]
    assert all(len(part.planned) == len(part.trials) for part in found)


HOLDS, MISSES = Estimate(0.25, 0.24, 0.26, 6), Estimate(0.3, 0.29, 0.31, 6)


@pytest.mark.parametrize(
    ("estimates", "met"),
    [
        ([HOLDS] * 20, True),
        ([HOLDS] * 19 + [MISSES], True),
        ([HOLDS] * 18 + [MISSES] * 2, False),
        ([HOLDS] * 19 + [None], False),
        ([Estimate(0.25, None, None, 2)], False),
        ([], False),
    ],
)
def test_when_a_figure_counts_as_found(estimates: list[Estimate | None], met: bool) -> None:
    text, found = fairness.line("worst share", 0.25, estimates)
    assert found is met
    assert text.endswith("met" if met else "MISSED")


@pytest.mark.slow
def test_real_quotas_make_the_guest_with_the_largest_one_the_fastest(capsys: pytest.CaptureFixture[str]) -> None:
    fairness.main(["--campaigns", "1", "--seconds", "0.6"])
    lines = capsys.readouterr().out.splitlines()
    medians = {text.split(": ")[1]: float(text.partition("median ")[2].partition(",")[0]) for text in lines[:-1]}
    assert medians["share of guest 3"] > 0.4 and medians["max/min"] > 1.5
