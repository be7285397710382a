"""The second stage of a sequential design between the model and the ledger, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from virtometer.model import EnvironmentStatus, FollowUp, Plan, PlanEnvironment, Screened, Stage, Why


def follow_up_value(of: FollowUp) -> dict[str, Any]:
    """The second stage of a sequential design as plain data."""
    return {
        "screened": [
            [one.factor, one.why.name, one.metric, one.level, one.low, one.high, one.chain] for one in of.screened
        ],
        "cells": of.cells,
        "environments": [one.model_dump(mode="json") for one in of.environments],
        "terms": of.terms,
        "left_out": of.left_out,
        "levels": of.levels,
        "missing": of.missing,
        "blocks": of.blocks,
    }


def follow_up_of(value: Mapping[str, Any]) -> FollowUp:
    """Back from `follow_up_value`."""
    return FollowUp(
        tuple(
            Screened(factor, Why[why], metric, level, low, high, tuple(chain))
            for factor, why, metric, level, low, high, chain in value["screened"]
        ),
        tuple(value["cells"]),
        tuple(PlanEnvironment.model_validate(one) for one in value["environments"]),
        tuple(value["terms"]),
        tuple(value["left_out"]),
        {name: tuple(levels) for name, levels in value["levels"].items()},
        {name: (reason, advice) for name, (reason, advice) in value["missing"].items()},
        value["blocks"],
    )


def with_stages(
    plan: Plan, statuses: Iterable[EnvironmentStatus], stages: Iterable[Stage]
) -> tuple[Plan, tuple[EnvironmentStatus, ...]]:
    """The plan and what is known of its environments, with the cells that stages have added."""
    known = {status.name: status for status in statuses}
    for follow_up in (stage.follow_up for stage in stages if stage.follow_up is not None):
        for one in follow_up.environments:
            alike = [status for status in known.values() if status.kind == one.kind]
            like = max(
                alike, key=lambda status: status.works, default=EnvironmentStatus("", one.kind, True, "", "", {})
            )
            reason, advice = follow_up.missing.get(one.name, ("", ""))
            known[one.name] = replace(like, name=one.name, works=not reason, reason=reason, advice=advice)
        environments = [*plan.environments, *follow_up.environments]
        plan = plan.model_copy(update={"environments": environments})
    return plan, tuple(known.values())
