"""The universal scalability law, fitted to the sums of 1, 2, .. N guests.

N. J. Gunther, "Guerrilla Capacity Planning", Springer (2007), chapters 4 to 6: The sum of N guests is that of one times
C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)). The parameter sigma is the contended part of the work, kappa the cost
of coherence. The sum is largest at N = sqrt((1 - sigma) / kappa), and rises for ever where kappa is 0.

Fitted by least squares on the logs of the sums. Each block has an effect, so that a host that is slower for a while
changes nothing. The interval of each figure is its range over the joint 97.5 % region of sigma and kappa
(E. M. L. Beale, "Confidence regions in non-linear estimation", JRSS B 22 (1960) 41-88): all those with
Q <= Q_min + 2 s^2 F(0.975; 2, f), where s^2 with f = (k - 1)(n - 1) is the variance within n blocks of k numbers of
guests. So the intervals of sigma, kappa and the peak hold jointly. Where the law misses the sums by more than the
noise (F test at 1 %), its misfit takes the place of s^2. The intervals are then wide, and a note has the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from virtometer.model import MIN_BLOCKS, Estimate

FEWEST = 3
"""Numbers of guests that a fit takes: it has three unknowns."""

_MISFIT = 0.01
_REGION = 0.975  # stricter than 95 %: the law is curved, and the region is exact for a straight one alone
_STEPS = 121
_ZOOMS = 4
_LEAST_KAPPA = 1e-6
_NOTHING = 1e-9  # a coefficient below it is rounding
_MOST_KAPPA = 4.0

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Law:
    """The fitted law. `one`: what one guest reaches by it. Intervals are None with fewer than MIN_BLOCKS blocks.

    peak: the number of guests with the largest sum; None where the sum rises for ever. peak_low, peak_high: its
    interval; high is None where nothing bounds it. misfit: whether the law misses the sums by more than the noise.
    measured: the largest number of guests that was measured.
    """

    one: float
    sigma: Estimate
    kappa: Estimate
    peak: float | None
    peak_low: float | None
    peak_high: float | None
    misfit: bool
    measured: int

    def at(self, guests: float) -> float:
        """The sum of so many guests."""
        return self.one * float(
            np.exp(_logs(np.array([guests]), np.array(self.sigma.value), np.array(self.kappa.value))[0])
        )


def law(blocks: Sequence[Mapping[int, float]]) -> Law | None:
    """Fit the sums by number of guests of each block. None with fewer than FEWEST numbers, or no complete block.

    Blocks that lack a number which others have are left out. Sums are positive.
    """
    counts = sorted({count for block in blocks for count in block})
    complete = [block for block in blocks if all(count in block for count in counts)]
    if len(counts) < FEWEST or not complete:
        return None
    logs = np.log(np.array([[block[count] for count in counts] for block in complete]))
    guests = np.array(counts, dtype=np.float64)
    n, k = logs.shape
    means = logs.mean(axis=0)
    sigma, kappa, least = _best(guests, means, n)
    level = float((means - _logs(guests, np.array(sigma), np.array(kappa))).mean())
    sigmas, kappas = Estimate(sigma, None, None, n), Estimate(kappa, None, None, n)
    peak = _peak(sigma, kappa)
    one = math.exp(level)
    if n < MIN_BLOCKS:
        return Law(one, sigmas, kappas, peak, None, None, False, counts[-1])
    rest = logs - logs.mean(axis=1, keepdims=True) - means + logs.mean()
    freedom, spare = (k - 1) * (n - 1), k - 3
    variance = float((rest**2).sum()) / freedom
    misfit = False
    if spare > 0 and least > 1e-12 * n:
        ratio = least / spare / variance if variance > 0 else math.inf
        misfit = bool(float(special.fdtrc(spare, freedom, ratio)) < _MISFIT) if math.isfinite(ratio) else True
    if misfit:
        variance, freedom = least / spare, spare
    beyond = 2 * variance * float(special.fdtri(2, freedom, _REGION))
    low_s, high_s, low_k, high_k, low_p, high_p = _region(guests, means, n, least + beyond, (sigma, kappa))
    sigmas, kappas = Estimate(sigma, low_s, high_s, n), Estimate(kappa, low_k, high_k, n)
    return Law(one, sigmas, kappas, peak, low_p, high_p, misfit, counts[-1])


def sentence(of: Law | None) -> str:
    """What the law says of the number of guests, in one sentence; empty where there is none, or no interval."""
    if of is None or of.sigma.low is None or of.peak_low is None:
        return ""
    misses = "; the law misses these sums by more than their noise, so that its intervals are wide" if of.misfit else ""
    if of.peak_high is not None and of.peak_high < 2:
        return f"by the scalability law a second guest does not raise the sum{misses}"
    if of.peak is None or of.peak_high is None:
        if of.peak_low < 1:
            return f"the scalability law cannot tell where the sum stops rising{misses}"
        first = f"no maximum before {of.peak_low:.3g} guests" if math.isfinite(of.peak_low) else "no maximum"
        return f"the scalability law cannot tell where the sum stops rising: {first}, and no bound above{misses}"
    beyond = f", beyond the {of.measured} guests measured" if of.peak_low > of.measured else ""
    return (
        f"by the scalability law the sum is largest at {of.peak:.3g} guests "
        f"[{of.peak_low:.3g}, {of.peak_high:.3g}]{beyond}{misses}"
    )


def _peak(sigma: float, kappa: float) -> float | None:
    """None where the sum rises for ever."""
    return math.sqrt(max(1 - sigma, 0.0) / kappa) if kappa > 0 else None


def _logs(guests: Floats, sigma: Floats, kappa: Floats) -> Floats:
    """Log of C for all `guests` (last axis) at coefficients of any one shape."""
    s, k = sigma[..., np.newaxis], kappa[..., np.newaxis]
    found: Floats = np.log(guests) - np.log1p(s * (guests - 1) + k * guests * (guests - 1))
    return found


def _lack(guests: Floats, means: Floats, n: int, sigma: Floats, kappa: Floats) -> Floats:
    """Q: how far the law is from the means of the blocks, without their level."""
    rest = means - _logs(guests, sigma, kappa)
    rest = rest - rest.mean(axis=-1, keepdims=True)
    found: Floats = n * (rest**2).sum(axis=-1)
    return found


def _axes(low: tuple[float, float], high: tuple[float, float]) -> tuple[Floats, Floats]:
    """A grid between two corners. kappa in equal steps of its logarithm, and 0."""
    sigma = np.linspace(low[0], high[0], _STEPS)
    least = max(low[1], _LEAST_KAPPA)
    kappa = np.geomspace(least, max(high[1], least * (1 + 1e-9)), _STEPS)
    return sigma, np.concatenate(([0.0], kappa)) if low[1] == 0.0 else kappa


def _around(axis: Floats, first: int, last: int, most: float) -> tuple[float, float]:
    """The part of an axis between two places and one step beyond, within 0 and `most`."""
    low = float(axis[first - 1]) if first > 0 else float(axis[0])
    high = float(axis[last + 1]) if last + 1 < len(axis) else float(axis[-1])
    return max(low, 0.0), min(high, most)


def _best(guests: Floats, means: Floats, n: int) -> tuple[float, float, float]:
    """The coefficients that fit best, none below 0, and their Q: the best of a grid, then least squares from there."""
    from scipy import optimize  # takes a moment to load, and most campaigns have one guest at a time

    def rest(at: Floats) -> Floats:
        left = means - _logs(guests, at[0], at[1])
        found: Floats = math.sqrt(n) * (left - left.mean())
        return found

    axes = _axes((0.0, 0.0), (1.0, _MOST_KAPPA))
    lack = _lack(guests, means, n, axes[0][:, np.newaxis], axes[1][np.newaxis, :])
    i, j = np.unravel_index(int(lack.argmin()), lack.shape)
    bounds = ([0.0, 0.0], [1.0, _MOST_KAPPA])
    start = np.clip([axes[0][i], axes[1][j]], 1e-7, [1 - 1e-7, _MOST_KAPPA])
    found = optimize.least_squares(rest, start, bounds=bounds, x_scale=np.maximum(start, 1e-3), xtol=1e-12, ftol=1e-14)
    s, k = (float(one) if one > _NOTHING else 0.0 for one in found.x)
    best = (s, k, float((found.fun**2).sum()))
    edges = [(0.0, best[1]), (best[0], 0.0), (0.0, 0.0), (float(axes[0][i]), float(axes[1][j]))]
    tried = [(s, k, float((rest(np.array([s, k])) ** 2).sum())) for s, k in edges]
    return min([best, *tried], key=lambda one: one[2])


def _region(
    guests: Floats, means: Floats, n: int, limit: float, best: tuple[float, float]
) -> tuple[float, float, float, float, float, float | None]:
    """The range of sigma, kappa and the peak over all coefficients whose Q is within `limit`."""
    low, high = (0.0, 0.0), (1.0, _MOST_KAPPA)
    peaks: list[float] = [math.inf if (own := _peak(*best)) is None else own]
    for zoom in range(_ZOOMS):
        axes = _axes(low, high)
        sigma, kappa = np.broadcast_arrays(axes[0][:, np.newaxis], axes[1][np.newaxis, :])
        inside = _lack(guests, means, n, sigma, kappa) <= limit
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        if not len(rows):  # smaller than a step of the grid: look closer around the best
            i, j = int(np.abs(axes[0] - best[0]).argmin()), int(np.abs(axes[1] - best[1]).argmin())
            rows, columns = np.array([i]), np.array([j])
        elif zoom == _ZOOMS - 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                found = np.sqrt((1 - sigma[inside]) / kappa[inside])
            peaks += [float(np.nanmin(found)), float(np.nanmax(found))]
        (a, b), (c, d) = (
            _around(axes[0], int(rows[0]), int(rows[-1]), 1.0),
            _around(axes[1], int(columns[0]), int(columns[-1]), _MOST_KAPPA),
        )
        low, high = (a, c), (b, d)
    top = max(peaks)
    return low[0], high[0], low[1], high[1], min(peaks), top if math.isfinite(top) else None
