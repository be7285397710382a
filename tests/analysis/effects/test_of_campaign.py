"""The experiment of a campaign, and what is found in it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.analysis.factor_campaigns import DISK, READ, cell_name, disk_campaign, disk_logs, factor_campaign
from tests.analysis.simulated_campaigns import Place, changed, simulate, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.further import reported
from virtometer.analysis.effects.of_campaign import experiment
from virtometer.model import Failure, FailureKind, Mark, MarkKind


def test_a_plan_without_factors_has_no_effects() -> None:
    campaign = simulate([Place("native"), Place("box")])
    assert experiment(campaign, by_treatment(campaign)) is None
    assert analyse(campaign).effects == Effects()


def test_workloads_and_their_costs_are_metrics_and_cells_have_their_levels() -> None:
    campaign = disk_campaign()
    made = experiment(campaign, by_treatment(campaign))
    assert made is not None
    assert [(one.name, one.levels) for one in made.variables] == list(DISK.items())
    assert [(one.metric, one.better, one.beside) for one in made.responses] == [
        ("random read", "higher", False),
        ("host CPU per work of random read", "lower", True),
        ("sequential read", "higher", False),
        ("host CPU per work of sequential read", "lower", True),
    ]
    assert all(len(one.logs) == 64 for one in made.responses)
    assert made.promised == {*DISK, "aio:cache", "aio:dummy", "cache:dummy"}


def test_the_effects_that_were_put_in_are_found() -> None:
    found = analyse(disk_campaign(blocks=12)).effects
    read = next(one for one in found.metrics if one.metric == READ.name)
    verdicts = {one.term: one.verdict for one in read.effects}
    assert verdicts["aio:cache"] is Influence.INFLUENCE and verdicts["dummy"] is Influence.NONE
    interaction = next(one for one in read.effects if one.term == "aio:cache")
    assert interaction.change.estimate.value == pytest.approx(17, abs=2)
    cost = next(one for one in found.metrics if one.beside)
    assert cost.effects[0].term == "aio" and cost.effects[0].change.estimate.value == pytest.approx(30, abs=1)
    assert found.overall is not None
    assert found.overall.changed == (("aio", "threads", "io_uring"), ("cache", "writeback", "none"))


def test_a_cell_that_fails_leaves_the_others() -> None:
    broken = {"aio": "io_uring", "cache": "writeback", "dummy": "a"}
    campaign = factor_campaign(
        DISK, disk_logs, failing={cell_name(broken): Failure(FailureKind.GUEST, "the guest ended", 0)}
    )
    read = analyse(campaign).effects.metrics[0]
    assert read.trials == 56 and "8 trials of 64 without a value" in read.diagnostics
    assert next(one for one in read.effects if one.term == "aio:cache").change.estimate.value == pytest.approx(
        17, abs=3
    )


def test_slow_operations_are_a_metric_of_their_own() -> None:
    campaign = with_runs(
        disk_campaign(),
        lambda run: changed(
            run,
            histograms={
                "latency": {
                    "unit": "ns",
                    "counts": [(1000, 90), (2000 if "none" in run.placement.environment else 4000, 10)],
                }
            },
        ),
    )
    made = experiment(campaign, by_treatment(campaign))
    assert made is not None
    slow = next(one for one in made.responses if one.metric == "99 % latency of random read")
    assert (slow.unit, slow.better, slow.beside) == ("s", "lower", True)
    values = {levels["cache"]: log for levels, log in zip(slow.levels, slow.logs, strict=True)}
    assert values["writeback"] - values["none"] == pytest.approx(math.log(2))


def test_the_order_is_that_of_execution() -> None:
    campaign = disk_campaign()
    backwards = replace(campaign, trials=tuple(reversed(campaign.trials)))
    one, other = (experiment(of, by_treatment(of)) for of in (campaign, backwards))
    assert one is not None and other is not None
    assert one.responses[0].logs == other.responses[0].logs


@pytest.mark.parametrize(("marked", "workload"), [(32, "random read"), (33, "random read"), (33, "sequential read")])
def test_no_effect_gets_a_verdict_where_other_programs_disturbed_most_trials(marked: int, workload: str) -> None:
    """64 trials of each workload."""
    quiet = disk_campaign()
    own = [one for one in quiet.trials if one.trial.placements[0].workload == workload][:marked]
    mark = Mark(MarkKind.FOREIGN, "other programs used 1.50 processors")
    busy = {one.trial.index for one in own}
    campaign = replace(
        quiet, trials=tuple(replace(one, marks=(mark,)) if one.trial.index in busy else one for one in quiet.trials)
    )
    before, after = analyse(quiet).effects, analyse(campaign).effects
    for one, other in zip(before.metrics, after.metrics, strict=True):
        refused = marked > 32 and workload in one.metric
        said = [note for note in other.diagnostics if note.startswith("the host was busy")]
        assert bool(said) is refused
        if refused:
            assert f"disturbed {marked} of 64 trials of {workload}" in said[0]
            assert {effect.verdict for effect in other.effects} == {Influence.UNDECIDED}
            assert not any(given.none for effect in other.effects for given in effect.conditionals)
            assert other.recommended is None or not other.recommended.changed
        elif marked > 32:
            assert [effect.verdict for effect in other.effects] == [effect.verdict for effect in one.effects]
    assert any(effect.verdict is Influence.INFLUENCE for one in before.metrics for effect in one.effects)


def test_effects_on_a_busy_host_get_no_further_blocks() -> None:
    quiet = disk_campaign()
    mark = Mark(MarkKind.RUN_DELAY, "others had the guest's processors")
    campaign = replace(
        quiet,
        trials=tuple(
            replace(one, marks=(mark,)) if one.trial.placements[0].workload == "random read" else one
            for one in quiet.trials
        ),
    )
    made = experiment(campaign, by_treatment(campaign))
    assert made is not None
    assert {one.workload for one in reported(made, 0.05)} == {"sequential read"}
