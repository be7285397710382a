"""What the CPU time of a guest was spent for between two moments."""

from __future__ import annotations

import pytest

from virtometer.host.cpu.parts import CpuReading
from virtometer.model import GuestUse
from virtometer.runner.watch.counts import passed
from virtometer.runner.watch.guest_use import counts_of, used

FIRST = CpuReading(0, 0, 0, 0, 0)
LAST = CpuReading(8e9, 1e9, 0.5e9, 6e9, 3.5e9)


def between(*pairs: tuple[CpuReading | None, CpuReading | None], times: float = 1.0) -> GuestUse | None:
    spent = passed([(counts_of(2, first), counts_of(2, last), times) for first, last in pairs])
    return used(2, spent, [one.unknown for pair in pairs for one in pair if one is not None])


def test_the_parts_of_windows_are_added() -> None:
    use = between((FIRST, LAST), (FIRST, LAST), times=0.5)
    assert use is not None
    assert (use.code, use.vmm, use.kernel, use.user, use.system) == pytest.approx((8.0, 1.0, 0.5, 6.0, 3.5))
    assert (use.unknown, use.traffic) == ("", None)


def test_what_is_unknown_at_one_end_is_unknown_and_not_zero() -> None:
    unknown = CpuReading(None, None, None, 6e9, 3.5e9, "no such thread")
    use = between((FIRST, unknown), (unknown, unknown))
    assert use is not None
    assert (use.code, use.vmm, use.kernel, use.unknown) == (None, None, None, "no such thread")
    assert (use.user, use.system) == pytest.approx((6.0, 3.5))
    assert between((FIRST, LAST), (None, LAST)) is None
    assert between() is None


def test_a_part_that_did_nothing_is_never_below_zero() -> None:
    use = between((LAST, CpuReading(8.1e9, 0.999e9, 0.5e9, 6e9, 3.5e9)))
    assert use is not None
    assert (use.vmm, use.kernel) == (0.0, 0.0)
