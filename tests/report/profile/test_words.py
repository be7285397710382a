"""Words of profiles."""

from __future__ import annotations

from tests.analysis.profile_campaigns import COUNTS, counts, profiled
from virtometer.report.profile import words


def test_a_sentence_has_number_price_product_and_rest() -> None:
    (profile,) = profiled(measured=4.0).profiles
    text = words.explained(profile.predictions[0])
    assert "box" in text
    assert "a second x 2.00 µs = +200 %" in text
    assert "unexplained +1" in text
    assert "+300 % measured" in text


def test_signs() -> None:
    assert [words.signed(one) for one in (0.123, -0.05, 0.0001, 3.0)] == ["+12 %", "-5.0 %", "0 %", "+300 %"]
    assert [words.time(one) for one in (0, -2e-6, 2e-6)] == ["0 s", "-2.00 µs", "2.00 µs"]


def test_what_it_did_and_what_that_cost() -> None:
    moving = counts(read=5_000_000, sent=12, received=0)
    (profile,) = profiled(of=moving).profiles
    text = words.did(profile)
    assert "5.00 MB" in text
    assert "12.0 B" in text
    assert "100,004" in text
    assert "50" in words.cost(profile)
    assert any("syncs" in one for one in words.further(profile))
    busy = profiled(system_s=0.3).profiles[0]
    assert len([*words.further(busy)]) == len([*words.further(profiled(of=COUNTS).profiles[0])]) + 1
