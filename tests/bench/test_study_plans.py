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


def states_by(study: str, *plans: str) -> dict[str, str]:
    """The states of the items of a study by the short forms of some plans alone."""
    made = [campaign(load(plans_of(study)[plan], short=True)[0]) for plan in plans]
    for one in made:
        assert len(one.trials) == len(one.planned) and all(run.score for trial in one.trials for run in trial.runs)
    found = results(studies()[study], [analyse(one) for one in made]).sections
    by_name = {one.item.item: one for one in found}
    return {one.item.item: state(cells_of(one, by_name)) for one in found}


@pytest.fixture(scope="module")
def io_states() -> dict[str, str]:
    return states_by("appel2008", "io")


def test_a_plan_fills_what_it_measures(io_states: dict[str, str]) -> None:
    assert (
        io_states["slide: The Average IO Throughput"] == io_states["slide: High Differences in IO Throughput"] == "full"
    )


def test_a_plan_fills_nothing_else(io_states: dict[str, str]) -> None:
    assert io_states["slide: Full Memory Bandwidth"] == "empty"


def test_emulated_and_paravirtual_devices_fill_their_tables() -> None:
    found = states_by("zupka2008", "devices", "devices-files")
    tables = {name: found[name] for name in found if name.startswith("F5.15/") and "/ab-" not in name}
    assert len(tables) == 11 and set(tables.values()) == {"full"}
    assert states_by("zupka2008", "devices")["F5.15/bonnie++"] != "full"


@pytest.mark.slow
def test_all_plans_together_reach_what_is_possible(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    last = capsys.readouterr().out.splitlines()[-2:]
    (tables, _), (figures, _) = (line.split(": ")[1].split(" of ") for line in last)
    assert int(tables) >= 80 and int(figures) >= 36
