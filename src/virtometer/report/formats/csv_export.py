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
from dataclasses import asdict, fields
from functools import cache
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis import Analysis
from virtometer.analysis.describe.measures import Times
from virtometer.model import NO_SLICE, Run, Traffic, TrialRecord, columns_of, texts_of
from virtometer.report.formats.machine import finding_row, trial_row
from virtometer.report.parts.plain import plain
from virtometer.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four full-width
_FINDING = (
    "workload", "op", "metric", "unit", "better", "subject", "against", "ratio", "low", "high", "n", "typical",
    "typical_low", "typical_high", "verdict", "qualified", "verdict_by", "p_value", "p_adjusted", "host_cpu_ratio",
    "host_cpu_low", "host_cpu_high", "value", "value_low", "value_high", "detectable", "blocks_needed",
    "blocks_needed_low", "blocks_needed_high", "seconds_needed", "like_with_like", "unlike", "levels", "median",
    "median_low", "median_high", "median_level", "unseen_share", "worst_block", "worst_block_ratio",
    "without_worst_block", "without_worst_block_low", "without_worst_block_high", "verdict_without_worst_block",
    "p_equivalent_adjusted", "slices_by_windows", "slices_by_windows_low",
    "slices_by_windows_high", "slices_by_windows_n", "notes",
)  # fmt: skip
_TRAFFIC = tuple(field.name for field in fields(Traffic))
CPU = ("code_s", "vmm_s", "kernel_s", "user_s", "system_s", "cpu_unknown")
_GUEST_USE = tuple(f"guest_{name}" for name in (*CPU, *_TRAFFIC))
_RESULT = (
    "trial", "block", "scenario", "position", "start_group", "started_at", "status", "reason", "reason_kind", "marks",
    "placement", "environment", "guest", "instance", "workload", "role", "guest_id", "kernel", "op", "threads", "unit",
    "better", "value", "value_bound", "agent_value", "work", "window_s", "guest_cpu_s", *_GUEST_USE, "agent_cpu_s",
    "samples", "samples_unused",
    "clock_rate", "clock_rate_bound", "clock_bound_ns", "clock_reference_guest_ns", "clock_reference_host_ns",
    "clock_probes", "wall_s", "kind", "settings", "levels", "conditions", "parameters", "measures", "host_wall_s",
    "host_user", "host_nice", "host_system", "host_idle", "host_iowait", "host_irq", "host_softirq", "host_steal",
    "host_busy", "host_foreign", "host_run_delay", "host_pressure", "host_frequency_mhz", "host_temperature_c",
    "host_watch_s", "host_overlap_s",
    *(f"host_{of}_{name}" for of in ("network", "loopback") for name in _TRAFFIC),
    "times", "times_count", "times_p50_s", "times_p90_s", "times_p99_s", "times_p999_s", "times_max_s",
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
    return csv_table(
        _FINDING,
        (
            {
                **row,
                "unlike": " | ".join(row["unlike"]),
                "levels": _object(row["levels"]),
                **_median(row["median"]),
                **_worst_block(row["worst_block"]),
                **_slices_by_windows(row["slices_by_windows"]),
                "notes": " | ".join(row["notes"]),
            }
            for row in (plain(finding_row(finding)) for finding in analysis.findings)
        ),
    )


def _slices_by_windows(of: Mapping[str, Any] | None) -> dict[str, object]:
    """The columns of the ratio in slices by that in long windows; empty where it is not known."""
    values = (None,) * 4 if of is None else (of["ratio"], of["low"], of["high"], of["n"])
    return dict(zip(_FINDING[-5:-1], values, strict=True))


def _median(of: Mapping[str, Any] | None) -> dict[str, object]:
    """The columns of a finding's median; empty without one."""
    if of is None:
        return {"median": None}
    return {"median": of["value"], **{f"median_{name}": of[name] for name in ("low", "high", "level")}}


def _worst_block(worst: Mapping[str, Any] | None) -> dict[str, object]:
    """The columns of a finding's worst block; empty without one."""
    if worst is None:
        return {"worst_block": None}
    without = worst["without"]
    return {
        "worst_block": worst["block"],
        "worst_block_ratio": worst["ratio"],
        "without_worst_block": without["ratio"],
        "without_worst_block_low": without["low"],
        "without_worst_block_high": without["high"],
        "verdict_without_worst_block": worst["verdict_without"],
    }


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
                **_host_traffic(record["host_use"] or {}),
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
                    **_guest_use(placement.get("guest_use") or {}),
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

    return csv_table(_RESULT, rows())


def _host_traffic(use: Mapping[str, Any]) -> dict[str, object]:
    """The columns of the host's interfaces."""
    found = {of: use.get(of) or {} for of in ("network", "loopback")}
    return {f"host_{of}_{name}": value for of, counts in found.items() for name, value in counts.items()}


def _guest_use(use: Mapping[str, Any]) -> dict[str, object]:
    """The columns of what a guest's CPU time was spent for, and of its traffic."""
    seconds = {f"guest_{name}_s": use.get(name) for name in ("code", "vmm", "kernel", "user", "system")}
    traffic = {f"guest_{name}": value for name, value in (use.get("traffic") or {}).items()}
    return {**seconds, "guest_cpu_unknown": use.get("unknown"), **traffic}


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
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_SAMPLE)
    for record in analysis.campaign.trials:
        for run in record.runs:
            columns = {**_in_guest_time(record, run), **(_on_the_host(analysis, run) if run.score is not None else {})}
            writer.writerows(zip(*(columns.get(name, repeat("", len(run.samples))) for name in _SAMPLE), strict=True))
    return out.getvalue()


def _in_guest_time(record: TrialRecord, run: Run) -> dict[str, Iterable[object]]:
    """The columns of a run's samples that are in guest time, or in none."""
    of, count, cell = columns_of(run.samples), len(run.samples), cache(_cell)
    shared = {"trial": record.trial.index, "block": record.trial.block, **_of(run), "unit": run.unit}
    texts = texts_of(run.samples)
    return {
        **{name: repeat(_cell(value), count) for name, value in shared.items()},
        "sample": range(count),
        "slice": ["" if number == NO_SLICE else number for number in of.slice.tolist()],
        "start_guest_ns": of.start_ns.tolist(),
        "end_guest_ns": of.end_ns.tolist(),
        "duration_guest_s": ((of.end_ns - of.start_ns) * 1e-9).tolist(),
        "work": of.work.tolist(),
        "used": ["true" if used else "false" for used in of.used.tolist()],
        "set_aside": [cell(reason) for reason in of.reasons],
        "mark": [cell(mark) for _, mark in texts],
        "check": [cell(check) for check, _ in texts],
    }


def _on_the_host(analysis: Analysis, run: Run) -> dict[str, Iterable[object]]:
    """The columns in host time. Times of day on the host are known where clocks were compared."""
    of = analysis.samples(run)
    times = of.intervals
    made: dict[str, Iterable[object]] = {
        "start_bound_ns": _numbers(times.start_bound_ns),
        "end_bound_ns": _numbers(times.end_bound_ns),
        "duration_s": _numbers(times.duration_s),
        "duration_bound_s": _numbers(times.bound_s),
        "rate": _numbers(of.rate),
        "rate_bound": _numbers(of.rate_bound),
    }
    if run.scored.clock.compared:
        made["start_host_ns"] = map(round, times.start_ns.tolist())
        made["end_host_ns"] = map(round, times.end_ns.tolist())
    return made


def _numbers(column: NDArray[np.float64]) -> list[object]:
    """A column of numbers; empty where there is none."""
    found = column.tolist()
    return found if np.isfinite(column).all() else [number if math.isfinite(number) else "" for number in found]


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

    return csv_table(_PROBE, rows())


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


def csv_table(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Rows as CSV with these columns. What a row lacks is empty; what it has beside them is left out."""
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
