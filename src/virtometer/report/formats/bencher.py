"""A campaign in the metric format of Bencher (Bencher Metric Format), for its adapter `json`.

    {"gzip -9 (a sandbox)": {"latency": {"value": ..., "lower_value": ..., "upper_value": ...}, "efficiency": {...}}}

A benchmark for each workload in each environment. `latency` is in ns, as Bencher has it. Results that are no time have
a measure with the name of their unit. docs/methods/commands.md.
"""

from __future__ import annotations

import json

from virtometer.analysis import Analysis
from virtometer.errors import UsageError
from virtometer.model import Estimate, Verdict

_NS = 1e9


def bencher_json(analysis: Analysis) -> str:
    """The document as text, ended by a newline. What has no value is not in it.

    Raises UsageError where a plan compares no environments.
    """
    if not analysis.findings:
        raise UsageError("Bencher's format needs environments that are measured alone, and this plan has only groups")
    made: dict[str, dict[str, dict[str, float]]] = {}
    for one in analysis.findings:
        measures: dict[str, dict[str, float]] = {}
        value = one.value
        if value.estimate is not None:
            name, factor = ("latency", _NS) if value.unit == "s" else (value.unit or "value", 1.0)
            measures[name] = _metric(value.estimate, factor)
        if one.verdict is not Verdict.BASELINE and one.decisive is not None:
            measures["efficiency"] = _metric(one.decisive)
        if measures:
            made[f"{one.workload} ({one.subject})"] = measures
    return json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _metric(of: Estimate, factor: float = 1.0) -> dict[str, float]:
    """Without bounds where there are none."""
    bounds = (("value", of.value), ("lower_value", of.low), ("upper_value", of.high))
    return {name: bound * factor for name, bound in bounds if bound is not None}
