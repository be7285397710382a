"""What a campaign would have said had the guests' clocks been believed."""

from __future__ import annotations

import math
from dataclasses import replace

from virtometer.analysis import evidence
from virtometer.model import Campaign, ClockFit, PlacementResult


def by_guest_clocks(campaign: Campaign) -> Campaign:
    """The same samples, timed by the guests' own clocks. What failed by them counts, and is marked.

    How far those clocks can be believed is not known from such a campaign, only from `recorded` in it.
    """
    trials = tuple(
        replace(record, results=tuple(_believed(result) for result in record.results))
        if record.results
        else evidence.believed(record)
        for record in campaign.trials
    )
    return replace(campaign, trials=trials, clock="guest", recorded=campaign)


def _believed(result: PlacementResult) -> PlacementResult:
    guest_s = sum(sample.end_ns - sample.start_ns for sample in result.samples if sample.used) * 1e-9
    host_s = guest_s * result.clock.rate
    # A tool's value is not work over time but what it said.
    factor = guest_s / host_s if result.unit == "s" else host_s / guest_s
    value = result.measures["tool-says"]["value"] if "tool-says" in result.measures else result.value * factor
    fit = result.clock
    believed = ClockFit(fit.reference_guest_ns, fit.reference_host_ns, 1.0, math.nan, math.nan, 0)
    # The window too is as long as the guest's clock said: samples are judged by how much of it they cover.
    begin, end = (
        round(fit.reference_host_ns + (host_ns - fit.reference_host_ns) / fit.rate)
        for host_ns in (result.window_start_host_ns, result.window_end_host_ns)
    )
    return replace(result, value=float(value), clock=believed, window_start_host_ns=begin, window_end_host_ns=end)
