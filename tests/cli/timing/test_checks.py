"""Options of results and checks become parameters, or one sentence."""

from __future__ import annotations

import pytest

from virtometer.cli.timing.checks import checks
from virtometer.errors import UsageError


def test_options_become_parameters() -> None:
    assert set(checks(None, None, None, (), None).values()) == {None}
    made = checks("x([0-9]+)", "MB/s", "higher", ("a b", "c"), None)
    assert made == {"value": "x([0-9]+)", "unit": "MB/s", "better": "higher", "check_files": "'a b' c"}


@pytest.mark.parametrize(
    ("value", "unit", "better", "elsewhere"),
    [
        (None, "s", None, None), (None, None, "lower", None), ("x", None, "lower", None), ("x", "s", None, None),
        ("x", "s", "best", None), ("(", "s", "lower", None), ("x", "a b", "lower", None), ("x", "s", "lower", "null"),
        ("x", "s", "lower", "./printed"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    value: str | None, unit: str | None, better: str | None, elsewhere: str | None
) -> None:
    with pytest.raises(UsageError):
        checks(value, unit, better, (), elsewhere)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(UsageError):
        checks(None, None, None, (path,), None)
