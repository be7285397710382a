"""The JSON Schema of plans, for editors and other programs, from the model itself. PURE.

contract/schema/plan.schema.json is what `virtometer plan schema` prints; a test fails when it is stale.
"""

from __future__ import annotations

from typing import Any

from virtometer.design.factorial.registry import DESIGNS
from virtometer.model import Design, Plan, PlanEnvironment, PlanWorkload

_ABOUT = (
    "A plan of Virtometer. Settings of environments and parameters of workloads depend on the kind and the workload: "
    "`virtometer plan check PLAN` checks those too, and that names are unique and the baseline exists."
)


def plan_schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12."""
    schema = Plan.model_json_schema()
    for model in (PlanEnvironment, PlanWorkload, Design):
        for name in model.set_by_laboratory:
            del schema["$defs"][model.__name__]["properties"][name]
    for name in Plan.set_by_laboratory:
        del schema["properties"][name]
    schema["$defs"]["Design"]["properties"]["type"] |= {
        "enum": list(DESIGNS),
        "description": "; ".join(f"{name}: {one.meaning}" for name, one in DESIGNS.items()),
    }
    workload = schema["$defs"]["PlanWorkload"]
    # The operation may be a factor instead.
    workload["required"].remove("op")
    workload["anyOf"] = [
        {"required": ["op"]},
        {"properties": {"factors": {"required": ["op"]}}, "required": ["factors"]},
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "plan",
        "description": _ABOUT,
    }
