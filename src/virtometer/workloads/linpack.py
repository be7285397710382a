"""Solving dense systems of linear equations (Dongarra, Bunch, Moler, Stewart: LINPACK Users' Guide, SIAM 1979)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from virtometer.workloads.base import Operation, Parameters, Workload


class LinpackParameters(Parameters):
    """size: order n of the system."""

    size: Annotated[int, Field(ge=1, le=100_000)] = 500


class Linpack(Workload):
    """Floating point, out of the caches for large n."""

    name = "linpack"
    kernel = "linpack"
    operations: ClassVar = {"classic": Operation("FLOP/s", "higher", "floating-point rate")}
    parameters = LinpackParameters
