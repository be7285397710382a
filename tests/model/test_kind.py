"""Settings of kinds, and what a kind is where its class says nothing else."""

from __future__ import annotations

from typing import ClassVar

import pytest
from pydantic import ValidationError

from virtometer.model import Kind, Settings


class Counting(Settings):
    """Settings of which one takes the clock from the guest."""

    clock_settings: ClassVar[tuple[str, ...]] = ("icount",)
    icount: str | None = None
    cpus: float | None = None
    memory: int | str = 1 << 20


def test_a_clock_is_steady_unless_a_setting_takes_it_from_the_host() -> None:
    assert Settings().steady_clock
    assert Counting(cpus=2).steady_clock
    assert not Counting(icount="auto").steady_clock
    assert not Counting(icount="").steady_clock, "empty is set too"
    assert Counting(icount="auto").needs_long_windows == "its clock has no rate"


@pytest.mark.parametrize("wrong", [{"colour": "red"}, {"cpus": float("nan")}, {"cpus": float("inf")}])
def test_settings_that_do_not_exist_or_are_no_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Counting.model_validate(wrong)
    settings = Counting()
    with pytest.raises(ValidationError):
        settings.cpus = 1


def test_the_memory_of_a_guest_is_that_of_its_settings() -> None:
    assert Settings().guest_memory is None, "as much as the host"
    assert Counting().guest_memory == 1 << 20
    assert Counting(memory="all").guest_memory is None


def test_a_kind_that_says_nothing_has_guests_with_the_kernel_of_nobody_known() -> None:
    assert (Kind.namespaces, Kind.machine, Kind.several_agents, Kind.kernel_memory) == (None, False, False, 0)
