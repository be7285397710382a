"""The effects of a campaign, whose blocks may be of several stages: which blocks count, and how strict levels are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from virtometer.analysis.compare.blocks import Key, TreatmentData
from virtometer.analysis.effects.claims import AlphaFactors
from virtometer.analysis.effects.effect import Effects, FirstStage, MetricEffects, change, quantity
from virtometer.analysis.effects.of_campaign import experiment, second_experiment
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.screening import SHARE
from virtometer.analysis.notes.nuisance import nuisance
from virtometer.analysis.stopping.rule import ALPHA_FACTOR
from virtometer.model import Campaign, Control, Estimate, Quantity


def effects_of(campaign: Campaign, table: Mapping[Key, TreatmentData], controls: Sequence[Control] = ()) -> Effects:
    """Of a campaign's last design; empty where its plan has no factors. table, controls: of the campaign."""
    made, later = experiment(campaign, table), second_experiment(campaign, table)
    if made is None:
        return Effects()
    margin, stage = campaign.plan.margin, campaign.follow_up_stage
    first = effects(made, margin, alpha_factors(campaign, first=later is not None))
    found = first if later is None else effects(later, margin, alpha_factors(campaign))
    found = replace(
        found,
        metrics=_controlled(found.metrics, controls),
        nuisance=nuisance(campaign),
        typical=campaign.plan.verdict == "typical",
    )
    if stage is None or stage.follow_up is None:
        return found
    kept = set(stage.follow_up.kept)
    mains = [one for one in first.effects if len(one.factors) == 1]
    dropped = () if later is None else tuple(one for one in mains if not kept & set(one.factors))
    added = {one.name for one in stage.follow_up.environments}
    begun = FirstStage(
        stage.follow_up.screened,
        dropped,
        sum(one.name not in added for one in campaign.plan.cells),
        len({trial.block for trial in campaign.planned if trial.index < stage.first_trial}),
    )
    return replace(found, first=begun)


def _controlled(metrics: Sequence[MetricEffects], controls: Sequence[Control]) -> tuple[MetricEffects, ...]:
    """The metrics of workloads with the change between the two guests of the baseline."""
    known = {one.workload: one.ratio for one in controls}
    found = []
    for metric in metrics:
        ratio = None if metric.beside else known.get(metric.metric)
        found.append(metric if ratio is None else replace(metric, control=_change(ratio, metric)))
    return tuple(found)


def _change(ratio: Quantity[Estimate], metric: MetricEffects) -> Quantity[Estimate]:
    """Of the metric itself: a ratio above 1 is better, whichever direction that is."""
    of, sign = ratio.estimate, 1.0 if metric.better == "higher" else -1.0
    bounds = [math.nan if one is None else sign * math.log(one) for one in (of.low, of.high)]
    found = change(sign * math.log(of.value), min(bounds), max(bounds), of.n, of.level)
    return quantity(found, metric.metric, metric.better, (ratio.subject,), (ratio.reference,))


def alpha_factors(campaign: Campaign, *, first: bool = False, by_rule: bool = False) -> AlphaFactors:
    """Of a campaign's effects: where a rule fixes its blocks, and with a share for each stage of a sequential design.

    first: of the first stage of such a design, which no rule makes longer. by_rule: a rule is about to fix them.
    """
    by_rule = by_rule or campaign.plan.stops_by_rule or any(stage.follow_up is None for stage in campaign.stages)
    levels = ALPHA_FACTOR if by_rule and not first else 1.0
    return AlphaFactors((SHARE if campaign.plan.sequential else 1.0) * levels, levels)
