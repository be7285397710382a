"""Trials of groups of guests with known truth, as `gather` would return them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.model import Better, HostUse, Role

CPUS = 2
REPETITIONS = 100
LEAST = 95  # of the repetitions, in which a truth must lie within its interval


def member(
    rate: float,
    number: int = 1,
    *,
    environment: str = "box",
    workload: str = "cpu",
    role: Role = "measured",
    cpu_s: float | None = 1.0,
    unit: str = "FLOP/s",
    on: frozenset[int] | None = None,
    order: int | None = None,
    threads: float = 1.0,
    vcpus: float = 0.0,
) -> Member:
    better: Better = "lower" if unit == "s" else "higher"
    name = environment if number == 1 else f"{environment} #{number}"
    return Member(
        guest=name, environment=environment, workload=workload, role=role, rate=rate,
        value=1 / rate if unit == "s" else rate, unit=unit, better=better, host_cpu_s=cpu_s, on=on,
        order=number - 1 if order is None else order, instance=name, processors=threads, vcpus=vcpus,
        rate_unit="1/s" if unit == "s" else unit,
    )  # fmt: skip


def trial(
    block: int,
    members: Sequence[Member],
    *,
    scenario: str = "growing",
    type: str = "together",
    window_s: float = 1.0,
    skew_ns: int = 1000,
    host: HostUse | None = None,
    services: Mapping[str, str] | None = None,
    addresses: Mapping[str, str] | None = None,
) -> GroupTrial:
    return GroupTrial(
        index=block, block=block, scenario=scenario, type=type, members=tuple(members), window_s=window_s,
        skew_ns=skew_ns, host=host, cpus=CPUS, services=tuple((services or {}).items()),
        addresses=tuple((addresses or {}).items()),
    )  # fmt: skip


def noisy(rng: np.random.Generator, sd: float) -> float:
    """A factor of noise with a median of 1."""
    return math.exp(rng.normal(0, sd))


def covered(low: float | None, truth: float, high: float | None) -> bool:
    assert low is not None and high is not None
    return low <= truth <= high
