"""The effect of each factor of an interaction at each level of the other one.

The intervals of all that belong to one interaction hold jointly, and so do its claims of no influence there
(Bonferroni). One effect has one of two errors, never both: 0 lies outside its interval although it is 0, or no
influence is claimed although it reaches the margin. So any of these is wrong with a chance of at most 5 %.
"""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.analysis.effects.claims import ALPHA, AlphaFactors, p_of_none
from virtometer.analysis.effects.coding import Term
from virtometer.analysis.effects.effect import Conditional, changes, quantity
from virtometer.analysis.effects.model import Model
from virtometer.analysis.effects.table import Response
from virtometer.analysis.statistics.equivalence import LEVEL as EQUIVALENCE_LEVEL


def conditionals(
    made: Model, response: Response, term: Term, margin: float, alpha_factors: AlphaFactors
) -> tuple[Conditional, ...]:
    """Those of a kept interaction, as far as both combinations ran. margin: the change that does not matter."""
    of = made.terms[term]
    places: list[tuple[int, int, int, dict[int, int], dict[int, int]]] = []
    for own, other in ((term[0], term[1]), (term[1], term[0])):
        base = made.reference(own)
        for level in (one for (one,) in made.terms[own,].rows if one != base):
            for given in (one for (one,) in made.terms[other,].rows):
                to, back = {own: level, other: given}, {own: base, other: given}
                if all((side[term[0]], side[term[1]]) in of.rows for side in (to, back)):
                    places.append((own, other, given, to, back))
    weights = [made.setting(to, back) for *_, to, back in places]
    kept = [(place, weight) for place, weight in zip(places, weights, strict=True) if weight is not None]
    if not kept:
        return ()
    estimates = made.fit.contrasts([weight for _, weight in kept])
    found = changes(estimates, made.fit.blocks, ALPHA * alpha_factors.intervals, len(kept))
    none, most = p_of_none(estimates, margin), EQUIVALENCE_LEVEL * alpha_factors.claims
    return tuple(
        Conditional(
            made.variables[own].name, *(sides := _sides(made, own, to, back)),
            made.variables[other].name, made.variables[other].levels[given],
            quantity(found[at], response.metric, response.better, sides[:1], sides[1:]),
            none=bool(none[at, 0] < most / len(kept)),
        )
        for at, ((own, other, given, to, back), _) in enumerate(kept)
    )  # fmt: skip


def _sides(made: Model, factor: int, to: Mapping[int, int], back: Mapping[int, int]) -> tuple[str, str]:
    """The level to which a factor changes, and the one from which it does."""
    levels = made.variables[factor].levels
    return levels[to[factor]], levels[back[factor]]
