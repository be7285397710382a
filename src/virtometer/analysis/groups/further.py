"""Further measures of guests that work at the same time: beside the value, over the blocks.

Those of the host are from its accounts: processors that worked for a guest, and CPU seconds by unit of work. The others
are what the agent reported, in host time, and quantiles of its histograms. Of a path between two guests those of the
guest that serves begin with `target-`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from virtometer.analysis.describe.measures import histograms_of, in_host_time
from virtometer.analysis.describe.service_demand import consistent
from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.analysis.statistics import arithmetic
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Estimate, Quantity, Run

Measures: TypeAlias = Mapping[str, Quantity[Estimate | None]]
"""Further measures by name."""

TARGET = "target-"
HOST_CPU, HOST_CPU_BY_WORK = "host-cpu", "host-cpu-by-work"
_HOST = {
    HOST_CPU: "processors of the host that worked for the guest, by its account",
    HOST_CPU_BY_WORK: "CPU seconds of the host for the guest by one unit of work",
    "host-cpu-user": "the part of host-cpu in user mode",
    "host-cpu-system": "the part of host-cpu in kernel mode",
}
MEANINGS = {**_HOST, **{f"{TARGET}{name}": f"{text}, of the guest that serves" for name, text in _HOST.items()}}
"""What the measures from accounts of the host mean."""

_QUANTILES = {"p50": 0.5, "p99": 0.99}


def reported(run: Run) -> dict[str, tuple[str, float]]:
    """What a scored run reported beside its value, in host time: unit and number by name."""
    found: dict[str, tuple[str, float]] = {}
    for name, measure in run.reported.measures.items():
        unit = str(measure["unit"])
        factor = in_host_time(name, unit, run)
        if factor is not None:
            found[name] = (unit, float(measure["value"]) * factor)
    for name, times in histograms_of(run).items():
        found |= {f"{name}-{label}": ("s", times.quantile(share)) for label, share in _QUANTILES.items()}
    return found


def of_trial(trial: GroupTrial, member: Member) -> dict[str, tuple[str, float]]:
    """All further measures of a member in a trial: unit and number by name."""
    alone = all(one is member or one.whose != member.whose for one in trial.members)
    target = dict(trial.services).get(member.guest)
    found = _of_host(trial, member, member.rate if alone else None, member.rate_unit)
    if target is not None and target != member.whose:
        for server in trial.servers:
            if server.whose == target:
                of = _of_host(trial, server, member.rate, member.rate_unit)
                found |= {f"{TARGET}{name}": one for name, one in of.items()}
    return {**member.measures, **found} if member.value is not None else found


def over_blocks(
    of: Iterable[tuple[GroupTrial, Member]], subject: str, *, host: bool = True
) -> dict[str, Quantity[Estimate | None]]:
    """The mean over the blocks with its 95 % interval, by name. host: whether with those of the host's accounts.

    The mean is geometric where no block has 0 or less, else arithmetic. A block with several trials has their mean.
    """
    units: dict[str, str] = {}
    blocks: dict[str, dict[int, list[float]]] = {}
    for trial, member in of:
        for name, (unit, number) in of_trial(trial, member).items():
            if host or name not in MEANINGS:
                units.setdefault(name, unit)
                blocks.setdefault(name, {}).setdefault(trial.block, []).append(number)
    return {
        name: _quantity(subject, name, units[name], [statistics.fmean(one) for one in by.values()])
        for name, by in blocks.items()
    }


def inconsistent(value: Estimate | None, measures: Measures) -> Iterator[str]:
    """Where throughput times service demand is not the CPU use of an end, a phrase for each end."""
    for end in ("local", "remote"):
        demand, use = (measures.get(f"{name}-{end}") for name in ("service-demand", "cpu"))
        if value is None or demand is None or use is None or not demand.estimate or not use.estimate:
            continue
        made = value.value * demand.estimate.value
        if not consistent(made, use.estimate.value):
            said = f"throughput times service-demand-{end} is {made:.3g} processors"
            yield f"{said}, but cpu-{end} is {use.estimate.value:.3g}"


def names(of: Sequence[Measures]) -> list[str]:
    """All names: those of the host first, then in the order in which they first occur."""
    found = dict.fromkeys(name for one in of for name in one)
    return [*(name for name in MEANINGS if name in found), *(name for name in found if name not in MEANINGS)]


def _of_host(trial: GroupTrial, member: Member, rate: float | None, rate_unit: str) -> dict[str, tuple[str, float]]:
    """From the account of a member's guest. rate: the work that it was spent on; None: other work too."""
    if member.host_cpu_s is None or trial.window_s <= 0:
        return {}
    worth = member.host_cpu_s / trial.window_s
    found = {HOST_CPU: ("s/s", worth)}
    if rate:
        work = rate_unit.removesuffix("/s")
        found[HOST_CPU_BY_WORK] = ("s" if work == "1" else f"s/{work}", worth / rate)
    for part in ("user", "system"):
        seconds = None if member.use is None else getattr(member.use, part)
        if seconds is not None:
            found[f"{HOST_CPU}-{part}"] = ("s/s", seconds / trial.window_s)
    return found


def _quantity(subject: str, name: str, unit: str, numbers: Sequence[float]) -> Quantity[Estimate | None]:
    if min(numbers) > 0:
        return Quantity(subject, name, unit, None, "geometric mean", interval(map(math.log, numbers)))
    return Quantity(subject, name, unit, None, "mean", arithmetic.interval(numbers))
