"""Groups of guests, and slices beside long windows: what differs between them is no effect of a factor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.analysis.factor_campaigns import READ, Levels, cell_name, factor_campaign
from tests.analysis.grouped_campaigns import in_groups
from tests.analysis.simulated_campaigns import changed, in_rounds, quiet, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.comparable import Incomparable, sentences
from virtometer.analysis.effects.of_campaign import experiment
from virtometer.analysis.effects.table import Response
from virtometer.model import Campaign, Failure, FailureKind, Run, TrialRecord

FACTORS = {"aio": ("threads", "io_uring"), "cache": ("writeback", "none")}
CELLS = [cell_name({"aio": aio, "cache": cache}) for aio in FACTORS["aio"] for cache in FACTORS["cache"]]
GROUPS = [CELLS[1:2], CELLS[2:]]
"""Beside the baseline, all combinations with io_uring are in the second group."""


def campaign(logs: Callable[[Levels, str], float] = lambda *_: 0.0, blocks: int = 8) -> Campaign:
    return factor_campaign(FACTORS, logs, works=(READ,), blocks=blocks)


def with_records(of: Campaign, change: Callable[[TrialRecord], TrialRecord]) -> Campaign:
    return replace(of, trials=tuple(map(change, of.trials)))


def response(of: Campaign, metric: str = READ.name) -> Response:
    made = experiment(of, by_treatment(of))
    assert made is not None
    return next(one for one in made.responses if one.metric == metric)


def changes(of: Campaign, metric: str = READ.name) -> dict[str, tuple[float, Influence]]:
    found = next(one for one in analyse(of).effects.metrics if one.metric == metric)
    return {one.term: (one.change.estimate.value, one.verdict) for one in found.effects}


def test_a_difference_between_groups_is_no_effect() -> None:
    grouped = in_groups(campaign(), GROUPS, (1.0, 1.2))
    assert all(
        abs(percent) < 1.5 and verdict is not Influence.INFLUENCE for percent, verdict in changes(grouped).values()
    )
    assert response(grouped).notes == ()


def test_an_effect_beside_a_difference_between_groups_is_found() -> None:
    grouped = in_groups(campaign(lambda levels, _: 0.1 * (levels["aio"] == "io_uring")), GROUPS, (1.0, 0.8))
    percent, verdict = changes(grouped)["aio"]
    assert percent == pytest.approx(100 * math.expm1(0.1), abs=1.5) and verdict is Influence.INFLUENCE


def test_costs_and_slow_operations_are_compared_within_groups() -> None:
    def slower(record: TrialRecord) -> TrialRecord:
        """The second group has 30 % longer operations, which take 30 % more CPU time."""
        times = 1.3 if record.trial.start_group % 2 else 1.0
        (run,) = record.runs
        histogram = {"latency": {"unit": "ns", "counts": [(1000, 90), (round(4000 * times), 10)]}}
        cpu_s = run.scored.guest_cpu_s
        assert cpu_s is not None
        return replace(record, runs=(changed(run, histograms=histogram, guest_cpu_s=cpu_s * times),))

    grouped = with_records(in_groups(campaign(), GROUPS, (1.0, 1.0)), slower)
    for metric in (f"host CPU per work of {READ.name}", f"99 % latency of {READ.name}"):
        assert all(abs(percent) < 1e-6 for percent, _ in changes(grouped, metric).values())


def test_a_cell_without_the_baseline_in_its_group_is_left_out(said: Said) -> None:
    def lost(record: TrialRecord) -> TrialRecord:
        """The baseline of the second group fails in block 3."""
        baseline = record.trial.placements[0].environment == CELLS[0]
        if not baseline or record.trial.block != 3 or record.trial.start_group % 2 == 0:
            return record
        return replace(record, failure=Failure(FailureKind.GUEST, "the guest ended", 0), runs=())

    found = response(with_records(in_groups(campaign(), GROUPS, (1.0, 1.2)), lost))
    (note,) = found.notes
    assert note.startswith("2 values left out: ")
    said(note)
    assert [levels["aio"] for levels, block in zip(found.levels, found.blocks, strict=True) if block == 3] == [
        "threads"
    ] * 2
    whole = analyse(with_records(in_groups(campaign(), GROUPS, (1.0, 1.2)), lost))
    assert note in whole.effects.metrics[0].diagnostics


def slices(run: Run, long: float, *, count: bool) -> Run:
    """A run in slices, with one long window that is so many times as fast; `count`: the window is the value."""
    rate = run.scored.value
    return in_rounds(run, [rate] * 4, [[rate * long] * 4], count=count)


def in_long_windows(of: Campaign, long: str = "io_uring", *, beside: bool = True) -> Campaign:
    """Long windows are half as fast as slices; cells with `long` have long windows alone, and the baseline both."""

    def change(run: Run) -> Run:
        environment = run.placement.environment
        if long in environment:
            return slices(run, 0.5, count=True)
        if environment == CELLS[0] and beside:
            return slices(run, 0.5, count=False)
        return in_rounds(run, [run.scored.value] * 4)

    return with_runs(of, change)


def test_long_windows_are_compared_with_long_windows() -> None:
    alike = in_long_windows(campaign())
    assert all(abs(percent) < 1.5 for percent, _ in changes(alike).values())
    slower = in_long_windows(campaign(lambda levels, _: -0.1 * (levels["aio"] == "io_uring")))
    percent, verdict = changes(slower)["aio"]
    assert percent == pytest.approx(100 * math.expm1(-0.1), abs=1.5) and verdict is Influence.INFLUENCE


def test_groups_and_long_windows_together() -> None:
    made = factor_campaign(FACTORS, lambda *_: 0.0, works=(READ,), noise=quiet)
    grouped = in_groups(made, GROUPS, (1.0, 1.2))
    assert all(abs(percent) < 0.01 for percent, _ in changes(in_long_windows(grouped)).values())


def test_long_windows_without_a_counterpart_are_left_out() -> None:
    alone = response(in_long_windows(campaign(), beside=False))
    assert {levels["aio"] for levels in alone.levels} == {"threads"}
    assert alone.notes == tuple(sentences([Incomparable.WINDOWS] * 16)) and alone.notes[0].startswith("16 values left")
    costs = response(in_long_windows(campaign()), f"host CPU per work of {READ.name}")
    assert costs.notes == alone.notes, "what the baseline's long windows cost is in no record"


def test_nothing_is_changed_where_all_is_of_one_kind() -> None:
    made = campaign()
    values = {(block, math.log(value)) for of in by_treatment(made).values() for block, value in of.values.items()}
    assert set(zip(response(made).blocks, response(made).logs, strict=True)) == values
    everything = in_long_windows(made, long="qemu")
    assert len(response(everything).logs) == 32 and response(everything).notes == ()
