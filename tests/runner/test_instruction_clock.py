"""An emulated machine whose clock counts instructions: the laboratory times the work, whatever that clock says."""

from pathlib import Path

import pytest

from tests.environments.booted import lab, require
from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from virtometer.environments.kinds.qemu.kind import Qemu, QemuSettings
from virtometer.runner.campaign import execute as campaigns

SERVED = {"size": 200, "time_server": "tcp"}


@pytest.fixture
def works(tmp_path: Path) -> None:
    with lab(tmp_path, disk=False) as one:
        require(Qemu(one).check())


@pytest.mark.parametrize(("settings", "steady"), [({}, True), ({"icount": "auto"}, False), ({"icount": "2"}, False)])
def test_only_a_clock_that_counts_instructions_is_not_asked(settings: Document, steady: bool) -> None:
    assert QemuSettings.model_validate(settings).steady_clock is steady


@pytest.mark.slow
@pytest.mark.parametrize("icount", ["auto", "shift=2,sleep=off"])
def test_throughput_agrees_with_clocks_outside_of_the_guest(
    works: None, tmp_path: Path, watcher: Watcher, make_plan: MakePlan, icount: str
) -> None:
    """Another path to the host's time, the time server's, tells the same rate of the same iterations."""
    plan = make_plan(
        [{"name": "counts", "kind": "qemu", "settings": {"icount": icount, "cpus": 1}}],
        [
            {"name": "linpack", "workload": "linpack", "op": "classic", "parameters": SERVED},
            {"name": "call", "workload": "os", "op": "system-call"},
            {"name": "triad", "workload": "memory", "op": "triad", "parameters": {"size": "1M"}},
        ],
        seconds=2.0,
        fresh="block",
        limits={"start_s": 60, "prepare_s": 60, "run_extra_s": 120, "answer_s": 20},
    )
    records = campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher).trials
    assert [(record.status, record.reason) for record in records] == [("done", "")] * 3
    for record in records:
        (run,) = record.runs
        assert run.conditions["timing"] == "laboratory"
        assert all(sample.used for sample in run.samples)
        if "reference-rate" in run.reported.measures:
            outside = run.reported.measures["reference-rate"]["value"]
            assert run.scored.value == pytest.approx(outside, rel=0.01)
