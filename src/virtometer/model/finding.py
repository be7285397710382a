"""What is concluded: estimates and findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Generic, TypeVar, final

from virtometer.model.plain import Level
from virtometer.model.plan import VerdictBy
from virtometer.model.run import Better


class Verdict(StrEnum):
    """A finding in one word."""

    SLOWER = "slower"
    FASTER = "faster"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    BASELINE = "baseline"
    UNAVAILABLE = "not available here"


@final
@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval (None where n is too small for one) and the number of independent replicates."""

    value: float
    low: float | None
    high: float | None
    n: int
    level: float = 0.95

    def excludes(self, value: float) -> bool:
        """Whether there is an interval that leaves out the value."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high


_Known = TypeVar("_Known", bound=Estimate | None, covariant=True)


@final
@dataclass(frozen=True, slots=True)
class Quantity(Generic[_Known]):
    """A number that the analysis gives, with what it is of. `Quantity[Estimate | None]`: there may be none.

    subject: an environment or a guest. metric: what was measured, in words, in `unit` (empty: a ratio). better: None
    where neither direction is. statistic: what the estimate is of the values. reference: what it is relative to; empty
    where it is absolute.
    """

    subject: str
    metric: str
    unit: str
    better: Better | None
    statistic: str
    estimate: _Known
    reference: str = ""

    @property
    def n(self) -> int:
        """How many replicates are behind it; 0 without an estimate."""
        return 0 if self.estimate is None else self.estimate.n

    @property
    def improves(self) -> bool:
        """Of a change: whether its interval lies on the better side of 0."""
        of = self.estimate
        return of is not None and of.excludes(0) and self.better == ("higher" if of.value > 0 else "lower")

    @property
    def worsens(self) -> bool:
        """Of a change: whether its interval lies on the other side."""
        of = self.estimate
        return of is not None and self.better is not None and of.excludes(0) and not self.improves


@dataclass(frozen=True, slots=True)
class Control:
    """The baseline against itself: two guests of it in each block. `ratio` is that of the second to the first.

    noise_floor: the smallest margin within which both would be called equivalent, as a share; None where fewer than
    MIN_BLOCKS blocks have both. by: which ratio it is.
    """

    workload: str
    op: str
    ratio: Quantity[Estimate]
    noise_floor: float | None
    by: VerdictBy = "total"


@dataclass(frozen=True, slots=True)
class WorstBlock:
    """The block of a comparison whose ratio is farthest from the median of the blocks, counted from 0.

    ratio: of this block alone. without: over the other blocks. verdict_without: by the same rules, without
    this block.
    """

    block: int
    ratio: Quantity[Estimate]
    without: Quantity[Estimate]
    verdict_without: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What is concluded from one comparison as one of a family.

    p_value: that there is no difference; p_adjusted: over the family. p_equivalent_adjusted: of the two tests of
    equivalence, adjusted over the family: the `equivalent` ones with one below 0.05 hold jointly. detectable: the
    smallest difference that so many blocks find. blocks_needed: in all, None beyond what a plan may have;
    blocks_needed_low, blocks_needed_high: the range in which it lies with a probability of 90 %, None where it is not
    known or beyond what a plan may have.
    """

    verdict: Verdict
    p_value: float | None = None
    p_adjusted: float | None = None
    detectable: float | None = None
    blocks_needed: int | None = None
    blocks_needed_low: int | None = None
    blocks_needed_high: int | None = None
    p_equivalent_adjusted: float | None = None

    @property
    def concluded(self) -> dict[str, Any]:
        """These fields by their names, for what is made of a conclusion."""
        return {one.name: getattr(self, one.name) for one in fields(Conclusion)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Conclusion):
    """One comparison. `ratio` > 1 always means that the subject is better than its `reference`.

    value: what the subject reached. ratio: of total work / total time. typical: of the rounds in which the guests took
    turns, without the extreme ones; None where they did not. slices_by_windows: the ratio in slices by that in long
    windows beside them, in the blocks that have both; None where none has. verdict_by: which of total and typical
    verdict, p, forecasts and the worst block are about.
    qualified: what stands beside the verdict wherever it is shown, without the verdict's own word; empty where nothing
    qualifies it. median: of the blocks' ratios, with an interval that holds for every distribution; its `level` is what
    that covers. unseen_share: up to this share of starts may be of a kind that is not in the blocks, at 95 %.

    unlike: names of the conditions that differ between the two sides, or changed on one. levels: of the treatment's
    factors. table_notes: the notes in words that cells of a table share, without those that the reference's own finding
    has; None: as `notes`.
    """

    workload: str
    op: str
    value: Quantity[Estimate | None]
    ratio: Quantity[Estimate | None]
    host_cpu_ratio: Quantity[Estimate] | None = None
    seconds_needed: float | None = None
    notes: tuple[str, ...] = field(default=())
    table_notes: tuple[str, ...] | None = None
    unlike: tuple[str, ...] = field(default=())
    levels: Mapping[str, Level] = field(default_factory=dict)
    typical: Quantity[Estimate] | None = None
    worst_block: WorstBlock | None = None
    verdict_by: VerdictBy = "total"
    qualified: str = ""
    slices_by_windows: Quantity[Estimate] | None = None
    median: Quantity[Estimate] | None = None
    unseen_share: float | None = None

    @property
    def subject(self) -> str:
        """The environment that it is about."""
        return self.value.subject

    @property
    def shown_notes(self) -> tuple[str, ...]:
        """What a table says of this finding."""
        return self.notes if self.table_notes is None else self.table_notes

    @property
    def decisive(self) -> Estimate | None:
        """The ratio that the verdict is about."""
        of = self.typical if self.verdict_by == "typical" else self.ratio
        return None if of is None else of.estimate

    @property
    def comparable(self) -> bool:
        """Whether what is compared is alike."""
        return not self.unlike
