"""What follows the campaign of `virtometer time`, and what it ends with."""

from __future__ import annotations

import pytest

from virtometer.cli.timing.measure import go_on
from virtometer.errors import HostBusy, TrialsFailed, VirtometerError


def busy() -> None:
    raise HostBusy("another one measures")


def test_trials_that_failed_come_last_whatever_happens_after_them() -> None:
    failed, done, told = TrialsFailed("2 of 9 failed"), list[str](), list[str]()
    with pytest.raises(TrialsFailed) as raised:
        go_on(lambda: done.append("profile"), failed, told.append)
    assert raised.value is failed
    assert (done, told) == (["profile"], [])
    with pytest.raises(TrialsFailed) as raised:
        go_on(busy, failed, told.append)
    assert raised.value is failed
    assert len(told) == 1 and "another one measures" in told[0]


def test_alone_an_error_is_raised_itself() -> None:
    told = list[str]()
    with pytest.raises(VirtometerError) as raised:
        go_on(busy, None, told.append)
    assert isinstance(raised.value, HostBusy)
    go_on(lambda: None, None, told.append)
    assert not told
