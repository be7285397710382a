"""Profiles in the machine interface."""

from __future__ import annotations

import json

import pytest

from tests.analysis.profile_campaigns import profiled, timed
from virtometer.analysis import analyse
from virtometer.report.machine.document import text


def test_profiles_are_in_the_document() -> None:
    (made,) = json.loads(text(profiled(measured=4.0)))["profiles"]
    (there,) = made["predictions"]
    assert there["dominant"] == there["shares"][0]["name"] == "simple calls"
    assert there["rest"] == pytest.approx(there["measured"] - there["predicted"])
    assert there["predicted_low"] < there["predicted"] < there["predicted_high"]
    assert made["counts"]["calls"]["getppid"] == 100_000
    assert made["unpriced"] == {"syncs": 3}
    assert json.loads(text(analyse(timed(0.5))))["profiles"] == []
