"""Is anything worse by more than the margin? Two one-sided tests at the margin, and what remains open.

worse: "the loss is at most the margin" is rejected, at 5 % for the whole family (Holm): the chance of any wrong `worse`
is at most 5 %. not worse: "the loss is the margin or more" is rejected at 5 % for each comparison. All of them must be
`not worse` for the campaign to be so, so that no correction is needed (R. L. Berger, "Multiparameter hypothesis testing
and acceptance sampling", Technometrics 24 (1982) 295-300). All else is open. Neither test looks at a point estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from virtometer.analysis.compared import rare_stalls
from virtometer.analysis.statistics import holm
from virtometer.analysis.statistics.equivalence import limit, noise_floor, noise_floor_share
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import MIN_BLOCKS

Which = TypeVar("Which")
LEVEL = 0.05


class Outcome(StrEnum):
    """Whether a side is worse by more than the margin."""

    WORSE = "worse"
    NOT_WORSE = "not worse"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Tested:
    """The outcome of one comparison. p values are one-sided: of a loss within the margin, and of one at or beyond it.

    p_worse_adjusted: after Holm; p values are divided by the alpha factor of the campaigns. None: too few blocks. why:
    of what is open, sentences.
    """

    outcome: Outcome
    p_worse: float | None = None
    p_worse_adjusted: float | None = None
    p_not_worse: float | None = None
    why: tuple[str, ...] = ()


def tested(
    family: Mapping[Which, Spread | None],
    margin: float,
    worked: Mapping[Which, float],
    *,
    controls: Mapping[Which, Spread] | None = None,
    refused: Mapping[Which, str] | None = None,
    alpha_factor: float = 1.0,
) -> dict[Which, Tested]:
    """Test all comparisons of a family. Spreads are of log ratios, above 0 where the judged side is better.

    worked: seconds of counted work of the judged side. controls, refused, alpha_factor: as `verdicts.decide` has them.
    A refused comparison is open, and stays in the family.
    """
    known = {key: of for key, of in family.items() if of is not None and of.n >= MIN_BLOCKS}
    worse = {key: p_worse(of, margin) for key, of in known.items()}
    adjusted = holm.adjusted(worse, alpha_factor)
    found = {}
    for key in family:
        if key not in known:
            found[key] = Tested(Outcome.OPEN)
            continue
        within = min(1.0, p_not_worse(known[key], margin) / alpha_factor)
        unseen = min(1.0, rare_stalls.p_value(worked[key], margin) / alpha_factor)
        control = (controls or {}).get(key)
        floor = noise_floor(control) if control is not None else None
        why: list[str] = []
        outcome = Outcome.OPEN
        if (reason := (refused or {}).get(key)) is not None:
            why.append(reason)
        elif adjusted[key] < LEVEL and (floor is None or floor < abs(known[key].mean)):
            outcome = Outcome.WORSE
        elif within < LEVEL and floor is not None and floor > limit(margin):
            why.append(_coarse(control))
        elif within < LEVEL <= unseen:
            why.append(_rare(worked[key], margin, LEVEL * alpha_factor))
        elif within < LEVEL:
            outcome = Outcome.NOT_WORSE
        found[key] = Tested(outcome, worse[key], adjusted[key], max(within, unseen), tuple(why))
    return found


def p_worse(of: Spread, margin: float) -> float:
    """One-sided p of a loss of at most the margin. `of` has two blocks or more."""
    return of.p_value(of.mean + limit(margin))


def p_not_worse(of: Spread, margin: float) -> float:
    """One-sided p of a loss of the margin or more. `of` has two blocks or more."""
    return of.p_value(-of.mean - limit(margin))


def _coarse(control: Spread | None) -> str:
    share = (noise_floor_share(control) if control is not None else None) or 0.0
    return f"open: the noise floor of {100 * share:.2g} % is wider than the margin"


def _rare(worked_s: float, margin: float, level: float) -> str:
    return (
        f"open: {worked_s:.2g} s of work are counted; to exclude rare stalls of {rare_stalls.STALL_S * 1e3:g} ms that "
        f"cost {margin:.2g} of the work takes {rare_stalls.needed_s(margin, level):.2g} s"
    )
