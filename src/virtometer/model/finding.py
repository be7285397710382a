"""What is concluded: estimates and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from virtometer.model.plan import Level
from virtometer.model.run import Better


class Verdict(StrEnum):
    """A finding in one word."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    BASELINE = "baseline"
    UNAVAILABLE = "not available here"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval (None where n is too small for one) and the number of independent replicates."""

    value: float
    low: float | None
    high: float | None
    n: int
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison. `ratio` > 1 always means that the subject is better than `against`.

    ratio: of total work / total time. typical: of the rounds in which the guests took turns, without the extreme ones;
    None where they did not.

    unlike: names of the conditions that differ between the two sides, or changed on one. levels: of the treatment's
    factors.
    """

    workload: str
    op: str
    metric: str
    unit: str
    better: Better
    subject: str
    against: str
    ratio: Estimate | None
    verdict: Verdict
    p_value: float | None
    p_adjusted: float | None
    host_cpu_ratio: Estimate | None
    value: Estimate | None
    detectable: float | None
    blocks_needed: int | None
    seconds_needed: float | None
    notes: tuple[str, ...] = field(default=())
    unlike: tuple[str, ...] = field(default=())
    levels: Mapping[str, Level] = field(default_factory=dict)
    typical: Estimate | None = None

    @property
    def like_with_like(self) -> bool:
        """Whether what is compared is alike."""
        return not self.unlike
