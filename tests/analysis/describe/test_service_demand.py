"""The check of netperf."""

from __future__ import annotations

import pytest

from virtometer.analysis.describe.service_demand import consistent


@pytest.mark.parametrize(
    ("made", "right"), [(0.5, True), (0.4901, True), (0.5099, True), (0.489, False), (0.511, False)]
)
def test_the_product_may_differ_by_two_hundredths_of_the_cpu_use(made: float, right: bool) -> None:
    assert consistent(made, 0.5) is right
