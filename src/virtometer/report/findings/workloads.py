"""Each workload, as the page shows it: its comparisons, its samples and everything that was computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from virtometer.analysis import Analysis
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.describe.measures import Times
from virtometer.counted import counted
from virtometer.model import PlanWorkload
from virtometer.report.parts import figures, html_tables, words
from virtometer.report.parts.section import Folded, Section, some
from virtometer.report.sweeps import curves

Found = TypeVar("Found")

_POINTS_OF_A_PLOT = 1_600
_POINTS_OF_A_PAGE = 16_000  # keeps the page at a few megabytes however many workloads there are


def identities(analysis: Analysis) -> dict[str, str]:
    """The ids of the parts, by workload, of those that were measured."""
    measured = {finding.workload for finding in analysis.findings}
    names = [workload.name for workload in analysis.campaign.plan.workloads]
    return {name: f"workload-{number}" for number, name in enumerate(names, 1) if name in measured}


def section(analysis: Analysis) -> Section | None:
    """A part for each workload. None where single guests were not measured."""
    workloads, ids = analysis.campaign.plan.workloads, identities(analysis)
    most = max(100, min(_POINTS_OF_A_PLOT, _POINTS_OF_A_PAGE // len(workloads)))
    parts = [_part(analysis, one, ids[one.name], most) for one in workloads if one.name in ids]
    return Section(id="workloads", title="Workload by workload", parts=parts) if parts else None


def _part(analysis: Analysis, workload: PlanWorkload, identity: str, most: int) -> Section:
    plan = analysis.campaign.plan
    findings = [finding for finding in analysis.findings if finding.workload == workload.name]
    histograms = _by_histogram(_of_workload(analysis, workload, analysis.times))
    measures = _of_workload(analysis, workload, analysis.measures)
    compared = _of_workload(analysis, workload, analysis.timed)
    settings = ", ".join(f"{key} {_setting(key, value, workload)}" for key, value in workload.parameters.items())
    value = findings[0].value
    numbers = html_tables.numbers(findings, _of_workload(analysis, workload, analysis.clock_errors))
    return Section(
        id=identity,
        title=workload.name,
        about=f"{workload.workload} {workload.op}{f' ({settings})' if settings else ''}, "
        f"{counted(workload.threads, 'thread')}, {_extent(workload, plan.seconds)}"
        + (
            f". {value.metric[:1].upper()}{value.metric[1:]}, in {value.unit}: {value.better} is better."
            if value.unit
            else "."
        ),
        figures=some(
            figures.efficiency(findings, plan.margin) if any(f.ratio.n for f in findings) else None,
            figures.samples(analysis, workload.name, most),
            *(curves.slowest(name, times, [f.subject for f in findings]) for name, times in histograms.items()),
        ),
        notes=[(f.subject, note) for f in findings for note in words.all_notes(f)],
        tables=some(
            html_tables.clocks_compared(compared) if compared else None,
            html_tables.measures(measures) if measures else None,
            *(html_tables.times(name, times) for name, times in histograms.items()),
        ),
        folded=[Folded(title="Numbers", about=workload.name, table=numbers)],
    )


def _extent(workload: PlanWorkload, seconds: float) -> str:
    """How much each guest does. seconds: of the plan."""
    if workload.runs is not None:
        return f"{counted(workload.runs, 'run')} in each guest"
    return f"{workload.seconds or seconds:g} s a trial"


def _of_workload(analysis: Analysis, workload: PlanWorkload, found: Mapping[Key, Found]) -> dict[str, Found]:
    """What was found of one workload, by environment, in the plan's order."""
    names = (environment.name for environment in analysis.campaign.plan.environments)
    return {name: found[workload.name, name] for name in names if (workload.name, name) in found}


def _by_histogram(of: Mapping[str, Mapping[str, Times]]) -> dict[str, dict[str, Times]]:
    """By name of the histogram, then by environment."""
    found: dict[str, dict[str, Times]] = {}
    for environment, histograms in of.items():
        for name, times in histograms.items():
            found.setdefault(name, {})[environment] = times
    return found


def _setting(key: str, value: object, workload: PlanWorkload) -> str:
    """A parameter as people write it: sizes in bytes with a binary prefix."""
    if isinstance(value, bool):
        return str(value).lower()
    if words.in_bytes(workload.workload, workload.op, key) and isinstance(value, int):
        return words.size(value)
    return str(value)
