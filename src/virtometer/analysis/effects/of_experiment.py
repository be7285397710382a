"""From an experiment to its effects: joins the methods of this folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from virtometer.analysis.effects import claims, diagnostics
from virtometer.analysis.effects.claims import ALPHA, USUAL, AlphaFactors, Claim, Influence
from virtometer.analysis.effects.coding import Term
from virtometer.analysis.effects.conditionals import conditionals
from virtometer.analysis.effects.effect import (
    Contrast,
    Corner,
    Effect,
    Effects,
    Lost,
    MetricEffects,
    Point,
    Recommendation,
    Residual,
    changes,
    quantity,
    size,
)
from virtometer.analysis.effects.fit import LEAST_FREEDOM
from virtometer.analysis.effects.model import Asked, Model, model_of
from virtometer.analysis.effects.settings import doubts, recommended
from virtometer.analysis.effects.table import Experiment, Response
from virtometer.counted import counted
from virtometer.model import Estimate

AVERAGE = ""
"""Name of the metric that is the mean of all others."""

_NAMED = 4  # terms that a sentence names


@dataclass(frozen=True, slots=True)
class _Fitted:
    response: Response
    model: Model | None
    asked: Sequence[Asked]


def effects(of: Experiment, margin: float, alpha_factors: AlphaFactors = USUAL) -> Effects:
    """What each factor does to each metric. margin: the change that does not matter, 0.05 is 5 %."""
    fitted = [_fitted(of, response) for response in of.responses]
    found = _claimed(fitted, margin, alpha_factors)
    alpha = ALPHA * alpha_factors.intervals
    metrics = []
    for one, verdicts in zip(fitted, found, strict=True):
        others = [other for other in _judged(fitted) if other[1] is not one.response]
        best = None if one.response.beside else _recommended(one, verdicts, others, alpha)
        made = _metric(one, verdicts, margin, alpha_factors)
        metrics.append(replace(made, recommended=best, interval_level=round(1 - alpha, 9)))
    return Effects(
        tuple((variable.name, variable.levels) for variable in of.variables),
        tuple(metrics),
        margin,
        sum(len(one.asked) for one in fitted),
        _overall(of, fitted, margin, alpha_factors),
    )


def _fitted(of: Experiment, response: Response) -> _Fitted:
    made = model_of(of, response)
    asked = [] if made is None else [one for term in made.spans for one in made.asked(term)]
    return _Fitted(response, made, asked)


def _claimed(fitted: Sequence[_Fitted], margin: float, alpha_factors: AlphaFactors) -> list[list[Claim]]:
    """Verdicts on all contrasts: one family for what is to be made best, and one for what is reported beside it."""
    found: dict[int, list[Claim]] = {}
    for beside in (False, True):
        family = [at for at, one in enumerate(fitted) if one.response.beside is beside and one.model is not None]
        zero, none = [], []
        for at in family:
            one = fitted[at]
            assert one.model is not None
            estimates = one.model.fit.contrasts([asked.weights for asked in one.asked])
            zero.append(claims.p_of_zero(estimates)[:, 0])
            none.append(claims.p_of_none(estimates, margin)[:, 0])
        decided = iter(claims.claims(np.concatenate(zero), np.concatenate(none), alpha_factors) if zero else ())
        found |= {at: [_allowed(fitted[at], next(decided)) for _ in fitted[at].asked] for at in family}
    return [found.get(at, []) for at in range(len(fitted))]


def _allowed(one: _Fitted, claim: Claim) -> Claim:
    """The claim, without a verdict where the metric gets none."""
    return replace(claim, verdict=Influence.UNDECIDED) if one.response.refused else claim


def _recommended(
    one: _Fitted, verdicts: Sequence[Claim], others: Sequence[tuple[Model, Response]], alpha: float
) -> Recommendation | None:
    """The best setting of the factors with a claimed influence, alone or by an interaction."""
    if one.model is None:
        return None
    claimed = {
        asked.term for asked, claim in zip(one.asked, verdicts, strict=True) if claim.verdict is Influence.INFLUENCE
    }
    found = recommended(one.model, one.response, {factor for term in claimed for factor in term}, others, alpha)
    return found and replace(found, doubts=doubts(one.model, claimed, {factor for factor, _, _ in found.changed}))


def _overall(
    of: Experiment, fitted: Sequence[_Fitted], margin: float, alpha_factors: AlphaFactors
) -> Recommendation | None:
    """The best setting for all metrics on average, where there are several that are to be made best."""
    wanted = [one for one in fitted if not one.response.beside and one.model is not None]
    if len(wanted) < 2 or any(one.response.refused for one in wanted):
        return None
    mean = _average([one.response for one in wanted])
    if mean is None:
        return None
    own = _fitted(of, mean)
    return _recommended(
        own, _claimed([own], margin, alpha_factors)[0], _judged(fitted), ALPHA * alpha_factors.intervals
    )


def _judged(fitted: Sequence[_Fitted]) -> list[tuple[Model, Response]]:
    """The metrics by which a setting is judged."""
    return [(one.model, one.response) for one in fitted if one.model is not None and not one.response.of_levels]


def _average(responses: Sequence[Response]) -> Response | None:
    """The mean of the logs of all metrics, turned so that more is better, where all have a value."""
    found: list[dict[tuple[int, tuple[tuple[str, str], ...]], list[float]]] = []
    for one in responses:
        values: dict[tuple[int, tuple[tuple[str, str], ...]], list[float]] = {}
        sign = 1.0 if one.better == "higher" else -1.0
        for block, levels, log in zip(one.blocks, one.levels, one.logs, strict=True):
            values.setdefault((block, tuple(levels.items())), []).append(sign * log)
        found.append(values)
    keys = [key for key in found[0] if all(key in one for one in found)]
    if not keys:
        return None
    logs = [float(np.mean([np.mean(one[key]) for one in found])) for key in keys]
    return Response(AVERAGE, "", "higher", [dict(levels) for _, levels in keys], [block for block, _ in keys], logs)


def _metric(one: _Fitted, verdicts: Sequence[Claim], margin: float, alpha_factors: AlphaFactors) -> MetricEffects:
    response, made = one.response, one.model
    if made is None:
        nothing = f"no factor has two levels with a value in one block ({counted(len(response.logs), 'value')})"
        why = (nothing, *response.said)
        return MetricEffects(
            response.metric, response.unit, response.better, response.beside, (), (), why, (), (), (),
            len(response.logs), len(set(response.blocks)),
        )  # fmt: skip
    total = float(made.fit.total[0])
    found = []
    for term in made.spans:
        own = [(asked, claim) for asked, claim in zip(one.asked, verdicts, strict=True) if asked.term == term]
        if own:
            effect = _effect(made, response, term, own, total, margin, alpha_factors)
            found.append(_open(effect) if response.refused else effect)
    found.sort(key=lambda one: size(one.change.estimate), reverse=True)
    order = np.argsort(made.observed.order)
    residuals = [
        Residual(place, int(made.observed.block[at]), 100 * float(np.expm1(made.fit.residuals[at, 0])))
        for place, at in enumerate(order)
    ]
    said = (*response.said, *diagnostics.sentences(made, response.missing))
    return MetricEffects(
        response.metric, response.unit, response.better, response.beside, tuple(found), _lost(made),
        (*_few(made), *said), tuple(residuals), _half_normal(made, one.asked, verdicts),
        _corners(made, response, ALPHA * alpha_factors.intervals), len(response.logs), made.fit.blocks,
    )  # fmt: skip


def _open(of: Effect) -> Effect:
    """The effect without claims of no influence at a level of another factor."""
    return replace(of, conditionals=tuple(replace(one, none=False) for one in of.conditionals))


def _few(of: Model) -> tuple[str, ...]:
    if of.fit.freedom < LEAST_FREEDOM:
        return (
            f"too few trials for an interval: {counted(len(of.observed.level), 'value')} in "
            f"{counted(of.fit.blocks, 'block')} leave {max(of.fit.freedom, 0):g} degrees of freedom: measure more "
            "blocks",
        )
    if not of.fit.by_blocks:
        return (
            "no combination of levels comes again in another block often enough: what main effects and interactions of "
            "two factors leave over counts as noise",
        )
    return ()


def _effect(
    made: Model,
    response: Response,
    term: Term,
    own: Sequence[tuple[Asked, Claim]],
    total: float,
    margin: float,
    alpha_factors: AlphaFactors,
) -> Effect:
    alpha = ALPHA * alpha_factors.intervals
    estimates = made.fit.contrasts([asked.weights for asked, _ in own])
    contrasts = []
    for (asked, claim), of in zip(own, changes(estimates, made.fit.blocks, alpha), strict=True):
        sides = _names(made, term, asked.level), _names(made, term, asked.against)
        shown = quantity(of, response.metric, response.better, *sides)
        contrasts.append(Contrast(*sides, shown, claim.verdict, claim.p_value, claim.p_adjusted))
    far = int(np.argmax(np.abs(estimates.value[:, 0])))
    jointly = changes(estimates, made.fit.blocks, alpha, len(own))[far]
    verdicts = {one.verdict for one in contrasts}
    verdict = Influence.INFLUENCE if Influence.INFLUENCE in verdicts else Influence.UNDECIDED
    if verdicts == {Influence.NONE}:
        verdict = Influence.NONE
    adjusted = [one.p_adjusted for one in contrasts if one.p_adjusted is not None]
    aliases = made.separation.aliases.get(term, ())
    wholly = made.separation.same.get(term, True)
    return Effect(
        response.metric, made.name(term), tuple(made.variables[one].name for one in term), tuple(contrasts),
        replace(contrasts[far].change, estimate=jointly),
        share=float(made.fit.sum_of_squares(list(made.spans[term]))[0]) / total if total > 0 else 0.0,
        verdict=verdict, p_adjusted=min(adjusted) if adjusted else None,
        aliases=tuple(made.name(one) for one in aliases), wholly=wholly,
        conditionals=conditionals(made, response, term, margin, alpha_factors) if len(term) == 2 else (),
        notes=(*_alias_note(made, aliases, wholly), *_absent_note(made, term)),
    )  # fmt: skip


def _names(made: Model, term: Term, levels: Sequence[int]) -> tuple[str, ...]:
    return tuple(made.variables[one].levels[level] for one, level in zip(term, levels, strict=True))


def _listed(made: Model, terms: Sequence[Term]) -> str:
    names = [made.name(one) for one in terms]
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _alias_note(made: Model, aliases: Sequence[Term], wholly: bool) -> tuple[str, ...]:
    if not aliases:
        return ()
    if wholly:
        return (f"cannot be told from {_listed(made, aliases)} in this design: the number is of their sum",)
    return (f"right as far as nothing comes from {_listed(made, aliases)}, which enter it in this design",)


def _absent_note(made: Model, term: Term) -> tuple[str, ...]:
    if len(term) == 1:
        return _narrow_note(made, term[0])
    absent = made.terms[term].absent
    if not absent:
        return ()
    one, other = (made.variables[factor] for factor in term)
    shown = [f"{one.name}={one.levels[a]} with {other.name}={other.levels[b]}" for a, b in absent]
    more = f" and {len(shown) - 2} more combinations" if len(shown) > 3 else ""
    return (f"over the combinations that ran: {', '.join(shown if not more else shown[:2])}{more} never did",)


def _narrow_note(made: Model, factor: int) -> tuple[str, ...]:
    """Of a main effect: with which levels of other factors alone its levels can be compared."""
    said = []
    for term, of in made.terms.items():
        if len(term) == 1 or factor not in term or not of.absent:
            continue
        own, other = (0, 1) if term[0] == factor else (1, 0)
        base = made.reference(factor)
        variable, partner = made.variables[factor], made.variables[term[other]]
        every = {pair[other] for pair in [*of.rows, *of.absent]}
        with_base = {pair[other] for pair in of.rows if pair[own] == base}
        for level in sorted({pair[own] for pair in of.rows} - {base}):
            both = with_base & {pair[other] for pair in of.rows if pair[own] == level}
            if both == every:
                continue
            shown = ", ".join(partner.levels[one] for one in sorted(both))
            where = f"with {partner.name}={shown} alone" if both else f"by way of other levels of {partner.name}"
            said.append(f"{variable.levels[level]} is compared with {variable.levels[base]} {where}")
    return tuple(said)


def _lost(made: Model) -> tuple[Lost, ...]:
    found = []
    for term, one in made.terms.items():
        if one.width:
            continue
        if len(term) == 1:
            variable = made.variables[term[0]]
            only = next(iter(one.rows))[0]
            found.append(Lost(made.name(term), f"only {variable.name}={variable.levels[only]} ran"))
        elif all(made.terms[factor,].width for factor in term):
            a, b = one.absent[0] if one.absent else (0, 0)
            first, second = (made.variables[factor] for factor in term)
            reason = f"{first.name}={first.levels[a]} with {second.name}={second.levels[b]} never ran"
            found.append(Lost(made.name(term), reason))
    for term, partners in made.separation.lost.items():
        reason = (
            f"it cannot be told from {_listed(made, partners)}"
            if partners
            else "it changes only from block to block, so that it cannot be told from drift"
        )
        found.append(Lost(made.name(term), reason))
    return tuple(found)


def _corners(made: Model, response: Response, alpha: float) -> tuple[tuple[str, tuple[Corner, ...]], ...]:
    found = []
    for term in (one for one in made.spans if len(one) == 2):
        base = {factor: made.reference(factor) for factor in term}
        weights = {
            pair: weight
            for pair in made.terms[term].rows
            if (weight := made.setting(dict(zip(term, pair, strict=True)), base)) is not None
        }
        at = dict.fromkeys(
            made.terms[term].rows.keys() & {tuple(base.values())}, Estimate(0.0, 0.0, 0.0, made.fit.blocks)
        )
        away = [pair for pair in weights if pair not in at]
        estimates = made.fit.contrasts([weights[pair] for pair in away])
        at |= zip(away, changes(estimates, made.fit.blocks, alpha), strict=True)
        names = {pair: _names(made, term, pair) for pair in made.terms[term].rows if pair in at}
        origin = _names(made, term, tuple(base.values()))
        corners = [
            Corner(own[0], own[1], quantity(at[pair], response.metric, response.better, own, origin))
            for pair, own in names.items()
        ]
        found.append((made.name(term), tuple(corners)))
    return tuple(found)


def _half_normal(made: Model, asked: Sequence[Asked], verdicts: Sequence[Claim]) -> tuple[Point, ...]:
    """Sizes in units of the noise of one trial, each for as many trials as its own variance stands for.

    C. Daniel, "Use of half-normal plots in interpreting factorial two-level experiments", Technometrics 1 (1959)
    311-341.
    """
    if not asked or made.fit.freedom <= 0:
        return ()
    estimates = made.fit.contrasts([one.weights for one in asked])
    error = made.fit.common_error([one.weights for one in asked])[:, 0]
    sizes = np.abs(estimates.value[:, 0]) / np.where(error > 0, error, np.inf)
    ranks = np.argsort(np.argsort(sizes))
    quantiles = special.ndtri(0.5 + 0.5 * (ranks + 0.5) / len(sizes))
    contrasts = Counter(one.term for one in asked)
    return tuple(
        Point(_told(made, one, contrasts[one.term]), float(size), float(quantile), claim.verdict)
        for one, size, quantile, claim in zip(asked, sizes, quantiles, verdicts, strict=True)
    )


def _told(made: Model, one: Asked, contrasts: int) -> str:
    """The term, with its level where it has several contrasts."""
    return made.name(one.term) + (f" ({', '.join(_names(made, one.term, one.level))})" if contrasts > 1 else "")
