"""Poisson's equation by relaxation: partdiff (T. Ludwig, Ruprecht-Karls-Universität Heidelberg)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, model_validator

from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Work, Workload, of_kernel

SLOW_POINTS = 1e8
"""Points per second below which a processor is slow. A grid that needs more may take longer than its window."""


class PdeParameters(Parameters):
    """Sweeps go on for the trial's window unless iterations or precision make it run to completion.

    It must be complete within the window and the plan's `limits.run_extra_s`.
    """

    interlines: Annotated[int, Field(ge=0, le=10_000)] = Field(
        default=100, description="N for a grid of 8N+9 points a side"
    )
    function: Literal["zero", "sine"] = Field(default="zero", description="the disturbance")
    variant: Literal["fast", "naive"] = Field(
        default="fast", description="fast loops for any number of threads, or the loops of partdiff for one"
    )
    iterations: Annotated[int, Field(ge=1, le=200_000)] | None = Field(
        default=None, description="sweeps after which the work ends. Without it, the window or precision decides"
    )
    precision: Annotated[int, Field(ge=1, le=20)] | None = Field(
        default=None, description="N for an end at 1e-N. Without it, the window or iterations decide"
    )

    @model_validator(mode="after")
    def one_end(self) -> PdeParameters:
        """Work ends in one way."""
        if self.iterations is not None and self.precision is not None:
            raise ValueError("give iterations or precision, not both")
        return self


class Pde(Workload[PdeParameters]):
    """Floating point with neighbouring points: out of the caches for many interlines."""

    name = "pde"
    kernel = "pde"
    meaning = "solves the equation of Poisson by relaxation, as partdiff does"
    operations = of_kernel("pde")
    parameters = PdeParameters

    def work(self, op: str, parameters: PdeParameters, threads: int, seconds: float) -> Work:
        """The grid and the one that it is checked with, each twice for Jacobi. The naive variant has one thread.

        Iterations, precision, and a grid that a slow processor does not sweep once within the window end it.
        """
        points, grids = (8 * parameters.interlines + 9) ** 2, 4 if op == "jacobi" else 2
        own = parameters.iterations is not None or parameters.precision is not None
        return replace(
            super().work(op, parameters, threads, seconds),
            demand=Demand(memory=8 * grids * points, threads=1 if parameters.variant == "naive" else 0),
            window_s=None if own or points > SLOW_POINTS * seconds else seconds,
        )
