"""A campaign as CSV (RFC 4180, one header line, missing is empty): results, findings, groups, samples, probes.

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
from functools import cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from virtometer.analysis import Analysis
from virtometer.analysis.describe.measures import Times
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.further import Measures
from virtometer.analysis.groups.reference import STATES
from virtometer.model import NO_SLICE, Estimate, Run, TrialRecord, columns_of, texts_of
from virtometer.report.machine.findings import FINDING
from virtometer.report.machine.groups import GROUP, MATRIX, MEASURE, MEMBER, RANK
from virtometer.report.machine.trials import PLACEMENT, RUN, TRIAL, OfCampaign
from virtometer.report.parts.plain import plain
from virtometer.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four full-width
_RENAMED = {"index": "trial", "ordinal": "placement"}  # as in the tables of samples and probes
_TIMES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}
_BESIDE = ("marks", "kind", "settings", "levels", "times", "times_count", *(f"times_{name}_s" for name in _TIMES))
_GUEST = [*MEMBER.columns("guest"), *RANK.columns("guest")[1:]]  # both have the name of the guest
_MEASURES = "guest_measures"
_GROUP = [*(name for name in GROUP.columns() if name != "host"), *(f"host_{state}" for state in STATES)]
_MATRIX = (
    "scenario", "type", "workload", "row", "column", "of", "unit", "value", "low", "high", "n", "intensity", "measures",
    "notes",
)  # fmt: skip
_SAMPLE = (
    "trial", "block", "placement", "environment", "guest", "workload", "role", "guest_id", "sample", "slice",
    "start_guest_ns", "end_guest_ns", "start_host_ns", "start_bound_ns", "end_host_ns", "end_bound_ns",
    "duration_s", "duration_bound_s",
    "duration_guest_s", "work", "unit", "rate", "rate_bound", "used", "excluded", "mark", "check",
)  # fmt: skip
_PROBE = (
    "trial", "block", "status", "placement", "environment", "guest", "workload", "role", "guest_id", "probe", "kind",
    "sent_host_ns", "received_guest_ns", "sent_guest_ns", "received_host_ns", "received_fitted_ns", "sent_fitted_ns",
)  # fmt: skip


def findings_csv(analysis: Analysis) -> str:
    """One row a finding: the `findings` of the machine interface."""
    return csv_table(FINDING.columns(), (dict(FINDING.cells(one)) for one in analysis.findings))


def results_csv(analysis: Analysis) -> str:
    """One row a placement of every trial that ran. A failed trial has its reason, and no value but the agent's own.

    `times` names the first histogram of single operations, `times_...` are its quantiles in host seconds.
    """
    campaign = analysis.campaign
    environments = {one.name: one for one in campaign.plan.environments}
    workloads = {one.name: one for one in campaign.plan.workloads}
    of_runs = [name for name in RUN.columns() if name != "histograms"]

    def rows() -> Iterable[Mapping[str, object]]:
        for record in campaign.trials:
            shared = dict(TRIAL.cells(OfCampaign(campaign, record.trial, record)))
            shared["marks"] = " | ".join(map(str, record.marks))
            runs = {run.placement.ordinal: run for run in record.runs}
            for placement in record.trial.placements:
                run = runs.get(placement.ordinal)
                environment, workload = environments.get(placement.environment), workloads.get(placement.workload)
                found = {
                    **shared,
                    **dict(PLACEMENT.cells(placement) if run is None else RUN.cells(run)),
                    "kind": environment.kind if environment else None,
                    "settings": _object(environment.settings if environment else None),
                    "levels": _object(workload.levels if workload else None),
                    **_times({} if run is None or run.score is None else analysis.times_of(run)),
                }
                yield {_RENAMED.get(name, name): value for name, value in found.items()}

    names = [*TRIAL.columns(), *of_runs, *_BESIDE]
    return csv_table([_RENAMED.get(name, name) for name in names], rows())


def _times(found: Mapping[str, Times]) -> dict[str, object]:
    """The columns of a run's first histogram; empty without one."""
    if not found:
        return {}
    name, times = next(iter(found.items()))
    quantiles = {f"times_{column}_s": times.quantile(share) for column, share in _TIMES.items()}
    return {"times": name, "times_count": times.total, **quantiles}


def groups_csv(analysis: Analysis) -> str:
    """One row a guest of every group, with what is said of the whole group in each, and all intervals.

    Before the groups of an environment stands its guest alone, with the role `alone`.
    """

    def rows() -> Iterable[Mapping[str, object]]:
        for of in analysis.group_results.groups:
            if of.follows_alone and of.alone.estimate is not None:
                yield _single(of, of.alone.estimate)
            shared = {**dict(GROUP.cells(of)), **_states(of.host)}
            ranks = {one.label: one for one in of.ranks}
            for one in of.members:
                rank = ranks.get(one.guest) if one.role == "measured" else None
                own = dict(RANK.cells(rank, "guest")) | dict(MEMBER.cells(one, "guest"))
                yield shared | own | {_MEASURES: _measures(one.measures)}

    return csv_table([*_GROUP, *_GUEST, _MEASURES], rows())


def _measures(of: Measures) -> str:
    """Further measures as a JSON object by their names."""
    rows = (MEASURE.row(one) for one in of.values())
    return _object({row.pop("name"): row for row in rows})


def _single(of: Group, value: Estimate) -> Mapping[str, object]:
    """The row of the guest alone that a group follows. Its rate stands as the sum."""
    rate = of.alone_rate.estimate
    return {
        **{name: getattr(of, name) for name in ("scenario", "type", "environment", "workload")},
        "unit": of.sum.unit,
        "guests": 1,
        "n": value.n,
        "guest": of.environment,
        "guest_role": "alone",
        "guest_workload": of.workload,
        "guest_unit": of.alone.unit,
        "guest_value": value.value,
        "guest_low": value.low,
        "guest_high": value.high,
        **({} if rate is None else {"sum": rate.value, "sum_low": rate.low, "sum_high": rate.high}),
        **_states(of.alone_host),
    }


def _states(host: Mapping[str, float]) -> dict[str, float]:
    return {f"host_{state}": worth for state, worth in host.items()}


def matrices_csv(analysis: Analysis) -> str:
    """One row a cell of every matrix, those without a value too."""
    tables = {"values": "value", "low": "low", "high": "high", "n": "n", "intensity": "intensity"}

    def rows() -> Iterable[Mapping[str, object]]:
        for of in analysis.group_results.matrices:
            made = plain(MATRIX.row(of))
            shared = {**made, "notes": " | ".join(of.notes)}
            for at, row in enumerate(of.rows):
                for across, column in enumerate(of.columns):
                    cell = {name: made[table][at][across] for table, name in tables.items()}
                    measures = _measures(of.measures.get((row, column), {}))
                    yield {**shared, **cell, "row": row, "column": column, "measures": measures}

    return csv_table(_MATRIX, rows())


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
        "excluded": [cell(reason) for reason in of.reasons],
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
