"""Who gets less: a guest that always does is found, one that sometimes does is not accused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.groups.injected import LEAST, REPETITIONS, covered, noisy
from tests.sentences import Said
from virtometer.analysis.groups.order import ranks, sentence


def blocks(
    rng: np.random.Generator, rates: dict[str, float], count: int = 8, sd: float = 0.03
) -> list[dict[str, float]]:
    return [{name: rate * noisy(rng, sd) for name, rate in rates.items()} for _ in range(count)]


def test_the_guest_that_gets_less_is_found() -> None:
    rng = np.random.default_rng(31)
    truth = {"box": 1.0, "box #2": 1.0, "box #3": 0.8}
    hits = 0
    for _ in range(REPETITIONS):
        found = ranks(blocks(rng, truth))
        others = {name: (1.0 * 0.8) ** 0.5 if rate == 1.0 else 1.0 for name, rate in truth.items()}
        inside = all(
            covered(rank.against_others.low, truth[rank.label] / others[rank.label], rank.against_others.high)
            for rank in found
        )
        hits += inside and [rank.label for rank in found if rank.gets_less] == ["box #3"]
    assert hits >= LEAST


@pytest.mark.parametrize("count", [2, 3, 6])
def test_equal_guests_are_accused_in_at_most_one_of_twenty(count: int) -> None:
    rng = np.random.default_rng(32)
    equal = {f"box #{number}": 1.0 for number in range(1, count + 1)}
    false = sum(any(rank.gets_less for rank in ranks(blocks(rng, equal))) for _ in range(400))
    assert false <= 0.075 * 400


def test_a_guest_that_is_the_worst_by_turns_is_not_accused() -> None:
    turns = [{f"{at}": 1.0 if at != block % 3 else 0.5 for at in range(3)} for block in range(9)]
    found = ranks(turns)
    assert not any(rank.gets_less for rank in found) and [rank.worst for rank in found] == [3, 3, 3]
    assert sentence(found).startswith("no guest is shown to get less")


def test_the_sentence_names_the_guest_and_how_often(said: Said) -> None:
    found = ranks([{"a": 1.0 + 0.001 * block, "b": 0.5} for block in range(6)])
    assert "b (50 % less" in sentence(found) and "b was the worst in every block" in sentence(found)
    said(sentence(found))


def test_few_blocks_or_one_guest_say_nothing() -> None:
    assert ranks([]) == () and ranks([{"a": 1.0}] * 8) == ()
    few = ranks([{"a": 1.0, "b": 0.5}] * 5)
    assert few[0].p_adjusted is None and not few[1].gets_less and sentence(few) == ""
