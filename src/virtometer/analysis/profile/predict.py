"""The slowdown of a command that its counts and the prices of operations predict, and what they leave unexplained.

For each class: extra time = count x (price there - price natively). Of computing: user time x (slowdown - 1). The sum
is divided by the processors that the command keeps busy. docs/methods/profiles.md. PURE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.analysis.profile.counts import Counts
from virtometer.analysis.profile.operations import PRICED, UNPRICED, Priced
from virtometer.model import Estimate, Finding, Quantity, Verdict

Prices = Mapping[tuple[str, str], Finding]
"""Findings of the operations, by workload and environment."""

Measures = Mapping[tuple[str, str], Mapping[str, Quantity[Estimate]]]
"""Further measures of the commands, by command and environment."""

_WORTH_NAMING = 0.01
_EMPTY = "empty"  # of a command: the time of an empty program


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one class explains. count: of a run, in s for computing. a_second: of the time natively.

    native_s, there_s: price of one; None of computing. extra: additional time as a share of the time natively of the
    command, with its interval. efficiency: of the operation.
    """

    name: str
    count: float
    a_second: float
    native_s: float | None
    there_s: float | None
    efficiency: Estimate
    extra: float
    extra_low: float | None
    extra_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A command in an environment. measured, predicted: time there / natively.

    shares: the largest first. rest: measured - predicted, as a share of the time natively. unmeasured: classes whose
    operation does not work there.
    """

    workload: str
    subject: str
    measured: Estimate
    predicted: Estimate
    shares: Sequence[Share]
    unmeasured: Sequence[str]

    @property
    def rest(self) -> float:
        """What is unexplained, as a share of the time natively; below 0 the prediction is too slow."""
        return self.measured.value - self.predicted.value

    @property
    def dominant(self) -> str:
        """The class that explains most; empty where none explains 1 % of the time natively."""
        return self.shares[0].name if self.shares and self.shares[0].extra >= _WORTH_NAMING else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A command: its counts, how long it takes natively, and a prediction for each other environment.

    unpriced: classes without a price that it has, with their numbers. few: classes with too few to matter.
    """

    workload: str
    native_s: float
    counts: Counts
    predictions: Sequence[Prediction]
    unpriced: Mapping[str, int]
    few: Sequence[str]


class Profiled:
    """What was learnt beside a campaign: the counts of its commands, and what their operations cost.

    counts: by the name of the command. prices: findings of the operations.
    """

    def __init__(self, counts: Mapping[str, Counts], prices: Sequence[Finding]) -> None:
        """Of campaigns of the same environments."""
        self.counts = counts
        self.prices: Prices = {(one.workload, one.subject): one for one in prices}


def profiles(findings: Sequence[Finding], measures: Measures, profiled: Profiled | None) -> tuple[Profile, ...]:
    """Of each command that was counted, in the order of the findings. Empty where nothing was.

    measures: of the commands. Those of the processor's time are of many runs, and replace those of the one that was
    accounted, as the time natively replaces its wall time.
    """
    if profiled is None:
        return ()
    of: dict[str, list[Finding]] = {}
    for one in findings:
        if one.workload in profiled.counts:
            of.setdefault(one.workload, []).append(one)
    made = (_profile(name, some, measures, profiled) for name, some in of.items())
    return tuple(one for one in made if one is not None)


def _profile(name: str, findings: Sequence[Finding], measures: Measures, profiled: Profiled) -> Profile | None:
    baseline = next((one for one in findings if one.verdict is Verdict.BASELINE), None)
    if baseline is None or baseline.value.estimate is None:
        return None
    own, native_s, prices = baseline.subject, baseline.value.estimate.value, profiled.prices
    known = measures.get((name, own), {})
    counts = profiled.counts[name]
    if "user" in known and "system" in known:  # all three of the same runs: their ratio is a number of processors
        user_s, system_s = known["user"].estimate.value, known["system"].estimate.value
        counts = replace(counts, user_s=user_s, system_s=system_s, wall_s=native_s)
    needed = {one.name for one in PRICED if not one.op or (one.workload(counts), own) in prices}
    predictions = []
    for finding in findings:
        if finding is baseline or finding.decisive is None:
            continue
        shares, unmeasured = list[Share](), list[str]()
        for one in PRICED:
            if one.name not in needed or not one.count(counts):
                continue
            price = _price(one, counts, own, prices, known)
            there = measures.get((name, finding.subject), {})
            efficiency = _efficiency(one, counts, finding.subject, prices, known, there)
            if price is None or efficiency is None:
                unmeasured.append(one.name)
            else:
                shares.append(_share(one, counts, native_s, price, efficiency))
        predictions.append(
            Prediction(
                workload=name, subject=finding.subject, measured=_inverse(finding.decisive), predicted=_sum(shares),
                shares=sorted(shares, key=lambda share: -share.extra), unmeasured=unmeasured,
            )
        )  # fmt: skip
    return Profile(
        workload=name, native_s=native_s, counts=counts, predictions=predictions,
        unpriced={one: number for one in UNPRICED if (number := counts.classes.get(one, 0))},
        few=[one.name for one in PRICED if one.name not in needed and one.count(counts)],
    )  # fmt: skip


def _share(one: Priced, counts: Counts, native_s: float, price: float, efficiency: Estimate) -> Share:
    count, slower = one.count(counts), _inverse(efficiency)
    unit = count * price / counts.busy_processors / native_s
    low, high = (None if by is None else unit * (by - 1) for by in (slower.low, slower.high))
    return Share(
        name=one.name, count=count, a_second=count / native_s, native_s=None if one.in_time else price,
        there_s=None if one.in_time else price * slower.value, efficiency=efficiency,
        extra=unit * (slower.value - 1), extra_low=low, extra_high=high,
    )  # fmt: skip


def _efficiency(
    one: Priced,
    counts: Counts,
    subject: str,
    prices: Prices,
    own: Mapping[str, Quantity[Estimate]],
    there: Mapping[str, Quantity[Estimate]],
) -> Estimate | None:
    """Of an operation in an environment. Of empty programs: from the ends of both intervals."""
    if one.op:
        finding = prices.get((one.workload(counts), subject))
        return None if finding is None else finding.decisive
    if _EMPTY not in own or _EMPTY not in there:
        return None
    mine, theirs = own[_EMPTY].estimate, there[_EMPTY].estimate
    if mine.value <= 0 or theirs.value <= 0:
        return None
    value, number = mine.value / theirs.value, min(mine.n, theirs.n)
    if mine.low is None or mine.high is None or not theirs.low or not theirs.high:
        return Estimate(value, None, None, number)
    return Estimate(value, mine.low / theirs.high, mine.high / theirs.low, number, mine.level)


def _price(
    one: Priced, counts: Counts, subject: str, prices: Prices, own: Mapping[str, Quantity[Estimate]]
) -> float | None:
    """Seconds of one natively; of computing 1, because its count is in seconds. subject: the baseline."""
    if one.in_time:
        return 1.0
    if not one.op:
        return own[_EMPTY].estimate.value if _EMPTY in own else None
    value = prices[one.workload(counts), subject].value
    if value.estimate is None:
        return None
    of = value.estimate.value
    return counts.read_size / of if value.unit == "B/s" else of / one.each


def _inverse(of: Estimate) -> Estimate:
    """Time there / natively, of an efficiency."""
    low, high = (None if bound is None or bound <= 0 else 1 / bound for bound in (of.high, of.low))
    return Estimate(1 / of.value, low, high, of.n, of.level)


def _sum(shares: Sequence[Share]) -> Estimate:
    """1 + all extra time. Its interval: operations are independent of each other, so half widths add in squares."""
    value = 1 + sum(one.extra for one in shares)
    known = [one for one in shares if one.extra_low is not None and one.extra_high is not None]
    count = min((one.efficiency.n for one in shares), default=0)
    if len(known) < len(shares) or not shares:
        return Estimate(value, None, None, count)
    low = sum((one.extra - (one.extra_low or 0.0)) ** 2 for one in known) ** 0.5
    high = sum(((one.extra_high or 0.0) - one.extra) ** 2 for one in known) ** 0.5
    level = max(one.efficiency.level for one in shares)
    return Estimate(value, max(value - low, 0.0), value + high, count, level)
