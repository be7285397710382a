"""The network between guests as a matrix of source x target, with tests for what looks wrong in it.

Asymmetry: in each block the log of source -> target is compared with that of target -> source, and of two guests of the
same environment with what a third one reaches to and from each: paired t tests, Holm over all of them.

A pair that measured itself by mistake shows a guest's rate to itself where the way to another guest was asked: within
LIKE_ITSELF of the loopback of its source or target, and more than FAR times the median of the other pairs. klein2008
printed such a pair (vm4 to node7 at 293 MB/s beside 294 to itself, where the other pairs have 2 to 160). Where the
address of the target is known, one that means the source itself is told at once.
"""

from __future__ import annotations

import ipaddress
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from virtometer.analysis.groups import further
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.members import GroupTrial, Member
from virtometer.analysis.statistics import holm
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import spread
from virtometer.model import MIN_BLOCKS, Better, Estimate, Quantity

LIKE_ITSELF = 1.25
FAR = 2.0
LABORATORY = "laboratory"
"""The target that is no guest: the agent on the laboratory's side."""

_LEVEL = 0.05

Pair = tuple[str, str]
Values = Mapping[Pair, Mapping[int, float]]


def network(trials: Sequence[GroupTrial], scenario: str, kind: str) -> tuple[Matrix, ...]:
    """One matrix for each workload. A member that exchanges data with no guest did with the laboratory: LABORATORY."""
    workloads = dict.fromkeys(member.workload for trial in trials for member in trial.measured)
    made = []
    for workload in workloads:
        values, units, environments, addresses = _collect(trials, workload)
        if values:
            unit, better = units
            matrix = _matrix(scenario, kind, workload, unit, better, values, environments, addresses)
            made.append(_with_measures(matrix, trials))
    return tuple(made)


def _collect(
    trials: Sequence[GroupTrial], workload: str
) -> tuple[dict[Pair, dict[int, float]], tuple[str, Better], dict[str, str], dict[Pair, str]]:
    logs: dict[Pair, dict[int, list[float]]] = {}
    units: tuple[str, Better] = ("", "higher")
    environments: dict[str, str] = {}
    addresses: dict[Pair, str] = {}
    for trial in trials:
        targets, peers = dict(trial.services), dict(trial.addresses)
        for member in trial.of(workload):
            if member.value is not None and member.value > 0:
                pair = (member.guest, targets.get(member.guest, LABORATORY))
                logs.setdefault(pair, {}).setdefault(trial.block, []).append(math.log(member.value))
                units = (member.unit, member.better)
                environments[member.guest] = member.environment
                environments.setdefault(pair[1], pair[1].partition(" #")[0])
                if member.guest in peers:
                    addresses[pair] = peers[member.guest]
    means = {pair: {block: math.fsum(of) / len(of) for block, of in blocks.items()} for pair, blocks in logs.items()}
    return means, units, environments, addresses


def _matrix(
    scenario: str,
    kind: str,
    workload: str,
    unit: str,
    better: Better,
    logs: Values,
    environments: Mapping[str, str],
    addresses: Mapping[Pair, str],
) -> Matrix:
    names = list(dict.fromkeys(name for pair in logs for name in pair))
    places = list(dict.fromkeys(environments.values()))
    names.sort(key=lambda name: (places.index(environments.get(name, name)), len(name), name))
    sources = tuple(name for name in names if any(pair[0] == name for pair in logs))
    targets = tuple(name for name in names if any(pair[1] == name for pair in logs))
    targets = (*(name for name in targets if name != LABORATORY), *(name for name in targets if name == LABORATORY))
    estimates = {pair: interval(blocks.values(), jointly=len(logs)) for pair, blocks in logs.items()}
    notes = [
        *by_address(addresses),
        *itself(estimates, better),
        *asymmetries(logs, environments, better),
    ]
    return Matrix(
        scenario=scenario,
        type=kind,
        workload=workload,
        of=Quantity(workload, "throughput", unit, better, "geometric mean", None),
        rows=sources,
        columns=targets,
        cells=tuple(tuple(estimates.get((source, target)) for target in targets) for source in sources),
        notes=tuple(notes),
    )


def _with_measures(of: Matrix, trials: Sequence[GroupTrial]) -> Matrix:
    """With the further measures of each pair, and a sentence where they contradict its value."""
    found: dict[Pair, list[tuple[GroupTrial, Member]]] = {}
    for trial in trials:
        targets = dict(trial.services)
        for member in trial.of(of.workload):
            found.setdefault((member.guest, targets.get(member.guest, LABORATORY)), []).append((trial, member))
    pairs = [(source, target) for source in of.rows for target in of.columns if (source, target) in found]
    measures = {pair: further.over_blocks(found[pair], pair[0]) for pair in pairs}
    said = [
        f"{source} to {target}: {phrase}"
        for (source, target), one in measures.items()
        if of.of.unit == "B/s"
        for phrase in further.inconsistent(of.cell(source, target), one)
    ]
    return replace(of, measures=measures, notes=(*of.notes, *said))


def asymmetries(logs: Values, environments: Mapping[str, str], better: Better = "higher") -> list[str]:
    """Sentences on the pairs whose ways differ, and on guests of one environment that are not alike; Holm at 5 %.

    logs: of values, by source and target, and block. environments: of each guest.
    """
    questions: list[tuple[str, str, list[float]]] = []
    names = list(dict.fromkeys(name for pair in logs for name in pair))
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            questions.append((f"{one} to {other}", f"{other} to {one}", _ratios(logs, (one, other), (other, one))))
            if environments.get(one) == environments.get(other):
                for third in names:
                    if third not in (one, other):
                        to, back = ((third, one), (third, other)), ((one, third), (other, third))
                        questions += [
                            (f"{a[0]} to {a[1]}", f"{b[0]} to {b[1]}", _ratios(logs, a, b)) for a, b in (to, back)
                        ]
    asked = [(a, b, of) for a, b, ratios in questions if (of := spread(ratios)) is not None and of.n >= MIN_BLOCKS]
    p_values = holm.adjust([p if (p := of.p_of_none) is not None else 1.0 for _, _, of in asked])
    said = []
    for (a, b, of), p in zip(asked, p_values, strict=True):
        if p < _LEVEL:
            mean = of.mean if better == "higher" else -of.mean
            fast, slow, ratio = (a, b, math.exp(mean)) if mean > 0 else (b, a, math.exp(-mean))
            said.append(f"asymmetric: {fast} is {ratio:.3g} times as fast as {slow} ({_p(p)})")
    return said


def _p(p: float) -> str:
    return f"p {p:.2g}" if p >= 1e-4 else "p < 0.0001"


def itself(estimates: Mapping[Pair, Estimate | None], better: Better = "higher") -> list[str]:
    """Sentences on pairs that have a guest's rate to itself and are far from all others."""
    sign = 1.0 if better == "higher" else -1.0
    logs = {pair: sign * math.log(of.value) for pair, of in estimates.items() if of is not None}
    loopback = {pair[0]: log for pair, log in logs.items() if pair[0] == pair[1]}
    apart = {pair: log for pair, log in logs.items() if pair[0] != pair[1]}
    said = []
    for pair, log in apart.items():
        others = [other for at, other in apart.items() if at != pair]
        if not others or log <= statistics.median(others) + math.log(FAR):
            continue
        for name in pair:
            if name in loopback and abs(log - loopback[name]) <= math.log(LIKE_ITSELF):
                times = math.exp(log - statistics.median(others))
                said.append(
                    f"{pair[0]} to {pair[1]} looks like {name} to itself: as fast as that, and {times:.3g} times the "
                    "median of the other pairs"
                )
                break
    return said


def by_address(addresses: Mapping[Pair, str]) -> list[str]:
    """Sentences on pairs of different guests whose target has an address that means the source itself."""
    return [
        f"{source} to {target} measured itself: the target's address is {address}"
        for (source, target), address in addresses.items()
        if source != target and _is_loopback(address)
    ]


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]") or address
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _ratios(logs: Values, of: Pair, against: Pair) -> list[float]:
    first, second = logs.get(of, {}), logs.get(against, {})
    return [value - second[block] for block, value in first.items() if block in second]
