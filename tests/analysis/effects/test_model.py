"""The model of a metric: its contrasts, settings, and combinations that never ran."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, Levels, response
from virtometer.analysis.effects.model import Model, model
from virtometer.analysis.effects.table import Response, Variable, observed

ALL = (AIO, CACHE, DUMMY)


def fitted(of: Response, variables: tuple[Variable, ...] = ALL) -> Model:
    made = model(variables, observed(variables, of))
    assert made is not None
    return made


def value(of: Model, weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None) -> float:
    assert weights is not None
    return float(of.fit.contrasts([weights]).value[0, 0])


def logs(levels: Levels) -> float:
    return {"threads": 0.0, "io_uring": 0.2}[levels["aio"]] * (levels["cache"] == "none") + 0.1 * (
        levels["cache"] == "unsafe"
    )


def test_contrasts_and_settings_are_what_was_put_in() -> None:
    of = fitted(response(ALL, logs, spread=0.0))
    asked = {(of.name(one.term), one.level): value(of, one.weights) for term in of.spans for one in of.asked(term)}
    assert asked["aio", (1,)] == pytest.approx(0.2 / 3), "the mean over the levels of cache"
    assert asked["cache", (1,)] == pytest.approx(0.1) and asked["cache", (2,)] == pytest.approx(0.1)
    assert asked["aio:cache", (1, 1)] == pytest.approx(0.2) and asked["aio:cache", (1, 2)] == pytest.approx(0.0)
    assert value(of, of.setting({0: 1, 1: 1}, {0: 0, 1: 0})) == pytest.approx(0.2)
    assert value(of, of.setting({0: 1, 1: 0}, {0: 0, 1: 0})) == pytest.approx(0.0)


def test_a_level_is_compared_where_both_ran() -> None:
    """unsafe never ran with io_uring: its effect is that with threads, whatever the interaction is."""
    of = fitted(response(ALL, logs, spread=0.0, skip=lambda one: one["aio"] == "io_uring" and one["cache"] == "unsafe"))
    asked = {(of.name(one.term), one.level): value(of, one.weights) for term in of.spans for one in of.asked(term)}
    assert asked["cache", (2,)] == pytest.approx(0.1)
    assert asked["cache", (1,)] == pytest.approx(0.1) and asked["aio", (1,)] == pytest.approx(0.1)
    assert ("aio:cache", (1, 2)) not in asked
    assert of.setting({0: 1, 1: 2}, {0: 0, 1: 0}) is None


def test_nothing_to_compare_is_no_model() -> None:
    one = response(ALL, logs, skip=lambda levels: levels["aio"] != "threads" or levels["cache"] != "none")
    only = response((AIO,), lambda _: 0.0, skip=lambda levels: levels["aio"] != "threads")
    assert model((AIO,), observed((AIO,), only)) is None
    assert [fitted(one).name(term) for term in fitted(one).spans] == ["dummy"]


def test_promised_terms_are_by_name() -> None:
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = response(three, lambda _: 0.0, skip=lambda one: sum(map(int, one.values())) % 2 == 1)
    made = model(three, observed(three, half), ["b:c"])
    assert made is not None and [made.name(term) for term in made.separation.aliases[0,]] == ["b:c"]
