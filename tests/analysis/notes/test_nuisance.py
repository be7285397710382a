"""What is known of the order, the processors and the layout of memory."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.factor_campaigns import disk_campaign
from tests.analysis.simulated_campaigns import changed, with_runs
from virtometer.analysis.notes.nuisance import PADDING, Nuisance, nuisance
from virtometer.model import Campaign


def known(of: Campaign) -> Campaign:
    """A campaign whose guests were bound, and had environment variables of a random size in every other start."""
    guests = tuple(
        replace(guest, effective={**guest.effective, **({PADDING: number} if number % 2 else {})})
        for number, guest in enumerate(of.guests)
    )
    bound = with_runs(of, lambda run: changed(run, conditions={**run.conditions, "guest_processors": "1"}))
    return replace(bound, guests=guests, host={**of.host, "address_randomisation": "2"})


def test_starts_processors_and_addresses_are_counted() -> None:
    of = known(disk_campaign(blocks=6))
    found = nuisance(of)
    assert found.seed == of.seed
    assert found.starts == len(of.guests)
    assert found.padded == len(of.guests) // 2
    assert found.randomised is True
    assert found.processors == {"random read": ("1",), "sequential read": ("1",)}
    assert found.same_processors


def test_processors_that_differ_are_reported_and_what_is_unknown_is_unknown() -> None:
    of = known(disk_campaign(blocks=6))
    cell = of.plan.cells[3].name
    apart = with_runs(
        of,
        lambda run: changed(run, conditions={"guest_processors": "0"}) if run.placement.environment == cell else run,
    )
    found = nuisance(replace(apart, host={}))
    assert found.processors["random read"] == ("0", "1")
    assert not found.same_processors
    assert found.randomised is None
    assert nuisance(replace(apart, host={"address_randomisation": "0"})).randomised is False


def test_without_conditions_processors_are_not_known() -> None:
    assert Nuisance(1, 0, 0, None, {}).same_processors
    assert nuisance(disk_campaign(blocks=6)).processors == {}
