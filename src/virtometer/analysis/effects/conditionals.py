"""The effect of each factor of an interaction at each level of the other one.

The intervals of all that belong to one interaction hold jointly, and so do its claims of no influence there
(Bonferroni). One effect has one of two errors, never both: 0 lies outside its interval although it is 0, or no
influence is claimed although it reaches the margin. So any of these is wrong with a chance of at most 5 %.
"""

from __future__ import annotations

from virtometer.analysis.effects.claims import ALPHA, Strictness, p_of_none
from virtometer.analysis.effects.coding import Term
from virtometer.analysis.effects.effect import Conditional, changes
from virtometer.analysis.effects.model import Model
from virtometer.analysis.statistics.equivalence import LEVEL as EQUIVALENCE_LEVEL


def conditionals(made: Model, term: Term, margin: float, strictness: Strictness) -> tuple[Conditional, ...]:
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
    found = changes(estimates, made.fit.blocks, ALPHA * strictness.intervals, len(kept))
    none, most = p_of_none(estimates, margin), EQUIVALENCE_LEVEL * strictness.claims
    return tuple(
        Conditional(
            made.variables[own].name, made.variables[own].levels[to[own]], made.variables[own].levels[back[own]],
            made.variables[other].name, made.variables[other].levels[given],
            found[at], none=bool(none[at, 0] < most / len(kept)),
        )
        for at, ((own, other, given, to, back), _) in enumerate(kept)
    )  # fmt: skip
