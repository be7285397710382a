"""Numbers of things in a sentence."""

import pytest

from virtometer.counted import counted


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "0 trials"), (1, "1 trial"), (2, "2 trials"), (999, "999 trials"), (1200, "1,200 trials")],
)
def test_only_one_is_singular_and_thousands_have_commas(count: int, expected: str) -> None:
    assert counted(count, "trial") == expected
