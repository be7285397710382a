"""What environments have and workloads take."""

from __future__ import annotations

import pytest

from virtometer.design.plan.demands import demand_of, guest_memory, rounded_size
from virtometer.model import PlanEnvironment, PlanWorkload
from virtometer.runner.campaign.catalogue import catalogue


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0"), (512, "512"), (1024, "1K"), (1500, "1500"), (10_241, "10K"), (9 << 20, "9M"), (3 << 29, "1536M"),
     (10 << 30, "10G"), (11 << 40, "11T")],
)  # fmt: skip
def test_a_size_is_in_the_largest_unit_of_which_it_has_ten_or_that_it_is_whole_in(size: int, shown: str) -> None:
    assert rounded_size(size) == shown


def test_a_machine_has_the_memory_of_its_settings_and_native_that_of_the_host() -> None:
    assert guest_memory(PlanEnvironment(name="vm", kind="qemu", settings={"memory": "1G"}), catalogue()) == 1 << 30
    assert guest_memory(PlanEnvironment(name="n", kind="native"), catalogue()) is None


def test_arrays_are_counted_as_often_as_they_are_held() -> None:
    triad = PlanWorkload(name="t", workload="memory", op="triad", parameters={"size": "64M"})
    assert demand_of(triad, catalogue()).memory == 3 * 64 << 20
