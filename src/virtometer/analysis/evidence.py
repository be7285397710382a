"""What failed trials left: the agent's own value, and what their samples say if the guest's clock is believed."""

from __future__ import annotations

import math
from dataclasses import replace

from virtometer.model import ClockFit, Evidence, PlacementResult, TrialRecord


def agent_value(left: Evidence) -> float | None:
    """What the agent, or the tool that it ran, said in its own time. None where the run did not come to its end."""
    if left.said is None:
        return None
    return float(left.said["measures"].get("tool-says", left.said)["value"])


def believed(record: TrialRecord) -> TrialRecord:
    """A trial that failed on a clock's account, as if that clock had been right; marked with the reason.

    As it was where another reason ended it, or where the samples together have no length by that clock.
    """
    if not any(left.fault for left in record.evidence):
        return record
    results = tuple(result for left in record.evidence if (result := _by_its_own_clock(left)) is not None)
    if len(results) < len(record.trial.placements):
        return record
    marks = (*record.marks, f"clock: {record.reason}")
    return TrialRecord(
        record.trial, "done", "", record.started_at, record.wall_s, record.start_skew_ns, record.host, marks, results
    )


def _by_its_own_clock(left: Evidence) -> PlacementResult | None:
    own = agent_value(left)
    guest_s = sum(sample.end_ns - sample.start_ns for sample in left.samples) * 1e-9
    work = sum(sample.work for sample in left.samples)
    if left.said is None or own is None or not left.probes or guest_s <= 0 or work <= 0:
        return None
    clock = ClockFit(left.probes[0].received_guest_ns, left.probes[0].sent_host_ns, 1.0, math.nan, math.nan, 0)
    value = guest_s / work if left.unit == "s" else work / guest_s
    return PlacementResult(
        placement=left.placement,
        guest_id=left.guest_id,
        kernel=left.kernel,
        op=left.op,
        parameters=left.parameters,
        threads=left.threads,
        unit=left.unit,
        better=left.better,
        value=own if "tool-says" in left.said["measures"] else value,
        agent_value=own,
        samples=tuple(replace(sample, used=True, mark="") for sample in left.samples),
        probes=left.probes,
        clock=clock,
        window_start_host_ns=round(clock.to_host_ns(left.samples[0].start_ns)),
        window_end_host_ns=round(clock.to_host_ns(left.samples[-1].end_ns)),
        work=work,
        guest_cpu_s=None,
        agent_cpu_s=(left.said["cpu"]["user_ns"] + left.said["cpu"]["system_ns"]) * 1e-9,
        check=left.said["check"],
        conditions=left.conditions,
        measures=left.said["measures"],
        histograms=left.said["histograms"],
    )
