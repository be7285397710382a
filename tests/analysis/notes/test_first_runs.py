"""First runs of new guests that take longer: found where all guests show it, and not in noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate
from virtometer.analysis import analyse
from virtometer.analysis.notes.first_runs import FirstRuns, first_runs
from virtometer.model import Campaign, Excluded, Run, Sample

COMMAND = Work("command", "command", "time", "s", 0.01)
Times = Callable[[str, np.random.Generator], Sequence[float]]


def one_by_one(run: Run, took_s: Sequence[float]) -> Run:
    """The run with a sample for each of these times."""
    start, samples = run.samples[0].start_ns, list[Sample]()
    for seconds in took_s:
        samples.append(Sample(start, start + round(seconds * 1e9), 1, "ok"))
        start = samples[-1].end_ns
    return replace(run, samples=tuple(samples))


def campaign(times: Times, *, blocks: int = 6, work: Work = COMMAND, control: bool = False) -> Campaign:
    made = simulate([Place("native"), Place("box", "runc")], [work], blocks=blocks, control=control)
    rng = np.random.default_rng(5)
    trials = [
        replace(one, runs=tuple(one_by_one(run, times(run.placement.environment, rng)) for run in one.runs))
        for one in made.trials
    ]
    return replace(made, trials=tuple(trials))


def cold_box(environment: str, rng: np.random.Generator) -> list[float]:
    """Two slow runs in the box, of ten."""
    usual = 0.01 * np.exp(rng.normal(0, 0.02, 10))
    usual[:2] *= (1.6, 1.3) if environment == "box" else (1.0, 1.0)
    return list(usual)


def runs_of(of: Campaign, environment: str) -> list[Run]:
    return [run for one in of.trials for run in one.runs if run.placement.environment == environment]


def test_slow_first_runs_are_counted_with_the_share_of_the_slowest() -> None:
    made = campaign(cold_box)
    found = first_runs(runs_of(made, "box"), 0.05)
    assert found.runs == 2 and found.longer == pytest.approx(0.6, abs=0.1)
    assert first_runs(runs_of(made, "native"), 0.05) == FirstRuns()
    assert first_runs(runs_of(made, "box"), 1.0) == FirstRuns(), "that is within the margin"


def test_a_guest_whose_first_run_was_disturbed_moves_no_other_run_to_its_place() -> None:
    runs = runs_of(campaign(cold_box, blocks=9), "box")
    disturbed = [
        replace(run, samples=(replace(run.samples[0], excluded=Excluded.OUTSIDE), *run.samples[1:])) for run in runs
    ]
    found = first_runs([*disturbed[:3], *runs[3:]], 0.05)
    assert found.runs == 2 and found.longer == pytest.approx(0.6, abs=0.1)


def test_the_note_is_at_the_environment_and_says_what_leaves_the_runs_out() -> None:
    findings = {one.subject: one.notes for one in analyse(campaign(cold_box)).findings}
    assert [note for note in findings["box"] if "-w 3" in note and "2 runs" in note and "in box" in note]
    assert not any("-w " in note for note in findings["native"])
    more = analyse(campaign(cold_box, work=replace(COMMAND, parameters={"warm_ups": 4}))).findings
    assert [one.subject for one in more if any("-w 6" in note for note in one.notes)] == ["box"]


def test_one_guest_alone_few_guests_and_few_runs_say_nothing() -> None:
    guests = iter(range(100))

    def one_guest(environment: str, rng: np.random.Generator) -> list[float]:
        return cold_box("box" if next(guests) == 3 else "native", rng)

    assert first_runs(runs_of(campaign(one_guest), "box"), 0.05) == FirstRuns()
    assert first_runs(runs_of(campaign(cold_box, blocks=5), "box"), 0.05) == FirstRuns()
    assert first_runs([], 0.05) == FirstRuns()
    short = campaign(lambda environment, rng: cold_box(environment, rng)[:5])
    assert first_runs(runs_of(short, "box"), 0.05) == FirstRuns()


def test_runs_in_turns_are_examined_by_slices() -> None:
    made = simulate([Place("native"), Place("box", "runc")], [COMMAND], blocks=6)
    slow = [1e3 / 1.5, *[1e3] * 11]
    runs = [in_rounds(run, slow) for run in runs_of(made, "box")]
    found = first_runs(runs, 0.05)
    assert found.runs == 1 and found.longer == pytest.approx(0.5, abs=0.05)


def test_cold_commands_and_other_work_have_no_such_note() -> None:
    for work in (replace(COMMAND, parameters={"first_counts": True}), Work("memory", "memory", "latency", "s", 0.01)):
        assert not any("-w " in note for one in analyse(campaign(cold_box, work=work)).findings for note in one.notes)


@pytest.mark.parametrize("sd", [0.02, 0.1, 0.5])
def test_noise_is_seldom_taken_for_slow_first_runs(sd: float) -> None:
    rng = np.random.default_rng(11)
    (template,) = simulate([Place("native")], [COMMAND], blocks=1).trials[0].runs
    alarms = 0
    for _ in range(100):
        runs = [one_by_one(template, (0.01 * np.exp(sd * rng.exponential(size=12))).tolist()) for _ in range(6)]
        alarms += first_runs(runs, 0.05).runs > 0
    assert alarms <= 4
