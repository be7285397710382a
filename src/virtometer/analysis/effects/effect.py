"""Estimates of effects: changes in per cent with their intervals, verdicts, and terms that cannot be distinguished."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from virtometer.analysis.effects.claims import ALPHA, Influence, interval
from virtometer.analysis.effects.fit import Estimates
from virtometer.analysis.notes.nuisance import Nuisance
from virtometer.model import Better, Estimate, Quantity, Screened

_LARGEST = 700.0  # logarithm of a ratio that a floating-point number holds


def change(log: float, low: float, high: float, n: int, level: float = 1 - ALPHA) -> Estimate:
    """By how many per cent a value changes, from logarithms of ratios; bounds that are not a number are None."""
    below, above = (None if math.isnan(one) else _percent(one) for one in (low, high))
    return Estimate(_percent(log), below, above, n, level)


def changes(of: Estimates, blocks: int, alpha: float, jointly: int = 1) -> list[Estimate]:
    """Of each contrast, in the first repetition. alpha: 1 - the level of intervals, of as many as hold `jointly`."""
    rows = zip(*(one[:, 0].tolist() for one in (of.value, *interval(of, alpha / jointly))), strict=True)
    return [change(log, low, high, blocks, round(1 - alpha, 9)) for log, low, high in rows]


def quantity(
    of: Estimate, metric: str, better: Better, level: Sequence[str], against: Sequence[str]
) -> Quantity[Estimate]:
    """The change of a metric from the levels `against` to `level`, one of each factor."""
    return Quantity(":".join(level), metric, "%", better, "change", of, ":".join(against))


def size(of: Estimate) -> float:
    """How far from no change, as a logarithm of a ratio."""
    return abs(math.log1p(max(of.value / 100, -1 + 1e-15)))


def _percent(log: float) -> float:
    return 100 * math.expm1(max(-_LARGEST, min(log, _LARGEST)))


@dataclass(frozen=True, slots=True)
class Contrast:
    """One comparison within a term: a level of each of its factors against another one.

    Of one factor: the change from `against` to `level`. Of two: by how much the change of the first factor is itself
    changed by the second, as a ratio of ratios.
    """

    level: tuple[str, ...]
    against: tuple[str, ...]
    change: Quantity[Estimate]
    verdict: Influence
    p_value: float | None
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class Conditional:
    """The change from `against` to `level` of one factor, where another one has the level `given`.

    none: no influence within the margin there. The intervals of all that belong to one interaction hold jointly.
    """

    factor: str
    level: str
    against: str
    given_factor: str
    given: str
    change: Quantity[Estimate]
    none: bool

    @staticmethod
    def only_with(own: Sequence[Conditional]) -> Conditional | None:
        """The one level of the other factor with which a change does something; None where that is not shown.

        own: the same change at each level of the other factor. No influence is claimed at all others, and 0 lies
        outside the interval at this one.
        """
        matters = [one for one in own if not one.none]
        return matters[0] if len(matters) == 1 < len(own) and matters[0].change.estimate.excludes(0) else None


@dataclass(frozen=True, slots=True)
class Effect:
    """A main effect or an interaction of one metric.

    change: of the contrast that is farthest from 0; where a term has several, its interval holds jointly for all.
    share: of the variance of single trials within blocks. aliases: terms that it cannot be distinguished from; wholly:
    they are the same in this design, elsewhere they enter it in part. conditionals: of an interaction.
    """

    metric: str
    term: str
    factors: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    change: Quantity[Estimate]
    share: float
    verdict: Influence
    p_adjusted: float | None
    aliases: tuple[str, ...] = ()
    wholly: bool = True
    conditionals: tuple[Conditional, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def largest(self) -> Contrast:
        """The contrast that `change` is of."""
        return max(self.contrasts, key=lambda one: size(one.change.estimate))


@dataclass(frozen=True, slots=True)
class Lost:
    """A term without a number, and why, as a sentence without its subject."""

    term: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The setting that is best for a metric: levels of the factors that matter, the others stay as they are.

    metric: empty where it is best for all metrics on average. candidates: settings that it was chosen from; the
    interval of its gain holds jointly for all of them. changed: levels that differ from the default. ran: whether
    the setting itself was measured, with all other factors at their default. trade: what it does to other metrics.
    doubts: claimed effects of what is changed that may be of other terms instead, with these.
    """

    metric: str
    changed: tuple[tuple[str, str, str], ...]
    candidates: int
    gain: Quantity[Estimate]
    ran: bool
    trade: tuple[Quantity[Estimate], ...] = ()
    doubts: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A contrast in the half-normal plot: its size in units of the noise of one trial, and the quantile for it."""

    term: str
    size: float
    quantile: float
    verdict: Influence


@dataclass(frozen=True, slots=True)
class Residual:
    """What the model leaves over of one trial, in per cent, in the order of execution."""

    order: int
    block: int
    percent: float


@dataclass(frozen=True, slots=True)
class Corner:
    """The value at two levels of an interaction, against that at both references, averaged over all other factors."""

    first: str
    second: str
    change: Quantity[Estimate]


@dataclass(frozen=True, slots=True)
class MetricEffects:
    """Everything about one metric. effects: the largest first. corners: of each interaction, by its term.

    diagnostics: sentences on what the model leaves over. control: the second guest of the baseline against the first
    (A/A), as a change of the same metric; None where there is none. interval_level: of the intervals of all changes.
    """

    metric: str
    unit: str
    better: Better
    beside: bool
    effects: tuple[Effect, ...]
    lost: tuple[Lost, ...]
    diagnostics: tuple[str, ...]
    residuals: tuple[Residual, ...]
    half_normal: tuple[Point, ...]
    corners: tuple[tuple[str, tuple[Corner, ...]], ...]
    trials: int
    blocks: int
    recommended: Recommendation | None = None
    control: Quantity[Estimate] | None = None
    interval_level: float = 0.95


@dataclass(frozen=True, slots=True)
class FirstStage:
    """What the first stage of a sequential design says of each factor.

    effects: main effects of the factors that the second stage does not vary, of all metrics. cells, blocks: of the
    first stage.
    """

    screened: tuple[Screened, ...]
    effects: tuple[Effect, ...]
    cells: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Effects:
    """Of an experiment: factors with their levels, the reference first, and what was found of each metric.

    tested: contrasts in both families. overall: the setting that is best for all metrics on average, where there
    are several. first: of a sequential design whose first stage is decided; all else is of the second stage then, if
    there is one. nuisance: of a campaign. typical: whether the verdicts of its plan are about the typical ratio, which
    effects never are. Without factors, all is empty.
    """

    factors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    metrics: tuple[MetricEffects, ...] = ()
    margin: float = 0.05
    tested: int = 0
    overall: Recommendation | None = None
    first: FirstStage | None = None
    nuisance: Nuisance | None = None
    typical: bool = False

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Of all metrics, in their order."""
        return tuple(effect for one in self.metrics for effect in one.effects)
