"""What the CPU time of a guest was spent for between two moments."""

from __future__ import annotations

import pytest

from virtometer.host.cpu.parts import CpuReading
from virtometer.runner.watch.guest_use import between, used

FIRST = CpuReading(0, 0, 0, 0, 0)
LAST = CpuReading(8e9, 1e9, 0.5e9, 6e9, 3.5e9)


def test_between_two_points_it_is_interpolated() -> None:
    assert between(FIRST, LAST, 0.25) == CpuReading(2e9, 0.25e9, 0.125e9, 1.5e9, 0.875e9)
    assert between(None, LAST, 0.25) is between(FIRST, None, 0.25) is None


def test_the_parts_of_slices_are_added() -> None:
    use = used([(FIRST, LAST), (LAST, between(FIRST, LAST, 2.0))])
    assert use is not None
    assert (use.code, use.vmm, use.kernel, use.user, use.system) == pytest.approx((16.0, 2.0, 1.0, 12.0, 7.0))
    assert (use.unknown, use.traffic) == ("", None)


def test_what_is_unknown_at_one_end_is_unknown_and_not_zero() -> None:
    unknown = CpuReading(None, None, None, 6e9, 3.5e9, "no such thread")
    use = used([(FIRST, unknown)])
    assert use is not None
    assert (use.code, use.vmm, use.kernel, use.unknown) == (None, None, None, "no such thread")
    assert (use.user, use.system) == pytest.approx((6.0, 3.5))
    assert between(FIRST, unknown, 0.5) == CpuReading(None, None, None, 3e9, 1.75e9, "no such thread")
    assert used([(FIRST, LAST), (None, LAST)]) is None
    assert used([]) is None


def test_a_part_that_did_nothing_is_never_below_zero() -> None:
    use = used([(LAST, CpuReading(8.1e9, 0.999e9, 0.5e9, 6e9, 3.5e9))])
    assert use is not None
    assert (use.vmm, use.kernel) == (0.0, 0.0)
