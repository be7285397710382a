"""From an experiment to everything that is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, Levels, experiment, response
from tests.sentences import Said
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.fit import Estimates, Fit
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Floats, Variable

ALL = (AIO, CACHE, DUMMY)


def logs(levels: Levels) -> float:
    return math.log(1.18) * (levels["aio"] == "io_uring" and levels["cache"] == "none")


def test_effects_are_sorted_and_have_the_verdicts_of_the_truth() -> None:
    found = effects(experiment(response(ALL, logs, blocks=12), response(ALL, lambda _: 0.0, "write", seed=2)), 0.03)
    read, write = found.metrics
    verdicts = {one.term: one.verdict for one in read.effects}
    assert verdicts["aio:cache"] is verdicts["aio"] is verdicts["cache"] is Influence.INFLUENCE
    assert verdicts["dummy"] is Influence.NONE and read.effects[0].term == "aio:cache"
    assert Influence.INFLUENCE not in {one.verdict for one in write.effects}
    assert found.tested == 2 * (1 + 2 + 1 + 2 + 1 + 2)
    assert (read.trials, read.blocks) == (144, 12)
    sizes = [abs(math.log1p(one.change.estimate.value / 100)) for one in read.effects]
    assert sizes == sorted(sizes, reverse=True)
    assert 0.5 < sum(one.share for one in read.effects) <= 1.0


def test_an_interaction_says_the_effect_at_each_level_of_the_other() -> None:
    found = effects(experiment(response(ALL, logs, blocks=12)), 0.03).metrics[0].effects[0]
    told = {(one.factor, one.level, one.given): one for one in found.conditionals}
    with_none, with_writeback = told["aio", "io_uring", "none"], told["aio", "io_uring", "writeback"]
    low, high = with_none.change.estimate.low, with_none.change.estimate.high
    assert low is not None and high is not None and low < 18 < high and not with_none.none
    assert with_writeback.none and abs(with_writeback.change.estimate.value) < 2


def test_several_levels_have_a_contrast_each_and_one_interval_for_all() -> None:
    found = effects(experiment(response(ALL, logs)), 0.03).metrics[0]
    cache = next(one for one in found.effects if one.term == "cache")
    assert [one.level for one in cache.contrasts] == [("none",), ("unsafe",)]
    assert cache.largest.level == ("none",)
    own, together = cache.largest.change.estimate, cache.change.estimate
    assert own.low is not None and together.low is not None and together.low < own.low


def test_aliases_and_terms_without_a_number_are_said_in_words(said: Said) -> None:
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = response(three, lambda one: 0.2 * int(one["a"]), skip=lambda one: sum(map(int, one.values())) % 2 == 1)
    found = effects(experiment(half, variables=three), 0.03).metrics[0]
    a = next(one for one in found.effects if one.term == "a")
    assert a.verdict is Influence.INFLUENCE and a.aliases == ("b:c",) and a.wholly
    (note,) = a.notes
    said(note)
    two = (AIO, DUMMY)
    never = response(two, lambda _: 0.0, skip=lambda one: one["aio"] == "io_uring" and one["dummy"] == "b")
    lost = effects(experiment(never, variables=two), 0.03).metrics[0]
    assert [(one.term, one.reason) for one in lost.lost] == [("aio:dummy", "aio=io_uring with dummy=b never ran")]
    (note,) = next(one for one in lost.effects if one.term == "aio").notes
    assert "dummy=a alone" in note
    said(note)


def test_one_level_and_what_changes_between_blocks_are_not_estimable() -> None:
    one = response(ALL, lambda _: 0.0, skip=lambda levels: levels["dummy"] == "b")
    found = effects(experiment(one), 0.03).metrics[0]
    assert ("dummy", "only dummy=a ran") in [(term.term, term.reason) for term in found.lost]


def test_too_few_blocks_give_numbers_without_claims(said: Said) -> None:
    found = effects(experiment(response((AIO, DUMMY), lambda _: 0.0, blocks=2), variables=(AIO, DUMMY)), 0.03)
    assert all(one.verdict is Influence.UNDECIDED and one.change.estimate.low is None for one in found.effects)
    note = found.metrics[0].diagnostics[0]
    assert "8 values in 2 blocks leave 3 degrees" in note
    said(note)


def test_a_metric_without_two_levels_in_a_block_is_said_to_have_none(said: Said) -> None:
    nothing = response((AIO,), lambda _: 0.0, skip=lambda one: one["aio"] == "threads")
    (metric,) = effects(experiment(nothing, variables=(AIO,)), 0.03).metrics
    (note,) = metric.diagnostics
    assert metric.effects == () and "8 values" in note
    said(note)


@pytest.mark.parametrize("blocks", [1, 8])
def test_plots_have_their_data(blocks: int) -> None:
    found = effects(experiment(response(ALL, logs, blocks=blocks)), 0.03).metrics[0]
    assert [one.order for one in found.residuals] == list(range(12 * blocks))
    sizes = [point.size for point in sorted(found.half_normal, key=lambda one: one.quantile)]
    assert sizes == sorted(sizes)
    corners = {(one.first, one.second): one.change.estimate.value for one in dict(found.corners)["aio:cache"]}
    assert corners["threads", "writeback"] == 0.0 and corners["io_uring", "none"] == pytest.approx(18, abs=4)


@pytest.mark.parametrize(("factors", "levels"), [(2, 9), (6, 2)])
def test_contrasts_of_a_term_are_estimated_together(factors: int, levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    counted = Fit.contrasts

    def contrasts(self: Fit, of: Sequence[Floats]) -> Estimates:
        nonlocal calls
        calls += 1
        return counted(self, of)

    monkeypatch.setattr(Fit, "contrasts", contrasts)
    variables = [Variable(f"f{at}", tuple(f"l{level}" for level in range(levels))) for at in range(factors)]
    found = effects(experiment(response(variables, lambda _: 0.0, blocks=4), variables=variables), 0.03)
    assert calls <= 4 + 3 * len(found.metrics[0].effects)
