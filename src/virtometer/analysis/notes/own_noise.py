"""Noise that a subject has, and the baseline has not: its spread, its slow drift, and starts of two kinds.

The control, two guests of the baseline in each block, shows what the host does to the same work. Its log ratios have
the variance 2v of guests with the variance v. Those of a subject against the mean of both guests have 1.5v where it is
as noisy as they are. A larger variance (F test) is the subject's own. Such noise is not the host's, so blocks may be
alike: 1/f noise, a ramp, or starts of two kinds. The t interval takes blocks to be independent and is then too short.

Comparisons of an environment are tested jointly too: R. A. Fisher's combination of their p values ("Statistical Methods
for Research Workers", 4th ed., 1932), and the mean course of their blocks.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.notes.block_shapes import trend
from virtometer.analysis.statistics.spread import Spread, spread

DRIFT_LEVEL = 0.01
"""Of the tests for a drift: six blocks show a slow one hardly."""

WIDER_LEVEL = 0.002
"""Of the tests for a larger spread: what harms shows clearly, and a false alarm costs a verdict."""

HINT_LEVEL = 0.1
"""Of the same tests, for noise that may be its own: it takes no verdict, and no benefit of the doubt is given."""

_SHARED = 0.75  # variance of a subject's log ratios by the control's, where both are as noisy
_FEWEST = 6  # blocks from which on something is said
_APART = 4.0  # spreads of the usual blocks by which another kind of start lies apart
_CAUTION = 1.64  # standard errors by which the correlation of neighbours is taken to be larger than it looks


@dataclass(frozen=True, slots=True)
class OwnNoise:
    """What the blocks of one comparison show of its subject's own noise.

    own: the spread is larger than that of a subject as noisy as the baseline, or the blocks drift. The drift is that
    of this comparison or of the environment's comparisons jointly. drifts: the second of both. hinted: either may be
    so, by `HINT_LEVEL`. apart: blocks that lie apart from the usual ones; size: by how much, on the log scale.
    widespread: half of the environment's comparisons have such blocks. effective: independent blocks that these are
    worth at least.
    """

    own: bool
    drifts: bool
    hinted: bool
    apart: int
    size: float
    widespread: bool
    effective: float


def own_noise(family: Mapping[Key, Sequence[float]], controls: Mapping[Key, Spread]) -> dict[Key, OwnNoise]:
    """Look at all comparisons that have six blocks. family: log ratios in the order of the blocks."""
    logs = {key: np.asarray(of, dtype=float) for key, of in family.items() if len(of) >= _FEWEST}
    usual = {key: of for key, of in controls.items() if of.n >= _FEWEST and of.sd > 0}
    wide = {key: _wider(of, usual[key]) for key in logs.keys() & usual.keys() if (of := spread(logs[key].tolist()))}
    drift = {key: _trend(of) for key, of in logs.items()}
    apart = {
        key: _apart(of, math.sqrt(_SHARED) * usual[key].sd) if key in usual else (0, 0.0) for key, of in logs.items()
    }
    environments: defaultdict[str, list[Key]] = defaultdict(list)
    for key in logs:
        environments[key[1]].append(key)
    found = {}
    for keys in environments.values():
        wide_of_all = _combined([wide[key] for key in keys if key in wide])
        drift_of_all = _trend_of_all([logs[key] for key in keys]) if len(keys) > 1 else 1.0
        with_kinds = [apart[key][1] for key in keys if apart[key][0]]
        widespread = 2 * len(with_kinds) >= len(keys) and len(with_kinds) > 1
        for key in keys:
            p_wide, p_drift = min(wide.get(key, 1.0), wide_of_all), min(drift[key], drift_of_all)
            count, size = apart[key]
            found[key] = OwnNoise(
                own=p_drift < DRIFT_LEVEL or p_wide < WIDER_LEVEL,
                drifts=p_drift < DRIFT_LEVEL,
                hinted=min(p_drift, p_wide) < HINT_LEVEL,
                apart=count,
                size=max(size, statistics.median(with_kinds) if widespread else 0.0),
                widespread=widespread,
                effective=effective(logs[key]),
            )
    return found


def effective(logs: NDArray[np.float64]) -> float:
    """How many independent blocks these are worth: n·(1 - r)/(1 + r), with a cautious correlation r of neighbours.

    The variance of a mean of correlated values: G. U. Yule, J. Roy. Statist. Soc. 84 (1921) 497-526, of first order.
    r is what it looks like, with its bias of -1/n taken away, and 1.64 of its standard errors 1/√n: six blocks that
    look independent are worth one, and twenty of them eight.
    """
    n = len(logs)
    away = logs - logs.mean()
    squares = float(away @ away)
    seen = float(away[1:] @ away[:-1]) / squares if squares > 0 else 0.0
    return worth(n, seen)


def worth(n: int, seen: float = 0.0) -> float:
    """As `effective`, of n blocks whose neighbours have the correlation `seen`."""
    r = min(max(seen + (1 + _CAUTION * math.sqrt(n)) / n, 0.0), 0.98)
    return max(1.0, n * (1 - r) / (1 + r))


def _wider(of: Spread, control: Spread) -> float:
    """One-sided p of a spread that is not larger than one with the baseline's noise."""
    ratio = (of.sd / control.sd) ** 2 / _SHARED
    return float(special.fdtrc(of.n - 1, control.n - 1, ratio))


def _combined(p_values: Sequence[float]) -> float:
    """Fisher's combination of independent p values; 1 of none."""
    if not p_values:
        return 1.0
    return float(special.chdtrc(2 * len(p_values), -2 * math.fsum(math.log(max(p, 1e-300)) for p in p_values)))


def _trend(logs: NDArray[np.float64]) -> float:
    """Two-sided p of no linear trend from block to block."""
    by_block = dict(enumerate(logs.tolist()))
    return trend(by_block, {block: float(block) for block in by_block})[1]


def _trend_of_all(courses: Sequence[NDArray[np.float64]]) -> float:
    """As `_trend`, of the mean course of several comparisons, each by its own spread."""
    n = min(len(one) for one in courses)
    scaled = [(one[:n] - one[:n].mean()) / sd for one in courses if (sd := float(one[:n].std())) > 0]
    return _trend(np.mean(scaled, axis=0)) if scaled else 1.0


def _apart(logs: NDArray[np.float64], expected: float) -> tuple[int, float]:
    """How many blocks lie apart from the usual ones, and how far on average; (0, 0) of none.

    expected: the spread of a subject as noisy as the baseline.
    """
    away = np.abs(logs - np.median(logs))
    usual = max(expected, 1.4826 * float(np.median(away)))
    far = away[away > _APART * usual]
    return len(far), float(far.mean()) if len(far) else 0.0
