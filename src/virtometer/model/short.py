"""The short form of a plan: smaller sizes and shorter windows for the same comparisons."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from virtometer.model.plain import Frozen, Level, parse_size, size_schema

ShortLevels = Annotated[list[Level], Field(min_length=1, max_length=64)]


class ShortWorkload(Frozen):
    """What one workload has in the short form, instead of the same fields of the plan."""

    seconds: float | None = Field(
        default=None, gt=0, le=3600, description="length of the window. Without it, that of the short form"
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="parameters with smaller values; the others stay as they are"
    )
    factors: dict[str, ShortLevels] = Field(
        default_factory=dict, max_length=4, description="some levels of factors; the others are left out"
    )


class Short(Frozen):
    """What the short form of a plan has, instead of the same fields of the plan.

    Environments, levels of their settings, scenarios and blocks are those of the plan.
    """

    seconds: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="length of the windows, also of workloads with one of their own. Without it, as in the plan",
    )
    slice_s: float | None = Field(
        default=None, ge=0.001, le=10, description="mean length of a slice. Without it, that of the plan"
    )
    disk_span: Annotated[
        int | None, Field(ge=1 << 20, le=1 << 44), BeforeValidator(parse_size), size_schema(1 << 20, 1 << 44)
    ] = Field(default=None, description="bytes of the disk file. Without it, those of the plan")
    workloads: dict[str, ShortWorkload] = Field(
        default_factory=dict,
        max_length=512,
        description="workloads of the plan by name, each with the table short workload",
    )
