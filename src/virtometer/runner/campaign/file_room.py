"""What the workloads of a plan take on a file system, for guests that get a disk formatted for them."""

from __future__ import annotations

from virtometer.design.plan.catalogue import Catalogue
from virtometer.design.plan.demands import demand_of
from virtometer.environments.base import Room
from virtometer.model import Plan


def file_room(plan: Plan, catalogue: Catalogue) -> Room | None:
    """The room for the largest of them, or for all where a scenario runs several at once. None: none needs files."""
    demands = [demand_of(workload, catalogue) for workload in plan.workloads]
    files = [(one.own_files, one.names) for one in demands if one.file_system]
    if not files:
        return None
    at_once = sum if any(scenario.type == "mixed" for scenario in plan.scenarios) else max
    return Room(at_once(size for size, _ in files), at_once(names for _, names in files))
