"""What changes values without being asked about, in sentences: the order, the processors, the layout of memory."""

from __future__ import annotations

from virtometer.analysis.notes.nuisance import Nuisance
from virtometer.counted import counted

_NAMED = 3  # workloads that a sentence names


def sentences(of: Nuisance | None) -> list[str]:
    """One for each nuisance factor; nothing where there are no factors, or nothing was measured."""
    if of is None or not of.starts:
        return []
    return [f"Order: random within each block, from the seed {of.seed}.", _processors(of), _layout(of)]


def _processors(of: Nuisance) -> str:
    if not of.processors:
        return "Processors: not known."
    if of.same_processors:
        return "Processors: the same for all combinations in each workload."
    apart = {workload: some for workload, some in of.processors.items() if len(some) > 1}
    shown = "; ".join(f"{workload}: {' or '.join(some)}" for workload, some in list(apart.items())[:_NAMED])
    more = f"; and {len(apart) - _NAMED} more workloads" if len(apart) > _NAMED else ""
    return f"Processors: not the same for all combinations ({shown}{more})."


def _layout(of: Nuisance) -> str:
    drawn = {True: "addresses are random", False: "addresses are NOT random on this host", None: "unknown addresses"}
    text = f"Memory layout: drawn anew at each of {counted(of.starts, 'start')}; {drawn[of.randomised]}"
    if of.padded == of.starts:
        return f"{text}, and environment variables have a random size."
    if of.padded:
        return f"{text}; environment variables have a random size at {of.padded} of them."
    return f"{text}; environment variables have a fixed size."
