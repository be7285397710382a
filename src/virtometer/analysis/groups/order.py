"""Who gets less, and whether it is always the same guest.

Within a block the log of a guest's rate is compared with the mean log of the others. Over the blocks that is an exact
test by exchange of the guests within blocks (`equal`), for all guests at once. A t test accused equal guests with
skewed noise in up to a quarter of the campaigns. A guest that gets less in half of the trials and more in the others
is not found, and need not be: Then the trials are unfair, but to no guest in particular. The result also has the number
of blocks in which each guest was the worst.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.groups.equal import p_of_equal
from virtometer.analysis.statistics.interval import interval
from virtometer.model import MIN_BLOCKS, Estimate

_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Rank:
    """One label: its rate by the geometric mean of the others', with an interval, and its p among all labels.

    worst: in how many of the `blocks` it had the smallest rate. The intervals of all labels hold jointly.
    """

    label: str
    against_others: Estimate
    p_adjusted: float | None
    worst: int
    blocks: int

    @property
    def gets_less(self) -> bool:
        """Whether it is shown to get less than the others."""
        return self.p_adjusted is not None and self.p_adjusted < _LEVEL and self.against_others.value < 1

    @property
    def gets_more(self) -> bool:
        """Whether it is shown to get more than the others."""
        return self.p_adjusted is not None and self.p_adjusted < _LEVEL and self.against_others.value > 1


def ranks(blocks: Sequence[Mapping[str, float]]) -> tuple[Rank, ...]:
    """One for each label (a guest, a place in the order of starts, a set of processors), in the order of the first.

    Each block has a positive rate for each of the same labels. Empty for fewer than two labels or no block.
    """
    if not blocks or len(blocks[0]) < 2:
        return ()
    labels = list(blocks[0])
    logs = {label: [_against_others(block, label) for block in blocks] for label in labels}
    adjusted = p_of_equal([[math.log(block[label]) for label in labels] for block in blocks])
    worst = Counter(min(block, key=lambda label: block[label]) for block in blocks)
    enough = len(blocks) >= MIN_BLOCKS
    made = []
    for label, p in zip(labels, adjusted, strict=True):
        ratio = interval(logs[label], jointly=1 if len(labels) == 2 else len(labels))
        assert ratio is not None
        made.append(Rank(label, ratio, p if enough else None, worst[label], len(blocks)))
    return tuple(made)


def sentence(found: Sequence[Rank], what: str = "guest") -> str:
    """What the ranks say, in one sentence; empty where there are none or too few blocks for a claim."""
    if not found or found[0].p_adjusted is None:
        return ""
    less = [rank for rank in found if rank.gets_less]
    last = max(found, key=lambda rank: rank.worst)
    often = f"{last.worst} of {last.blocks} blocks"
    if not less:
        return f"no {what} is shown to get less than the others over the blocks; {last.label} was the worst in {often}"
    told = ", ".join(f"{rank.label} ({_percent(rank.against_others.value)} than the others)" for rank in less)
    always = "in every block" if last.worst == last.blocks else f"in {often}"
    return f"always the same gets less: {told}; {last.label} was the worst {always}"


def _percent(ratio: float) -> str:
    return f"{100 * (1 - ratio):.2g} % less"


def _against_others(block: Mapping[str, float], label: str) -> float:
    others = [math.log(rate) for other, rate in block.items() if other != label]
    return math.log(block[label]) - math.fsum(others) / len(others)
