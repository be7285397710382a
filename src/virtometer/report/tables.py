"""A campaign as CSV (RFC 4180, one header line, missing is empty): results, findings, every raw sample, or every probe.

Names come from plans and words from guests, and a spreadsheet runs what begins like a formula: such a text has an
apostrophe before it, which spreadsheets take for the sign of a text. Numbers are never touched, negative ones neither.
Source: OWASP, "CSV Injection".
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from virtometer.analysis.host_time import stretches
from virtometer.analysis.values import clock_bound
from virtometer.model import Campaign, ClockFit, ClockProbe, Evidence, Finding, PlacementResult, TrialRecord
from virtometer.report.machine import document, plain
from virtometer.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four full-width
_FINDING = (
    "workload", "op", "metric", "unit", "better", "subject", "against", "ratio", "low", "high", "n", "verdict",
    "p_value", "p_adjusted", "host_cpu_ratio", "host_cpu_low", "host_cpu_high", "value", "value_low", "value_high",
    "detectable", "blocks_needed", "seconds_needed", "like_with_like", "notes",
)  # fmt: skip
_RESULT = (
    "trial", "block", "position", "start_group", "started_at", "status", "reason", "marks", "environment", "workload",
    "role", "guest_id", "kernel", "op", "threads", "unit", "better", "value", "value_bound", "agent_value", "work",
    "window_s", "guest_cpu_s", "agent_cpu_s", "samples", "samples_unused", "clock_rate", "clock_rate_bound",
    "clock_bound_ns", "clock_reference_guest_ns", "clock_reference_host_ns", "clock_probes", "wall_s", "conditions",
    "parameters", "measures",
)  # fmt: skip
_SAMPLE = (
    "trial", "block", "environment", "workload", "role", "guest_id", "sample", "start_guest_ns", "end_guest_ns",
    "start_host_ns", "start_bound_ns", "end_host_ns", "end_bound_ns", "duration_s", "duration_bound_s",
    "duration_guest_s", "work", "unit", "rate", "rate_bound", "used", "mark", "check",
)  # fmt: skip
_PROBE = (
    "trial", "block", "status", "environment", "workload", "role", "guest_id", "probe", "sent_host_ns",
    "received_guest_ns", "sent_guest_ns", "received_host_ns", "received_fitted_ns", "sent_fitted_ns",
)  # fmt: skip


def findings_csv(campaign: Campaign, findings: Sequence[Finding]) -> str:
    """One row a finding: the `findings` of the machine interface, notes joined by ` | `."""
    return _table(
        _FINDING,
        ({**row, "notes": " | ".join(row["notes"])} for row in document(campaign, findings)["findings"]),
    )


def results_csv(campaign: Campaign) -> str:
    """One row a placement of every trial that ran. A failed trial has its reason, and no value but the agent's own."""

    def rows() -> Iterable[Mapping[str, object]]:
        for record in document(campaign, ())["trials"]:
            shared = {
                **{key: record[key] for key in _RESULT if key in record},
                "trial": record["index"],
                "marks": " | ".join(record["marks"]),
            }
            for placement in record["results"] or _left(record):
                clock = placement.get("clock") or {}
                yield {
                    **shared,
                    **placement,
                    **{f"clock_{name}": value for name, value in clock.items()},
                    "conditions": _object(placement.get("conditions")),
                    "parameters": _object(placement.get("parameters")),
                    "measures": _object(placement.get("measures")),
                }

    return _table(_RESULT, rows())


def samples_csv(campaign: Campaign) -> str:
    """One row a raw sample, used or not. `rate` is work per host second; host seconds per work for the unit s.

    What a failed trial left has no host time: nothing is known that converts it.
    """

    def rows() -> Iterable[Mapping[str, object]]:
        for record in campaign.trials:
            for result in record.results:
                fit = result.clock
                for row, stretch in zip(_samples(record, result), stretches(result), strict=True):
                    duration_s, work = stretch.duration_s, row["work"]
                    top, bottom = (duration_s, work) if result.unit == "s" else (work, duration_s)
                    rate = top / bottom if bottom else None
                    yield {
                        **row,
                        "start_host_ns": round(stretch.start_ns) if fit.compared else None,
                        "start_bound_ns": stretch.start_bound_ns,
                        "end_host_ns": round(stretch.end_ns) if fit.compared else None,
                        "end_bound_ns": stretch.end_bound_ns,
                        "duration_s": duration_s,
                        "duration_bound_s": stretch.bound_s,
                        "rate": rate,
                        "rate_bound": None if rate is None else clock_bound(rate, result.unit, stretch.relative_bound),
                    }
            for left in record.evidence:
                yield from _samples(record, left)

    return _table(_SAMPLE, rows())


def _samples(record: TrialRecord, of: PlacementResult | Evidence) -> Iterable[dict[str, Any]]:
    """The columns that are in guest time, or in none."""
    for number, sample in enumerate(of.samples):
        yield {
            "trial": record.trial.index,
            "block": record.trial.block,
            **_of(of),
            "sample": number,
            "start_guest_ns": sample.start_ns,
            "end_guest_ns": sample.end_ns,
            "duration_guest_s": (sample.end_ns - sample.start_ns) * 1e-9,
            "work": sample.work,
            "unit": of.unit,
            "used": sample.used,
            "mark": sample.mark,
            "check": sample.check,
        }


def probes_csv(campaign: Campaign) -> str:
    """One row a comparison of clocks, of failed trials too: what was read, and where the fitted line puts the guest's.

    The host sent, the guest received and sent, the host received. The line proves nothing of a failed trial: its
    columns are empty there. Raw values have the same probes.
    """

    def rows() -> Iterable[Mapping[str, object]]:
        for record in (campaign.recorded or campaign).trials:
            for result in record.results:
                for number, probe in enumerate(result.probes):
                    yield {
                        **shared(record, result, number, probe),
                        "received_fitted_ns": _host_ns(result.clock, probe.received_guest_ns),
                        "sent_fitted_ns": _host_ns(result.clock, probe.sent_guest_ns),
                    }
            for left in record.evidence:
                for number, probe in enumerate(left.probes):
                    yield shared(record, left, number, probe)

    def shared(
        record: TrialRecord, of: PlacementResult | Evidence, number: int, probe: ClockProbe
    ) -> dict[str, object]:
        return {
            "trial": record.trial.index,
            "block": record.trial.block,
            "status": record.status,
            **_of(of),
            "probe": number,
            **asdict(probe),
        }

    return _table(_PROBE, rows())


def _of(result: PlacementResult | Evidence) -> dict[str, object]:
    """Where something was measured."""
    return {
        "environment": result.placement.environment,
        "workload": result.placement.workload,
        "role": result.placement.role,
        "guest_id": result.guest_id,
    }


def _host_ns(fit: ClockFit, guest_ns: int) -> int | None:
    return round(fit.to_host_ns(guest_ns)) if fit.compared else None


def _left(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The placements of a failed trial, with what they left."""
    of = {(left["environment"], left["workload"], left["role"]): left for left in record["evidence"]}
    rows = []
    for placement in record["placements"]:
        left = of.get((placement["environment"], placement["workload"], placement["role"]), {})
        rows.append({**placement, **left, "samples_unused": left.get("samples")})
    return rows


def _object(value: Mapping[str, object] | None) -> str:
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True) if value else ""


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str):
        value = visible(value, keep="\n\t\r")
    if isinstance(value, str) and value.startswith(_FORMULA) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
