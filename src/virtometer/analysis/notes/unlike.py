"""What two campaigns measured differently under the same names, in words."""

from __future__ import annotations

from virtometer.analysis.compare.blocks import TreatmentData
from virtometer.model import Campaign, PlanEnvironment, PlanWorkload


def workloads(one: PlanWorkload, other: PlanWorkload) -> str | None:
    """How two workloads of one name differ, so that they cannot be compared; None where they are the same."""
    for field in ("workload", "op", "parameters", "threads"):
        if getattr(one, field) != getattr(other, field):
            return f"its {field} differ: {getattr(one, field)} in A, {getattr(other, field)} in B"
    return None


def measured(a: Campaign, b: Campaign, before: TreatmentData, after: TreatmentData) -> tuple[str, ...]:
    """How both sides of a comparison differ beside their values, in sentences: environment, slices or windows."""
    one, other = (_environment(of, after.environment) for of in (a, b))
    said = _environments(one, other)
    windows = [_window(of, data) for of, data in ((a, before), (b, after))]
    if windows[0] != windows[1]:
        said.append(f"measured in {windows[0]} in A, in {windows[1]} in B")
    return tuple(said)


def workload_of(campaign: Campaign, name: str) -> PlanWorkload:
    """The workload of this name."""
    return next(workload for workload in campaign.plan.workloads if workload.name == name)


def _environments(one: PlanEnvironment, other: PlanEnvironment) -> list[str]:
    if one.kind != other.kind:
        return [f"{one.name} is of the kind {one.kind} in A, {other.kind} in B"]
    names = sorted({*one.settings, *other.settings})
    given = [(name, one.settings.get(name, "not given"), other.settings.get(name, "not given")) for name in names]
    return [
        f"the setting {name} of {one.name} is {before} in A, {after} in B"
        for name, before, after in given
        if before != after
    ]


def _environment(campaign: Campaign, name: str) -> PlanEnvironment:
    return next(one for one in campaign.plan.environments if one.name == name)


def _window(campaign: Campaign, data: TreatmentData) -> str:
    plan = campaign.plan
    if data.rounds and not data.long_blocks:
        return f"slices of {plan.slice_s * 1e3:g} ms"
    return f"windows of {workload_of(campaign, data.workload).seconds or plan.seconds:g} s"
