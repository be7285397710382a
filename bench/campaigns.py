"""Whole campaigns of a bench: run for real in this process, and their results kept in a file that grows."""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

from bench.silent import Silent
from virtometer.design.parse import read_plan
from virtometer.design.plan.resolved import resolve
from virtometer.environments.base import Environment
from virtometer.environments.registry import KINDS
from virtometer.host.cpu.caches import last_cache_bytes
from virtometer.model import Campaign, Plan, Run
from virtometer.runner.campaign.execute import begin


@dataclass(frozen=True)
class Measured:
    """A campaign, and the seconds from the start of its first guest to its end."""

    campaign: Campaign
    wall_s: float


class _Clock(Silent):
    """Notes when the first guest starts."""

    def __init__(self) -> None:
        super().__init__()
        self.first: float | None = None

    def guest_starting(self, environment: str) -> None:
        """The moment of the first."""
        self.first = self.first or time.monotonic()


@contextmanager
def extra_kinds(*kinds: type[Environment]) -> Iterator[None]:
    """Kinds of environments that the product does not have, while the context is open."""
    KINDS.update({kind.kind: kind for kind in kinds})
    try:
        yield
    finally:
        for kind in kinds:
            del KINDS[kind.kind]


def plan_of(text: str) -> Plan:
    """The plan of a text, as the product reads it."""
    return read_plan(text, "bench.yaml", KINDS, last_cache_bytes=last_cache_bytes()).resolved.plan


def run(plan: Plan, seed: int, text: str = "") -> Measured:
    """Execute a plan. Another laboratory may measure meanwhile; its trials are marked then."""
    clock = _Clock()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="virtometer-") as folder:
        campaign = begin(resolve(plan, KINDS), text, Path(folder) / "campaign", seed, clock, beside=True)
    return Measured(campaign, time.monotonic() - (clock.first or begun))


def runs_by_kind(campaign: Campaign) -> Iterator[tuple[str, Run]]:
    """Each run that has a score, with the kind of its environment."""
    kinds = {one.name: one.kind for one in campaign.plan.environments}
    return ((kinds[run.placement.environment], run) for record in campaign.trials for run in record.scored)


def add_rows(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Append rows with the same columns as those in the file, all or none. ValueError for other columns."""
    known = read_rows(file)
    if not rows:
        return
    columns = list(known[0] if known else rows[0])
    for row in rows:
        if list(row) != columns:
            raise ValueError(f"{file} has the columns {', '.join(columns)}: choose another file")
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, columns)
        if not known:
            writer.writeheader()
        writer.writerows(rows)


def read_rows(file: Path) -> list[dict[str, str]]:
    """The rows of a file; none where it does not exist."""
    if not file.exists():
        return []
    with file.open(newline="") as text:
        return list(csv.DictReader(text))


def next_number(rows: Sequence[Mapping[str, str]]) -> int:
    """The number of the next campaign: one more than the highest of the column `campaign`, or 1."""
    return 1 + max((int(row["campaign"]) for row in rows), default=0)


def share_text(count: int, of: int) -> str:
    """`9 of 10 (90 %, 60 to 98 %)`: a share with Wilson's 95 % interval."""
    if of == 0:
        return "0 of 0"
    interval = binomtest(count, of).proportion_ci(method="wilson")
    return f"{count} of {of} ({count / of:.0%}, {interval.low:.0%} to {interval.high:.0%})"
