"""Solving dense systems of linear equations (Dongarra, Bunch, Moler, Stewart: LINPACK Users' Guide, SIAM 1979)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from virtometer.model import Demand
from virtometer.workloads.base import Parameters, Place, Work, Workload, of_kernel

SLOW_FLOPS = 1e9
"""Operations per second below which a processor is slow. An order that needs more may take longer than its window."""


class LinpackParameters(Parameters):
    """Only `classic` has a variant and a convention. None leaves a parameter to the agent."""

    size: Annotated[int, Field(ge=1, le=200_000)] = Field(
        default=500,
        description="order n of the system, at most 100000; in the published convention the even array size 2n",
    )
    variant: Literal["rolled", "unrolled"] | None = Field(
        default=None, description="loops as published; the published convention has both in turn"
    )
    convention: Literal["order", "published"] | None = Field(
        default=None, description="meaning of size: the order, or the array size of the published C program"
    )
    generator: Literal["48-bit", "16-bit"] | None = Field(default=None, description="generator of the matrix")
    runs: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        default=None, description="iterations after which the run ends before its window does; 0: the window decides"
    )
    time_server: Literal["tcp", "udp"] | None = Field(
        default=None, description="also ask a clock of the laboratory, over TCP or UDP. Without it, no clock is asked"
    )

    @field_validator("variant", mode="before")
    @classmethod
    def published_variant(cls, value: object) -> object:
        """Earlier plans have a variant `fast`, which is an operation of its own now."""
        if value == "fast":
            raise ValueError("classic has no variant fast; take the operation left-looking, which has no variant")
        return value

    @model_validator(mode="after")
    def one_convention(self) -> LinpackParameters:
        """The published convention has a size and variants of its own."""
        if self.convention != "published":
            if self.size > 100_000:
                raise ValueError(f"size is {self.size}, not 1 to 100000")
        elif self.variant is not None:
            raise ValueError("the published convention has both variants, rolled and unrolled: give no variant")
        elif self.size % 2:
            raise ValueError(f"size is {self.size}; in the published convention it is twice the order, and so even")
        return self


class Linpack(Workload[LinpackParameters]):
    """Floating point: as published, left-looking by groups of columns, or blocked with all threads on one matrix."""

    name = "linpack"
    kernel = "linpack"
    meaning = "solves a dense system of linear equations"
    operations = of_kernel("linpack")
    parameters = LinpackParameters

    def work(self, op: str, parameters: LinpackParameters, threads: int, seconds: float) -> Work:
        """One matrix of doubles for each thread; `blocked` has one for all.

        A system that a slow processor does not solve once within the window runs to completion.
        """
        order = parameters.size / 2 if parameters.convention == "published" else parameters.size
        return replace(
            super().work(op, parameters, threads, seconds),
            demand=Demand(memory=8 * int(order) ** 2 * (1 if op == "blocked" else threads)),
            window_s=seconds if 2 / 3 * order**3 <= SLOW_FLOPS * seconds else None,
            ends_early=bool(parameters.runs),
            needs=frozenset({"time-server"} if parameters.time_server else ()),
        )

    def arguments(self, op: str, parameters: LinpackParameters, place: Place) -> dict[str, Any]:
        """Add the address of the time server. Raises UsageError also where none can be reached."""
        given = super().arguments(op, parameters, place)
        if parameters.time_server is not None:
            given["time-server"] = place.find("time-server", parameters.time_server).address
        return given
