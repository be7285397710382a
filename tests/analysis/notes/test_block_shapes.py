"""The shape of blocks is named where it is there, and of noise in at most 5 % of campaigns for each shape."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, finding_of, gaussian, simulate
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.notes.block_shapes import (
    Series,
    Shape,
    drift,
    first_block,
    neighbours,
    notes,
    of_one,
    order,
    two_modes,
)
from virtometer.model import Campaign, Trial, TrialRecord, Verdict

LEAST = math.log(1.01)
COLD = [0.33, 0.73, 0.83, 0.93, 0.84, 0.84]  # gVisor's disk, with the page cache of the host cold at first
WARM = [1.03, 0.97, 1.06, 1.16, 1.10, 1.07]
SHIPPED = [1.06, 3.1, 3.9, 4.1, 3.5, 3.3]


def series(ratios: list[float], places: Mapping[int, float] | None = None, later: str = "") -> Series:
    return Series({block: math.log(ratio) for block, ratio in enumerate(ratios)}, places=places or {}, later=later)


def texts(of: Series, others: int = 0) -> list[str]:
    """What is said of a series beside others that have no shape."""
    rng = np.random.default_rng(5)
    family = {"this": of}
    for number in range(others):
        family[f"other {number}"] = Series(dict(enumerate(rng.normal(0, 0.02, 8).tolist())))
    return [note.text for note in notes(family, LEAST)["this"]]


@pytest.mark.parametrize("ratios", [COLD, SHIPPED])
@pytest.mark.parametrize("others", [0, 29])
def test_a_first_block_that_was_cold_is_named_among_thirty_comparisons(ratios: list[float], others: int) -> None:
    (text,) = texts(series(ratios), others)
    low, high = min(ratios[1:]), max(ratios[1:])
    assert text.startswith(f"block 1 is unlike the others: {ratios[0]:.3g} against {low:.3g} to {high:.3g}; look for")


def test_blocks_that_begin_alike_have_no_shape() -> None:
    assert texts(series(WARM)) == []


def test_what_is_small_beside_the_margin_is_not_named() -> None:
    ratios = [1.005, 1.0, 1.0001, 1.0, 0.9999, 1.0]
    assert texts(series(ratios)) == []
    assert "block 1 is unlike" in texts(series([1 + 5 * (ratio - 1) for ratio in ratios]))[0]


def test_a_drift_is_named_from_six_blocks_on(said: Said) -> None:
    ratios = [1.0, 1.021, 1.039, 1.062, 1.08, 1.101]
    (text,) = texts(series(ratios))
    assert "it rises, by 10 %" in text
    said(text)
    assert texts(series(ratios[:5])) == []


def test_two_modes_are_named_with_their_blocks(said: Said) -> None:
    ratios = [0.60, 0.99, 0.61, 0.601, 0.98, 1.0, 0.605]
    (text,) = texts(series(ratios))
    assert "0.604 in 4 blocks and 0.99 in 3 blocks" in text
    said(text)


def test_modes_within_the_margin_are_not_named() -> None:
    ratios = [0.96, 0.9901, 0.961, 0.9601, 0.989, 0.99, 0.9605]
    assert texts(series(ratios)) == []
    assert "has two modes" in texts(series([ratio**3 for ratio in ratios]))[0]


def test_an_influence_of_the_order_is_named_with_its_size(said: Said) -> None:
    places = {0: -3.0, 1: 2.0, 2: 1.0, 3: -2.0, 4: 3.0, 5: -1.0}
    rng = np.random.default_rng(2)
    ratios = [math.exp(-0.02 * place + rng.normal(0, 0.002)) for place in places.values()]
    (text,) = texts(series(ratios, places=places, later="than native"))
    assert "1.9 % lower for each place later" in text
    said(text)
    assert texts(series(ratios, places=dict.fromkeys(places, 1.0))) == [], "the order is always the same"


def test_tables_share_words_without_numbers() -> None:
    (note,) = notes({"this": series(COLD)}, LEAST)["this"]
    assert note.brief == "block 1 is unlike the others"


def test_a_first_block_without_a_value_is_called_by_its_number() -> None:
    of = Series({block + 1: log for block, log in series(COLD).logs.items()})
    assert texts(of)[0].startswith("block 2 is unlike the others")


def test_no_series_has_no_shape() -> None:
    assert notes({}, LEAST) == {}
    assert notes({"this": Series({})}, LEAST) == {"this": []}


@pytest.mark.parametrize("test", [first_block, drift, order, two_modes])
def test_few_blocks_and_equal_values_have_a_p_value_of_1(
    test: Callable[[Series, float], Shape],
) -> None:
    for ratios in ([], [1.0], [1.0, 1.5, 1.0, 1.5, 1.0], [1.1] * 8):
        places = dict.fromkeys(range(len(ratios)), 0.0)
        assert test(series(ratios, places=places), LEAST).p_value == 1.0


@pytest.mark.parametrize("noise", ["gauss", "t3", "uniform"])
@pytest.mark.parametrize(("blocks", "campaigns"), [(6, 100), (12, 60)])
def test_campaigns_of_noise_seldom_have_a_shape(noise: str, blocks: int, campaigns: int) -> None:
    """30 comparisons share their baseline, whose noise is as large as theirs."""
    rng = np.random.default_rng(blocks)
    draws: Mapping[str, Callable[[], Any]] = {
        "gauss": lambda: rng.normal(0, 0.05, blocks),
        "t3": lambda: 0.03 * rng.standard_t(3, blocks),
        "uniform": lambda: rng.uniform(-0.05, 0.05, blocks),
    }
    draw = draws[noise]
    said: Counter[str] = Counter()
    for _ in range(campaigns):
        base = draw()
        family = {
            number: Series(
                dict(enumerate((draw() - base).tolist())), places=dict(enumerate(rng.permutation(blocks).tolist()))
            )
            for number in range(30)
        }
        found = notes(family, LEAST)
        said.update({note.text.split()[2] for of in found.values() for note in of})  # of a campaign each once
    assert set(said) <= {"is", "drifts", "has", "depends"}
    assert max(said.values(), default=0) <= _at_most(campaigns, 0.1 if noise == "t3" else 0.05)


def _at_most(campaigns: int, share: float) -> float:
    """The 99.9 % quantile of how many of so many have what this share has."""
    return campaigns * share + 3.1 * math.sqrt(campaigns * share * (1 - share))


def with_times(campaign: Campaign, subject: str, times: Callable[[Trial], float]) -> Campaign:
    """The campaign with every value of an environment so many times as large."""

    def of(record: TrialRecord) -> TrialRecord:
        (run,) = record.runs
        if run.placement.environment != subject:
            return record
        return replace(record, runs=(changed(run, value=run.scored.value * times(record.trial)),))

    return replace(campaign, trials=tuple(map(of, campaign.trials)))


def test_a_cold_first_block_is_a_note_of_its_finding_alone_and_changes_nothing_else() -> None:
    places = [Place("native"), Place("cold"), Place("other")]
    campaign = simulate(places, [Work("disk"), Work("cpu")], blocks=6, noise=gaussian(0.02), seed=2)
    found = analyse(with_times(campaign, "cold", lambda trial: 1.0 if trial.block else 0.4)).findings
    with_shape = [one for one in found if any("block 1 is unlike the others: 0." in note for note in one.notes)]
    assert [(one.workload, one.subject) for one in with_shape] == [("disk", "cold"), ("cpu", "cold")]
    for one in with_shape:
        assert "block 1 is unlike the others" in one.shown_notes
        assert one.verdict is Verdict.UNDECIDED
    values = [note for one in found for note in one.notes if note.startswith("block 1 of its own value is unlike")]
    assert len(values) == 2 and not [note for one in found for note in one.shown_notes if "own value" in note]


def test_what_the_place_in_a_block_does_is_a_note() -> None:
    campaign = simulate([Place("native"), Place("box")], blocks=12, noise=gaussian(0.005), seed=3)
    of = finding_of(with_times(campaign, "box", lambda trial: 1 - 0.1 * trial.position), "box")
    assert any("depends on the order within the block" in note and "later than native" in note for note in of.notes)


def test_a_drift_of_the_host_is_in_the_values_and_not_in_the_ratio(said: Said) -> None:
    def warming(block: int, _time: float, rng: np.random.Generator) -> float:
        return 0.05 * block + float(rng.normal(0, 0.002))

    of = finding_of(simulate([Place("native"), Place("box")], blocks=6, noise=warming, seed=1), "box")
    (note,) = [note for note in of.notes if "drifts" in note]
    assert note.startswith("its own value drifts") and "it rises, by 28 %" in note
    said(note)
    assert not [note for note in of.shown_notes if "drifts" in note]


def test_neighbours_are_compared_with_the_same_shuffles_in_each_series(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = 0
    counted = np.random.default_rng

    def default_rng(seed: int) -> np.random.Generator:
        nonlocal drawn
        drawn += 1
        return counted(seed)

    rng = counted(3)
    every = [Series(dict(enumerate(rng.normal(0, 0.1, 23).tolist()))) for _ in range(50)]
    monkeypatch.setattr(np.random, "default_rng", default_rng)
    found = [neighbours(one, LEAST).p_value for one in every]
    assert drawn <= 1
    monkeypatch.undo()
    for one, p in zip(every, found, strict=True):
        away = np.array([*one.logs.values()]) - np.mean([*one.logs.values()])
        shuffled = counted(23).permuted(np.tile(away, (2_000, 1)), axis=1)
        by_chance = (shuffled[:, 1:] * shuffled[:, :-1]).sum(axis=1)
        assert p == (1 + int((by_chance >= (away[1:] @ away[:-1]) * (1 - 1e-12)).sum())) / 2_001


# --- one series alone: a side of a comparison of two campaigns -------------------------------------------------


def test_a_drift_has_a_direction_and_a_size(said: Said) -> None:
    rising = [0.01 * block for block in range(10)]
    (up,), (down,) = of_one(rising, "B"), of_one(rising[::-1], "A")
    assert up.startswith("B drifts") and "it rises, by 9.4 %" in up
    assert down.startswith("A drifts") and "it falls, by 9.4 %" in down
    said(up)
    said(down)


def test_two_modes_are_reported_with_their_values() -> None:
    logs = [0.0, np.log(2), 0.001, np.log(2) + 0.002, 0.002, 0.003, np.log(2) - 0.001, 0.001, np.log(2)]
    (note,) = of_one(logs, "A")
    assert note.startswith("A has two modes: 1 in 5 blocks and 2 in 4 blocks; ")


def test_the_first_of_six_values_may_be_unlike_the_others() -> None:
    (note,) = of_one(list(np.log([0.52, 1.54, 1.48, 1.54, 1.60, 1.40])), "B")
    assert note.startswith("block 1 of B is unlike the others: 0.52 against 1.4 to 1.6; ")


def test_one_value_apart_that_is_not_the_first_is_no_shape() -> None:
    assert of_one([0.0, 0.001, 0.002, 0.0005, 1.0, 0.001, 0.0015, 0.0005, 0.001], "A") == []


@pytest.mark.parametrize(
    "logs", [[], [0.0], [0.0, 1.0, 0.0, 1.0, 0.0], [0.5] * 20, [0.005 * block for block in (0, 1)]]
)
def test_few_equal_or_close_values_say_nothing(logs: list[float]) -> None:
    assert of_one(logs, "A") == []


@pytest.mark.parametrize("count", [6, 8, 12, 30])
def test_noise_is_seldom_called_anything(count: int) -> None:
    rng = np.random.default_rng(1)
    called = sum(bool(of_one(list(rng.normal(0, 0.1, count)), "A")) for _ in range(1000))
    assert called <= 8  # three shapes at 0.0008: 2.4 are expected
