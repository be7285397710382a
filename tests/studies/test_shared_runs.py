"""Native runs that two studies print."""

from __future__ import annotations

from collections import Counter

import pytest

from virtometer.studies.bounds import of_printed
from virtometer.studies.shared_runs import native_cells, shared_runs


def test_the_shared_cells_are_those_that_equal_after_rounding() -> None:
    runs = shared_runs()
    assert (len(runs), len(native_cells())) == (34, 56)
    kinds = Counter((run.native.workload, run.native.system) for run in runs)
    assert kinds == {
        ("linpack", "linux"): 2,
        ("memory", "linux"): 6,
        ("memory", "windows"): 6,
        ("net", "linux"): 4,
        ("disk", "linux"): 8,
        ("disk", "windows"): 8,
    }
    for run in runs:
        mine, theirs = of_printed(run.machine_native), of_printed(run.native)
        assert mine is not None and theirs is not None
        assert mine.value == pytest.approx(theirs.value, rel=5e-3)
        assert run.native.operation != "int-read" and run.native.role == run.machine_native.role == "native"


def test_a_run_has_its_container_and_four_machines() -> None:
    for run in shared_runs():
        assert run.container.virtualizer == ("openvz" if run.native.system == "linux" else "virtuozzo")
        assert {cell.virtualizer for cell in run.machines.values()} == {"vmware-esxi"}
        assert list(run.machines) == ["VM", "VM Tools", "VM*", "VM Tools*"]
        for cell in (run.container, *run.machines.values()):
            assert (cell.system, cell.bits, cell.level) == (run.native.system, run.native.bits, run.native.level)


def test_efficiencies_are_of_works() -> None:
    first, *_, last = shared_runs()
    assert (first.native.better, last.native.better) == ("lower", "higher")
    assert first.efficiencies["openvz"].value == pytest.approx(20.885 / 20.961)
    assert first.efficiencies["VM"].value == pytest.approx(20.885 / 21.22)
    assert last.efficiencies["virtuozzo"].value == pytest.approx(15.866 / 18.108)
    assert last.efficiencies["VM*"].low < 20.92 / 18.108 < last.efficiencies["VM*"].high
