"""The text of Iometer's configuration, from access specifications alone."""

from __future__ import annotations

import pytest

from tests.cli.plan.icf_reader import Icf, read_icf
from virtometer.cli.plan.access_specifications import AccessLine, AccessSpecification
from virtometer.cli.plan.iometer_file import LONGEST_TARGET, icf_text, run_time_s


def specification(name: str = "a", seconds: float = 1, depth: int = 1, *lines: AccessLine) -> AccessSpecification:
    usual = AccessLine(size=4096, share=100, reads=67, random=10, delay=3, burst=7, align=512)
    return AccessSpecification(name, lines or (usual,), depth, sectors=2048, workers=1, seconds=seconds)


def read(*specifications: AccessSpecification, description: str = "p", target: str = "") -> Icf:
    return read_icf(icf_text(description, specifications, target).encode())


def test_columns_are_in_the_order_of_the_format() -> None:
    assert read(specification()).specifications == {"a": [(4096, 100, 67, 10, 3, 7, 512, 0)]}


def test_the_time_is_in_hours_minutes_and_seconds() -> None:
    found = read(specification(seconds=3600), specification("b", seconds=3725))
    assert found.setup["Run Time"].split() == ["1", "2", "5"]
    assert run_time_s([specification(seconds=0.2), specification(seconds=1.01)]) == 2


def test_workers_have_as_many_requests_under_way_as_their_specifications() -> None:
    found = read(specification(depth=4), specification("b", depth=1024))
    assert [(one.depth, one.sectors, one.assigned) for one in found.workers] == [
        (4, (2048, 0), ["a", "Idle"]),
        (1024, (2048, 0), ["Idle", "b"]),
    ]


@pytest.mark.parametrize("target", ["", "E:", 'C: "System, reserved"', "x" * LONGEST_TARGET])
def test_the_target_is_kept_as_it_is(target: str) -> None:
    (worker,) = read(specification(), target=target).workers
    assert worker.targets == [target] * bool(target)


def test_the_display_has_what_all_versions_of_iometer_know() -> None:
    """A key or a statistic that one of them does not know is an error, or is shown as another one."""
    display = read(specification()).display
    assert not [key for key in display if "Update" in key]
    assert not [statistic for statistic in display.values() if "MBs" in statistic]
    assert len(display) == 5


def test_a_description_is_one_short_line() -> None:
    assert read(specification(), description="è\n" * 60).setup["Test Description"].isascii()
