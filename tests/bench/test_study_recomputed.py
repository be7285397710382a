"""Numbers of the studies' pages, recomputed from raw samples: what is right is the same, and what is wrong is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.study_recomputed import main
from tests.analysis.simulated_campaigns import Place, Work, with_runs
from tests.analysis.studies.hand_made import ALONE, NATIVE, levels, linpack, made
from tests.cli.laboratory import stored
from virtometer.analysis.score.of_run import score
from virtometer.analysis.studies import cells, derived
from virtometer.model import Placement, Run, Trial

LXC = Place("LXC", "lxc", {"": 0.9, "exec": 0.5})
RUNC = Place("runc", "runc", {"": 0.8})
INT = {"type": "int"}


def campaign(
    directory: Path, name: str, works: list[Work], scenarios: list[dict[str, Any]], places: list[Place] | None = None
) -> None:
    """A results directory of native and LXC. Each guest beside others is slower, and the second one slowest."""
    places = places or [NATIVE, LXC]
    alone = levels(places, works)

    def rate(placement: Placement, trial: Trial) -> float:
        return alone(placement, trial) / len(trial.placements) / (1 + 0.1 * (placement.guest == 2))

    of = with_runs(made(places, works, rate, scenarios).campaign, by_samples)
    stored(replace(of, plan=of.plan.model_copy(update={"name": name})), directory)


def by_samples(run: Run) -> Run:
    """The run with the value of its samples, whose times are whole numbers."""
    window = run.scored.window_start_host_ns, run.scored.window_end_host_ns
    return replace(run, score=score(run, run.scored.clock, window, run.scored.guest_cpu_s))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Campaigns of three studies."""
    folder = tmp_path_factory.mktemp("results")
    solving = linpack(4000, 1e9)
    sizes = [1024 << power for power in range(7)]
    writing = [
        Work(f"write {size}", "memory", "write", level=size * 1e6, parameters=INT | {"size": size}) for size in sizes
    ]
    system = [Work(op, "os", op, "s", 1e-6) for op in ("procedure", "fork", "exec")]
    groups = {"name": "guests", "type": "together", "environment": "LXC", "guests": [2, 3]}
    campaign(folder / "a", "tsiouprou2010 linpack", [linpack(1000, 1e9), solving], [ALONE])
    campaign(folder / "b", "lemberger2010 parallel-linpack", [solving], [ALONE, groups])
    campaign(folder / "c", "lemberger2010 parallel-ramspeed", writing, [ALONE, groups])
    campaign(folder / "d", "zupka2008 system", system, [ALONE], [NATIVE, LXC, RUNC])
    return folder


def test_what_is_right_is_the_same(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(results)]) == 0
    out = capsys.readouterr().out
    assert "DIFFER" not in out
    for item in ("tsiouprou2010 5.1", "lemberger2010 appendix: CPU angepasst", "lemberger2010 appendix: L1 Summe"):
        assert f"\n{item}: " in out
    assert "zupka2008 rank for processor: LXC, rank: 1 1 same" in out


def seconds_of_one_solution(work: float, rate: float) -> float:
    return work / 2 / rate


@pytest.mark.parametrize(
    ("module", "name", "wrong", "item"),
    [
        (derived, "seconds", seconds_of_one_solution, "tsiouprou2010 5.1"),
        (
            derived,
            "expected_from_fewer",
            lambda time_s, _guests, _more: time_s,
            "lemberger2010 appendix: CPU angepasst",
        ),
        (derived, "ranks", lambda of, _better: [1] * len(of), "zupka2008 rank for processor"),
        (cells, "scaled", lambda of, factor: replace(of, value=of.value * factor), "lemberger2010 appendix: L1 Summe"),
    ],
)
def test_what_is_wrong_in_the_report_is_found(
    results: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    wrong: Callable[..., Any],
    item: str,
) -> None:
    monkeypatch.setattr(module, name, wrong)
    assert main([str(results)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith(f"{item}: ") and line.endswith(" DIFFER") for line in lines)


def test_without_any_campaign_of_a_study_nothing_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    campaign(tmp_path / "a", "another", [linpack(1000, 1e9)], [ALONE])
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "nothing")]) == 4
    assert capsys.readouterr().out == ""
