"""The time of a command beside its efficiency: native time / time there is the efficiency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, scored, simulate
from virtometer.analysis import analyse
from virtometer.model import Campaign, Excluded, Finding, Run, TrialRecord

COMMAND = Work("first", "command", "time", "s", 1e-9)
OTHER = Work("second", "command", "time", "s", 2e-9)
PLACES = [Place("native"), Place("box", "runc"), Place("jar", "bubblewrap")]
SLOWER = {"native": 1.0, "box": 1.25, "jar": 0.9}


def turning(works: list[Work], *, control: bool = True, verdict: str = "typical") -> Campaign:
    """Guests took turns on a noisy host: each fifth run stalls, and what is slow for one round is slow for all."""
    made = simulate(PLACES, works, control=control, verdict=verdict, blocks=6)

    def rounds(record: TrialRecord) -> TrialRecord:
        shared = np.random.default_rng(record.trial.block).normal(0, 0.2, 20)
        own = np.random.default_rng(record.trial.index).choice([0.0, 2.0], 20, p=[0.8, 0.2])
        return replace(record, runs=tuple(in_rounds(run, _rates(run, shared + own)) for run in record.runs))

    return replace(made, trials=tuple(rounds(record) for record in made.trials))


def _rates(run: Run, logs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    level = 1e9 / SLOWER[run.placement.environment] / (2 if run.placement.workload == "second" else 1)
    return list(level * np.exp(-logs))


def of(found: Campaign, workload: str = "first") -> dict[str, Finding]:
    return {one.subject: one for one in analyse(found).findings if one.workload == workload}


@pytest.mark.parametrize("verdict", ["typical", "total"])
def test_native_time_by_time_there_is_the_efficiency(verdict: str) -> None:
    found = of(turning([COMMAND], verdict=verdict))
    native = found["native"].value.estimate
    for name in ("box", "jar"):
        value, ratio = found[name].value.estimate, found[name].decisive
        assert native is not None and value is not None and ratio is not None
        assert found[name].verdict_by == verdict
        assert native.value / value.value == pytest.approx(ratio.value)
        assert value.n == 6 and value.low is not None and value.low < value.value


def test_a_typical_time_is_not_moved_by_runs_that_stall() -> None:
    typical, total = of(turning([COMMAND])), of(turning([COMMAND], verdict="total"))
    for name, times in SLOWER.items():
        value, mean = typical[name].value.estimate, total[name].value.estimate
        assert value is not None and mean is not None
        assert value.value == pytest.approx(1e-9 * times, rel=0.1)
        assert mean.value > 1.1 * value.value  # equally long pieces of work: slow ones weigh less


def test_commands_are_compared_by_the_same_times() -> None:
    analysis = analyse(turning([COMMAND, OTHER]))
    first, second = (
        {one.subject: one.value.estimate for one in analysis.findings if one.workload == name}
        for name in ("first", "second")
    )
    for (_, environment), ratio in analysis.commands.items():
        one, other = first[environment], second[environment]
        assert one is not None and other is not None
        assert ratio.estimate.value == pytest.approx(other.value / one.value)


def test_runs_that_the_verdict_excludes_are_not_in_the_time() -> None:
    made = simulate(PLACES[:2], [COMMAND], samples=8)

    def excluding(run: Run) -> Run:
        slow = [replace(one, work=max(one.work // 50, 1)) if at < 5 else one for at, one in enumerate(run.samples)]
        excluded = [replace(one, excluded=Excluded.DISTURBED) if at < 5 else one for at, one in enumerate(slow)]
        return scored(replace(run, samples=tuple(excluded), report=replace(run.reported, value=5e-8)))

    changed = replace(made, trials=tuple(replace(r, runs=tuple(map(excluding, r.runs))) for r in made.trials))
    for found in of(changed).values():
        assert found.value.estimate is not None
        assert found.value.estimate.value == pytest.approx(1e-9, rel=0.02)


def test_other_work_keeps_the_total_of_each_block() -> None:
    made = turning([replace(COMMAND, workload="memory", op="latency")])
    data = analyse(made).treatments["first", "box"]
    value = of(made)["box"].value.estimate
    assert value is not None
    assert value.value == pytest.approx(float(np.exp(np.mean(np.log(list(data.values.values()))))))
