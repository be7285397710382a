"""Several guests at once, as rows of the machine interface: groups, matrices and scaling."""

from __future__ import annotations

from typing import Any

from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.matrix import Matrix
from virtometer.analysis.groups.member_estimates import MemberEstimate
from virtometer.analysis.groups.scenarios import Scaling
from virtometer.model import Estimate


def group_row(of: Group) -> dict[str, Any]:
    """One of `groups`; `plain` makes it fit for JSON."""
    fair = of.fairness
    return {
        "scenario": of.scenario,
        "type": of.type,
        "environment": of.environment,
        "workload": of.workload,
        "guests": of.guests,
        "unit": of.sum.unit,
        "mean_unit": of.mean.unit,
        "better": of.alone.better,
        "n": of.n,
        **bounds("sum", of.sum.estimate),
        **bounds("mean", of.mean.estimate),
        **bounds("ideal", of.ideal),
        **bounds("efficiency_of_sum", of.against_ideal),
        **bounds("against_one", of.against_one),
        **bounds("against_baseline", of.against_baseline),
        "baseline_guests": of.baseline_guests or None,
        "alone_unit": of.alone.unit,
        **bounds("alone", of.alone.estimate),
        "ideal_share": fair and fair.ideal_share,
        **bounds("worst_share", fair.worst_share if fair else None),
        **bounds("worst_share_of_equal", fair.worst_share_of_equal if fair else None),
        **bounds("max_over_min", fair.max_over_min if fair else None),
        **bounds("cv", fair.cv if fair else None),
        **bounds("jain", fair.jain if fair else None),
        **bounds("host_cpu_per_work", of.cost),
        **bounds("host_cpu_per_work_against_one", of.cost_against_one),
        "host": of.host,
        "start_skew_p99_ns": of.skew_p99_ns,
        "start_skew_bound_ns": of.skew_bound_ns,
        "overlap_s": of.overlap_s,
        "watch_share": of.watch_share,
        "notes": of.notes,
        "ranks": [
            {
                "guest": one.label,
                **bounds("against_others", one.against_others),
                "p_adjusted": one.p_adjusted,
                "verdict": "less" if one.gets_less else "more" if one.gets_more else "not shown",
                "worst": one.worst,
                "blocks": one.blocks,
            }
            for one in of.ranks
        ],
        "members": [_member(one) for one in of.members],
    }


def _member(one: MemberEstimate) -> dict[str, Any]:
    """A guest of a group. Its value is in `value`, `low` and `high`."""
    return {
        "guest": one.guest,
        "role": one.role,
        "workload": one.workload,
        "unit": one.value.unit,
        "value": _value(one.value.estimate),
        "low": _low(one.value.estimate),
        "high": _high(one.value.estimate),
        **bounds("share", one.share),
        **bounds("slowdown", one.slowdown),
        "host_cpu_s": one.host_cpu_s,
        "host_processors": one.processors,
        "code_s": one.cpu_s.get("code"),
        "vmm_s": one.cpu_s.get("vmm"),
        "kernel_s": one.cpu_s.get("kernel"),
        "user_s": one.cpu_s.get("user"),
        "system_s": one.cpu_s.get("system"),
        "cpu_unknown": one.cpu_unknown,
        "received": one.received,
        "sent": one.sent,
        "dropped": one.dropped,
    }


def bounds(name: str, of: Estimate | None) -> dict[str, float | None]:
    """A figure with its interval, as three fields: NAME, NAME_low and NAME_high."""
    return {name: _value(of), f"{name}_low": _low(of), f"{name}_high": _high(of)}


def matrix_row(of: Matrix) -> dict[str, Any]:
    """One of `matrices`; `plain` makes it fit for JSON."""
    return {
        "scenario": of.scenario,
        "type": of.type,
        "workload": of.workload,
        "of": of.of,
        "unit": of.unit,
        "better": of.better,
        "rows": of.rows,
        "columns": of.columns,
        "values": [[_value(cell) for cell in row] for row in of.cells],
        "low": [[_low(cell) for cell in row] for row in of.cells],
        "high": [[_high(cell) for cell in row] for row in of.cells],
        "n": [[0 if cell is None else cell.n for cell in row] for row in of.cells],
        "intensity": of.shares or [[None for _ in row] for row in of.cells],
        "notes": of.notes,
    }


def scaling_row(of: Scaling) -> dict[str, Any]:
    """One of `scaling`; `plain` makes it fit for JSON."""
    law, stop = of.law, of.saturation
    sigma, kappa = (law.sigma, law.kappa) if law is not None else (None, None)
    return {
        "scenario": of.scenario,
        "type": of.type,
        "environment": of.environment,
        "workload": of.workload,
        "guests": [group.guests for group in of.groups],
        "sigma": _value(sigma),
        "sigma_low": _low(sigma),
        "sigma_high": _high(sigma),
        "kappa": _value(kappa),
        "kappa_low": _low(kappa),
        "kappa_high": _high(kappa),
        "peak": law and law.peak,
        "peak_low": law and law.peak_low,
        "peak_high": law and law.peak_high,
        "misfit": law and law.misfit,
        "stops_at": stop and stop.at,
        "stops_low": stop and stop.low,
        "stops_high": stop and stop.high,
        "notes": of.notes,
    }


def _value(of: Estimate | None) -> float | None:
    return None if of is None else of.value


def _low(of: Estimate | None) -> float | None:
    return None if of is None else of.low


def _high(of: Estimate | None) -> float | None:
    return None if of is None else of.high
