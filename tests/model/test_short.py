"""The short form of a plan, as a user writes it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from virtometer.model import Short


def test_what_is_left_out_stays_as_in_the_plan() -> None:
    short = Short.model_validate({})
    assert (short.seconds, short.slice_s, short.disk_span, short.workloads) == (None, None, None, {})


def test_sizes_may_be_texts() -> None:
    assert Short.model_validate({"disk_span": "64M"}).disk_span == 64 << 20


@pytest.mark.parametrize("name", ["environments", "blocks", "scenarios", "factors"])
def test_it_changes_nothing_that_is_compared(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        Short.model_validate({name: []})
