"""Several guests at once as CSV: a row for each guest of a group, or for each cell of a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from virtometer.analysis import Analysis
from virtometer.analysis.groups.estimates import Group
from virtometer.analysis.groups.reference import STATES
from virtometer.model import Estimate
from virtometer.report.formats.csv_export import CPU, csv_table
from virtometer.report.groups.rows import bounds, group_row

_BOUNDED = ("", "_low", "_high")
_RANK = tuple(f"against_others{bound}" for bound in _BOUNDED)
_GROUP = (
    "scenario", "type", "environment", "workload", "guests", "n", "guest", "role", "guest_workload", "value_unit",
    *(f"{name}{bound}" for name in ("value", "share", "slowdown") for bound in _BOUNDED),
    *_RANK, "worst_blocks", "rank_blocks", "host_cpu_s", "host_processors", *CPU, "received", "sent", "dropped", "unit",
    *(f"sum{bound}" for bound in _BOUNDED),
    "mean_unit",
    *(f"{name}{bound}" for name in ("mean", "ideal", "efficiency_of_sum", "against_one") for bound in _BOUNDED),
    *(f"against_baseline{bound}" for bound in _BOUNDED),
    "baseline_guests", "ideal_share",
    *(f"{name}{bound}" for name in ("worst_share", "worst_share_of_equal") for bound in _BOUNDED),
    *(f"{name}{bound}" for name in ("max_over_min", "cv", "jain") for bound in _BOUNDED),
    *(f"{name}{bound}" for name in ("host_cpu_per_work", "host_cpu_per_work_against_one") for bound in _BOUNDED),
    *(f"host_{state}" for state in STATES),
    "start_skew_p99_ns", "start_skew_bound_ns", "overlap_s", "watch_share", "notes",
)  # fmt: skip
_MATRIX = (
    "scenario", "type", "workload", "row", "column", "of", "unit", "value", "low", "high", "n", "intensity", "notes",
)  # fmt: skip


def groups_csv(analysis: Analysis) -> str:
    """One row a guest of every group, with what is said of the whole group in each, and all intervals.

    Before the groups of an environment stands its guest alone, with the role `alone`.
    """

    def rows() -> Iterable[Mapping[str, object]]:
        for of in analysis.together.groups:
            if of.follows_alone and of.alone.estimate is not None:
                yield _single(of, of.alone.estimate)
            group = group_row(of)
            shared = {**group, **_states(of.host), "notes": " | ".join(of.notes)}
            ranks = {one["guest"]: one for one in group["ranks"]}
            for one in group["members"]:
                rank = ranks.get(one["guest"], {}) if one["role"] == "measured" else {}
                yield {
                    **shared,
                    **one,
                    "guest_workload": one["workload"],
                    "workload": of.workload,
                    "unit": of.sum.unit,
                    "value_unit": one["unit"],
                    "value_low": one["low"],
                    "value_high": one["high"],
                    **{name: rank.get(name) for name in _RANK},
                    "worst_blocks": rank.get("worst"),
                    "rank_blocks": rank.get("blocks"),
                }

    return csv_table(_GROUP, rows())


def _single(of: Group, value: Estimate) -> Mapping[str, object]:
    """The row of the guest alone that a group follows. Its rate stands as the sum."""
    return {
        **{name: getattr(of, name) for name in ("scenario", "type", "environment", "workload")},
        "unit": of.sum.unit,
        "guests": 1,
        "n": value.n,
        "guest": of.environment,
        "role": "alone",
        "guest_workload": of.workload,
        "value_unit": of.alone.unit,
        **bounds("value", value),
        **bounds("sum", of.alone_rate.estimate),
        **_states(of.alone_host),
    }


def _states(host: Mapping[str, float]) -> dict[str, float]:
    return {f"host_{state}": worth for state, worth in host.items()}


def matrices_csv(analysis: Analysis) -> str:
    """One row a cell of every matrix, those without a value too."""
    return csv_table(
        _MATRIX,
        (
            {
                "scenario": of.scenario,
                "type": of.type,
                "workload": of.workload,
                "row": row,
                "column": column,
                "of": of.of,
                "unit": of.unit,
                "value": cell.value if cell else None,
                "low": cell.low if cell else None,
                "high": cell.high if cell else None,
                "n": cell.n if cell else 0,
                "intensity": of.shares[at][across] if of.shares else None,
                "notes": " | ".join(of.notes),
            }
            for of in analysis.together.matrices
            for at, row in enumerate(of.rows)
            for across, column in enumerate(of.columns)
            for cell in (of.cells[at][across],)
        ),
    )
