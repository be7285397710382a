"""Half a processor by a quota: is it found as half of the work?

    python -m bench.quota [--plan plans/runc-cpu-quota.yaml] [--only WORKLOAD ...] [--blocks N]

Runs the plan for real. A line for each workload and limited environment: the ratio to the unlimited container with its
interval. linpack is met where the ratio of half a processor is 0.50 +- 0.02. Other workloads may lose more.

The unlimited container may have less than a processor, where other programs work or a hypervisor under the host takes
time. Then the ratio is above one half. So processor time by the length of the window is printed for each environment.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.campaigns import plan_of, run
from virtometer.analysis import analyse
from virtometer.errors import VirtometerError
from virtometer.model import Campaign, Finding

_PLAN = Path(__file__).parents[1] / "plans" / "runc-cpu-quota.yaml"
_JUDGED = ("linpack", "half a processor")
_TRUTH, _NEAR = 0.5, 0.02


def line(finding: Finding, kernel: str) -> tuple[str, bool]:
    """One line on a finding, and whether it is as it should be. `kernel`: of its workload."""
    ratio = finding.ratio.estimate
    what = f"{finding.workload}, {finding.subject}"
    if ratio is None:
        return f"{what}: no ratio: {' | '.join(finding.notes)}", False
    interval = f" [{ratio.low:.4f}, {ratio.high:.4f}]" if ratio.low is not None else ""
    text = f"{what}: {ratio.value:.4f}{interval}, {ratio.n} blocks"
    if (kernel, finding.subject) != _JUDGED:
        return text, True
    met = abs(ratio.value - _TRUTH) <= _NEAR
    return f"{text}: {'met' if met else 'MISSED'} ({_TRUTH:g} +- {_NEAR:g})", met


def processor_times(campaign: Campaign, workload: str) -> dict[str, float]:
    """Processor time of guests by the length of the windows, by environment, in one workload."""
    used_s: defaultdict[str, float] = defaultdict(float)
    window_s: defaultdict[str, float] = defaultdict(float)
    for record in campaign.trials:
        for one in record.scored:
            score = one.scored
            if one.placement.workload == workload and score.guest_cpu_s is not None:
                used_s[one.placement.environment] += score.guest_cpu_s
                window_s[one.placement.environment] += (score.window_end_host_ns - score.window_start_host_ns) * 1e-9
    return {name: used_s[name] / window_s[name] for name in window_s if window_s[name] > 0}


def steal(campaign: Campaign) -> float:
    """Processors' worth of time that a hypervisor under the host took, in the windows of all trials."""
    uses = [record.host for record in campaign.trials if record.host is not None]
    wall_s = sum(use.wall_s for use in uses)
    return sum(use.steal for use in uses) / wall_s if wall_s > 0 else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines. The status is 1 where half a processor is not found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--plan", type=Path, default=_PLAN)
    parser.add_argument("--only", nargs="*", default=[], help="names of workloads; all without")
    parser.add_argument("--blocks", type=int, help="blocks, instead of those of the plan")
    given = parser.parse_args(argv)
    text = given.plan.read_text()
    try:
        plan = plan_of(text)
        chosen = [one for one in plan.workloads if not given.only or one.name in given.only]
        if not chosen:
            print(f"quota: the plan has no workload {', '.join(given.only)}", file=sys.stderr)
            return 2
        plan = plan.model_copy(update={"workloads": chosen, "blocks": given.blocks or plan.blocks})
        measured = run(plan, 1, text)
    except VirtometerError as fault:
        print(f"quota: FAILED: {fault.sentence}", file=sys.stderr)
        return 1
    kernels = {one.name: one.workload for one in plan.workloads}
    sound = True
    for finding in analyse(measured.campaign).findings:
        if finding.subject != plan.baseline:
            said, met = line(finding, kernels[finding.workload])
            sound = sound and met
            print(f"quota: {said}")
    for workload in plan.workloads:
        times = processor_times(measured.campaign, workload.name)
        shown = ", ".join(f"{name} {share:.3f}" for name, share in times.items())
        print(f"quota: {workload.name}: processor time by the length of the window: {shown}")
    print(f"quota: {measured.wall_s:.0f} s; steal {steal(measured.campaign):.3f} processors")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
