"""`equivalent` by the typical ratio is about the work between stalls, unless the total work is shown to be so too."""

from __future__ import annotations

from dataclasses import replace

from virtometer.analysis.compare.lost_time import Lengths
from virtometer.analysis.note import Note
from virtometer.analysis.notes import stalls
from virtometer.analysis.statistics import equivalence
from virtometer.analysis.statistics.spread import Spread
from virtometer.model import Estimate, Finding, Verdict, VerdictBy


def qualified(finding: Finding, total: Spread | None, margin: float, alpha_factor: float = 1.0) -> Finding:
    """The finding with what `qualification` says. total: the spread of the log ratios of total work."""
    of = (total, finding.ratio.estimate)
    shown = qualification(finding.verdict, finding.verdict_by, of, margin, alpha_factor)
    return replace(finding, qualified=shown) if shown else finding


def qualification(
    verdict: Verdict,
    by: VerdictBy,
    total: tuple[Spread | None, Estimate | None],
    margin: float,
    alpha_factor: float = 1.0,
) -> str:
    """`between stalls` with the total ratio; empty where total work is shown to be equivalent too, by the same tests.

    by: the ratio that the verdict is about. total: the spread of the log ratios of total work, and the ratio.
    """
    if verdict is not Verdict.EQUIVALENT or by != "typical":
        return ""
    logs, ratio = total
    p = None if logs is None else equivalence.p_value(logs, margin)
    if p is not None and p < equivalence.LEVEL * alpha_factor:
        return ""
    return f"between stalls; total {_shown(ratio)}"


def _shown(total: Estimate | None) -> str:
    if total is None:
        return "not known"
    bounds = "" if total.low is None or total.high is None else f" [{_number(total.low)}, {_number(total.high)}]"
    return f"{_number(total.value)}{bounds}"


def _number(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.3g}"


def slices_beside(own: Lengths, other: Lengths, against: str) -> Note:
    """What a qualified `equivalent` means, with the slow slices of both sides."""
    brief = "between stalls: the typical round is within the margin, the total work is not shown to be"
    return Note(f"{brief}; {stalls.counts(own, other, against)}", brief)
