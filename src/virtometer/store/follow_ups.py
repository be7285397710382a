"""What the second stage of a sequential design adds to the plan of a ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from virtometer.model import EnvironmentStatus, Plan, Stage


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
