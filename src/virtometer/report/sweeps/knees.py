"""The knee of latency in words and as a table, the same on the terminal and on the page. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from virtometer.analysis.curves.knees import PERCENTILE, Knee
from virtometer.analysis.statistics.knee import LATER, Middle, Position
from virtometer.counted import counted
from virtometer.model import MIN_BLOCKS
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable

PERCENT = f"{100 * PERCENTILE:g} %"
ABOUT = f"rate at which {PERCENT} of the requests take up to {LATER:g} times as long as at low rates"
_UNIT = "requests/s"
Shown: TypeAlias = Callable[[float], str]


def groups(of: Sequence[Knee]) -> list[list[Knee]]:
    """The knees that are compared with each other: of one series, one scenario, one number of guests."""
    found: dict[tuple[str, tuple[str, ...], str, int], list[Knee]] = {}
    for one in of:
        key = (one.series.name, tuple(one.series.points.values()), one.scenario, one.guests)
        found.setdefault(key, []).append(one)
    return list(found.values())


def group(of: Knee) -> str:
    """The words before a group of guests; empty for one guest alone."""
    return f"{of.scenario}, {counted(of.guests, 'guest')}: " if of.scenario else ""


def sentence(of: Sequence[Knee]) -> str:
    """One sentence on the knees of a group."""
    parts = []
    for one in of:
        parts.append(f"{one.environment} {place(one)}{_against(one)}")
    levels = "".join(f", {name} {level}" for name, level in of[0].series.levels.items())
    return f"{group(of[0])}knee of {of[0].series.name}{levels}, the {ABOUT}: {'; '.join(parts)}."


def notes(of: Sequence[Knee]) -> list[str]:
    """What is missing in a group, a sentence an environment."""
    said = []
    for one in of:
        found = list(one.notes)
        if one.at is not None and one.at.n < MIN_BLOCKS:
            found.append(f"{counted(one.at.n, 'block')} with a knee; an interval takes {MIN_BLOCKS}")
        if found:
            said.append(f"{group(one)}{one.environment}: {'; '.join(found)}")
    return said


def place(of: Knee) -> str:
    """Where a knee is, with its interval: 5,600 requests/s [4,000, 8,000], above 64,000 requests/s, not known."""
    if of.at is None:
        return "not known"
    if of.at.position is Position.WITHIN:
        assert of.at.value is not None
        return f"{_rate(of.at.value)} {_UNIT} {_bounds(of.at, _bound)}".rstrip()
    bound = _one_sided(of.at, _bound)
    if of.at.position is Position.UNKNOWN:
        return f"not known{f' ({bound} {_UNIT})' if bound else ''}"
    if not bound:
        where = "above" if of.at.position is Position.ABOVE else "below"
        return f"{where} the measured rates"
    return f"{bound} {_UNIT}"


def table(of: Sequence[Knee], title: str) -> TextTable:
    """A row an environment. title: of the series."""
    rows = [
        (
            one.environment,
            place(one),
            "1" if one.is_baseline else "not known" if one.ratio is None else _ratio(one.ratio),
            str(one.at.n if one.at is not None else 0),
            f"{_bound(one.smallest)} to {_bound(one.largest)}",
            *(words.quantity(one.latencies[rate].estimate.value, "s") for rate in (one.smallest, one.largest)),
        )
        for one in of
    ]
    return TextTable(
        f"{group(of[0])}knee of {title}: {ABOUT}; median over the blocks with its 95 % interval, and its ratio to that "
        f"of {of[0].against}",
        (
            "environment", "knee", f"against {of[0].against}", "blocks", "rates", f"{PERCENT} at the smallest",
            f"{PERCENT} at the largest",
        ),
        rows,
        frozenset({3, 4, 5, 6}),
    )  # fmt: skip


def _against(of: Knee) -> str:
    """The ratio to the baseline's knee at the end of a sentence; empty of the baseline."""
    if of.is_baseline or of.ratio is None:
        return ""
    if of.ratio.position is Position.UNKNOWN:
        return f", its ratio to {of.against}'s {_ratio(of.ratio)}"
    return f", {_ratio(of.ratio)} of {of.against}'s"


def _rate(value: float) -> str:
    return words.significant(value) if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def _bound(value: float) -> str:
    """A rate of the plan, which is not rounded."""
    return f"{value:,.10g}"


def _times(value: float) -> str:
    return words.significant(value)


def _ratio(of: Middle) -> str:
    if of.position is Position.WITHIN:
        assert of.value is not None
        return f"{_times(of.value)} {_bounds(of, _times)}".rstrip()
    bound = _one_sided(of, _times)
    if of.position is Position.UNKNOWN:
        return f"not known{f' ({bound})' if bound else ''}"
    return bound or ("more than is known" if of.position is Position.ABOVE else "less than is known")


def _bounds(of: Middle, shown: Shown) -> str:
    """The interval behind a value; with one bound in words."""
    if of.low is not None and of.high is not None:
        return f"[{shown(of.low)}, {shown(of.high)}]"
    bound = _one_sided(of, shown)
    return f"({bound})" if bound else ""


def _one_sided(of: Middle, shown: Shown) -> str:
    """What is known without a value; empty where nothing is."""
    parts = [f"above {shown(of.low)}"] if of.low is not None else []
    parts += [f"below {shown(of.high)}"] if of.high is not None else []
    return " and ".join(parts)
