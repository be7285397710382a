"""Numbers and verdicts as people read them, the same in every report."""

from __future__ import annotations

import math
from collections.abc import Iterable

from virtometer.model import Estimate, Finding, PlanWorkload, Quantity, Verdict

_CLAIM = "The chance that any such claim of the whole campaign is wrong is at most 2 %"
GLOSSARY = {
    Verdict.EQUIVALENT: (
        "the difference from the baseline is smaller than the plan's margin, in either direction: "
        "two one-sided tests at 5 % say so"
    ),
    Verdict.SLOWER: f"worse than the baseline. {_CLAIM}",
    Verdict.FASTER: f"better than the baseline. {_CLAIM}",
    Verdict.UNDECIDED: (
        "the measurements allow neither claim. Beside it stands what could have been seen, "
        "and how much more measuring would decide"
    ),
    Verdict.BASELINE: "what the others are compared with. Its efficiency is 1 by definition",
    Verdict.UNAVAILABLE: (
        "this environment cannot do it, or does not work on this host. The reason is given. It is not a zero"
    ),
}

OF_GROUPS = {
    "sum": "work per second of all measured guests of a trial, over the time in which all of them worked",
    "ideal": (
        "the sum that the processors allow: one guest's rate for each, shared fairly where the guests' work can use "
        "more processors than there are"
    ),
    "slowdown": "how many times slower a guest is beside others than alone in the same block",
    "host CPU by work": "CPU seconds of the host for all measured guests by their work: for a FLOP, byte or operation",
    "worst share, max/min, CV": (
        "share of the slowest guest in the sum, largest by smallest rate, and standard deviation by mean, in a trial"
    ),
    "Jain": "an index of fairness, 1 where all guests have the same; it forgives much: 60 to 40 scores 0.96",
    "sigma, kappa": (
        "of the universal scalability law: the part of the work that guests wait for each other with, and what keeping "
        "each other coherent costs"
    ),
    "start skew": (
        "host time from the first begin of a window to the last, with the bound of its error by the clocks. 99 % of "
        "the trials were within it"
    ),
}
TYPICAL = "Efficiency and verdict are about the typical ratio, which leaves out stalls, where no note says otherwise."
RAW = "Raw values: everything is timed by the guests' own clocks, nothing is corrected."
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_HUGE = 1000  # a detectable factor above this says no more than that nothing could be seen
_WIDE = 0.1  # half widths above this share of the value are shown as [low, high]: the two halves differ
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def significant(value: float, digits: int = 3) -> str:
    """A number with so many significant digits and no exponent: 0.0712, 1.30, 18.1, 1,230."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.{digits - 1}e}")  # before digits are counted: 99.99 is 100, and not 100.0
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(places, 0)}f}"


def prefixed(value: float, unit: str) -> tuple[float, str]:
    """Size and name of the unit in which a value reads well."""
    if unit == "s":
        return next(((size, name) for size, name in TIMES if value >= size), (1e-9, "ns"))
    if unit in ("B/s", "FLOP/s"):
        return next(((size, f"{name}{unit}") for size, name in PREFIXES if value >= size), (1.0, unit))
    if unit == "1/s" and value >= 1e6:
        return next((size, f"{name}/s") for size, name in PREFIXES if value >= size)
    return 1.0, unit


def quantity(value: float, unit: str) -> str:
    """A value in its unit, with a decimal prefix: 18.1 GB/s, 3.20 µs, 10,300 IO/s, 2.02 G/s."""
    size, name = prefixed(value, unit)
    return f"{significant(value / size)} {name}"


def in_bytes(workload: str, op: str, parameter: str) -> bool:
    """Whether a parameter of a workload is a number of bytes; False of what this version does not have."""
    from virtometer.workloads.registry import WORKLOADS  # its models take a moment to make

    known = WORKLOADS.get(workload)
    return known is not None and op in known.operations and known.in_bytes(op, parameter)


def level(of: PlanWorkload, factor: str) -> str:
    """The level of a factor in words: 4 KiB, read, true. Empty where the combination has none."""
    value = of.levels.get(factor, "")
    if isinstance(value, bool):
        return str(value).lower()
    return size(value) if isinstance(value, int) and in_bytes(of.workload, of.op, factor) else str(value)


def size(value: float) -> str:
    """Bytes with a binary prefix where that is short: 32 KiB, 1.5 MiB, 87,380 B."""
    for shift, name in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if value >= 1 << shift and value * 8 % (1 << shift) == 0:
            return f"{value / (1 << shift):g} {name}"
    return f"{value:g} B" if value != int(value) else f"{int(value):,} B"


def measure(value: float, unit: str) -> str:
    """A further measure: times per byte as µs per KB as is usual, processor time in percent of one processor's."""
    return _measured(value, *_scale_of(value, unit))


def measures(middle: float, low: float, high: float, unit: str) -> str:
    """A further measure with its range, in the unit that suits the middle: 3.20 µs [2.90 to 14.0]."""
    if low == high:
        return measure(middle, unit)
    if unit == "B":
        return f"{size(middle)} [{size(low)} to {size(high)}]"
    step, name = _scale_of(middle, unit)
    return f"{_measured(middle, step, name)} [{_measured(low, step, '')} to {_measured(high, step, '')}]"


def _scale_of(value: float, unit: str) -> tuple[float, str]:
    """Size and name of the unit in which a further measure is shown; of counts and shares without a name."""
    if unit == "s/B":
        return 1e-9, "µs/KB"
    if unit == "s/s":
        return 0.01, "%"
    if unit.startswith("s/"):
        step, name = prefixed(value, "s") if value > 0 else (1.0, "s")
        return step, f"{name}/{unit[2:]}"
    if unit == "1":
        return 1.0, ""
    return prefixed(value, unit) if value > 0 else (1.0, unit)


def _measured(value: float, step: float, name: str) -> str:
    if name == "B":
        return size(value)
    shown = value / step
    whole = step == 1.0 and not name.startswith("s") and shown == int(shown)
    return f"{f'{shown:,.0f}' if whole else significant(shown)} {name}".rstrip()


def duration(seconds: float) -> str:
    """A length of time in words: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{significant(seconds / 3600, 2)} h"


def value(of: Quantity[Estimate | None] | None) -> str:
    """What was reached, in its unit, or a ratio with its interval; empty where there is none."""
    if of is None or of.estimate is None:
        return ""
    return estimate(of.estimate) if of.reference else quantity(of.estimate.value, of.unit)


def interval(estimate: Estimate) -> str:
    """What follows the value: ±half where both halves look alike, [low, high] where they do not, empty without one."""
    if estimate.low is None or estimate.high is None:
        return ""
    half = (estimate.high - estimate.low) / 2
    if half > _WIDE * estimate.value:
        return f"[{_bound(estimate.low)}, {_bound(estimate.high)}]"
    scale = 10 ** _places(estimate)
    # Rounded up: an interval is never shown narrower than it is, nor as ±0.
    return f"±{math.ceil(half * scale - 1e-9) / scale:.{_places(estimate)}f}"


def level_words(level: float) -> str:
    """The level of an interval: 95 %, 97 %."""
    return f"{100 * level:.3g} %"


def interval_level(findings: Iterable[Finding]) -> str:
    """The level of the intervals of these comparisons, which a campaign in stages makes wider: 95 %, 97 %."""
    compared = [one.decisive for one in findings if one.verdict is not Verdict.BASELINE]
    levels = [ratio.level for ratio in compared if ratio is not None]
    return level_words(max(levels, default=0.95))


def ratio(estimate: Estimate) -> str:
    """A ratio with as many places as its interval allows."""
    if estimate.low is None or estimate.high is None or (estimate.high - estimate.low) / 2 > _WIDE * estimate.value:
        return _bound(estimate.value)
    return f"{estimate.value:.{_places(estimate)}f}"


def _bound(value: float) -> str:
    return significant(value, 3 if value >= 1 else 2)


def _places(estimate: Estimate) -> int:
    """Decimals of a value and its half width: where the half width has its first digit, within reason."""
    half = ((estimate.high or 0.0) - (estimate.low or 0.0)) / 2
    least = max(0, 1 - math.floor(math.log10(estimate.value)))  # two significant digits of the value at least
    wanted = least if half <= 1e-12 else max(least, -math.floor(math.log10(half * (1 + 1e-9))))
    return min(wanted, least + 2)


def verdict(finding: Finding) -> str:
    """The verdict with what qualifies it: `undecided: the host was busy`, `equivalent between stalls; total ...`."""
    if not finding.qualified:
        return finding.verdict.value
    joined = " " if finding.verdict is Verdict.EQUIVALENT else ": "
    return f"{finding.verdict.value}{joined}{finding.qualified}"


def efficiency(finding: Finding) -> str:
    """The ratio that the verdict is about, and its interval; empty where there is none."""
    return estimate(finding.decisive)


def estimate(of: Estimate | None) -> str:
    """A ratio and its interval, or empty where there is none."""
    return "" if of is None else f"{ratio(of)} {interval(of)}".rstrip()


def cost(finding: Finding) -> str:
    """Host CPU time per unit of work against the baseline's: ×1.3; empty where it is unknown."""
    if finding.host_cpu_ratio is None:
        return ""
    return f"×{significant(finding.host_cpu_ratio.estimate.value, 2)}"


def deciding(finding: Finding) -> str:
    """What an undecided comparison could have seen and what deciding takes; empty for others."""
    if finding.verdict is not Verdict.UNDECIDED:
        return ""
    said = []
    n = finding.ratio.n
    if finding.detectable is not None:
        said.append(f"{n} blocks would have shown {difference(finding.detectable)}")
    if finding.blocks_needed is not None:
        about = more(finding.blocks_needed - n, finding.seconds_needed)
        said.append(f"deciding takes about {about}{more_range(finding)}")
    elif finding.detectable is not None:
        said.append("deciding takes more blocks than a plan may have")
    return "; ".join(said)


def more(blocks: int, seconds: float | None) -> str:
    """So many more blocks, and how long they take where that is known: 12 more blocks (5 min)."""
    time = f" ({duration(seconds)})" if seconds is not None else ""
    return f"{blocks:,} more {'block' if blocks == 1 else 'blocks'}{time}"


def more_range(finding: Finding) -> str:
    """The range of the further blocks: `, probably 5 to 94`; empty where it is not known or is one number."""
    n, low, high = finding.ratio.n, finding.blocks_needed_low, finding.blocks_needed_high
    if low is None or low == high:
        return ""
    return f", probably {low - n:,} {'or more' if high is None else f'to {high - n:,}'}"


def percent(fraction: float) -> str:
    """A fraction in percent: 0.072 is 7.2 %."""
    return f"{significant(100 * fraction, 2)} %"


def difference(fraction: float) -> str:
    """A detectable difference in words: a difference of 7.2 %, or a factor of 3.1 where that reads better."""
    if fraction < 1:
        return f"a difference of {percent(fraction)}"
    return f"a factor of {significant(1 + fraction, 2)}" if fraction < _HUGE else f"a factor above {_HUGE:,}"


def differences(best: float, worst: float) -> str:
    """The range of detectable differences: differences of 4.5 % to 38 %, a difference of 4.5 % to a factor of 3.1."""
    one, other = difference(best), difference(worst)
    if one == other:
        return one
    return f"differences of {percent(best)} to {percent(worst)}" if worst < 1 else f"{one} to {other}"


def star(finding: Finding) -> str:
    """The mark of a comparison under different conditions."""
    return "" if finding.comparable else "*"


def all_notes(finding: Finding) -> list[str]:
    """The notes of a finding with what an undecided one could have seen."""
    more = deciding(finding)
    return [*finding.notes, *([f"undecided: {more}"] if more else [])]
