"""Which items of the studies their plans can fill."""

from __future__ import annotations

import pytest

from bench.study_items import cells_of, state
from bench.study_plans import campaign, main
from virtometer.analysis import analyse
from virtometer.analysis.studies.results import results
from virtometer.cli.plan.files import load
from virtometer.cli.study.experiments import plans_of
from virtometer.studies.data import studies


@pytest.fixture(scope="module")
def io_states() -> dict[str, str]:
    """The states of the items by the plan of files alone."""
    made = campaign(load(plans_of("appel2008")["io"], short=True)[0])
    assert len(made.trials) == len(made.planned) and all(run.score for one in made.trials for run in one.runs)
    found = results(studies()["appel2008"], [analyse(made)]).sections
    by_name = {one.item.item: one for one in found}
    return {one.item.item: state(cells_of(one, by_name)) for one in found}


def test_a_plan_fills_what_it_measures(io_states: dict[str, str]) -> None:
    assert (
        io_states["slide: The Average IO Throughput"] == io_states["slide: High Differences in IO Throughput"] == "full"
    )


def test_a_plan_fills_nothing_else(io_states: dict[str, str]) -> None:
    assert io_states["slide: Full Memory Bandwidth"] == "empty"


@pytest.mark.slow
def test_all_plans_together_reach_what_is_possible(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    last = capsys.readouterr().out.splitlines()[-2:]
    (tables, _), (figures, _) = (line.split(": ")[1].split(" of ") for line in last)
    assert int(tables) >= 80 and int(figures) >= 36
