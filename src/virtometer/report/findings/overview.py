"""The picture at the head of the result: a panel a workload, environments as rows, on one logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from virtometer.model import Finding, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.figures import absent, band_words, facts, ratio_layers, ratio_row
from virtometer.report.parts.plot import NUMBERS, Figure, data, finish

_ROW = 21  # pixels of one environment
_MOST = 24  # panels; a reader does not compare more, and each takes time to draw
_LONG = 24  # characters of a name that a panel has room for
_BEYOND = 8.0  # an interval is drawn so many times beyond the outermost ratio at most
_PAD = 1.15
_CLAIMS = (Verdict.SLOWER, Verdict.FASTER)


@dataclass(frozen=True, slots=True)
class Overview:
    """The panels, with one caption for all of them."""

    panels: Sequence[Figure]
    caption: str


def overview(findings: Sequence[Finding], margin: float, swept: frozenset[str] = frozenset()) -> Overview | None:
    """A panel for each workload. swept: workloads of sweeps, which have curves of their own.

    Of more than 24 workloads, those with a `slower` or `faster` are drawn. None where no workload has a ratio.
    """
    of: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is not Verdict.BASELINE and finding.workload not in swept:
            of.setdefault(finding.workload, []).append(finding)
    if all(one.decisive is None for some in of.values() for one in some):
        return None
    ranked = sorted(of, key=lambda name: _rank(of[name]))[:_MOST]
    drawn = {name: some for name, some in of.items() if name in ranked}
    domain = _domain([one for some in drawn.values() for one in some], margin)
    against, level = findings[0].ratio.reference, words.interval_level(findings)
    labels = _labels(findings)
    left_out = f" {len(drawn)} of {len(of)} workloads are drawn." if len(drawn) < len(of) else ""
    hollow = " Hollow: not comparable." if any(one.unlike for some in drawn.values() for one in some) else ""
    return Overview(
        [_panel(name, some, margin, domain, labels) for name, some in drawn.items()],
        f"Efficiency against {against} with {level} intervals, on one logarithmic axis; further right is better. "
        f"Grey band: within the plan's margin, {band_words(margin)}. "
        "Red: slower; green: faster; turquoise: equivalent; brown: undecided."
        f"{hollow}{_cut(drawn, domain)}{left_out}",
    )


def _cut(drawn: Mapping[str, Sequence[Finding]], domain: tuple[float, float]) -> str:
    """That intervals are longer than the axis; empty where none is."""
    ratios = [of for some in drawn.values() for one in some if (of := one.decisive) is not None]
    longer = any((of.low or math.inf) < domain[0] or (of.high or 0.0) > domain[1] for of in ratios)
    return " Intervals that leave the axis are cut." if longer else ""


def _rank(findings: Sequence[Finding]) -> tuple[bool, bool]:
    """Where a workload stands among many: those with a difference first, those without a ratio last."""
    return all(one.decisive is None for one in findings), not any(one.verdict in _CLAIMS for one in findings)


def _labels(findings: Sequence[Finding]) -> dict[str, str]:
    """What each environment is called in a narrow panel: long names without the words that all of them have."""
    names = list(dict.fromkeys(one.subject for one in findings if one.verdict is not Verdict.BASELINE))
    common = set.intersection(*(set(name.split()) for name in names)) if len(names) > 1 else set()
    short = {name: " ".join(word for word in name.split() if word not in common) for name in names}
    usable = max(map(len, names)) > _LONG and all(short.values()) and len(set(short.values())) == len(names)
    return short if usable else {name: name for name in names}


def _domain(findings: Sequence[Finding], margin: float) -> tuple[float, float]:
    """What all panels show. Very wide intervals do not take the whole axis."""
    ratios = [of for one in findings if (of := one.decisive) is not None]
    values = [of.value for of in ratios] + [1 / (1 + margin), 1 + margin]
    low = max(min(values) / _BEYOND, min([*values, *(of.low for of in ratios if of.low)]))
    high = min(max(values) * _BEYOND, max([*values, *(of.high for of in ratios if of.high)]))
    return low / _PAD, high * _PAD


def _ticks(domain: tuple[float, float]) -> list[float]:
    """Powers of ten; where there are fewer than three, also their doubles and halves; at least 1."""
    decades = range(math.floor(math.log10(domain[0])), math.ceil(math.log10(domain[1])) + 1)
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.5)):
        found = [step * 10.0**power for power in decades for step in steps]
        inside = [tick for tick in found if domain[0] <= tick <= domain[1]]
        if len(inside) >= 3:
            break
    return inside[:: math.ceil(len(inside) / 6)] if len(inside) > 8 else inside


def _panel(
    workload: str, findings: Sequence[Finding], margin: float, domain: tuple[float, float], labels: Mapping[str, str]
) -> Figure:
    low, high = domain
    rows = [
        {
            **ratio_row(one),
            "environment": labels[one.subject],
            "low": None if of.low is None else min(max(of.low, low), high),
            "high": None if of.high is None else min(max(of.high, low), high),
        }
        for one in findings
        if (of := one.decisive) is not None
    ]
    names = [labels[one.subject] for one in findings]
    gone = [
        {"environment": labels[one.subject], "text": words.verdict(one)} for one in findings if one.decisive is None
    ]
    scale = alt.Scale(type="log", domain=list(domain), nice=False)
    x = alt.X("ratio:Q", scale=scale, axis=alt.Axis(title=None, format=NUMBERS, values=_ticks(domain), grid=True))
    y = alt.Y("environment:N", sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(title=None))
    base = alt.Chart(data(rows), height=alt.Step(_ROW))
    layers = [*ratio_layers(base, x, y, margin, size=52), *absent(gone, y)]
    return Figure(finish(alt.layer(*layers)), f"{workload}: {facts(findings)}", workload)
