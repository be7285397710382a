"""The machine interface: a campaign as JSON. contract/schema/report.schema.json fixes it, METHODOLOGY.md explains it.

Numbers that do not exist are null. Nothing is ever NaN, infinite, or zero in place of missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from virtometer.analysis import Analysis
from virtometer.analysis.curves.knees import Knee
from virtometer.analysis.describe.clocks import ClockQuality
from virtometer.analysis.effects.effect import Effects
from virtometer.model import (
    Campaign,
    Control,
    Estimate,
    Finding,
    FollowUp,
    GuestStart,
    HostUse,
    Run,
    Stage,
    Trial,
    TrialRecord,
    WorstBlock,
)
from virtometer.report.effects.rows import effect_rows, experiment_row, screened_row
from virtometer.report.groups.rows import group_row, matrix_row, scaling_row
from virtometer.report.parts.left_tuned import left_tuned
from virtometer.report.parts.plain import plain

if TYPE_CHECKING:
    from virtometer.analysis.compared.comparison import Compared, Comparison
    from virtometer.analysis.compared.marked import Marked

FORMAT = 2
_SOURCES = ("monotonic", "monotonic-raw", "realtime", "counter")


def document(analysis: Analysis) -> dict[str, Any]:
    """The whole report as plain values that JSON can hold."""
    campaign = analysis.campaign
    made: dict[str, Any] = {
        "format": FORMAT,
        "clock": campaign.clock,
        "findings": [finding_row(finding) for finding in analysis.findings],
        "groups": [group_row(group) for group in analysis.together.groups],
        "matrices": [matrix_row(matrix) for matrix in analysis.together.matrices],
        "scaling": [scaling_row(one) for one in analysis.together.scalings],
        "knees": [knee_row(one) for one in analysis.knees],
        "controls": [_control(control) for control in analysis.controls],
        "stages": [_stage(stage) for stage in campaign.stages],
        "tunings": [asdict(event) for event in campaign.tunings],
        "left_tuned": left_tuned(campaign),
        "effects": effect_rows(analysis.effects),
        "experiment": experiment_row(analysis.effects),
        "environments": [_environment(campaign, name) for name in _names(campaign)],
        "clocks": [_clock(quality, campaign.plan.limits.clock_error) for quality in analysis.clocks],
        "trials": [trial_row(analysis, record) for record in campaign.trials],
        "planned": [_planned(campaign, trial) for trial in campaign.planned],
        "guests": [_guest(guest) for guest in campaign.guests],
        "commands": [asdict(command) for command in campaign.commands],
        "host": campaign.host,
        "plan": campaign.plan.model_dump(mode="json"),
        "plan_text": campaign.plan_text,
        "seed": campaign.seed,
        "created_at": campaign.created_at,
        "versions": campaign.versions,
    }
    return {key: plain(value) for key, value in made.items()}


def text(analysis: Analysis) -> str:
    """The document as JSON text, ended by a newline."""
    return json.dumps(document(analysis), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def findings_parts(findings: Sequence[Finding], margin: float, effects: Effects | None = None) -> Iterator[str]:
    """Findings and effects that are of no campaign, in the form that they have in the document: its text in parts.

    Each finding has a line: a table may have many, which would take much more time and memory with lines of their own
    for each value.
    """
    made = {"format": FORMAT, "margin": margin, "effects": effect_rows(effects) if effects is not None else []}
    if effects is not None:
        made["experiment"] = experiment_row(effects)
    yield _line(made)[:-1]
    before = ',\n"findings": [\n'
    for one in findings:
        yield before + _line(finding_row(one))
        before = ",\n"
    yield "\n]}\n"


def _line(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def comparison_text(of: Comparison, differing: Sequence[str]) -> str:
    """A comparison of two campaigns as JSON text: its findings, and beside them what A and B reached."""
    made = {
        "format": FORMAT,
        "margin": of.margin,
        "absolute": of.absolute,
        "findings": [finding_row(finding) for finding in of.findings],
        "effects": [],
        "outcome": of.outcome.value,
        "worse": len(of.worse),
        "not_worse": len(of.not_worse),
        "open": len(of.open),
        "comparisons": [_compared(one) for one in of.compared],
        "differing": differing,
        "left_out": of.left_out,
        "lost": of.lost,
    }
    return json.dumps(plain(made), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _compared(of: Compared) -> dict[str, Any]:
    """One of `comparisons`: what stands beside the finding of the same place in `findings`."""
    where, test = of.where, of.tested
    return {
        "workload": where.workload,
        "subject": where.environment,
        "scenario": where.scenario,
        "guests": where.guests,
        "by_values": of.by_values,
        "a": of.before,
        "b": of.after,
        "outcome": test.outcome.value,
        "p_worse": test.p_worse,
        "p_worse_adjusted": test.p_worse_adjusted,
        "p_not_worse": test.p_not_worse,
        "why": test.why,
        "worked_s": of.worked_s,
        "noise_floor_a": of.floors[0],
        "noise_floor_b": of.floors[1],
        "marked_a": _marked(of.marked[0]),
        "marked_b": _marked(of.marked[1]),
    }


def _marked(of: Marked) -> dict[str, Any]:
    return {"trials": of.trials, "marked": of.marked, "kinds": of.kinds}


def finding_row(finding: Finding) -> dict[str, Any]:
    """One of `findings`; `plain` makes it fit for JSON."""
    ratio, typical, cost, value = finding.ratio, finding.typical, finding.host_cpu_ratio, finding.value
    return {
        "workload": finding.workload,
        "op": finding.op,
        "metric": finding.metric,
        "unit": finding.unit,
        "better": finding.better,
        "subject": finding.subject,
        "against": finding.against,
        "ratio": ratio.value if ratio else None,
        "low": ratio.low if ratio else None,
        "high": ratio.high if ratio else None,
        "n": ratio.n if ratio else 0,
        "level": ratio.level if ratio else None,
        "typical": typical.value if typical else None,
        "typical_low": typical.low if typical else None,
        "typical_high": typical.high if typical else None,
        "verdict": finding.verdict.value,
        "qualified": finding.qualified,
        "verdict_by": finding.verdict_by,
        "p_value": finding.p_value,
        "p_adjusted": finding.p_adjusted,
        "p_equivalent_adjusted": finding.p_equivalent_adjusted,
        "host_cpu_ratio": cost.value if cost else None,
        "host_cpu_low": cost.low if cost else None,
        "host_cpu_high": cost.high if cost else None,
        "host_cpu_n": cost.n if cost else 0,
        "value": value.value if value else None,
        "value_low": value.low if value else None,
        "value_high": value.high if value else None,
        "value_n": value.n if value else 0,
        "detectable": finding.detectable,
        "blocks_needed": finding.blocks_needed,
        "blocks_needed_low": finding.blocks_needed_low,
        "blocks_needed_high": finding.blocks_needed_high,
        "seconds_needed": finding.seconds_needed,
        "like_with_like": finding.like_with_like,
        "unlike": finding.unlike,
        "levels": finding.levels,
        "median": _median(finding.median),
        "unseen_share": finding.unseen_share,
        "worst_block": _worst_block(finding.worst_block),
        "slices_by_windows": _ratio(finding.slices_by_windows),
        "notes": finding.notes,
    }


def knee_row(of: Knee) -> dict[str, Any]:
    """One of `knees`; `plain` makes it fit for JSON."""
    at, ratio = of.at, of.ratio
    return {
        "workload": of.series.name,
        "op": of.series.op,
        "levels": of.series.levels,
        "environment": of.environment,
        "against": of.against,
        "scenario": of.scenario,
        "guests": of.guests,
        "smallest": of.smallest,
        "largest": of.largest,
        "position": at and at.position.value,
        "rate": at and at.value,
        "low": at and at.low,
        "high": at and at.high,
        "n": at.n if at is not None else 0,
        "ratio_position": ratio and ratio.position.value,
        "ratio": ratio and ratio.value,
        "ratio_low": ratio and ratio.low,
        "ratio_high": ratio and ratio.high,
        "ratio_n": ratio.n if ratio is not None else 0,
        "latencies": [
            {"rate": rate, "p99": one.value, "low": one.low, "high": one.high, "n": one.n}
            for rate, one in of.latencies.items()
        ],
        "notes": of.notes,
    }


def _control(control: Control) -> dict[str, Any]:
    ratio = control.ratio
    return {
        "workload": control.workload,
        "op": control.op,
        "ratio": ratio.value if ratio else None,
        "low": ratio.low if ratio else None,
        "high": ratio.high if ratio else None,
        "n": ratio.n if ratio else 0,
        "noise_floor": control.noise_floor,
        "differs": control.differs,
        "by": control.by,
    }


def _estimate(of: Estimate) -> dict[str, Any]:
    return {"ratio": of.value, "low": of.low, "high": of.high, "n": of.n}


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "decided_at": stage.decided_at,
        "first_trial": stage.first_trial,
        "trials": stage.trials,
        "limit": stage.limit,
        "blocks": [
            {"workload": workload, "subject": subject, "blocks": count}
            for (workload, subject), count in stage.blocks.items()
        ],
        "beyond": [
            {"workload": workload, "subject": subject, "seconds": seconds}
            for (workload, subject), seconds in stage.beyond.items()
        ],
        "follow_up": _follow_up(stage.follow_up),
    }


def _follow_up(of: FollowUp | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "factors": [screened_row(one) for one in of.screened],
        "subjects": of.cells,
        "terms": of.terms,
        "left_out": of.left_out,
        "blocks": of.blocks,
        "missing": [
            {"subject": name, "reason": reason, "advice": advice} for name, (reason, advice) in of.missing.items()
        ],
    }


def _ratio(of: Estimate | None) -> dict[str, Any] | None:
    return None if of is None else {"ratio": of.value, "low": of.low, "high": of.high, "n": of.n}


def _median(of: Estimate | None) -> dict[str, Any] | None:
    return None if of is None else {"value": of.value, "low": of.low, "high": of.high, "level": of.level}


def _worst_block(worst: WorstBlock | None) -> dict[str, Any] | None:
    if worst is None:
        return None
    without = worst.without
    return {
        "block": worst.block,
        "ratio": worst.ratio,
        "without": {"ratio": without.value, "low": without.low, "high": without.high, "n": without.n},
        "verdict_without": worst.verdict_without.value,
    }


def _names(campaign: Campaign) -> list[str]:
    """Environments of the plan first, then whatever else was checked."""
    return list(
        dict.fromkeys(
            [*(e.name for e in campaign.plan.environments), *(status.name for status in campaign.environments)]
        )
    )


def _guest(guest: GuestStart) -> dict[str, Any]:
    """A start of a guest. The interface has names of its own for the requested and the effective settings."""
    return {
        "guest_id": guest.guest_id,
        "environment": guest.environment,
        "kind": guest.kind,
        "asked": guest.requested,
        "given": guest.effective,
        "provision_s": guest.provision_s,
        "started_at": guest.started_at,
    }


def _environment(campaign: Campaign, name: str) -> dict[str, Any]:
    planned = next((e for e in campaign.plan.environments if e.name == name), None)
    status = next((s for s in campaign.environments if s.name == name), None)
    return {
        "name": name,
        "kind": planned.kind if planned else status.kind if status else "",
        "settings": planned.settings if planned else {},
        "baseline": name == campaign.plan.baseline,
        "works": status.works if status else None,
        "reason": status.reason if status else "",
        "advice": status.advice if status else "",
        "capabilities": status.capabilities if status else {},
        "provision_s": [guest.provision_s for guest in campaign.guests if guest.environment == name],
    }


def _clock(quality: ClockQuality, limit: float) -> dict[str, Any]:
    def told(name: str) -> float | None:
        found = quality.measures.get(name)
        return None if found is None else found.estimate.value

    late = quality.lateness
    return {
        "environment": quality.environment,
        "source": quality.source,
        "counter": quality.counter,
        "runs": quality.runs,
        "rate_ppm": quality.rate_ppm,
        "rate_low_ppm": quality.rate_low_ppm,
        "rate_high_ppm": quality.rate_high_ppm,
        "rate_bound_ppm": quality.bound_ppm,
        "rate_worst_ppm": quality.max_abs_ppm,
        "drift": quality.drift,
        "residual_s": quality.residual_s if quality.runs else None,
        "believable": quality.within_limit(limit),
        "believable_from_s": quality.within_limit_from_s(limit),
        "faults": [asdict(fault) for found in quality.faults.values() for fault in found],
        "steps": quality.steps,
        "step_s": quality.step_s if quality.steps else None,
        "samples_set_aside": quality.rejected,
        "resolution_s": {name: told(f"resolution-{name}") for name in _SOURCES},
        "reading_s": {name: told(f"cost-{name}") for name in _SOURCES},
        "backward": {name: told(f"backward-{name}") for name in _SOURCES},
        "counter_rate": told("counter-rate"),
        "realtime_jump_s": told("realtime-jump"),
        "steal": told("steal"),
        "lateness": None
        if late is None
        else {
            "timers": late.total,
            "median_s": late.quantile(0.5),
            "p99_s": late.quantile(0.99),
            "max_s": late.quantile(1.0),
        },
    }


def _planned(campaign: Campaign, trial: Trial) -> dict[str, Any]:
    return {
        "index": trial.index,
        "stage": campaign.stage_of(trial),
        "block": trial.block,
        "position": trial.position,
        "start_group": trial.start_group,
        "turns": trial.turns,
        "scenario": trial.scenario,
        "placements": [asdict(placement) for placement in trial.placements],
    }


def trial_row(analysis: Analysis, record: TrialRecord) -> dict[str, Any]:
    """One of `trials`; `plain` makes it fit for JSON."""
    return {
        **_planned(analysis.campaign, record.trial),
        "status": record.status,
        "reason": record.reason,
        "reason_kind": record.failure.kind if record.failure is not None else None,
        "marks": [asdict(mark) for mark in record.marks],
        "started_at": record.started_at,
        "wall_s": record.wall_s,
        "start_skew_ns": record.start_skew_ns,
        "host_use": _use(record.host),
        "runs": [_run(analysis, run) for run in record.runs],
    }


def _use(use: HostUse | None) -> dict[str, Any] | None:
    return None if use is None else {**asdict(use), "busy": use.busy}


def _run(analysis: Analysis, run: Run) -> dict[str, Any]:
    """What a run of a failed trial lacks is null."""
    score, report = run.score, run.report
    clock = score.clock if score is not None and score.clock.compared else None
    return {
        **asdict(run.placement),
        "guest_id": run.guest_id,
        "kernel": run.kernel,
        "op": run.op,
        "parameters": run.parameters,
        "threads": run.threads,
        "unit": run.unit,
        "better": run.better,
        "value": score and score.value,
        "value_bound": analysis.value_bound(run),
        "agent_value": report and report.value,
        "work": score and score.work,
        "window_s": score and (score.window_end_host_ns - score.window_start_host_ns) * 1e-9,
        "guest_cpu_s": score and score.guest_cpu_s,
        "guest_use": score and score.guest_use and asdict(score.guest_use),
        "agent_cpu_s": report and report.cpu_s,
        "samples": len(run.samples),
        "samples_unused": analysis.samples_unused(run),
        "probes": len(run.probes),
        "clock": clock and asdict(clock),
        "fault": run.fault and asdict(run.fault),
        "check": report and report.check,
        "conditions": run.conditions,
        "measures": report.measures if report is not None else {},
        "histograms": report.histograms if report is not None else {},
    }
