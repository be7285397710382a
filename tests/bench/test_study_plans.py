"""Which items of the studies their plans can fill."""

from __future__ import annotations

import pytest

from bench.study_items import cells_of, state
from bench.study_plans import campaign, main
from virtometer.analysis import analyse
from virtometer.analysis.studies.cells import StudySection
from virtometer.analysis.studies.results import results
from virtometer.cli.plan.files import load
from virtometer.cli.study.experiments import plans_of
from virtometer.studies.data import studies


def sections_by(study: str, *plans: str) -> dict[str, StudySection]:
    """The items of a study by the short forms of some plans alone."""
    made = [campaign(load(plans_of(study)[plan], short=True)[0]) for plan in plans]
    for one in made:
        assert len(one.trials) == len(one.planned) and all(run.score for trial in one.trials for run in trial.runs)
    found = results(studies()[study], [analyse(one) for one in made]).sections
    return {one.item.item: one for one in found}


def states_by(study: str, *plans: str) -> dict[str, str]:
    """The states of these items."""
    by_name = sections_by(study, *plans)
    return {name: state(cells_of(one, by_name)) for name, one in by_name.items()}


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
    # The quotients of these two have no efficiency here.
    assert {tables.pop(f"F5.15/{name}") for name in ("netperf", "bonnie++")} == {"partly"}
    assert len(tables) == 9 and set(tables.values()) == {"full"}
    assert states_by("zupka2008", "devices")["F5.15/bonnie++"] != "full"


def test_one_to_eight_processors_fill_their_figures_in_the_printed_order() -> None:
    found = sections_by("zupka2008", "smp")
    assert [state(found[name].all_cells) for name in ("F5.8", "F5.9")] == ["full", "full"]
    numbers = [f"{system}, processors: {count}" for system in ("native", "KVM") for count in (1, 2, 4, 8)]
    assert [one.label for one in found["F5.8"].columns] == list(found["F5.9"].rows) == numbers
    assert {cell.by for cell in found["F5.8"].all_cells} == {"native", "LXC 1", "LXC 2", "LXC 4", "LXC 8"}


def test_one_to_six_guests_fill_their_figures_in_the_printed_order() -> None:
    found = sections_by("zupka2008", "guests")
    figures = [found[f"F5.{number}"] for number in (10, 11, 12, 13)]
    states = [state(one.all_cells) for one in figures]
    assert states == ["full", "partly", "full", "full"], "the short form has every second number of processes"
    counts = ["1 guest", *(f"{count} guests" for count in range(2, 7))]
    assert all(list(figures[at].rows) == counts for at in (0, 2, 3))
    assert list(figures[1].rows) == [f"{2**power} processes" for power in range(1, 9)]


def test_all_numbers_of_processes_of_each_tool_are_measured() -> None:
    assert states_by("zupka2008", "system", "devices")["F5.4"] == "full"
    assert states_by("zupka2008", "system")["F5.4"] == "partly"


@pytest.mark.slow
def test_all_plans_together_reach_what_is_possible(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    last = capsys.readouterr().out.splitlines()[-2:]
    (tables, _), (figures, _) = (line.split(": ")[1].split(" of ") for line in last)
    assert int(tables) >= 80 and int(figures) >= 48
