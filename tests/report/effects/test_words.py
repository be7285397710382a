"""Effects in sentences, as people read them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, Levels, experiment, response
from tests.sentences import Said
from virtometer.analysis.effects.effect import Conditional, Effects
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Variable
from virtometer.model import Estimate
from virtometer.report.effects import words as effect_words

ALL = (AIO, CACHE, DUMMY)


def doubt(of: Effects) -> str:
    """The last sentences of the advice: what an effect on which it rests may be instead."""
    rest = effect_words.changes(of)[1]
    return rest[rest.index("The effect of") :]


def logs(levels: Levels) -> float:
    return math.log(1.18) * (levels["aio"] == "io_uring" and levels["cache"] == "none")


@pytest.fixture(scope="module")
def disk() -> Effects:
    """io_uring is faster with cache=none alone, and costs the host more; writes know nothing of all this."""
    return effects(
        experiment(
            response(ALL, logs, "random read", blocks=20),
            response(ALL, lambda _: 0.0, "write", blocks=20, seed=2, spread=0.005),
            response(
                ALL, lambda one: math.log(1.3) * (one["aio"] == "io_uring"), "host CPU per work of random read",
                better="lower", beside=True, blocks=20, seed=3, spread=0.005,
            ),
        ),
        0.02,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (Estimate(18.2, 15.1, 21.4, 8), "+18 % (15 to 21 %)"),
        (Estimate(-3.14, -4.0, -2.26, 8), "-3.1 % (-4.0 to -2.3 %)"),
        (Estimate(0.001, -0.0001, 0.04, 8), "+0.00 % (0.00 to 0.04 %)"),
        (Estimate(234.0, 120.0, 410.0, 8), "+234 % (120 to 410 %)"),
        (Estimate(1100.0, 800.0, 1500.0, 8), "×12 (+800 % to ×16)"),
        (Estimate(5.0, None, None, 8), "+5.0 %"),
    ],
)
def test_changes_have_two_digits_and_their_interval(change: Estimate, text: str) -> None:
    assert effect_words.shown(change) == text


def test_a_level_says_what_it_does_to_every_metric(disk: Effects) -> None:
    texts = dict(effect_words.sentences(disk))
    text = texts["aio=io_uring instead of threads"]
    assert "+30 % (30 to 30 %) host CPU per work of random read (worse)" in text
    assert "no influence above 2.0 % on write" in text
    assert "random read: only with cache=none: +18 %" in text and text.endswith("(interaction).")
    assert texts["dummy=b instead of a"] == "no influence above 2.0 % on anything."


def test_where_every_level_matters_each_is_said() -> None:
    both = response(ALL, lambda one: logs(one) + math.log(1.1) * (one["aio"] == "io_uring"), blocks=20)
    text = dict(effect_words.sentences(effects(experiment(both), 0.02)))["aio=io_uring instead of threads"]
    assert "read: with cache=writeback +9.9 %" in text and ", with cache=none +30 %" in text and "only" not in text


def test_what_to_change_comes_first_with_what_it_costs(said: Said, disk: Effects) -> None:
    first, rest, idle = effect_words.changes(disk)
    assert "threads to io_uring" in first and "random read +1" in first
    assert rest.startswith("It makes worse: host CPU per work of random read +30 %")
    assert "No change is shown: write (" in rest
    assert "the best setting for all metrics on average" in rest
    assert " among 5 settings" in rest
    assert idle.startswith("dummy: no influence above 2.0 %")
    said(first.partition(" +")[0])
    said(rest[rest.index("It is the best") :])
    said(idle)


def test_nothing_to_change_is_said(said: Said) -> None:
    found = effects(experiment(response(ALL, lambda _: 0.0, spread=0.2)), 0.02)
    default, undecided = effect_words.changes(found)
    assert default.startswith("Keep the default") and undecided.startswith("aio, cache and dummy: undecided")
    said(default)
    said(undecided)
    assert "1 metric, 6 effects: 6 undecided." in effect_words.headline(found)


def test_aliases_stand_beside_each_claim() -> None:
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = response(three, lambda one: 0.2 * int(one["a"]), skip=lambda one: sum(map(int, one.values())) % 2 == 1)
    found = effects(experiment(half, variables=three), 0.02)
    text = dict(effect_words.sentences(found))["a=1 instead of 0"]
    assert "read, or of b:c: cannot be told apart" in text


def test_what_enters_all_claims_alike_is_said_once(said: Said) -> None:
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = [
        response(three, lambda one: 0.2 * int(one["a"]), name, skip=lambda one: sum(map(int, one.values())) % 2 == 1)
        for name in ("read", "write")
    ]
    text = dict(effect_words.sentences(effects(experiment(*half, variables=three), 0.02)))["a=1 instead of 0"]
    claims, _, once = text.partition(". ")
    assert claims.endswith("write") and "b:c" not in claims
    assert once.count("b:c") == 1
    said(once)


def test_a_setting_that_was_not_measured_is_to_be_confirmed(said: Said) -> None:
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = response(three, lambda one: 0.2 * int(one["a"]), skip=lambda one: sum(map(int, one.values())) % 2 == 1)
    found = effects(experiment(half, variables=three), 0.02)
    text = " ".join(effect_words.changes(found))
    assert "Change a from 0 to 1: read +" in text and "This setting itself was not measured" in text
    assert "of a may be b:c instead" in text
    said(doubt(found))


def test_a_change_that_rests_on_effects_free_of_others_is_not_doubted(said: Said, disk: Effects) -> None:
    assert "instead:" not in " ".join(effect_words.changes(disk))
    assert disk.overall is not None
    doubted = replace(disk.overall, doubts=(("a", ("b:c", "d:e", "f:g")), ("a:b", ("c:d",))))
    text = doubt(replace(disk, overall=doubted))
    assert "b:c, d:e or f:g" in text and "of a:b may be c:d" in text
    said(text)


def test_only_with_is_not_said_where_the_level_that_is_left_is_undecided(disk: Effects) -> None:
    """Nothing is known of one level; the other one is shown to have no influence."""

    def undecided(of: Conditional) -> Conditional:
        left = of.given_factor == "cache" and of.given == "none"
        return replace(of, change=replace(of.change, estimate=Estimate(3.0, -1.0, 7.0, 8))) if left else of

    metrics = tuple(
        replace(
            metric,
            effects=tuple(replace(e, conditionals=tuple(map(undecided, e.conditionals))) for e in metric.effects),
        )
        for metric in disk.metrics
    )
    text = dict(effect_words.sentences(replace(disk, metrics=metrics)))["aio=io_uring instead of threads"]
    assert "only with" not in text
    assert "with cache=none undecided (-1.0 to 7.0 %)" in text
    assert "with cache=writeback no influence above 2.0 %" in text


def test_effects_of_a_plan_with_typical_verdicts_are_said_to_be_about_the_total_ratio(
    said: Said, disk: Effects
) -> None:
    plain, typical = effect_words.about(disk), effect_words.about(replace(disk, typical=True))
    assert "typical" not in plain
    assert typical.startswith(plain) and typical.endswith("about the typical ratio.")
    said(typical)


def test_the_glossary_says_which_claims_the_bound_is_of() -> None:
    assert "whole experiment" not in effect_words.GLOSSARY["influence"]
    assert "about the values of all workloads" in effect_words.GLOSSARY["influence"]
    assert "any such claim of a family" in effect_words.GLOSSARY["no influence"]


def test_without_any_effect_that_is_said(said: Said) -> None:
    nothing = response((AIO,), lambda _: 0.0, skip=lambda one: one["aio"] == "threads")
    found = effects(experiment(nothing, variables=(AIO,)), 0.02)
    [nothing_told] = effect_words.changes(found)
    said(nothing_told)
