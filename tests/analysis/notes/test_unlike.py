"""What two campaigns measured differently under the same names."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work, in_rounds, simulate, with_runs
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.notes import unlike
from virtometer.model import Campaign, PlanWorkload

NATIVE = Place("native")
WORK = Work("read", "disk", "random-read", "IO/s", 1e4)


def measured(a: Campaign, b: Campaign) -> tuple[str, ...]:
    before, after = (by_treatment(of)["read", "box"] for of in (a, b))
    return unlike.measured(a, b, before, after)


def with_box(kind: str = "qemu", **settings: object) -> Campaign:
    return simulate([NATIVE, Place("box", kind, settings=settings)], [WORK], blocks=2)


def in_slices(slice_s: float = 0.025) -> Campaign:
    of = simulate([NATIVE, Place("box", "qemu")], [WORK], blocks=2, slice_s=slice_s)
    return with_runs(of, lambda run: in_rounds(run, [run.scored.value] * 6))


def test_the_same_is_not_reported() -> None:
    assert measured(with_box(memory="256M"), with_box(memory="256M")) == ()
    assert measured(in_slices(), in_slices()) == ()


def test_each_setting_that_differs_is_reported() -> None:
    assert measured(with_box(memory="256M", cpus=1), with_box(memory="512M", cpus=1)) == (
        "the setting memory of box is 256M in A, 512M in B",
    )
    assert measured(with_box(cpus=2), with_box(memory="512M")) == (
        "the setting cpus of box is 2 in A, not given in B",
        "the setting memory of box is not given in A, 512M in B",
    )


def test_of_another_kind_no_settings_are_reported() -> None:
    assert measured(with_box(memory="256M"), with_box("runc", cpus=1)) == ("box is of the kind qemu in A, runc in B",)


def test_slices_and_windows_are_reported() -> None:
    assert measured(in_slices(), with_box()) == ("measured in slices of 25 ms in A, in windows of 1 s in B",)
    assert measured(in_slices(0.008), in_slices()) == ("measured in slices of 8 ms in A, in slices of 25 ms in B",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, None),
        ({"workload": "net", "op": "stream"}, "its workload differ: disk in A, net in B"),
        ({"op": "random-write"}, "its op differ: random-read in A, random-write in B"),
        ({"parameters": {"size": 8192}}, "its parameters differ: {} in A, {'size': 8192} in B"),
        ({"threads": 2}, "its threads differ: 1 in A, 2 in B"),
    ],
)
def test_workloads_of_one_name_are_told_apart(change: dict[str, object], told: str | None) -> None:
    one = PlanWorkload(name="read", workload="disk", op="random-read")
    assert unlike.workloads(one, one.model_copy(update=change)) == told


def test_a_workload_has_its_name() -> None:
    assert unlike.workload_of(with_box(), "read").op == "random-read"
