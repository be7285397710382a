"""Values of options, as the plan and its commands take them."""

from __future__ import annotations

import pytest

from virtometer.cli.timing.given import (
    MOST_WARM_UPS,
    changed_fields,
    output_of,
    seconds_of,
    size_of,
    variables_of,
    warm_ups_of,
)
from virtometer.errors import UsageError


def test_fields_that_are_given_replace_those_of_the_plan() -> None:
    assert changed_fields(None, None, None) == {}
    assert changed_fields("5%", "1%", "2m") == {"margin": 0.05, "precision": 0.01, "budget_s": 120}


def test_output_is_read_discarded_or_in_a_file() -> None:
    assert output_of("pipe") == {"output": "digest"}
    assert output_of("null") == {"output": "null"}
    assert output_of("./printed") == {"output_file": "./printed"}
    for wrong in ("", "printed", "inherit", "there/", "a\0/b"):
        with pytest.raises(UsageError):
            output_of(wrong)


def test_one_run_comes_before_the_timed_ones_in_any_case() -> None:
    assert [warm_ups_of(number) for number in (None, 1, 7, MOST_WARM_UPS)] == [None, 1, 7, MOST_WARM_UPS]
    assert warm_ups_of(0) == 1
    for number in (-1, MOST_WARM_UPS + 1):
        with pytest.raises(UsageError):
            warm_ups_of(number)


def test_variables_are_few_unless_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "s")
    assert "SECRET_OF_MINE" not in variables_of(())
    assert variables_of(["SECRET_OF_MINE", "A=b=c"]).items() >= {("SECRET_OF_MINE", "s"), ("A", "b=c")}
    for wrong in ("=x", "NO_SUCH_VARIABLE_HERE"):
        with pytest.raises(UsageError):
            variables_of([wrong])


def test_sizes_and_times_are_checked() -> None:
    assert (size_of(None), size_of("512M"), seconds_of("--x", None), seconds_of("--x", "5m")) == (
        None,
        "512M",
        None,
        300,
    )
    with pytest.raises(UsageError):
        size_of("much")
    with pytest.raises(UsageError):
        seconds_of("--x", "nothing")
