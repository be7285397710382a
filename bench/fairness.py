"""Three containers with CPU quotas of 30, 30 and 60 %, at once: are their shares and the figures of fairness found?

    python -m bench.fairness [--campaigns 10] [--blocks 6] [--seconds 1]

One campaign is run for real, and each `--blocks` blocks of it are analysed as one of their own. The processors of the
host are not the limit, so that the shares of the work are those of the quotas. A line for each figure: its truth, and
in how many of the campaigns its interval holds it.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from bench.campaigns import extra_kinds, plan_of, run, share_text
from virtometer.analysis import analyse
from virtometer.analysis.groups.estimates import Group
from virtometer.environments.base import Guest, Settings
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.parts.container import ContainerSettings
from virtometer.errors import VirtometerError
from virtometer.model import Campaign, Estimate

QUOTAS = (0.3, 0.3, 0.6)
_PLAN = """
virtometer: 1
name: fairness
baseline: containers
environments:
  - {{name: containers, kind: quotas, settings: {{quotas: [{quotas}]}}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}}}
scenarios:
  - {{name: quotas, type: together, guests: [{guests}]}}
blocks: {blocks}
seconds: {seconds}
fresh: block
"""


class QuotaSettings(ContainerSettings):
    """What the guests of one environment may take."""

    quotas: tuple[float, ...] = Field(default=QUOTAS, description="processors that each guest may use, in turn")


class Quotas(Runc):
    """Containers whose CPU quotas differ, though they are guests of one environment."""

    kind: ClassVar[str] = "quotas"
    title: ClassVar[str] = "runc, each with a quota of its own"
    settings_type: ClassVar[type[Settings]] = QuotaSettings
    starts: ClassVar[Iterator[int]] = itertools.count()

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start a container with the next quota."""
        if not isinstance(settings, QuotaSettings):  # the check of the kind
            return super().start(settings, guest_id)
        quota = settings.quotas[next(self.starts) % len(settings.quotas)]
        return super().start(settings.model_copy(update={"cpus": quota}), guest_id)


def plan_text(quotas: Sequence[float], blocks: int, seconds: float) -> str:
    """The plan of one campaign."""
    numbers = ", ".join(f"{quota:g}" for quota in quotas)
    return _PLAN.format(quotas=numbers, guests=len(quotas), blocks=blocks, seconds=seconds)


def truths(quotas: Sequence[float]) -> dict[str, float]:
    """The figures of shares that are those of the quotas, by name."""
    total = math.fsum(quotas)
    squares = math.fsum((quota / total) ** 2 for quota in quotas)
    jain = 1 / (len(quotas) * squares)
    shares = {f"share of guest {number}": quota / total for number, quota in enumerate(quotas, 1)}
    spread = {"max/min": max(quotas) / min(quotas), "cv": math.sqrt(1 / jain - 1), "jain": jain}
    return {**shares, "worst share": min(quotas) / total, **spread}


def found(group: Group) -> dict[str, Estimate | None]:
    """The same figures as they were estimated."""
    shares = {f"share of guest {number}": one.share for number, one in enumerate(group.members, 1)}
    fair = group.fairness
    if fair is None:
        return {**shares, "worst share": None, "max/min": None, "cv": None, "jain": None}
    figures = {"worst share": fair.worst_share, "max/min": fair.max_over_min, "cv": fair.cv, "jain": fair.jain}
    return {**shares, **{name: of and of.estimate for name, of in figures.items()}}


def parts(campaign: Campaign, blocks: int) -> list[Campaign]:
    """The campaign as several, each with so many blocks that follow each other; what is left over is left out."""
    numbers = sorted({trial.block for trial in campaign.planned})
    made = []
    for begin in range(0, len(numbers) - blocks + 1, blocks):
        of = set(numbers[begin : begin + blocks])
        planned = tuple(trial for trial in campaign.planned if trial.block in of)
        made.append(
            replace(campaign, planned=planned, trials=tuple(one for one in campaign.trials if one.trial.block in of))
        )
    return made


def line(name: str, truth: float, estimates: Sequence[Estimate | None]) -> tuple[str, bool]:
    """One line on a figure, and whether at least 95 % of the intervals hold the truth."""
    known = [one for one in estimates if one is not None and one.low is not None and one.high is not None]
    holding = sum(_holds(one, truth) for one in known)
    middle = f"{sorted(one.value for one in known)[len(known) // 2]:.4f}" if known else "-"
    met = bool(known) and len(known) == len(estimates) and holding >= 0.95 * len(known)
    said = f"{name}: truth {truth:.4f}, median {middle}, held by {share_text(holding, len(estimates))}"
    return f"{said}: {'met' if met else 'MISSED'}", met


def _holds(one: Estimate, truth: float) -> bool:
    return one.low is not None and one.high is not None and one.low <= truth <= one.high


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines. The status is 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--campaigns", type=int, default=10)
    parser.add_argument("--blocks", type=int, default=6, help="blocks of each campaign")
    parser.add_argument("--seconds", type=float, default=1.0, help="window of a trial")
    given = parser.parse_args(argv)
    text = plan_text(QUOTAS, given.campaigns * given.blocks, given.seconds)
    with extra_kinds(Quotas):
        try:
            measured = run(plan_of(text), 1, text)
        except VirtometerError as fault:
            print(f"fairness: FAILED: {fault.sentence}", file=sys.stderr)
            return 1
        groups = [
            group for part in parts(measured.campaign, given.blocks) for group in analyse(part).group_results.groups
        ]
    figures: list[Mapping[str, Estimate | None]] = [found(group) for group in groups]
    sound = True
    for name, truth in truths(QUOTAS).items():
        said, met = line(name, truth, [one[name] for one in figures])
        sound = sound and met
        print(f"fairness: {said}")
    print(f"fairness: {measured.wall_s:.0f} s for {len(groups)} campaigns of {given.blocks} blocks")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
