"""`virtometer time` against known truths: a program that does 3 % more in one environment, and nothing more in another.

    python -m bench.timing.truths [--campaigns 20] [--budget 30] [--extra 0.03] [--margin 0.01] [--resampled 1000]

The command is a loop of 50 ms. Each campaign is made as `virtometer time` makes one. The environments are native, and
native twice more: the loop reads in the environment of the agent that starts it how much more it has to do, which is
nothing in the one and EXTRA in the other. A false claim is "slower" or "faster" of the environment without more work.

Resampled campaigns have the blocks of real ones, each at most once, and as many as one of the real ones or, with
--blocks, as fit into a budget. The product's own analysis gives their verdicts.

Beside each campaign hyperfine times the same loop twice, one series after the other, with as many runs as a guest of
the campaign had. Nothing differs between the two, so that each claim of a difference is false. It claims one where the
interval of Welch for the difference of the means, at 95 %, does not hold 0.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import yaml
from scipy.stats import ttest_ind

from bench.campaigns import extra_kinds, plan_of, run, share_text
from bench.timing.accuracy import by_hyperfine
from bench.timing.loops import loops
from bench.truths import Slower
from virtometer.analysis import analyse
from virtometer.analysis.statistics.arithmetic import LEVEL
from virtometer.cli.plan.files import TIME, built_in
from virtometer.cli.timing.commands import Command
from virtometer.cli.timing.plan import document, text_of
from virtometer.model import Campaign, Estimate, Finding, GuestStart, TrialRecord, Verdict
from virtometer.report.findings.summary import stage_sentence

SECONDS = 0.05
_CLAIMS = (Verdict.SLOWER, Verdict.FASTER)


def plan_text(words: Sequence[str], budget_s: float, margin: float, extra: float) -> str:
    """The plan of one campaign, as `virtometer time` makes it."""
    plan: dict[str, Any] = yaml.safe_load(built_in(TIME).read_text())
    slower = [{"name": name, "kind": "slower", "settings": {"extra": part}} for name, part in _arms(extra).items()]
    plan["environments"] = [{"name": "native", "kind": "native"}, *slower]
    plan |= {"budget_s": budget_s, "margin": margin}
    return text_of(document(plan, [Command("loop", tuple(words))], {}, [SECONDS]), "bench")


def _arms(extra: float) -> dict[str, float]:
    return {"the same": 0.0, "more": extra}


def resampled(campaigns: Sequence[Campaign], dice: random.Random, blocks: int = 0) -> Campaign:
    """A campaign of so many blocks of real ones, each at most once; 0: as many as one of these has."""
    like = dice.choice(campaigns)
    count = blocks or len({record.trial.block for record in like.trials})
    every = [(at, block) for at, one in enumerate(campaigns) for block in {record.trial.block for record in one.trials}]
    trials: list[TrialRecord] = []
    guests: list[GuestStart] = []
    for new, (at, block) in enumerate(dice.sample(every, count)):
        for record in campaigns[at].trials:
            if record.trial.block == block:
                trial = replace(record.trial, block=new, index=len(trials), start_group=new)
                trials.append(replace(record, trial=trial))
        guests += campaigns[at].guests
    planned = tuple(record.trial for record in trials)
    return replace(like, planned=planned, trials=tuple(trials), guests=tuple(guests), stages=())


def _judged(campaign: Campaign) -> list[tuple[Finding, Estimate]]:
    """The findings of the two environments, with the ratio that decides each."""
    findings = [one for one in analyse(campaign).findings if one.subject != "native"]
    return [(one, one.decisive) for one in findings if one.decisive is not None]


def verdicts(campaign: Campaign) -> dict[str, tuple[Verdict, float]]:
    """By environment: what was said of it, and its ratio."""
    return {one.subject: (one.verdict, ratio.value) for one, ratio in _judged(campaign)}


def open_ends(campaign: Campaign) -> list[str]:
    """Why comparisons are undecided: a line for each, and one for each further stage."""
    lines = [
        f"{one.subject} {ratio.low:.4f} to {ratio.high:.4f}: {'; '.join(one.notes)}"
        for one, ratio in _judged(campaign)
        if one.verdict is Verdict.UNDECIDED and ratio.low is not None and ratio.high is not None
    ]
    return lines + [stage_sentence(stage) for stage in campaign.stages] if lines else []


def one_after_the_other(words: Sequence[str], runs: int) -> tuple[float, bool]:
    """The ratio of the means of two series by hyperfine, and whether Welch's interval says that they differ."""
    first, second = by_hyperfine(words, runs), by_hyperfine(words, runs)
    differs = bool(ttest_ind(first, second, equal_var=False).pvalue < 1 - LEVEL)
    return statistics.fmean(first) / statistics.fmean(second), differs


def _runs(campaign: Campaign) -> int:
    """How many runs a guest had in the whole campaign: the mean over guests."""
    counts: Counter[str] = Counter()
    for record in campaign.trials:
        for one in record.scored:
            counts[one.placement.environment] += sum(sample.used for sample in one.samples)
    return round(statistics.fmean(counts.values()))


def _summary(title: str, some: Sequence[dict[str, tuple[Verdict, float]]]) -> list[str]:
    lines = [title]
    for arm in _arms(0.0):
        own = [one[arm] for one in some if arm in one]
        counts = Counter(verdict for verdict, _ in own)
        claims, slower = sum(counts[one] for one in _CLAIMS), counts[Verdict.SLOWER]
        ratios = [ratio for _, ratio in own]
        spread = statistics.stdev(ratios) if len(ratios) > 1 else 0.0
        lines.append(
            f"  {arm}: slower or faster {share_text(claims, len(own))}, slower {share_text(slower, len(own))}; "
            f"mean ratio {statistics.fmean(ratios):.4f}, deviation between campaigns {spread:.4f}; "
            f"{', '.join(f'{count} {one.value}' for one, count in counts.most_common())}"
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, resample, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--budget", type=float, default=30.0, metavar="S")
    parser.add_argument("--extra", type=float, default=0.03, metavar="SHARE")
    parser.add_argument("--margin", type=float, default=0.01, metavar="SHARE")
    parser.add_argument("--resampled", type=int, default=1000)
    parser.add_argument("--blocks", type=int, default=0, help="of resampled campaigns; 0: as many as real ones had")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    measured: list[Campaign] = []
    series: list[tuple[float, bool]] = []
    with loops() as of, extra_kinds(Slower):
        text = plan_text(of.words(SECONDS), options.budget, options.margin, options.extra)
        for number in range(options.campaigns):
            one = run(plan_of(text), options.seed + number, text)
            measured.append(one.campaign)
            said = {arm: f"{verdict.value} {ratio:.4f}" for arm, (verdict, ratio) in verdicts(one.campaign).items()}
            blocks = len({record.trial.block for record in one.campaign.trials})
            print(f"campaign {number + 1}: {one.wall_s:.1f} s, {blocks} blocks, {said}", flush=True)
            print("".join(f"  {line}\n" for line in open_ends(one.campaign)), end="", flush=True)
            series.append(one_after_the_other(of.words(SECONDS), max(_runs(one.campaign), 2)))
    for line in _summary(f"{len(measured)} campaigns", [verdicts(one) for one in measured]):
        print(line)
    ratios, differ = [ratio for ratio, _ in series], sum(claims for _, claims in series)
    spread = statistics.stdev(ratios) if len(ratios) > 1 else 0.0
    print(f"hyperfine, one series after the other: deviation {spread:.4f}, false {share_text(differ, len(series))}")
    dice = random.Random(options.seed)
    some = [verdicts(resampled(measured, dice, options.blocks)) for _ in range(options.resampled)]
    for line in _summary(f"{len(some)} resampled campaigns", some) if some else ():
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
