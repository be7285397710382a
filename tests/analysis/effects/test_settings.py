"""The recommended setting: right, no more changes than gain something, and an interval that holds its gain."""

from __future__ import annotations

import math

import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, Levels, experiment, response
from virtometer.analysis.effects.effect import Recommendation
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Variable

ALL = (AIO, CACHE, DUMMY)


def logs(levels: Levels) -> float:
    return 0.2 * (levels["aio"] == "io_uring" and levels["cache"] == "none") - 0.1 * (levels["cache"] == "unsafe")


def best(**more: object) -> Recommendation | None:
    return effects(experiment(response(ALL, logs, **more)), 0.02).metrics[0].recommended  # type: ignore[arg-type]


def test_the_best_setting_changes_what_gains_and_nothing_else() -> None:
    found = best()
    assert found is not None
    assert found.changed == (("aio", "threads", "io_uring"), ("cache", "writeback", "none"))
    assert found.candidates == 5 and found.ran and found.gain.improves and not found.gain.worsens


def test_where_lower_is_better_the_best_is_the_lowest() -> None:
    found = best(better="lower")
    assert found is not None and found.changed == (("cache", "writeback", "unsafe"),)


def test_a_combination_that_never_ran_is_not_recommended() -> None:
    found = best(skip=lambda one: one["aio"] == "io_uring" and one["cache"] == "none")
    assert found is None, "all that is left is worse than the default"


def test_a_default_that_is_best_stays() -> None:
    worse = response(ALL, lambda one: -0.2 * (one["aio"] == "io_uring"))
    assert effects(experiment(worse), 0.02).metrics[0].recommended is None


def test_other_metrics_are_reported_beside_it() -> None:
    cost = response(ALL, lambda one: 0.3 * (one["aio"] == "io_uring"), "cost", better="lower", beside=True, seed=2)
    slow = response(ALL, lambda _: 0.0, "write", seed=3)
    found = effects(experiment(response(ALL, logs), slow, cost), 0.02)
    chosen = found.metrics[0].recommended
    assert chosen is not None
    told = {one.metric: one for one in chosen.trade}
    assert told["cost"].worsens and not told["cost"].improves and abs(told["cost"].estimate.value - 35) < 3
    assert not told["write"].worsens and not told["write"].improves
    assert found.metrics[2].recommended is None, "a cost is not to be made best"
    assert found.overall is not None and found.overall.changed == chosen.changed and found.overall.metric == ""


@pytest.mark.parametrize(("more", "doubts"), [(set(), ("b:c",)), ({("0", "0", "1")}, ("b:c",))])
def test_a_change_that_rests_on_an_aliased_effect_is_doubted(
    more: set[tuple[str, ...]], doubts: tuple[str, ...]
) -> None:
    """Half of 2x2x2, where a is wholly b:c; and with one cell more, where 75 % of b:c enter it and 25 % of others."""
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    part = response(
        three,
        lambda one: 0.2 * int(one["a"]),
        skip=lambda one: sum(map(int, one.values())) % 2 == 1 and tuple(one.values()) not in more,
    )
    found = effects(experiment(part, variables=three), 0.02)
    recommended = found.metrics[0].recommended
    assert recommended is not None and recommended.doubts == (("a", doubts),)
    whole = response(three, lambda one: 0.2 * int(one["a"]))
    clear = effects(experiment(whole, variables=three), 0.02).metrics[0].recommended
    assert clear is not None and clear.doubts == ()


def test_the_interval_of_the_gain_holds_it_though_the_setting_was_chosen() -> None:
    """Six settings that differ by as much as their errors: the choice alone must not make the gain look larger."""
    truth = {("io_uring", "none"): 0.05, ("io_uring", "unsafe"): 0.048, ("threads", "none"): 0.046}
    held = chosen = 0
    for seed in range(500):
        made = response(
            (AIO, CACHE), lambda one: truth.get((one["aio"], one["cache"]), 0.0), seed=seed, spread=0.02, blocks=6
        )
        found = effects(experiment(made, variables=(AIO, CACHE)), 0.01).metrics[0].recommended
        if found is None:
            continue
        to = {factor: new for factor, _, new in found.changed}
        setting = (to.get("aio", "threads"), to.get("cache", "writeback"))
        # Of one factor alone the gain is a mean over the levels of the other.
        others = [("threads", setting[1]), ("io_uring", setting[1])] if "aio" not in to else [setting]
        bases = [("threads", "writeback"), ("io_uring", "writeback")] if "aio" not in to else [("threads", "writeback")]
        if "aio" in to and "cache" not in to:
            others = [(setting[0], cache) for cache in CACHE.levels]
            bases = [("threads", cache) for cache in CACHE.levels]
        active = found.candidates == 5  # both factors are set
        if active:
            others, bases = [setting], [("threads", "writeback")]
        gain = sum(truth.get(one, 0.0) for one in others) / len(others) - sum(
            truth.get(one, 0.0) for one in bases
        ) / len(bases)
        low, high = found.gain.estimate.low, found.gain.estimate.high
        assert low is not None and high is not None
        chosen += 1
        held += math.log1p(low / 100) <= gain <= math.log1p(high / 100)
    assert chosen > 200 and held / chosen >= 0.95
