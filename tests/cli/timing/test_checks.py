"""Options of results and checks become parameters, or one sentence."""

from __future__ import annotations

import pytest

from virtometer.cli.timing.checks import checks
from virtometer.errors import UsageError


def test_options_become_parameters() -> None:
    assert set(checks(None, None, None, (), "digest").values()) == {None}
    made = checks("x([0-9]+)", "MB/s", "higher", ("a b", "c"), "digest")
    assert made == {"value": "x([0-9]+)", "unit": "MB/s", "better": "higher", "check_files": "'a b' c"}


@pytest.mark.parametrize(
    ("value", "unit", "better", "output"),
    [
        (None, "s", None, "digest"), (None, None, "lower", "digest"), ("x", None, "lower", "digest"),
        ("x", "s", None, "digest"), ("x", "s", "best", "digest"), ("(", "s", "lower", "digest"),
        ("x", "a b", "lower", "digest"), ("x", "s", "lower", "null"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(value: str | None, unit: str | None, better: str | None, output: str) -> None:
    with pytest.raises(UsageError):
        checks(value, unit, better, (), output)


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(UsageError):
        checks(None, None, None, (path,), "digest")
