"""A plan with its settings and parameters as types, and with all that kinds and workloads know of them. PURE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from virtometer.model import Kind, Kinds, Plan, PlanEnvironment, Room, Settings
from virtometer.workloads.base import Work
from virtometer.workloads.registry import WORKLOADS


@dataclass(frozen=True, slots=True)
class ResolvedPlan:
    """A plan, as the ledger keeps it, and what its names stand for.

    works: by the names of its workloads. settings: by the names of its environments. kinds: all of this laboratory.
    """

    plan: Plan
    works: Mapping[str, Work]
    settings: Mapping[str, Settings]
    kinds: Kinds

    def kind(self, environment: PlanEnvironment) -> type[Kind]:
        """The kind of an environment."""
        return self.kinds[environment.kind]

    @property
    def on_disk(self) -> frozenset[str]:
        """Names of the workloads that use the disk file."""
        return frozenset(name for name, work in self.works.items() if "disk" in work.needs)

    @property
    def file_room(self) -> Room | None:
        """What the largest of its workloads takes on a file system, or all where a scenario runs several at once.

        None: none needs files.
        """
        demands = [work.demand for work in self.works.values() if work.demand.file_system]
        if not demands:
            return None
        at_once = sum if any(scenario.type == "mixed" for scenario in self.plan.scenarios) else max
        return Room(at_once(one.own_files for one in demands), at_once(one.names for one in demands))


def resolve(plan: Plan, kinds: Kinds) -> ResolvedPlan:
    """Resolve a plan that was found right. Raises KeyError and ValidationError for one that is not."""
    return ResolvedPlan(
        plan,
        {
            one.name: known.work(one.op, given, one.threads, one.seconds or plan.seconds)
            for one in plan.workloads
            for known in [WORKLOADS[one.workload]]
            for given in [known.parameters.model_validate(one.parameters)]
        },
        {one.name: kinds[one.kind].settings_type.model_validate(one.settings) for one in plan.environments},
        kinds,
    )
