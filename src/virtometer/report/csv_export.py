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

from virtometer.analysis import Analysis
from virtometer.analysis.measures import Times
from virtometer.analysis.samples import TimedSample
from virtometer.model import Run, TrialRecord
from virtometer.report.machine import finding_row, plain, trial_row
from virtometer.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four full-width
_FINDING = (
    "workload", "op", "metric", "unit", "better", "subject", "against", "ratio", "low", "high", "n", "typical",
    "typical_low", "typical_high", "verdict", "p_value", "p_adjusted", "host_cpu_ratio", "host_cpu_low",
    "host_cpu_high", "value", "value_low", "value_high", "detectable", "blocks_needed", "seconds_needed",
    "like_with_like", "unlike", "levels", "notes",
)  # fmt: skip
_RESULT = (
    "trial", "block", "position", "start_group", "started_at", "status", "reason", "reason_kind", "marks", "placement",
    "environment", "guest", "workload", "role", "guest_id", "kernel", "op", "threads", "unit", "better", "value",
    "value_bound", "agent_value", "work", "window_s", "guest_cpu_s", "agent_cpu_s", "samples", "samples_unused",
    "clock_rate", "clock_rate_bound", "clock_bound_ns", "clock_reference_guest_ns", "clock_reference_host_ns",
    "clock_probes", "wall_s", "kind", "settings", "levels", "conditions", "parameters", "measures", "host_wall_s",
    "host_user", "host_nice", "host_system", "host_idle", "host_iowait", "host_irq", "host_softirq", "host_steal",
    "host_busy", "times", "times_count", "times_p50_s", "times_p90_s", "times_p99_s", "times_p999_s", "times_max_s",
)  # fmt: skip
_SAMPLE = (
    "trial", "block", "placement", "environment", "guest", "workload", "role", "guest_id", "sample", "slice",
    "start_guest_ns", "end_guest_ns", "start_host_ns", "start_bound_ns", "end_host_ns", "end_bound_ns",
    "duration_s", "duration_bound_s",
    "duration_guest_s", "work", "unit", "rate", "rate_bound", "used", "set_aside", "mark", "check",
)  # fmt: skip
_PROBE = (
    "trial", "block", "status", "placement", "environment", "guest", "workload", "role", "guest_id", "probe", "kind",
    "sent_host_ns", "received_guest_ns", "sent_guest_ns", "received_host_ns", "received_fitted_ns", "sent_fitted_ns",
)  # fmt: skip


def findings_csv(analysis: Analysis) -> str:
    """One row a finding: the `findings` of the machine interface, notes joined by ` | `."""
    return _table(
        _FINDING,
        (
            {
                **row,
                "unlike": " | ".join(row["unlike"]),
                "levels": _object(row["levels"]),
                "notes": " | ".join(row["notes"]),
            }
            for row in (plain(finding_row(finding)) for finding in analysis.findings)
        ),
    )


def results_csv(analysis: Analysis) -> str:
    """One row a placement of every trial that ran. A failed trial has its reason, and no value but the agent's own.

    `times` names the first histogram of single operations, `times_...` are its quantiles in host seconds.
    """
    campaign = analysis.campaign
    environments = {one.name: one for one in campaign.plan.environments}
    workloads = {one.name: one for one in campaign.plan.workloads}

    def rows() -> Iterable[Mapping[str, object]]:
        for trial in campaign.trials:
            record = plain(trial_row(analysis, trial))
            shared = {
                **{key: record[key] for key in _RESULT if key in record},
                "trial": record["index"],
                "marks": " | ".join(f"{mark['kind']}: {mark['text']}" for mark in record["marks"]),
                **{f"host_{name}": value for name, value in (record["host_use"] or {}).items()},
            }
            runs = {run["ordinal"]: run for run in record["runs"]}
            times = {run.placement.ordinal: analysis.times_of(run) for run in trial.scored}
            for placement in [{**one, **runs.get(one["ordinal"], {})} for one in record["placements"]]:
                clock = placement.get("clock") or {}
                environment = environments.get(placement["environment"])
                workload = workloads.get(placement["workload"])
                yield {
                    **shared,
                    **placement,
                    "placement": placement["ordinal"],
                    **{f"clock_{name}": value for name, value in clock.items()},
                    "kind": environment.kind if environment else None,
                    "settings": _object(environment.settings if environment else None),
                    "levels": _object(workload.levels if workload else None),
                    "conditions": _object(placement.get("conditions")),
                    "parameters": _object(placement.get("parameters")),
                    "measures": _object(placement.get("measures")),
                    **_times(times.get(placement["ordinal"], {})),
                }

    return _table(_RESULT, rows())


def _times(found: Mapping[str, Times]) -> dict[str, object]:
    """The columns of a run's first histogram; empty without one."""
    if not found:
        return {}
    name, times = next(iter(found.items()))
    quantiles = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}
    return {
        "times": name,
        "times_count": times.total,
        **{f"times_{column}_s": times.quantile(share) for column, share in quantiles.items()},
    }


def samples_csv(analysis: Analysis) -> str:
    """One row a raw sample, used or not. `rate` is work per host second; host seconds per work for the unit s.

    What a failed trial left has no host time: nothing is known that converts it.
    """

    def rows() -> Iterable[Mapping[str, object]]:
        for record in analysis.campaign.trials:
            for run in record.runs:
                guest_times = _samples(record, run)
                if run.score is None:
                    yield from guest_times
                else:
                    compared = run.score.clock.compared
                    for row, one in zip(guest_times, analysis.samples(run), strict=True):
                        yield {**row, **_on_the_host(one, compared)}

    return _table(_SAMPLE, rows())


def _on_the_host(one: TimedSample, compared: bool) -> dict[str, Any]:
    """The columns in host time. `compared`: whether clocks were, so that times of day on the host are known."""
    return {
        "start_host_ns": round(one.interval.start_ns) if compared else None,
        "start_bound_ns": one.interval.start_bound_ns,
        "end_host_ns": round(one.interval.end_ns) if compared else None,
        "end_bound_ns": one.interval.end_bound_ns,
        "duration_s": one.interval.duration_s,
        "duration_bound_s": one.interval.bound_s,
        "rate": one.rate,
        "rate_bound": one.rate_bound,
    }


def _samples(record: TrialRecord, run: Run) -> Iterable[dict[str, Any]]:
    """The columns that are in guest time, or in none."""
    for number, sample in enumerate(run.samples):
        yield {
            "trial": record.trial.index,
            "block": record.trial.block,
            **_of(run),
            "sample": number,
            "slice": sample.slice,
            "start_guest_ns": sample.start_ns,
            "end_guest_ns": sample.end_ns,
            "duration_guest_s": (sample.end_ns - sample.start_ns) * 1e-9,
            "work": sample.work,
            "unit": run.unit,
            "used": sample.used,
            "set_aside": sample.set_aside,
            "mark": sample.mark,
            "check": sample.check,
        }


def probes_csv(analysis: Analysis) -> str:
    """One row a round trip, of failed trials too: its kind, what was read, and where the fitted line puts the guest's.

    The host sent, the guest received and sent, the host received. The line proves nothing of a failed trial: its
    columns are empty there. Raw values have the same probes.
    """

    campaign = analysis.campaign

    def rows() -> Iterable[Mapping[str, object]]:
        for record in (campaign.recorded or campaign).trials:
            for run in record.runs:
                for number, probe in enumerate(run.probes):
                    yield {
                        "trial": record.trial.index,
                        "block": record.trial.block,
                        "status": record.status,
                        **_of(run),
                        "probe": number,
                        **asdict(probe),
                        "received_fitted_ns": _host_ns(run, probe.received_guest_ns),
                        "sent_fitted_ns": _host_ns(run, probe.sent_guest_ns),
                    }

    return _table(_PROBE, rows())


def _of(run: Run) -> dict[str, object]:
    """Where something was measured."""
    return {
        "placement": run.placement.ordinal,
        "environment": run.placement.environment,
        "guest": run.placement.guest,
        "workload": run.placement.workload,
        "role": run.placement.role,
        "guest_id": run.guest_id,
    }


def _host_ns(run: Run, guest_ns: int) -> int | None:
    fit = run.score.clock if run.score is not None else None
    return round(fit.to_host_ns(guest_ns)) if fit is not None and fit.compared else None


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
