"""From the log ratios of a family of comparisons to verdicts: the methods put together.

The rules, in the order in which they apply (METHODOLOGY.md explains them):
1. fewer than MIN_BLOCKS blocks: `undecided`, no interval;
2. both one-sided tests inside the margin: `equivalent`, even where a tiny difference is significant;
3. Holm-adjusted p below CLAIM_LEVEL over the whole family: `slower` or `faster`;
4. else `undecided`, with what could have been detected and how many blocks deciding takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from virtometer.analysis import difference, equivalence, holm, precision
from virtometer.analysis.interval import Spread, estimate
from virtometer.model import MIN_BLOCKS, Estimate, Verdict

Which = TypeVar("Which")

# The chance of any wrong claim of a difference in a whole family. The same environment twice must come out different
# in at most 5 of 100 campaigns; at 0.05 that holds on average only, and 38 % of all series of 100 would break it.
CLAIM_LEVEL = 0.02


@dataclass(frozen=True, slots=True)
class Decision:
    """What is concluded from one comparison.

    blocks_needed: in all, None beyond what a plan may have. why: sentences on why it is undecided.
    """

    ratio: Estimate | None
    verdict: Verdict
    p_value: float | None
    p_adjusted: float | None
    detectable: float | None = None
    blocks_needed: int | None = None
    why: tuple[str, ...] = ()


def decide(family: Mapping[Which, Spread | None], margin: float) -> dict[Which, Decision]:
    """Decide all comparisons of a family. Spreads are of log ratios, above 0 where the subject is better."""
    tested = {
        key: p
        for key, logs in family.items()
        if logs is not None and logs.n >= MIN_BLOCKS and (p := difference.p_value(logs)) is not None
    }
    adjusted = dict(zip(tested, holm.adjust(list(tested.values())), strict=True))
    level = holm.level_faced(list(adjusted.values()), CLAIM_LEVEL)
    found = {}
    for key, logs in family.items():
        p_adjusted = adjusted.get(key)
        ratio, verdict = estimate(logs), _verdict(logs, p_adjusted, margin)
        if verdict is not Verdict.UNDECIDED:
            found[key] = Decision(ratio, verdict, tested[key], p_adjusted)
            continue
        limit = equivalence.limit(margin)
        found[key] = Decision(
            ratio,
            verdict,
            tested.get(key),
            p_adjusted,
            detectable=precision.detectable(logs, level) if logs is not None else None,
            blocks_needed=precision.blocks_needed(logs, limit, level) if logs is not None else MIN_BLOCKS,
            why=_why(ratio, p_adjusted, len(tested)),
        )
    return found


def _verdict(logs: Spread | None, p_adjusted: float | None, margin: float) -> Verdict:
    if logs is None or p_adjusted is None:
        return Verdict.UNDECIDED
    p_equivalence = equivalence.p_value(logs, margin)
    if p_equivalence is not None and p_equivalence < equivalence.LEVEL:
        return Verdict.EQUIVALENT
    if p_adjusted < CLAIM_LEVEL:
        return Verdict.FASTER if logs.mean > 0 else Verdict.SLOWER
    return Verdict.UNDECIDED


def _why(ratio: Estimate | None, p_adjusted: float | None, tested: int) -> tuple[str, ...]:
    n = ratio.n if ratio is not None else 0
    if n < MIN_BLOCKS:
        return (f"{n} complete {'block' if n == 1 else 'blocks'}; an interval and a verdict take {MIN_BLOCKS}",)
    outside = ratio is not None and ((ratio.low or 0.0) > 1 or (ratio.high is not None and ratio.high < 1))
    if outside and p_adjusted is not None:
        return (
            "the interval of this comparison alone leaves out 1, but that is not enough among "
            f"{tested} comparisons: a claim takes an adjusted p below {CLAIM_LEVEL:g}",
        )
    return ()
