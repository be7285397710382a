"""Findings and the control as rows."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, simulate
from tests.report.showcase import showcase
from virtometer.analysis import analyse
from virtometer.report.machine.findings import CONTROL, FINDING


def test_an_estimate_has_its_fields_under_the_names_of_the_design() -> None:
    for finding in analyse(showcase()).findings:
        row, ratio, cost = FINDING.row(finding), finding.ratio.estimate, finding.host_cpu_ratio
        assert (row["ratio"], row["n"]) == ((None, 0) if ratio is None else (ratio.value, ratio.n))
        assert (row["low"], row["level"]) == ((None, None) if ratio is None else (ratio.low, ratio.level))
        assert (row["host_cpu_ratio"], row["host_cpu_high"]) == (
            (None, None) if cost is None else (cost.estimate.value, cost.estimate.high)
        )
        worst = finding.worst_block
        assert (row["worst_block"] or {}).get("block") == (None if worst is None else worst.block)


def test_a_control_has_the_ratio_of_its_two_guests() -> None:
    (control,) = analyse(simulate([Place("native")], control=True)).controls
    row = CONTROL.row(control)
    assert (row["ratio"], row["n"], row["by"]) == (control.ratio.estimate.value, control.ratio.estimate.n, "total")
