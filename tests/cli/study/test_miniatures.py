"""A miniature of each study, measured: an experiment with few sizes and short windows, from its plan to its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.study_recomputed import main as recompute
from tests.cli.laboratory import ROOT, virtometer
from virtometer.analysis.studies.ranking import RankingFound
from virtometer.analysis.studies.results import results
from virtometer.cli.study import experiments
from virtometer.cli.study.experiments import plans_of, progress
from virtometer.cli.study.report import analysis_of
from virtometer.model import MIN_BLOCKS
from virtometer.studies.data import studies


@dataclass(frozen=True)
class Miniature:
    """What stays of an experiment. guests: kinds beside native. works: levels of factors of the workloads that stay.

    scenarios: instead of those of the plan. fills: the rows and columns of items that it fills. slices: whether work
    takes turns where it can.
    """

    experiment: str
    guests: Sequence[str]
    works: Mapping[str, Mapping[str, Sequence[Any]]]
    scenarios: Sequence[Mapping[str, Any]]
    fills: Mapping[str, Set[tuple[str, str]]]
    slices: bool = False


MINIATURES = {
    "klein2008": Miniature(
        "netperf",
        ["runc"],
        {"netperf": {}},
        [{"name": "before", "type": "matrix", "members": ["native", "runc"]}],
        {
            "3.1": {
                ("to node6", "from node6"),
                ("to node6", "from vm2"),
                ("to vm2", "from node6"),
                ("to vm3", "from node7"),
            },
            "A.1": {
                (pair, column)
                for pair in ("no6 to no6", "no7 to vm3", "no6 to vm2")
                for column in (
                    "throughput",
                    "CPU use, sender, local",
                    "CPU use, receiver, remote",
                    "service demand, sender, local",
                    "service demand, receiver, remote",
                )
            },
        },
    ),
    "tsiouprou2010": Miniature(
        "linpack",
        ["runc"],
        {"linpack": {"size": [1000]}},
        [],
        {"5.1": {("1000 x 1000", column) for column in ("runs", "Linux 64 bit, guest", "Linux 64 bit, native")}},
    ),
    "lemberger2010": Miniature(
        "parallel-ramspeed",
        ["runc"],
        {"INTmark write": {"size": ["128K", "256K", "512K"]}},
        [
            {"name": "native", "type": "alone", "environment": "native"},
            {"name": "guests at once", "type": "together", "environment": "runc", "guests": [2]},
        ],
        {
            "appendix: L2 Cache - RAMspeed Linux": {("64 bit, write", "Native")},
            "appendix: L2 Average": {("write", "VM 1"), ("write", "VM 2")},
            "appendix: L2 Summe": {("write", "2 VMs")},
        },
        slices=True,
    ),
    "appel2008": Miniature(
        "ramsmp",
        ["runc"],
        {"RAMSMP": {"op": ["copy"]}},
        [{"name": "guests", "type": "together", "environment": "runc", "guests": [1, 2]}],
        {
            "slide: Full Memory Bandwidth": {("1 guest", "copy, all guests"), ("2 guests", "copy, all guests")},
            "slide: Memory Bandwidth is Distributed fairly": {
                ("2 guests", "copy, each guest"),
                ("2 guests", "copy, standard deviation over guests"),
            },
        },
    ),
    "zupka2008": Miniature(
        "system",
        ["runc", "bubblewrap"],
        {"procedure": {}, "pipe": {}},
        [],
        {
            "F5.15/lat_proc-procedure": {("native", "time")},
            "F5.15/bw_pipe": {("native", "rate")},
            "F5.9": {("native, processors: 1", "pipe")},
        },
    ),
}


def cut(study: str, of: Miniature) -> str:
    """The plan of an experiment with what stays of it."""
    plan = yaml.safe_load((ROOT / "plans" / "studies" / study / f"{of.experiment}.yaml").read_text(encoding="utf-8"))
    plan["environments"] = [plan["environments"][0], *({"name": kind, "kind": kind} for kind in of.guests)]
    works = {one["name"]: one for one in plan["workloads"]}
    plan["workloads"] = [
        {
            **works[name],
            **({"factors": works[name]["factors"] | factors} if factors else {}),
            "scheduling": "auto" if of.slices else "continuous",
        }
        for name, factors in of.works.items()
    ]
    plan |= {"scenarios": list(of.scenarios), "control": False, "short": {"seconds": 0.05}}
    return str(yaml.safe_dump(plan))


@pytest.fixture
def measured(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """A study, and the folder with the campaign of its miniature and its page."""
    study = str(request.param)
    of = MINIATURES[study]
    folder = tmp_path / "plans" / "studies" / study
    folder.mkdir(parents=True)
    (folder / f"{of.experiment}.yaml").write_text(cut(study, of), encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(experiments, "built_in_folder", lambda: tmp_path / "plans")
        outcome = virtometer("study", "run", study, "--short", "--out", tmp_path / "results")
    assert outcome.status == 0, outcome.out + outcome.err
    return study, tmp_path / "results"


@pytest.mark.parametrize("measured", MINIATURES, indirect=True)
def test_a_miniature_is_measured_and_fills_its_cells(measured: tuple[str, Path]) -> None:
    study, folder = measured
    of = MINIATURES[study]
    analysis = analysis_of(folder / of.experiment)
    made = results(studies()[study], [analysis])
    cells = {one.item.item: [cell for cell in one.all_cells if cell.value is not None] for one in made.sections}
    for item, expected in of.fills.items():
        assert {(cell.published.row, cell.published.column) for cell in cells[item]} == expected
        for cell in cells[item]:
            assert cell.value is not None and cell.value.estimate.n == MIN_BLOCKS
            low, high = cell.value.estimate.low, cell.value.estimate.high
            if cell.published.metric != "count":
                assert low is not None and high is not None and 0 < low < cell.value.estimate.value < high
    assert recompute([str(folder)]) == 0
    if study == "zupka2008":
        [ranked] = [one.found for one in made.answers if isinstance(one.found, RankingFound)]
        purpose = next(one for one in ranked.purposes if one.purpose == "processor")
        assert {one.tool for one in purpose.now} == set(of.guests) and purpose.now[0].rank == 1
    # The page says what was measured, and how to measure the rest.
    page = (folder / f"{study}.html").read_text(encoding="utf-8")
    states = dict(progress(study, [analysis.campaign], ()))
    others = plans_of(study).keys() - {of.experiment}
    assert analysis.campaign.created_at[:10] in states[of.experiment] and f"{study} {of.experiment}" in page
    assert others and all(states[name].endswith(f"virtometer study run {study} {name}") for name in others)
