"""From the log ratios of a family of comparisons to verdicts: joins the methods.

The rules, in the order in which they apply (docs/methods/comparisons.md explains them):
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

from virtometer.analysis.statistics import equivalence, forecast, holm, precision
from virtometer.analysis.statistics.equivalence import noise_floor, noise_floor_share
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS, Conclusion, Verdict

Which = TypeVar("Which")

# The chance of any wrong claim of a difference in a whole family. The same environment twice must come out different
# in at most 5 of 100 campaigns; at 0.05 that holds on average only, and 38 % of all series of 100 would break it.
CLAIM_LEVEL = 0.02

_ALONE = 0.05  # p of one comparison alone below which its 95 % interval leaves out 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Conclusion):
    """What is concluded from one comparison. why: sentences on why it is undecided."""

    why: tuple[str, ...] = ()


_OPEN = Decision(verdict=Verdict.UNDECIDED)


def decide(
    family: Mapping[Which, Spread | None],
    margin: float,
    *,
    controls: Mapping[Which, Spread] | None = None,
    refused: Mapping[Which, str] | None = None,
    blocks: Mapping[Which, int | None] | None = None,
    alpha_factor: float = 1.0,
) -> dict[Which, Decision]:
    """Decide all comparisons of a family. Spreads are of log ratios, above 0 where the subject is better.

    controls: the spread of the baseline's log ratios with itself, for the comparisons that have one. refused: why a
    comparison gets no verdict whatever its ratios are, in a sentence; it stays in the family. blocks: in all, that
    a refused comparison takes, where they are known. alpha_factor: what every level is multiplied by:
    `stopping.rule.ALPHA_FACTOR` where a first stage fixed the blocks. Adjusted p values are divided by it, so that a
    claim always takes one below CLAIM_LEVEL.
    """
    controls, refused, blocks = controls or {}, refused or {}, blocks or {}
    tested = p_values(family)
    adjusted = holm.adjusted(tested, alpha_factor)
    level = holm.level_faced(list(adjusted.values()), CLAIM_LEVEL) * alpha_factor
    limit, alike = equivalence.limit(margin), equivalence.LEVEL * alpha_factor
    verdicts = {key: _verdict(logs, adjusted.get(key), margin, alpha_factor) for key, logs in family.items()}
    still_open = {
        key: logs
        for key, logs in family.items()
        if logs is not None and verdicts[key] is Verdict.UNDECIDED and key not in refused
    }
    forecasts = dict(zip(still_open, forecast.blocks_needed([*still_open.values()], limit, level, alike), strict=True))
    spreads = {key: logs for key in tested if (logs := family[key]) is not None}
    jointly = holm.adjusted(
        {key: equivalence.p_value(logs, margin) or 0.0 for key, logs in spreads.items()}, alpha_factor
    )
    found: dict[Which, Decision] = {}
    for key, logs in family.items():
        control, undecided = controls.get(key), replace(_OPEN, p_value=tested.get(key), p_adjusted=adjusted.get(key))
        undecided = replace(undecided, p_equivalent_adjusted=jointly.get(key))
        detectable = None if logs is None else precision.detectable(logs, level)
        if key in refused:
            found[key] = replace(undecided, blocks_needed=blocks.get(key), why=(refused[key],))
        elif logs is None or verdicts[key] is Verdict.UNDECIDED:
            needed = forecasts.get(key, forecast.NOTHING_KNOWN)
            found[key] = replace(
                undecided, detectable=detectable, blocks_needed=needed.blocks, blocks_needed_low=needed.low,
                blocks_needed_high=needed.high, why=_why(logs, undecided, len(tested), alpha_factor),
            )  # fmt: skip
        elif control is not None and _below_floor(verdicts[key], logs, control, margin):
            needed_blocks = forecast.blocks_for_floor(control, _finest(verdicts[key], logs, margin))
            found[key] = replace(undecided, detectable=detectable, blocks_needed=needed_blocks, why=(_coarse(control),))
        else:
            found[key] = replace(undecided, verdict=verdicts[key])
    return found


def plain_verdicts(
    family: Mapping[Which, Spread | None], margin: float, alpha_factor: float = 1.0
) -> dict[Which, Verdict]:
    """As `decide`, without controls and refusals, and without anything beside the verdicts."""
    adjusted = holm.adjusted(p_values(family), alpha_factor)
    return {key: _verdict(logs, adjusted.get(key), margin, alpha_factor) for key, logs in family.items()}


def p_values(family: Mapping[Which, Spread | None]) -> dict[Which, float]:
    """Two-sided p of no difference, not adjusted, of each comparison that has enough blocks for a verdict."""
    return {
        key: p
        for key, logs in family.items()
        if logs is not None and logs.n >= MIN_BLOCKS and (p := logs.p_of_none) is not None
    }


def verdict_of(
    which: Which, logs: Spread | None, tested: Mapping[Which, float], margin: float, alpha_factor: float = 1.0
) -> Verdict:
    """The verdict of one comparison with these logs in a family whose other members keep their p, as in `tested`.

    The noise floor is not applied: its control has all blocks.
    """
    changed = {key: p for key, p in tested.items() if key != which} | p_values({which: logs})
    return _verdict(logs, holm.adjusted(changed, alpha_factor).get(which), margin, alpha_factor)


def _verdict(logs: Spread | None, p_adjusted: float | None, margin: float, alpha_factor: float) -> Verdict:
    """Without regard to the noise floor."""
    if logs is None or p_adjusted is None:
        return Verdict.UNDECIDED
    p_equivalence = equivalence.p_value(logs, margin)
    if p_equivalence is not None and p_equivalence < equivalence.LEVEL * alpha_factor:
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


def _why(logs: Spread | None, of: Decision, tested: int, alpha_factor: float) -> tuple[str, ...]:
    n = logs.n if logs is not None else 0
    if n < MIN_BLOCKS:
        return (f"{n} complete {'block' if n == 1 else 'blocks'}; an interval and a verdict take {MIN_BLOCKS}",)
    if of.p_value is not None and of.p_value < _ALONE * alpha_factor:
        return (
            "the interval of this comparison alone leaves out 1, but that is not enough among "
            f"{tested} comparisons: a claim takes an adjusted p below {CLAIM_LEVEL:g}",
        )
    return ()
