"""How sure the verdicts are: the errors that they allow, the control and the stages."""

from __future__ import annotations

from virtometer.analysis import Analysis
from virtometer.model import Verdict
from virtometer.report.findings.summary import method_sentences
from virtometer.report.parts import html_tables
from virtometer.report.parts.section import Section


def section(analysis: Analysis) -> Section | None:
    """What a reader may want to know of the method, closed. None where nothing was compared."""
    if all(finding.verdict is Verdict.BASELINE for finding in analysis.findings):
        return None
    return Section(
        id="method",
        title="How sure are the verdicts?",
        short="Method",
        closed=True,
        sentences=[
            *method_sentences(analysis),
            "Each ratio is made of pairs within the same block: the subject and the baseline at nearly the same time.",
        ],
        tables=[html_tables.control(analysis.controls)] if analysis.controls else [],
    )
