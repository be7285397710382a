"""When a verdict is refused for what few starts leave open, and what stands beside it."""

from __future__ import annotations

import math

import pytest

from tests.analysis.simulated_campaigns import Place, gaussian, simulate
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.notes.doubts import doubts
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import Verdict

KEY: Key = ("work", "place")
QUIET = Spread(0.0, 0.008, 6)
ALIKE = [0.004, -0.005, 0.001, -0.002, 0.003, -0.001]


def shifted(by: float, times: float = 1.0) -> list[float]:
    return [by + times * log for log in ALIKE]


def test_a_small_claim_takes_ten_starts() -> None:
    """All six starts of 30 % slow ones are fast in 12 of 100 cases."""
    found = doubts({KEY: shifted(0.055)}, 0.05, controls={KEY: QUIET})
    assert "all be of one kind" in found.refused[KEY]
    assert found.blocks[KEY] == 10
    assert not doubts({KEY: shifted(0.055)}, 0.05, controls={KEY: QUIET}, starts={KEY: 18}).refused


def five_places(*, work: str = "work", slow: bool = False, drift: float = 0.0) -> dict[Key, list[float]]:
    """slow: two of six guests of two places start in another way. drift: of the first place, from block to block."""
    family: dict[Key, list[float]] = {(work, f"place {at}"): shifted(0.055) for at in range(5)}
    for at in (3, 4) if slow else ():
        family[work, f"place {at}"][2] -= 0.2
        family[work, f"place {at}"][4] -= 0.2
    family[work, "place 0"] = [log + drift * at for at, log in enumerate(family[work, "place 0"])]
    return family


def test_a_small_claim_takes_six_starts_where_thirty_of_all_places_are_alike() -> None:
    key: Key = ("work", "place 0")
    assert not refused(five_places(), key)
    assert refused(five_places(slow=True), key), "starts of two kinds are seen in other places"
    assert refused(five_places(drift=0.003), key), "it may drift, and gets no benefit of the doubt"
    assert not refused(five_places() | five_places(work="other", slow=True), key), "they are of another workload"


def refused(family: dict[Key, list[float]], key: Key) -> bool:
    found = doubts(family, 0.05, controls=dict.fromkeys(family, QUIET)).refused.get(key, "")
    assert not found or "all be of one kind" in found
    return bool(found)


@pytest.mark.parametrize("ratio", [0.02, 0.3, 0.7, 3.0])
def test_a_large_effect_stays_decided_with_six_blocks(ratio: float) -> None:
    assert not doubts({KEY: shifted(math.log(ratio), 3.0)}, 0.05, controls={KEY: QUIET}).refused


def test_what_is_equivalent_stays_so_and_gets_more_starts_where_they_fit(said: Said) -> None:
    found = doubts({KEY: ALIKE}, 0.05, controls={KEY: QUIET})
    assert not found.refused
    assert found.blocks[KEY] == 10
    (note,) = found.notes[KEY]
    assert "up to 39 % of starts" in note.text
    said(note.text)


def test_starts_of_two_kinds_have_no_verdict_that_their_shares_could_undo() -> None:
    apart = [*[-0.06, *ALIKE[1:]], *ALIKE[1:]]
    found = doubts({KEY: apart}, 0.02, controls={KEY: QUIET})
    assert "two kinds" in found.refused[KEY]
    needed = found.blocks[KEY]
    assert needed is not None and needed > 11
    assert any("1 of 11 blocks lies apart" in note.text for note in found.notes[KEY])


def test_own_noise_takes_more_than_six_blocks_of_a_near_effect() -> None:
    logs = [0.2 + 30 * ALIKE[at] for at in (0, 2, 4, 3, 1, 5)]  # neighbours are rather alike
    found = doubts({KEY: logs}, 0.05, controls={KEY: QUIET})
    assert "noise of its own" in found.refused[KEY]
    assert (found.blocks[KEY] or 0) > 6
    assert not doubts({KEY: shifted(2.3, 12.0)}, 0.05, controls={KEY: QUIET}).refused


def test_the_report_of_a_campaign_says_so() -> None:
    """Guests of another kind have six starts; guests of the baseline's kind twelve and more."""
    places = [Place("native"), Place("box", kind="container", efficiency={"": 0.948}), Place("twin")]
    of = {f.subject: f for f in analyse(simulate(places, blocks=6, noise=gaussian(0.004), samples=1)).findings}
    box = of["box"]
    assert box.verdict is Verdict.UNDECIDED and box.qualified == "too few starts"
    assert box.blocks_needed == 10
    assert any("20 % slower would explain" in note for note in box.shown_notes)
    assert box.unseen_share == pytest.approx(0.393, abs=1e-3)
    assert box.median is not None and box.median.estimate.low is not None
    assert box.median.estimate.low < 0.948 < (box.median.estimate.high or 0.0)
    assert of["twin"].verdict is Verdict.EQUIVALENT
    assert of["native"].unseen_share is None
