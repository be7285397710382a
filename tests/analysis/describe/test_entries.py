"""Entries of guests from the host."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.analysis import analyse
from virtometer.model import ENTRY, Campaign

PLACES = [Place("native"), Place("box", "runc"), Place("machine", "qemu")]
BOX_S = [[0.04 + 0.001 * block, 0.05, 0.9] for block in range(6)]


def noted(box: list[dict[str, Any]]) -> Campaign:
    """A campaign in which the first guests of the box have these entries, and a machine has none."""
    campaign, left = simulate(PLACES, [Work()], blocks=6, fresh="block"), list(box)
    guests = []
    for guest in campaign.guests:
        found = {"reason": "has no way in"} if guest.environment == "machine" else None
        if guest.environment == "box" and left:
            found = left.pop(0)
        guests.append(guest if found is None else replace(guest, effective={**guest.effective, ENTRY: found}))
    return replace(campaign, guests=tuple(guests))


def test_the_time_of_an_entry_is_that_of_the_medians_of_guests() -> None:
    found = analyse(noted([{"way": "runc exec", "seconds": of} for of in BOX_S])).entries
    assert list(found) == ["box", "machine"], "natively nothing was entered"
    box = found["box"]
    assert (box.way, box.count, box.reason) == ("runc exec", 18, "")
    logs = [math.log(statistics.median(of)) for of in BOX_S]
    bounds = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert box.time is not None and box.time.estimate.n == 6
    assert box.time.estimate.value == pytest.approx(math.exp(statistics.fmean(logs)))
    assert box.time.estimate.low == pytest.approx(math.exp(bounds.low))
    assert (found["machine"].time, found["machine"].count) == (None, 0)
    assert found["machine"].reason == "has no way in"


def test_a_guest_that_could_not_be_entered_leaves_the_others() -> None:
    broken = {"way": "runc exec", "reason": "cannot be entered here"}
    found = analyse(noted([broken, {"way": "runc exec", "seconds": [0.04]}])).entries["box"]
    assert found.time is not None and (found.time.estimate.n, found.count) == (1, 1)
    assert found.reason == "cannot be entered here"


def test_without_entries_there_is_nothing() -> None:
    assert not analyse(simulate(PLACES, [Work()])).entries
