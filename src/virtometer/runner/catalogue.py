"""What plans may name on this laboratory, as data for the pure parser of plans."""

from __future__ import annotations

from virtometer.design.catalogue import Catalogue, OpDescription, WorkloadDescription
from virtometer.environments.registry import KINDS
from virtometer.workloads.registry import WORKLOADS


def catalogue() -> Catalogue:
    """Kinds of environments with their settings, workloads with their operations and parameters."""
    return Catalogue(
        kinds={name: kind.settings_type for name, kind in KINDS.items()},
        workloads={
            name: WorkloadDescription(
                ops={op: OpDescription(o.unit, o.better, o.metric) for op, o in workload.operations.items()},
                parameters=workload.parameters,
            )
            for name, workload in WORKLOADS.items()
        },
    )
