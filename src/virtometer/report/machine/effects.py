"""Effects of factors, and the experiment that they are from."""

from __future__ import annotations

from dataclasses import dataclass

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Effect, Effects
from virtometer.model import Why
from virtometer.report.machine.field import Shape, texts

_INFLUENCE = {"verdict": texts(Influence)}

Shape(
    "contrast",
    "a level against another one",
    """
    level                   text[]
    against                 text[]
    percent=change.estimate.value  number
    low=change.estimate.low  number?
    high=change.estimate.high  number?
    p_value                 number?
    p_adjusted              number?
    verdict                 verdict
    """,
    types=_INFLUENCE,
)
Shape(
    "conditional",
    "the change from against to level of one factor where another one has the level given",
    """
    factor                  text
    level                   text
    against                 text
    given_factor            text
    given                   text
    percent=change.estimate.value  number
    low=change.estimate.low  number?
    high=change.estimate.high  number?
    no_influence=none       flag     none above the margin there
    """,
)


@dataclass(frozen=True, slots=True)
class StagedEffect:
    """An effect with the stage whose blocks it comes from."""

    of: Effect
    stage: int


EFFECT = Shape(
    "effect",
    "what a factor, or an interaction of two, does to a metric",
    """
    metric=of.metric    text    name of the workload, its slow operations or its cost; of a table its metric
    term=of.term        text    a factor, or two joined by a colon: their interaction
    percent=of.change.estimate.value  number  change of the metric from against to level; of an interaction of the
        first factor's change
    low=of.change.estimate.low   number?  95 % interval; of a term with several contrasts jointly for all; null: too
        few trials
    high=of.change.estimate.high  number?  as low
    interval_level=of.change.estimate.level  number  level of the intervals of the effect and its contrasts: 0.95,
        higher where stages fix or share the levels
    share=of.share      number?  of the variance of single trials within blocks
    p_adjusted=of.p_adjusted  number?  after Holm over all contrasts of the workloads, or of what is reported beside
        them; the smallest of the term
    verdict=of.verdict  verdict
    stage               ordinal  of the campaign whose blocks it comes from; of a sequential design 2, and 1 for factors
        that are dropped
    level=of.largest.level  text[]  of each factor of the term: that of the contrast that is farthest from 0
    against=of.largest.against  text[]  the reference of each factor
    aliases=of.aliases  text[]  terms that it cannot be told from
    wholly=of.wholly    flag    whether the aliases are the same as the term in this design; else they enter it in part
    contrasts=of.contrasts  contrast[]  each level against the reference
    conditionals=of.conditionals  conditional[]  of an interaction: the change by each factor at each level of the other
    notes=of.notes      text[]
    """,
    types=_INFLUENCE,
)


def staged(of: Effects) -> list[StagedEffect]:
    """One for each metric and term, the largest of each metric first.

    Of a sequential design those of the second stage, then those of the first of factors that are dropped.
    """
    first = of.first
    later = 2 if first is not None and any(one.why.kept for one in first.screened) else 1
    rows = [StagedEffect(effect, later) for effect in of.effects]
    return rows + ([] if first is None else [StagedEffect(one, 1) for one in first.effects])


Shape(
    "screened",
    "what becomes of a factor after the first stage of a sequential design",
    """
    factor        text
    kept=why.kept  flag    whether the second stage varies it
    why           why
    metric        text     of the change that may be farthest from 0; empty without a number
    level         text     of that change, against the reference
    low           number?  its 95 % interval, in per cent
    high          number?  as low
    interactions=chain  text[]  that cannot be told from each other, because of which the factor is kept
    """,
    types={"why": texts(Why)},
)
Shape(
    "changed_level",
    "a factor whose level a setting changes",
    """
    factor=0  text
    from=1    text
    to=2      text
    """,
)
Shape(
    "gain",
    "what a setting does to a metric",
    """
    metric                   text
    percent=estimate.value   number
    low=estimate.low         number?
    high=estimate.high       number?
    improves                 flag
    worsens                  flag
    """,
)
Shape(
    "recommended",
    "the setting that is best, against the default",
    """
    changed      changed_level[]
    candidates   ordinal  settings that it was chosen from; the intervals hold jointly for all
    ran          flag     whether this setting itself was measured
    percent=gain.estimate.value  number
    low=gain.estimate.low  number?
    high=gain.estimate.high  number?
    others=trade  gain[]  what it does to other metrics
    """,
)
Shape(
    "factor",
    "a factor of the plan, or of a table",
    """
    name=0    text
    levels=1  text[]  the reference first
    """,
)
Shape(
    "not_estimable",
    "a term without a number",
    """
    term    text
    reason  text
    """,
)
Shape(
    "itself",
    "the baseline against itself, in per cent of the metric",
    """
    percent=estimate.value  number
    low=estimate.low    number?
    high=estimate.high  number?
    """,
)
Shape(
    "metric",
    "effects on one metric",
    """
    metric        text
    unit          text
    better        higher|lower
    beside        flag     slow operations, or what the work takes from the host: a family of claims of their own, and
        not to be made best
    trials        count
    blocks        count
    not_estimable=lost  not_estimable[]
    diagnostics   text[]   what the model leaves over
    recommended   recommended?
    control       itself?  null without a control
    """,
)
Shape(
    "first_stage",
    "of a sequential design; all else is of the second stage then, if there is one",
    """
    combinations=cells  ordinal
    blocks              ordinal
    factors=screened    screened[]
    """,
)
Shape(
    "guests_processors",
    "of one workload",
    """
    workload=0    text
    processors=1  text[]
    """,
)
Shape(
    "nuisance",
    "what changes values without being asked about",
    """
    seed        integer  of the random order within each block
    starts      count    of guests, each with a layout in memory of its own
    padded      count    of them with environment variables of a random size
    randomised  flag?    whether the host draws addresses at random
    processors  guests_processors[]  of the guests, by workload; several where combinations differ
    """,
    get={"processors": lambda of: of.processors.items()},
)
EXPERIMENT = Shape(
    "experiment",
    "of a plan or a table with factors",
    """
    factors      factor[]
    margin       number
    tested       count         contrasts in both families of Holm
    metrics      metric[]
    recommended=overall  recommended?  for all metrics on average
    first_stage=first  first_stage?  null where the design is not sequential
    nuisance     nuisance?     null for a table
    """,
)


def with_factors(of: Effects) -> Effects | None:
    """What `experiment` reports; None without factors."""
    return of if of.factors else None
