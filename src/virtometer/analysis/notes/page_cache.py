"""How cold the page cache was before the runs of a command: two sides are unlike where their shares clearly differ.

The agent reports which share of the pages was still in memory before each run of a guest, as a mean. Its word for that
has thresholds, and a share near one of them has this word in one guest and that word in the next. So shares are
compared where both sides have them, and words elsewhere.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from virtometer.model import Run

CONDITION = "page_cache"
LEFT = "page_cache_left"
"""The share, such as `3 %`."""
CLEARLY = 0.25
"""Shares that are at least so far apart are unlike: another quarter of the files comes from memory."""
_WARM = 0.9


def shares(runs: Iterable[Run]) -> list[float] | None:
    """The share of each run, 0 to 1. None where there is no run, or where one lacks it."""
    found = [_share(run.conditions.get(LEFT, "")) for run in runs]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(found) else None


def _share(text: str) -> float | None:
    try:
        percent = float(text.removesuffix(" %"))
    except ValueError:
        return None
    return percent / 100 if 0 <= percent <= 100 else None


def differ(here: Sequence[float], there: Sequence[float]) -> bool:
    """Whether the shares of two sides clearly differ, by their medians."""
    return abs(statistics.median(here) - statistics.median(there)) >= CLEARLY


def changed(here: Sequence[float]) -> bool:
    """Whether the shares of one side clearly differ among themselves: a quarter of them from another quarter."""
    if len(here) < 2:
        return False
    low, _, high = statistics.quantiles(here, n=4, method="inclusive")
    return high - low >= CLEARLY


def words(of: Sequence[float]) -> str:
    """The median share, as sentences have it. Systems that ignore the request, or report nothing, report all pages."""
    share = statistics.median(of)
    return "not known to be cold" if share >= _WARM else f"{100 * share:.0f} % of its files in memory"
