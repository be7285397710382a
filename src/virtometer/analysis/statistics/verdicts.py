"""From the log ratios of a family of comparisons to verdicts: the methods put together.

The rules, in the order in which they apply (METHODOLOGY.md explains them):
1. fewer than MIN_BLOCKS blocks: `undecided`, no interval;
2. both one-sided tests inside the margin: `equivalent`, even where a tiny difference is significant;
3. Holm-adjusted p below CLAIM_LEVEL over the whole family: `slower` or `faster`;
4. else `undecided`, with what could have been detected and how many blocks deciding takes.
No verdict is finer than the noise floor of its control: 2 takes a floor within the margin, 3 a difference above it.
A comparison that is refused for what is known beside its ratios is `undecided`, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from virtometer.analysis.statistics import difference, equivalence, forecast, holm, precision
from virtometer.analysis.statistics.equivalence import noise_floor, noise_floor_share
from virtometer.analysis.statistics.interval import Spread, estimate
from virtometer.model import MIN_BLOCKS, Estimate, Verdict

Which = TypeVar("Which")

# The chance of any wrong claim of a difference in a whole family. The same environment twice must come out different
# in at most 5 of 100 campaigns; at 0.05 that holds on average only, and 38 % of all series of 100 would break it.
CLAIM_LEVEL = 0.02


@dataclass(frozen=True, slots=True)
class Decision:
    """What is concluded from one comparison.

    blocks_needed: in all, None beyond what a plan may have; blocks_low, blocks_high: its range, None where it is not
    known or beyond that too. p_equivalent_adjusted: of both one-sided tests, adjusted over the family: `equivalent`
    findings with one below 0.05 hold together. why: sentences on why it is undecided.
    """

    ratio: Estimate | None
    verdict: Verdict
    p_value: float | None
    p_adjusted: float | None
    detectable: float | None = None
    blocks_needed: int | None = None
    blocks_low: int | None = None
    blocks_high: int | None = None
    p_equivalent_adjusted: float | None = None
    why: tuple[str, ...] = ()


def decide(
    family: Mapping[Which, Spread | None],
    margin: float,
    *,
    controls: Mapping[Which, Spread] | None = None,
    refused: Mapping[Which, str] | None = None,
    blocks: Mapping[Which, int | None] | None = None,
    strictness: float = 1.0,
) -> dict[Which, Decision]:
    """Decide all comparisons of a family. Spreads are of log ratios, above 0 where the subject is better.

    controls: the spread of the baseline's log ratios with itself, for the comparisons that have one. refused: why a
    comparison gets no verdict whatever its ratios are, in a sentence; it stays in the family. blocks: in all, that
    a refused comparison takes, where they are known. strictness: what every
    level is multiplied by: `stopping.STRICTNESS` where a first stage fixed the blocks. Adjusted p values are divided by
    it, so that a claim always takes one below CLAIM_LEVEL.
    """
    controls, refused, blocks = controls or {}, refused or {}, blocks or {}
    tested = p_values(family)
    adjusted = _adjusted(tested, strictness)
    level = holm.level_faced(list(adjusted.values()), CLAIM_LEVEL) * strictness
    limit, alike = equivalence.limit(margin), equivalence.LEVEL * strictness
    verdicts = {key: _verdict(logs, adjusted.get(key), margin, strictness) for key, logs in family.items()}
    still_open = {
        key: logs
        for key, logs in family.items()
        if logs is not None and verdicts[key] is Verdict.UNDECIDED and key not in refused
    }
    forecasts = dict(zip(still_open, forecast.blocks_needed([*still_open.values()], limit, level, alike), strict=True))
    found: dict[Which, Decision] = {}
    for key, logs in family.items():
        p_adjusted = adjusted.get(key)
        ratio = estimate(logs, strictness=strictness)
        verdict = verdicts[key]
        why_not = refused.get(key)
        if why_not is not None:
            known = blocks.get(key)
            found[key] = Decision(
                ratio, Verdict.UNDECIDED, tested.get(key), p_adjusted, blocks_needed=known, why=(why_not,)
            )
        elif logs is None or verdict is Verdict.UNDECIDED:
            needed = forecasts.get(key, forecast.NOTHING_KNOWN)
            found[key] = Decision(
                ratio,
                Verdict.UNDECIDED,
                tested.get(key),
                p_adjusted,
                detectable=precision.detectable(logs, level) if logs is not None else None,
                blocks_needed=needed.blocks,
                blocks_low=needed.low,
                blocks_high=needed.high,
                why=_why(ratio, p_adjusted, len(tested)),
            )
        elif (control := controls.get(key)) is not None and _below_floor(verdict, logs, control, margin):
            found[key] = Decision(
                ratio,
                Verdict.UNDECIDED,
                tested[key],
                p_adjusted,
                detectable=precision.detectable(logs, level),
                blocks_needed=forecast.blocks_for_floor(control, _finest(verdict, logs, margin)),
                why=(_coarse(control),),
            )
        else:
            found[key] = Decision(ratio, verdict, tested[key], p_adjusted)
    jointly = _jointly_equivalent(family, tested, margin, strictness)
    return found | {key: replace(found[key], p_equivalent_adjusted=p) for key, p in jointly.items()}


def _jointly_equivalent(
    family: Mapping[Which, Spread | None], tested: Mapping[Which, float], margin: float, strictness: float
) -> dict[Which, float]:
    """Of the comparisons with enough blocks: p of not being equivalent, adjusted over all of them."""
    spreads = {key: logs for key in tested if (logs := family[key]) is not None}
    return _adjusted({key: equivalence.p_value(logs, margin) or 0.0 for key, logs in spreads.items()}, strictness)


def plain_verdicts(
    family: Mapping[Which, Spread | None], margin: float, strictness: float = 1.0
) -> dict[Which, Verdict]:
    """As `decide`, without controls and refusals, and without anything beside the verdicts."""
    adjusted = _adjusted(p_values(family), strictness)
    return {key: _verdict(logs, adjusted.get(key), margin, strictness) for key, logs in family.items()}


def p_values(family: Mapping[Which, Spread | None]) -> dict[Which, float]:
    """Two-sided p of no difference, not adjusted, of each comparison that has enough blocks for a verdict."""
    return {
        key: p
        for key, logs in family.items()
        if logs is not None and logs.n >= MIN_BLOCKS and (p := difference.p_value(logs)) is not None
    }


def verdict_of(
    which: Which, logs: Spread | None, tested: Mapping[Which, float], margin: float, strictness: float = 1.0
) -> Verdict:
    """The verdict of one comparison with these logs in a family whose other members keep their p, as in `tested`.

    The noise floor is not applied: its control has all blocks.
    """
    changed = {key: p for key, p in tested.items() if key != which} | p_values({which: logs})
    return _verdict(logs, _adjusted(changed, strictness).get(which), margin, strictness)


def _adjusted(tested: Mapping[Which, float], strictness: float) -> dict[Which, float]:
    stricter = [min(1.0, p / strictness) for p in holm.adjust(list(tested.values()))]
    return dict(zip(tested, stricter, strict=True))


def _verdict(logs: Spread | None, p_adjusted: float | None, margin: float, strictness: float) -> Verdict:
    """Without regard to the noise floor."""
    if logs is None or p_adjusted is None:
        return Verdict.UNDECIDED
    p_equivalence = equivalence.p_value(logs, margin)
    if p_equivalence is not None and p_equivalence < equivalence.LEVEL * strictness:
        return Verdict.EQUIVALENT
    if p_adjusted < CLAIM_LEVEL:
        return Verdict.FASTER if logs.mean > 0 else Verdict.SLOWER
    return Verdict.UNDECIDED


def _below_floor(verdict: Verdict, logs: Spread, control: Spread, margin: float) -> bool:
    """Whether a verdict would be finer than the noise floor."""
    floor = noise_floor(control)
    return floor is not None and floor > _finest(verdict, logs, margin)


def _finest(verdict: Verdict, logs: Spread, margin: float) -> float:
    """The smallest difference that a verdict speaks about, on the log scale."""
    return equivalence.limit(margin) if verdict is Verdict.EQUIVALENT else abs(logs.mean)


def _coarse(control: Spread) -> str:
    floor = noise_floor_share(control) or 0.0
    return (
        f"the noise floor is {100 * floor:.2g} %: so much may the baseline differ from itself, and no verdict is finer"
    )


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
