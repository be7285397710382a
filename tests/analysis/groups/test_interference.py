"""Who hurts whom: injected victims and aggressors are found, at their measured intensity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.groups.injected import CPUS, LEAST, REPETITIONS, covered, member, noisy, trial
from virtometer.analysis.groups.interference import aggressor, intensity, interference
from virtometer.analysis.groups.members import GroupTrial
from virtometer.analysis.groups.reference import Place

# Slowdown of each victim by each load; 1: it does not hurt.
TRUTH = {("disk", "cpu"): 1.4, ("disk", "net"): 1.0, ("stream", "cpu"): 1.05, ("stream", "net"): 2.5}


def campaign(rng: np.random.Generator, sd: float = 0.03) -> tuple[list[GroupTrial], dict[tuple[str, str, int], float]]:
    trials, alone = [], {}
    for block in range(8):
        host = noisy(rng, 0.1)
        for victim in ("disk", "stream"):
            alone["box", victim, block] = 100 * host * noisy(rng, sd)
        for (victim, load), slow in TRUTH.items():
            loads = [member(50.0, number, workload=load, role="load", cpu_s=0.4) for number in (2, 3)]
            measured = member(100 * host * noisy(rng, sd) / slow, workload=victim)
            trials.append(trial(block, [measured, *loads], scenario=f"{victim} beside {load}", type="loaded"))
    return trials, alone


def speeds(alone: Mapping[Place, float]) -> Callable[[str, Place], float | None]:
    return lambda _scenario, place: alone.get(place)


def test_injected_slowdowns_victim_and_aggressor_are_found() -> None:
    rng = np.random.default_rng(61)
    hits = 0
    for _ in range(REPETITIONS):
        trials, alone = campaign(rng)
        (matrix,) = interference(trials, speeds(alone), "loaded")
        cells = {
            (row, column): cell
            for row, of in zip(matrix.rows, matrix.cells, strict=True)
            for column, cell in zip(matrix.columns, of, strict=True)
        }
        truth = {
            (f"{victim} in box", f"2 × {load} (40 % of the host's CPU)"): slow for (victim, load), slow in TRUTH.items()
        }
        inside = all(cell is not None and covered(cell.low, truth[at], cell.high) for at, cell in cells.items())
        hits += inside and matrix.notes[0].startswith("2 × net hurts stream in box most")
    assert hits >= LEAST


def test_the_intensity_is_the_part_of_the_processors_that_the_loads_took() -> None:
    loads = [member(1.0, number, role="load", cpu_s=0.5) for number in (2, 3)]
    of = trial(0, [member(1.0), *loads], type="loaded", window_s=2.0)
    assert intensity(of) == pytest.approx(1.0 / (2.0 * CPUS))
    assert intensity(replace(of, members=(of.members[0], replace(loads[0], host_cpu_s=None)))) is None
    assert intensity(replace(of, cpus=0)) is None


def test_loads_of_several_kinds_are_no_single_aggressor() -> None:
    of = trial(0, [member(1.0), member(1.0, 2, role="load"), member(1.0, 3, role="load", workload="net")])
    assert aggressor(of, of.members[0]) is None
    other = trial(0, [member(1.0), member(1.0, environment="native", role="load")])
    found = aggressor(other, other.members[0])
    assert found is not None and found.words == "1 × cpu in native"


def test_what_was_not_measured_alone_has_no_cell() -> None:
    trials, alone = campaign(np.random.default_rng(62))
    assert interference(trials, speeds({}), "loaded") == ()
    only = {key: rate for key, rate in alone.items() if key[1] == "disk"}
    (matrix,) = interference(trials, speeds(only), "loaded")
    assert matrix.rows == ("disk in box",) and matrix.workload == "disk"


def test_harmless_loads_are_not_accused() -> None:
    rng = np.random.default_rng(63)
    false = 0
    for _ in range(200):
        trials, alone = campaign(rng)
        quiet = [one for one in trials if one.scenario == "disk beside net"]
        (matrix,) = interference(quiet, speeds(alone), "loaded")
        false += bool(matrix.notes)
    assert false <= 10
