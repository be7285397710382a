"""Effects in the machine interface. contract/schema/report.schema.json fixes it, METHODOLOGY.md explains it."""

from __future__ import annotations

from typing import Any

from virtometer.analysis.effects.effect import (
    Change,
    Effect,
    Effects,
    FirstStage,
    Gain,
    MetricEffects,
    Recommendation,
)
from virtometer.analysis.notes.nuisance import Nuisance
from virtometer.model import Screened


def effect_rows(of: Effects) -> list[dict[str, Any]]:
    """`effects`: one for each metric and term, the largest of each metric first.

    Of a sequential design those of the second stage, then those of the first of factors that are dropped.
    """
    if of.first is None:
        return [_effect(effect, 1, of.interval_level) for effect in of.effects]
    later = 2 if any(one.why.kept for one in of.first.screened) else 1
    rows = [_effect(effect, later, of.interval_level) for effect in of.effects]
    return [*rows, *(_effect(one, 1, of.first.interval_level) for one in of.first.effects)]


def experiment_row(of: Effects) -> dict[str, Any] | None:
    """`experiment`: factors, what is said of each metric, and the settings that are recommended. None without any."""
    if not of.factors:
        return None
    return {
        "factors": [{"name": name, "levels": list(levels)} for name, levels in of.factors],
        "margin": of.margin,
        "tested": of.tested,
        "metrics": [_metric(one) for one in of.metrics],
        "recommended": _recommended(of.overall),
        "first_stage": _first_stage(of.first),
        "nuisance": _nuisance(of.nuisance),
    }


def _nuisance(of: Nuisance | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "seed": of.seed,
        "starts": of.starts,
        "padded": of.padded,
        "randomised": of.randomised,
        "processors": [{"workload": name, "processors": some} for name, some in of.processors.items()],
    }


def _first_stage(of: FirstStage | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "combinations": of.cells,
        "blocks": of.blocks,
        "factors": [screened_row(one) for one in of.screened],
    }


def screened_row(of: Screened) -> dict[str, Any]:
    """What becomes of a factor after the first stage of a sequential design."""
    return {
        "factor": of.factor,
        "kept": of.why.kept,
        "why": of.why.value,
        "metric": of.metric,
        "level": of.level,
        "low": of.low,
        "high": of.high,
        "interactions": of.chain,
    }


def _effect(of: Effect, stage: int, interval_level: float) -> dict[str, Any]:
    largest = of.largest
    return {
        "metric": of.metric,
        "term": of.term,
        **_change(of.change),
        "interval_level": interval_level,
        "share": of.share,
        "p_adjusted": of.p_adjusted,
        "verdict": of.verdict.value,
        "stage": stage,
        "level": largest.level,
        "against": largest.against,
        "aliases": of.aliases,
        "wholly": of.wholly,
        "contrasts": [
            {
                "level": one.level,
                "against": one.against,
                **_change(one.change),
                "p_value": one.p_value,
                "p_adjusted": one.p_adjusted,
                "verdict": one.verdict.value,
            }
            for one in of.contrasts
        ],
        "conditionals": [
            {
                "factor": one.factor,
                "level": one.level,
                "against": one.against,
                "given_factor": one.given_factor,
                "given": one.given,
                **_change(one.change),
                "no_influence": one.none,
            }
            for one in of.conditionals
        ],
        "notes": of.notes,
    }


def _metric(of: MetricEffects) -> dict[str, Any]:
    return {
        "metric": of.metric,
        "unit": of.unit,
        "better": of.better,
        "beside": of.beside,
        "trials": of.trials,
        "blocks": of.blocks,
        "not_estimable": [{"term": one.term, "reason": one.reason} for one in of.lost],
        "diagnostics": of.diagnostics,
        "recommended": _recommended(of.recommended),
        "control": None if of.control is None else _change(of.control),
    }


def _recommended(of: Recommendation | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "changed": [{"factor": factor, "from": old, "to": new} for factor, old, new in of.changed],
        "candidates": of.candidates,
        "ran": of.ran,
        **_change(of.gain.change),
        "others": [_gain(one) for one in of.trade],
    }


def _gain(of: Gain) -> dict[str, Any]:
    return {"metric": of.metric, **_change(of.change), "improves": of.improves, "worsens": of.worsens}


def _change(of: Change) -> dict[str, Any]:
    return {"percent": of.percent, "low": of.low, "high": of.high}
