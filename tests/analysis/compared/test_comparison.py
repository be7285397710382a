"""The outcome of a whole comparison."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.compared.test_pair import pair
from virtometer.analysis.compared.comparison import Comparison
from virtometer.analysis.compared.pair import conclude
from virtometer.analysis.compared.worse import Outcome


def test_one_that_is_worse_or_open_decides_for_all() -> None:
    made = conclude([pair("same", 0.0, -0.001), pair("lost", 0.0, -0.2), pair("short", 0.0, -0.001, 2.0)], 0.05, 1.0)
    same, worse, unknown = made
    whole = Comparison(made, False, 0.05)
    assert (whole.worse, whole.not_worse, whole.open) == ((worse,), (same,), (unknown,))
    assert whole.findings == tuple(one.finding for one in made)
    for some, outcome in (
        (made, Outcome.WORSE),
        ((same, unknown), Outcome.OPEN),
        ((same,), Outcome.NOT_WORSE),
        ((worse,), Outcome.WORSE),
    ):
        assert replace(whole, compared=some).outcome is outcome
    assert replace(whole, compared=(same,), lost=("a value",)).outcome is Outcome.OPEN
