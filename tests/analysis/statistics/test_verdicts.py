"""Families of comparisons: each gets the verdict of the first rule that holds, claims are held against the family."""

from __future__ import annotations

import math

import pytest

from virtometer.analysis.statistics.spread import Spread
from virtometer.analysis.statistics.verdicts import CLAIM_LEVEL, decide
from virtometer.model import MIN_BLOCKS, Verdict

MARGIN = 0.05


def verdicts(**family: Spread | None) -> dict[str, Verdict]:
    return {name: decision.verdict for name, decision in decide(family, MARGIN).items()}


def test_every_verdict_has_its_case() -> None:
    assert verdicts(
        same=Spread(0.0, 0.01, 8),
        tiny_but_certain=Spread(0.01, 0.001, 8),
        slower=Spread(-0.5, 0.05, 8),
        faster=Spread(0.5, 0.05, 8),
        noisy=Spread(-0.1, 0.5, 8),
        few=Spread(-0.5, 0.001, MIN_BLOCKS - 1),
        nothing=None,
    ) == {
        "same": Verdict.EQUIVALENT,
        "tiny_but_certain": Verdict.EQUIVALENT,
        "slower": Verdict.SLOWER,
        "faster": Verdict.FASTER,
        "noisy": Verdict.UNDECIDED,
        "few": Verdict.UNDECIDED,
        "nothing": Verdict.UNDECIDED,
    }


def test_a_claim_alone_may_be_none_in_a_family() -> None:
    """t = 3.5 with 7 degrees of freedom is p = 0.00999: enough alone, not as one of five."""
    weak = Spread(0.35, 0.1 * math.sqrt(8), 8)
    assert verdicts(weak=weak) == {"weak": Verdict.FASTER}
    others = {f"other {number}": Spread(0.0, 1.0, 8) for number in range(4)}
    decision = decide({"weak": weak, **others}, MARGIN)["weak"]
    assert decision.verdict is Verdict.UNDECIDED
    assert decision.p_value is not None and decision.p_value < CLAIM_LEVEL
    assert decision.p_adjusted == pytest.approx(5 * decision.p_value)
    assert [why for why in decision.why if "not enough among 5 comparisons" in why]


def test_what_is_undecided_says_what_it_takes() -> None:
    decision = decide({"noisy": Spread(-0.02, 0.1, 8)}, MARGIN)["noisy"]
    assert decision.detectable is not None and decision.detectable > 0.02
    assert decision.blocks_needed is not None and decision.blocks_needed > 8
    assert decision.why == ()


@pytest.mark.parametrize(("logs", "n"), [(None, 0), (Spread(0.0, 0.0, 1), 1), (Spread(0.1, 0.1, 5), 5)])
def test_too_few_blocks_are_counted(logs: Spread | None, n: int) -> None:
    decision = decide({"few": logs}, MARGIN)["few"]
    blocks = "block" if n == 1 else "blocks"
    assert decision.why == (f"{n} complete {blocks}; an interval and a verdict take {MIN_BLOCKS}",)
    assert (decision.p_value, decision.p_adjusted, decision.detectable) == (None, None, None)
    assert decision.blocks_needed is not None and decision.blocks_needed >= MIN_BLOCKS


def test_a_decided_comparison_needs_nothing_more() -> None:
    decision = decide({"slower": Spread(-0.5, 0.05, 8)}, MARGIN)["slower"]
    assert (decision.detectable, decision.blocks_needed, decision.why) == (None, None, ())


def test_an_empty_family_has_no_decisions() -> None:
    assert decide({}, MARGIN) == {}


def test_what_is_refused_is_undecided_with_the_reason_and_stays_in_the_family() -> None:
    family = {"refused": Spread(-0.5, 0.05, 8), "sound": Spread(-0.03, 0.014, 8)}
    alone = decide({"sound": family["sound"]}, 0.001)["sound"]
    found = decide(family, 0.001, refused={"refused": "the host was busy"})
    assert found["refused"].verdict is Verdict.UNDECIDED
    assert found["refused"].why == ("the host was busy",)
    assert found["sound"].p_adjusted is not None and alone.p_adjusted is not None
    assert found["sound"].p_adjusted >= alone.p_adjusted
