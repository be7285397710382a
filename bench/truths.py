"""A slowdown of known size, found or not: agents that do more work than they report, in whole campaigns.

    python -m bench.truths [--campaigns 10] [--budget 120] [--margin 0.01] [--extra 0,0.02,0.05,0.1] [--file FILE]
    python -m bench.truths --campaigns 0 --file bench/records/truths.csv

The baseline is native. Each further environment is native with an agent that adds a part of unreported work
(bench/slower_agent.py): with 0.05 its true ratio is 1 / 1.05. With 0 it is an A/A comparison. The placebo is an agent
that takes the same path as that with 0.02 and adds no work; its true ratio is 1. Each campaign follows the
product's own rule of stopping and ends within its budget, so that what it claims was found in that time. The margin is
less than the smallest slowdown: within the margin a slowdown would rightly be called equivalent.

The rows of each campaign are appended to the file at its end. A further call goes on, and the summary is that of the
whole file, for each budget: how often each slowdown was found, how many intervals hold the truth, false claims, and in
how many campaigns there was any. The bias is how far ratios lie from the truth on average, alone and less what the
placebo of the same campaign shows (in files without one, the agent with 0). The second line only prints the summary of
what was measured for bench/records/truths.md.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from scipy import special

from bench.campaigns import Measured, add_rows, extra_kinds, next_number, plan_of, read_rows, run, share_text
from bench.slower_agent import EXTRA, PLACEBO, build
from mutants.workspace import WorkspaceError
from virtometer.analysis import analyse
from virtometer.environments.base import Guest, Settings, disk_as_file
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.parts.process_guest import ON_DESCRIPTOR, ProcessGuest
from virtometer.errors import VirtometerError
from virtometer.model import Campaign, Verdict

_PLAN = """
virtometer: 1
name: truths
environments:
  - {{name: native, kind: native}}
{environments}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}}}
  - {{name: system call, workload: os, op: system-call}}
  - {{name: triad, workload: memory, op: triad, parameters: {{size: {triad}}}}}
  - {{name: context switch, workload: os, op: context-switch, parameters: {{processes: 2}}}}
  - {{name: disk, workload: disk, op: random-read, parameters: {{size: 4K, direct: true}}}}
blocks: {blocks}
seconds: {seconds}
slice_s: 0.008
fresh: block
disk_span: 256M
verdict: {verdict}
margin: {margin}
budget_s: {budget}
"""

PLACEBO_ARM = "placebo"
"""Name of the environment, and what stands in the column `extra`."""

_PLACEBO_OF = 0.02  # the slowdown whose path it takes

DEADLINES_S = {0.05: 120.0, 0.02: 300.0}
"""Budget within which a slowdown is to be found."""


class SlowerSettings(NativeSettings):
    """Native with unreported work."""

    extra: float = Field(default=0.0, ge=0, le=1, description="part of the work that is added and not reported")
    placebo: bool = Field(default=False, description="it finds out how much to add, and adds nothing")


class Slower(Native):
    """The host itself, with an agent that does more than it reports."""

    kind: ClassVar[str] = "slower"
    title: ClassVar[str] = "native, slower"
    settings_type: ClassVar[type[Settings]] = SlowerSettings

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent with the part in its environment."""
        if not isinstance(settings, SlowerSettings):  # the check of the kind
            return super().start(settings, guest_id)
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            guest.disk = disk_as_file(self.lab)
            env = self.lab.programs.find("env", "coreutils")
            how = [f"{EXTRA}={settings.extra}", *([f"{PLACEBO}=1"] if settings.placebo else [])]
            argv: list[str | Path] = [env, *how, self.lab.agent, *ON_DESCRIPTOR]
            guest.launch(argv, purpose=f"slower {guest_id}", descriptor=True)
        return guest


def name_of(extra: float) -> str:
    """Name of the environment with so much unreported work."""
    return f"+{extra * 100:g} %"


def plan_text(
    extras: Sequence[float],
    budget: float,
    margin: float,
    blocks: int = 6,
    seconds: float = 0.3,
    triad: str = "4M",
    verdict: str = "typical",
    *,
    placebo: bool = True,
) -> str:
    """The plan of one campaign. `verdict`: the ratio that it is about. placebo: with that arm."""
    settings = {name_of(extra): f"extra: {extra:g}" for extra in extras}
    if placebo:
        settings[PLACEBO_ARM] = f"extra: {_PLACEBO_OF:g}, placebo: true"
    environments = "\n".join(f"  - {{name: {name}, kind: slower, settings: {{{of}}}}}" for name, of in settings.items())
    return _PLAN.format(
        environments=environments,
        budget=budget,
        margin=margin,
        blocks=blocks,
        seconds=seconds,
        triad=triad,
        verdict=verdict,
    )


def rows_of(measured: Measured, number: int, extras: Sequence[float]) -> list[dict[str, object]]:
    """One row for each comparison of a campaign."""
    campaign = measured.campaign
    by_name: dict[str, float | str] = {name_of(extra): extra for extra in extras} | {PLACEBO_ARM: PLACEBO_ARM}
    rows: list[dict[str, object]] = []
    for finding in analyse(campaign).findings:
        extra = by_name.get(finding.subject)
        if extra is None:
            continue
        ratio, truth = finding.decisive, 1 / (1 + added(str(extra)))
        known = ratio is not None and ratio.low is not None and ratio.high is not None
        rows.append(
            {
                "campaign": number,
                "created_at": campaign.created_at,
                "budget_s": campaign.plan.budget_s,
                "wall_s": round(measured.wall_s, 1),
                "margin": campaign.plan.margin,
                "workload": finding.workload,
                "extra": extra,
                "truth": truth,
                "ratio": _digits(ratio.value) if ratio else "",
                "low": _digits(ratio.low) if ratio and known else "",
                "high": _digits(ratio.high) if ratio and known else "",
                "blocks": ratio.n if ratio else 0,
                "verdict": finding.verdict.value,
                "holds": int(ratio.low <= truth <= ratio.high) if ratio and ratio.low and ratio.high else "",
                "marked": marks_text(campaign),
            }
        )
    return rows


def added(extra: str) -> float:
    """The part of unreported work of a row's `extra`."""
    return 0.0 if extra == PLACEBO_ARM else float(extra)


def _arm(extra: str) -> str:
    """Name of the environment of a row's `extra`."""
    return PLACEBO_ARM if extra == PLACEBO_ARM else name_of(float(extra))


def _arms(rows: Sequence[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """The rows of each environment, the least slowdown first, the placebo before all."""
    names = {_arm(row["extra"]): (added(row["extra"]), row["extra"] != PLACEBO_ARM) for row in rows}
    ordered = sorted(names, key=lambda name: names[name])
    return {name: [row for row in rows if _arm(row["extra"]) == name] for name in ordered}


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def marks_text(campaign: Campaign) -> str:
    """Trials, and how many have a mark of each kind."""
    kinds = Counter(kind.value for record in campaign.trials for kind in {mark.kind for mark in record.marks})
    return ", ".join([f"{len(campaign.trials)} trials", *(f"{count} {kind}" for kind, count in kinds.most_common())])


def summary(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Lines, for each budget: what was found, what the intervals hold, what was claimed of the same agent."""
    lines = []
    for budget in sorted({float(row["budget_s"]) for row in rows}):
        own = [row for row in rows if float(row["budget_s"]) == budget]
        campaigns = len({row["campaign"] for row in own})
        wall_s = max(float(row["wall_s"]) for row in own)
        lines.append(f"budget {budget:g} s: {campaigns} campaigns, the longest took {wall_s:.0f} s")
        for name, rows_of_arm in _arms(own).items():
            lines += [f"  {line}" for line in _of_arm(rows_of_arm, name)]
        known = [row for row in own if row["holds"]]
        lines.append(
            f"  all intervals: the truth is in {share_text(sum(row['holds'] == '1' for row in known), len(known))}"
        )
        lines += [f"  {line}" for line in biases(own)]
    return lines


def biases(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Lines: the mean of log(ratio / truth) over campaigns in per cent, with its 95 % interval, by arm and workload.

    Beside it the same less that of the placebo in the same campaign; in files without a placebo, of the agent with 0.
    """
    arms = _arms([row for row in rows if row.get("ratio")])
    control = next((name for name in (PLACEBO_ARM, name_of(0)) if name in arms), None)
    beside = {_where(row): _apart(row) for row in arms.get(control or "", [])}
    lines = []
    for name, own in arms.items():
        for workload in dict.fromkeys(row["workload"] for row in own):
            mine = [row for row in own if row["workload"] == workload]
            line = f"bias of {name}, {workload}: {_mean_text([_apart(row) for row in mine])}"
            paired = [_apart(row) - beside[_where(row)] for row in mine if _where(row) in beside]
            if name != control and paired:
                line += f"; by {control}: {_mean_text(paired)}"
            lines.append(line)
    return lines


def _where(row: Mapping[str, str]) -> tuple[str, str]:
    return row["campaign"], row["workload"]


def _apart(row: Mapping[str, str]) -> float:
    """How far the ratio lies above the truth, as a log."""
    return math.log(float(row["ratio"]) / float(row["truth"]))


def _mean_text(logs: Sequence[float]) -> str:
    """`-0.083 % ±0.025 % (20)`: mean, half of its 95 % interval by Student's t, and how many there are."""
    text = f"{round(100 * statistics.mean(logs), 3) + 0.0:+.3f} %"  # never -0.000
    if len(logs) > 1:
        error = statistics.stdev(logs) / math.sqrt(len(logs))
        text += f" ±{100 * float(special.stdtrit(len(logs) - 1, 0.975)) * error:.3f} %"
    return f"{text} ({len(logs)})"


def _of_arm(rows: Sequence[Mapping[str, str]], arm: str) -> list[str]:
    """One line for all workloads, and one for each."""
    lines = []
    for workload in ("", *dict.fromkeys(row["workload"] for row in rows)):
        own = [row for row in rows if workload in ("", row["workload"])]
        claimed = [row for row in own if row["verdict"] == Verdict.SLOWER]
        wrong = [row for row in own if row["verdict"] == Verdict.FASTER]
        if added(rows[0]["extra"]) == 0:
            claims = len(claimed) + len(wrong)
            said = f"false claims {share_text(claims, len(own))}"
            if not workload:
                campaigns = {row["campaign"] for row in own}
                with_claim = {row["campaign"] for row in (*claimed, *wrong)}
                said += f", in {share_text(len(with_claim), len(campaigns))} campaigns"
        else:
            said = f"found {share_text(len(claimed), len(own))}" + (f", {len(wrong)} called faster" if wrong else "")
        known = [row for row in own if row["holds"]]
        held = sum(row["holds"] == "1" for row in known)
        what = f"{arm}{f', {workload}' if workload else ''}"
        lines.append(f"{'  ' if workload else ''}{what}: {said}; the truth is in {share_text(held, len(known))}")
    return lines


def main() -> int:
    """Run campaigns and print the summary. The status is 0: what is not found is a result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=10, help="further campaigns; 0: only the summary")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of a campaign")
    parser.add_argument("--margin", type=float, default=0.01)
    parser.add_argument("--extra", default="0,0.02,0.05,0.1", help="parts of unreported work, with commas")
    parser.add_argument("--no-placebo", action="store_true", help="without the agent that adds nothing")
    parser.add_argument("--blocks", type=int, default=6, help="blocks of the first stage")
    parser.add_argument("--seconds", type=float, default=0.3, help="window of a trial")
    parser.add_argument("--triad", default="4M", help="size of the triad's arrays")
    parser.add_argument("--verdict", choices=("typical", "total"), default="typical", help="ratio that it is about")
    parser.add_argument("--file", type=Path, default=Path("results/truths.csv"))
    given = parser.parse_args()
    extras = [float(text) for text in given.extra.split(",")]
    if given.campaigns:
        try:
            os.environ["VIRTOMETER_AGENT"] = str(build())
        except (WorkspaceError, VirtometerError) as fault:
            print(f"truths: {fault}", file=sys.stderr)
            return 1
    given.file.parent.mkdir(parents=True, exist_ok=True)
    with extra_kinds(Slower):
        how = (given.margin, given.blocks, given.seconds, given.triad, given.verdict)
        text = plan_text(extras, given.budget, *how, placebo=not given.no_placebo)
        plan = plan_of(text)
        for _ in range(given.campaigns):
            number = next_number(read_rows(given.file))
            try:
                measured = run(plan, number, text)
            except VirtometerError as fault:
                print(f"truths: campaign {number} FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            rows = rows_of(measured, number, extras)
            add_rows(given.file, rows)
            told = ", ".join(f"{row['workload']} {_arm(str(row['extra']))} {row['verdict']}" for row in rows)
            print(f"truths: campaign {number}, {measured.wall_s:.0f} s: {told}", flush=True)
    print("\n".join(summary(read_rows(given.file))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
