"""Groups of guests that do the same work at once, beside one guest alone: as printed, and in campaigns. PURE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.measured import ALONE, Blocks, Measured
from virtometer.analysis.studies.ratios import positive, speed, speed_then
from virtometer.model import Level
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Facts, Work
from virtometer.studies.rules import slipped
from virtometer.studies.selectors import described, selects


@dataclass(frozen=True, slots=True)
class PrintedGroup:
    """Guests at once. speeds: of each; total: of all, None where one is unknown.

    spread: standard deviation of the speeds by their mean, where the study prints no speeds but that.
    """

    guests: int
    speeds: tuple[float, ...]
    total: float | None
    spread: float | None


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """The same work in groups of several sizes, the smallest first. alone: the speed of one guest alone."""

    alone: float | None
    groups: tuple[PrintedGroup, ...]


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """Guests at once, with their speeds by block; total: of all. speeds is empty where only all are known."""

    guests: int
    speeds: tuple[Blocks, ...]
    total: Blocks


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """As a printed row, in the environment `by` of the campaign with this number."""

    alone: Blocks
    groups: tuple[MeasuredGroup, ...]
    by: str
    campaign: int


def sizes(then: Sequence[PrintedRow], now: Sequence[MeasuredRow]) -> list[int]:
    """The numbers of guests that any row has, the smallest first."""
    printed = {group.guests for row in then for group in row.groups}
    return sorted(printed | {group.guests for row in now for group in row.groups})


def printed_rows(work: Work, cells: Sequence[PublishedValue]) -> list[PrintedRow]:
    """The rows of a work, of those of these cells that it is about."""
    return [row for of in _alike(work, cells) if (row := _printed_row(of)).groups]


def measured_rows(work: Work, cells: Sequence[PublishedValue], matcher: Matcher) -> list[MeasuredRow]:
    """The rows of a work, each in the first campaign that has it."""
    if work.measured:
        return _of_series(work.measured, matcher)
    return [row for of in _alike(work, cells) if (row := _measured_row(of, matcher)) is not None]


def places_of(rows: Sequence[MeasuredRow]) -> str:
    """The names of their environments, each once."""
    return ", ".join(dict.fromkeys(row.by for row in rows))


def _alike(work: Work, cells: Sequence[PublishedValue]) -> list[list[PublishedValue]]:
    """The cells that differ by guests alone, for each row."""
    rows: dict[tuple[tuple[str, str], ...], list[PublishedValue]] = {}
    for one in cells:
        if work.cells and selects(work.cells, one) and one.statistic != "expected":
            texts = {name: text for name, text in described(one).items() if name not in _OF_GROUPS}
            rows.setdefault(tuple(sorted(texts.items())), []).append(one)
    return list(rows.values())


_OF_GROUPS = frozenset({"guests", "member", "statistic"})


def _by_member(of: Sequence[PublishedValue]) -> Mapping[int, Mapping[str, PublishedValue]]:
    """The cells by the number of guests and the member; standard deviations are those of `sd`."""
    found: dict[int, dict[str, PublishedValue]] = {}
    for one in of:
        if one.value and one.id not in slipped(one.study):
            member = "sd" if one.statistic == "sd" else one.member
            found.setdefault(one.guests or 1, {}).setdefault(member, one)
    return dict(sorted(found.items()))


def _alone(members: Mapping[str, PublishedValue]) -> PublishedValue | None:
    return next((one for name, one in members.items() if name != "sd"), None)


def _numbered(members: Mapping[str, PublishedValue], guests: int) -> list[PublishedValue]:
    """The cells of all guests, in their order; empty where one is missing."""
    some = [members.get(str(number)) for number in range(1, guests + 1)]
    return [one for one in some if one is not None] if None not in some else []


def _printed_row(of: Sequence[PublishedValue]) -> PrintedRow:
    by_guests = _by_member(of)
    single = _alone(by_guests.get(1, {}))
    groups = []
    for guests, members in by_guests.items():
        if guests < 2:
            continue
        speeds = [speed_then(one) or math.nan for one in _numbered(members, guests)]
        total = speed_then(members["sum"]) if "sum" in members else None
        mean = speed_then(members["mean"]) if "mean" in members else None
        if total is None:
            total = math.fsum(speeds) if speeds else None if mean is None else mean * guests
        spread = None
        if "sd" in members and "mean" in members and not speeds:
            spread = (members["sd"].value or 0.0) / (members["mean"].value or math.nan)
        if speeds or total is not None:
            groups.append(PrintedGroup(guests, tuple(speeds), total, spread))
    return PrintedRow(None if single is None else speed_then(single), tuple(groups))


def _measured_row(of: Sequence[PublishedValue], matcher: Matcher) -> MeasuredRow | None:
    by_guests = _by_member_of_all(of)
    single = _alone(by_guests.get(1, {}))
    for campaign in [] if single is None else matcher.campaigns_for(single):
        assert single is not None
        inside = matcher.within(campaign)
        alone = inside.find(single)
        if not isinstance(alone, Found):
            continue
        some = [_measured_group(guests, members, alone, inside) for guests, members in by_guests.items() if guests > 1]
        groups = tuple(one for one in some if one is not None)
        if groups:
            return MeasuredRow(_speeds(alone.values, single.better), groups, alone.by, campaign)
    return None


def _by_member_of_all(of: Sequence[PublishedValue]) -> Mapping[int, Mapping[str, PublishedValue]]:
    """As `_by_member`, with the cells whose printed number is unknown: campaigns may have them."""
    found: dict[int, dict[str, PublishedValue]] = {}
    for one in of:
        if one.statistic != "sd":
            found.setdefault(one.guests or 1, {}).setdefault(one.member, one)
    return dict(sorted(found.items()))


def _measured_group(
    guests: int, members: Mapping[str, PublishedValue], alone: Found, matcher: Matcher
) -> MeasuredGroup | None:
    def of(some: Sequence[PublishedValue]) -> list[Blocks]:
        known = [(one, matcher.find(one)) for one in some]
        return [
            _speeds(found.values, one.better)
            for one, found in known
            if isinstance(found, Found) and found.by == alone.by
        ]

    speeds = of(_numbered(members, guests))
    if len(speeds) == guests:
        return MeasuredGroup(guests, tuple(speeds), _sum(speeds))
    for member, times in (("sum", 1), ("mean", guests)):
        if member in members and (joined := of([members[member]])):
            return MeasuredGroup(guests, (), {block: one * times for block, one in joined[0].items()})
    return None


def _of_series(facts: Facts, matcher: Matcher) -> list[MeasuredRow]:
    """The rows of all campaigns of the study, each work once; where these have none, of the first other campaign."""
    found: dict[_Facts, MeasuredRow] = {}
    for campaign in matcher.own:
        found = {**_rows_in(campaign, facts, matcher), **found}
    others = (_rows_in(campaign, facts, matcher) for campaign in range(len(matcher.series)))
    return [*(found or next(filter(None, others), {})).values()]


_Facts = tuple[tuple[str, Level], ...]


def _rows_in(campaign: int, facts: Facts, matcher: Matcher) -> dict[_Facts, MeasuredRow]:
    """Rows of the first environment, other than the baseline, that has groups with these facts."""
    kinds = [one.kind for rule in matcher.of.environments for one in rule.kinds]
    baseline = matcher.analyses[campaign].campaign.plan.baseline
    some = [one for one in matcher.series[campaign] if one.place.kind in kinds and _fits(one.facts, facts)]
    names = {one.place.name: kinds.index(one.place.kind) for one in some if one.place.name != baseline}
    for name in sorted(names, key=lambda one: names[one]):
        rows = _rows_of([one for one in some if one.place.name == name], campaign)
        if rows:
            return rows
    return {}


def _rows_of(series: Sequence[Measured], campaign: int) -> dict[_Facts, MeasuredRow]:
    by_facts: dict[_Facts, list[Measured]] = {}
    for one in series:
        by_facts.setdefault(tuple(sorted(one.facts.items())), []).append(one)
    found = {}
    for key, of in by_facts.items():
        alone = next((_speeds(one.values, one.better) for one in of if one.situation == ALONE), {})
        by_guests: dict[int, dict[int, Blocks]] = {}
        for one in of:
            if one.situation.scenario == "together":
                by_guests.setdefault(one.situation.guests, {})[one.number] = _speeds(one.values, one.better)
        groups = tuple(
            MeasuredGroup(guests, tuple(speeds[number] for number in sorted(speeds)), _sum([*speeds.values()]))
            for guests, speeds in sorted(by_guests.items())
            if len(speeds) == guests
        )
        if groups:
            found[key] = MeasuredRow(alone, groups, of[0].place.name, campaign)
    return found


def _fits(of: Mapping[str, Level], wanted: Facts) -> bool:
    return all(
        name in of and any(fnmatchcase(str(of[name]), pattern) for pattern in patterns)
        for name, patterns in wanted.items()
    )


def _speeds(values: Blocks, better: str) -> Blocks:
    return {block: found for block, one in positive(values).items() if (found := speed(one, better)) is not None}


def _sum(of: Sequence[Blocks]) -> Blocks:
    shared = sorted(set[int].intersection(*(set(one) for one in of)))
    return {block: math.fsum(one[block] for one in of) for block in shared}
