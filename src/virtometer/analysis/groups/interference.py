"""Which neighbour hurts which: slowdown of a victim while others load the host.

The slowdown is the victim's speed alone by its speed with the load, within the same block: above 1 it is slower.
The intensity of a load is measured: the part of the host's processor time that its guests took over the scored stretch.
A number of threads would say what was asked for, not what the victim met.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.members import GroupTrial, Member, cpu_s
from virtometer.analysis.statistics.interval import interval
from virtometer.model import Estimate, Quantity

_SURE = 1.02  # slowdown from which on a sentence names a victim


@dataclass(frozen=True, slots=True, order=True)
class Aggressor:
    """What loads the host: so many guests of an environment with a workload."""

    workload: str
    guests: int
    environment: str = ""

    @property
    def words(self) -> str:
        """`2 x linpack`, with the environment where it is not the victim's."""
        return f"{self.guests} × {self.workload}" + (f" in {self.environment}" if self.environment else "")


_Cells = dict[tuple[str, Aggressor], list[tuple[float, float | None]]]
"""Log of the slowdown and intensity of each trial, by victim and load."""


def intensity(trial: GroupTrial) -> float | None:
    """The part of the host's processor time that the loads took, 0 to 1; None where an account is missing."""
    used, limit = cpu_s(trial.loads), trial.cpus * trial.window_s
    return used / limit if used is not None and limit > 0 else None


def aggressor(trial: GroupTrial, victim: Member) -> Aggressor | None:
    """The load of a trial; None without any, or of several kinds."""
    kinds = {(load.workload, load.environment) for load in trial.loads}
    if len(kinds) != 1:
        return None
    ((workload, environment),) = kinds
    return Aggressor(
        workload, len({load.guest for load in trial.loads}), "" if environment == victim.environment else environment
    )


def interference(
    trials: Sequence[GroupTrial], alone: Callable[[str, tuple[str, str, int]], float | None], scenario: str
) -> tuple[Matrix, ...]:
    """One matrix for each environment of victims.

    alone: speed of one guest alone, from the scenario of a trial and (environment, workload, block).
    """
    found: dict[str, _Cells] = {}
    for trial in trials:
        for victim in trial.measured:
            load = aggressor(trial, victim)
            single = alone(trial.scenario, (victim.environment, victim.workload, trial.block))
            if load is not None and single and victim.speed:
                cell = found.setdefault(victim.environment, {}).setdefault((victim.workload, load), [])
                cell.append((math.log(single / victim.speed), intensity(trial)))
    return tuple(_matrix(environment, cells, scenario) for environment, cells in found.items())


def _matrix(environment: str, cells: _Cells, scenario: str) -> Matrix:
    victims = list(dict.fromkeys(victim for victim, _ in cells))
    loads = list(dict.fromkeys(load for _, load in cells))
    known = {key: [share for _, share in of if share is not None] for key, of in cells.items()}
    shares = {key: statistics.fmean(of) if of else None for key, of in known.items()}
    estimates = {key: interval((log for log, _ in of), jointly=len(cells)) for key, of in cells.items()}
    columns = [_column(load, [shares[key] for key in cells if key[1] == load]) for load in loads]
    rows = tuple(f"{victim} in {environment}" for victim in victims)
    return Matrix(
        scenario=scenario,
        type="loaded",
        workload=victims[0] if len(victims) == 1 else "",
        of=Quantity(environment, "slowdown", "", "lower", "geometric mean", None, "one guest alone"),
        rows=rows,
        columns=tuple(columns),
        cells=tuple(tuple(estimates.get((victim, load)) for load in loads) for victim in victims),
        notes=tuple(_notes(estimates, environment)),
        shares=tuple(tuple(shares.get((victim, load)) for load in loads) for victim in victims),
    )


def _column(load: Aggressor, shares: Sequence[float | None]) -> str:
    known = [share for share in shares if share is not None]
    if not known:
        return f"{load.words} (CPU unknown)"
    low, high = round(100 * min(known)), round(100 * max(known))
    span = f"{low} %" if low == high else f"{low} to {high} %"
    return f"{load.words} ({span} of the host's CPU)"


def _notes(estimates: Mapping[tuple[str, Aggressor], Estimate | None], environment: str) -> list[str]:
    """The pair that hurts most, where its interval says that it hurts."""
    sure = {key: of for key, of in estimates.items() if of is not None and of.low is not None and of.low > _SURE}
    if not sure:
        return []
    (victim, load), worst = max(sure.items(), key=lambda item: item[1].value)
    return [
        f"{load.words} hurts {victim} in {environment} most: {worst.value:.3g} times slower "
        f"[{worst.low:.3g}, {worst.high:.3g}]"
    ]
