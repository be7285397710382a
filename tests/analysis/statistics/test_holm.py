"""Holm's adjustment against that of statsmodels."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from virtometer.analysis.statistics import holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """multipletests collects garbage at each call: what is there already need not be looked at."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("frozen")
@given(p_values)
def test_holm_is_the_one_of_statsmodels(values: list[float]) -> None:
    assert holm.adjust(values) == pytest.approx(multipletests(values, method="holm")[1].tolist(), abs=1e-12)


@given(p_values, st.randoms())
def test_holm_does_not_depend_on_the_order(values: list[float], random: object) -> None:
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    adjusted = holm.adjust(values)
    assert holm.adjust([values[i] for i in order]) == pytest.approx([adjusted[i] for i in order], abs=1e-15)
    assert all(a >= p for a, p in zip(adjusted, values, strict=True))


def test_the_level_faced_is_what_holm_compares_the_first_unclaimed_with() -> None:
    assert holm.level_faced(holm.adjust([0.001, 0.3, 0.9]), 0.05) == 0.05 / 2
    assert holm.level_faced(holm.adjust([0.3]), 0.05) == 0.05
    assert holm.level_faced([], 0.05) == 0.05


def test_an_example_by_hand() -> None:
    """0.005 x 4, 0.01 x 3, 0.03 x 2, and for the last one no less than the one before."""
    assert holm.adjust([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_the_ends() -> None:
    assert holm.adjust([]) == []
    assert holm.adjust([0.3]) == [0.3]
    assert holm.adjust([0.0, 0.6, 1.0, 0.7]) == [0.0, 1.0, 1.0, 1.0]
