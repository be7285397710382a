"""One comparison, and the conclusions of a family."""

from __future__ import annotations

from tests.analysis.compared.test_campaigns import campaign
from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.comparison import Where
from virtometer.analysis.compared.pair import Pair, Side, conclude
from virtometer.analysis.compared.worse import Outcome
from virtometer.model import Quantity, Verdict


def pair(name: str, before: float, after: float, worked_s: float = 20.0) -> Pair:
    value = Quantity("box", "rate", "1/s", "higher", "geometric mean", None)
    one, other = (Ratios({block: at + 0.001 * (block % 3) for block in range(9)}) for at in (before, after))
    return Pair(Where(name, "box"), Side(one, value), Side(other, value, worked_s=worked_s), "total", "op", "box")


def test_all_are_one_family() -> None:
    found = conclude([pair("same", 0.0, -0.001), pair("lost", 0.0, -0.2), pair("short", 0.0, -0.001, 2.0)], 0.05, 1.0)
    assert [one.tested.outcome for one in found] == [Outcome.NOT_WORSE, Outcome.WORSE, Outcome.OPEN]
    assert [one.finding.verdict for one in found] == [Verdict.EQUIVALENT, Verdict.SLOWER, Verdict.EQUIVALENT]
    assert any("rare stalls" in note for note in found[2].finding.notes)
    lost = found[1].tested
    assert lost.p_worse is not None and lost.p_worse_adjusted is not None and lost.p_worse_adjusted > lost.p_worse


def test_the_same_measurements_have_no_noise_between_them() -> None:
    one = campaign(0.8, 0.9, sd=0.3)
    found = compare_campaigns(one, one, 0.05)
    assert found.outcome is Outcome.NOT_WORSE
    assert all("A and B are the same measurements" in of.finding.notes for of in found.compared)
    other = compare_campaigns(one, campaign(0.8, 0.9, sd=0.3, seed=2), 0.05)
    assert other.outcome is Outcome.OPEN
