"""The tables of effects."""

from __future__ import annotations

from tests.analysis.effects.experiments import AIO, CACHE, DUMMY, experiment, response
from virtometer.analysis.effects.of_experiment import effects
from virtometer.analysis.effects.table import Variable
from virtometer.report.effects import tables as effect_tables

ALL = (AIO, CACHE, DUMMY)
FOUND = effects(
    experiment(
        response(ALL, lambda one: 0.2 * (one["aio"] == "io_uring"), missing=2),
        response(ALL, lambda one: 0.3 * (one["aio"] == "io_uring"), "cost", better="lower", beside=True, seed=2),
    ),
    0.05,
)


def test_every_contrast_has_a_row_and_the_largest_term_is_first() -> None:
    table = effect_tables.effects(FOUND.metrics[0])
    assert table.caption.startswith("read in 1/s (higher is better): 96 trials in 8 blocks")
    assert table.rows[0][:2] == ("aio", "io_uring instead of threads")
    assert table.rows[0][2] == "+22 %" and table.rows[0][4] == "influence" and table.rows[0][5] == "<0.0001"
    assert len(table.rows) == 1 + 2 + 1 + 2 + 1 + 2 and all(len(row) == len(table.columns) for row in table.rows)


def test_settings_say_what_they_do() -> None:
    table = effect_tables.settings(FOUND)
    assert table is not None
    ((best_for, setting, does, measured, candidates),) = table.rows
    assert (best_for, setting, measured, candidates) == ("read", "aio=io_uring (was threads)", "yes", "1")
    assert "(better); cost +3" in does and does.endswith("(worse)")
    nothing = effects(experiment(response(ALL, lambda _: 0.0)), 0.05)
    assert effect_tables.settings(nothing) is None


def test_notes_have_what_is_missing_and_what_cannot_be_told() -> None:
    assert effect_tables.notes(FOUND.metrics[0])[-1] == "2 trials of 98 without a value"
    three = tuple(Variable(name, ("0", "1")) for name in "abc")
    half = response(three, lambda _: 0.0, skip=lambda one: sum(map(int, one.values())) % 2 == 1)
    said = effect_tables.notes(effects(experiment(half, variables=three), 0.05).metrics[0])
    assert len(said) >= 3 and all("cannot be told from" in one for one in said[:3])


def test_many_notes_are_cut() -> None:
    names = tuple(Variable(name, ("0", "1")) for name in "abcdefg")
    few = response(names, lambda _: 0.0, skip=lambda one: sum(map(int, one.values())) != 1, blocks=6)
    said = effect_tables.notes(effects(experiment(few, variables=names), 0.05).metrics[0])
    assert len(said) < 24


def test_factors_have_their_reference() -> None:
    assert effect_tables.factors(FOUND).rows[1] == ("cache", "writeback", "none, unsafe")
