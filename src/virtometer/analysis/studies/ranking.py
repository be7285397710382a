"""Which tool is the best for which purpose: ranks of the printed systems, and of a campaign's environments. PURE.

Purposes are never added up: what is best for one may be worst for another.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from virtometer.analysis.studies import derived
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.analysis.studies.ratios import Logs, logs, speed_then
from virtometer.model import Estimate
from virtometer.studies.data import PublishedValue
from virtometer.studies.questions import Purpose, Ranking
from virtometer.studies.rules import MARGIN, slipped
from virtometer.studies.sections import reference
from virtometer.studies.selectors import described, selects, text_of


@dataclass(frozen=True, slots=True)
class Ranked:
    """A tool with its rank, 1 for the best, shared ones included. won: tests in which it has the first rank.

    tool: the label of its first row, or the name of its environment. speed: geometric mean of its speeds in all tests,
    by that of the best tool.
    """

    tool: str
    rank: int
    won: int
    speed: float


@dataclass(frozen=True, slots=True)
class PurposeRanked:
    """A purpose with its tools, the best first. tests_then, tests_now: in which all of them have a number.

    worded: ranks that the study prints, by the words of the study. campaign: the number of the first one with ranks.
    """

    purpose: str
    then: tuple[Ranked, ...]
    tests_then: int
    now: tuple[Ranked, ...]
    tests_now: int
    worded: tuple[tuple[str, int], ...]
    campaign: int | None


@dataclass(frozen=True, slots=True)
class RankingFound:
    """Each purpose of a question."""

    purposes: tuple[PurposeRanked, ...]

    @property
    def campaigns(self) -> tuple[int, ...]:
        """Numbers of the campaigns that took part."""
        return tuple(sorted({one.campaign for one in self.purposes if one.campaign is not None}))


def ranking(of: Ranking, cells: Sequence[PublishedValue], matcher: Matcher) -> RankingFound:
    """The ranks for each purpose, by those of these cells that it is about. Printed ties are within the margin.

    Here all environments of a campaign but its baseline are tools. They share a rank where their intervals overlap.
    """
    here = [_Here(campaign, matcher) for campaign in range(len(matcher.analyses))]
    return RankingFound(tuple(_purpose(one, of.tools, cells, here) for one in of.purposes))


def _purpose(
    of: Purpose, fields: Sequence[str], cells: Sequence[PublishedValue], here: Sequence[_Here]
) -> PurposeRanked:
    tests: dict[tuple[tuple[str, str], ...], dict[str, PublishedValue]] = {}
    labels: dict[tuple[str, ...], str] = {}
    for one in cells:
        if selects(of.cells, one) and one.better and one.value and one.id not in slipped(one.study):
            texts = {name: text for name, text in described(one).items() if name not in fields}
            tool = labels.setdefault(tuple(text_of(one, name) for name in fields), one.row)
            tests.setdefault(tuple(sorted(texts.items())), {}).setdefault(tool, one)
    printed = [{tool: _tie(speed_then(one) or math.nan) for tool, one in some.items()} for some in tests.values()]
    then, count = _ranked(printed)
    firsts = [next(iter(some.values())) for some in tests.values()]
    measured = ((at, *_ranked(one.speeds(firsts))) for at, one in enumerate(here))
    campaign, now, tests_now = next((found for found in measured if found[1]), (None, (), 0))
    worded = [(one.row, int(one.value)) for one in cells if of.ranks and selects(of.ranks, one) and one.value]
    return PurposeRanked(of.name, then, count, now, tests_now, tuple(sorted(worded, key=lambda one: one[1])), campaign)


def _tie(of: float) -> Estimate:
    """A printed number with the bounds by which those within the margin overlap."""
    half = math.sqrt(1 + MARGIN)
    return Estimate(of, of / half, of * half, 1)


def _ranked(tests: Sequence[Mapping[str, Estimate]]) -> tuple[tuple[Ranked, ...], int]:
    """The tools that have a number in the most tests, and how many these are. Nothing for fewer than two tools."""
    tools = list(dict.fromkeys(tool for of in tests for tool in of))
    whole = [of for of in tests if all(tool in of for tool in tools)]
    if len(tools) < 2 or not whole:
        return (), 0
    placed = [dict(zip(tools, derived.ranks([of[tool] for tool in tools], "higher"), strict=True)) for of in whole]
    won = derived.wins(placed)
    means = {tool: _mean([of[tool] for of in whole]) for tool in tools}
    best = max(one.value for one in means.values())
    ranks = derived.ranks([means[tool] for tool in tools], "higher")
    found = [Ranked(tool, rank, won[tool], means[tool].value / best) for tool, rank in zip(tools, ranks, strict=True)]
    return tuple(sorted(found, key=lambda one: (one.rank, -one.speed))), len(whole)


def _mean(of: Sequence[Estimate]) -> Estimate:
    """The geometric mean of several tests, with that of their bounds."""

    def mean(some: Sequence[float | None]) -> float | None:
        known = [one for one in some if one is not None]
        return statistics.geometric_mean(known) if len(known) == len(some) else None

    value = mean([one.value for one in of])
    assert value is not None
    return Estimate(value, mean([one.low for one in of]), mean([one.high for one in of]), min(one.n for one in of))


class _Here:
    """The environments of a campaign but its baseline, each as what stands for every printed system."""

    def __init__(self, campaign: int, matcher: Matcher) -> None:
        baseline = matcher.analyses[campaign].campaign.plan.baseline
        self._baseline = matcher.standing(campaign, baseline) if baseline else None
        names = dict.fromkeys(one.place.name for one in matcher.series[campaign])
        self._tools = {name: matcher.standing(campaign, name) for name in names if name != baseline}

    def speeds(self, tests: Sequence[PublishedValue]) -> list[dict[str, Estimate]]:
        """The speed of each environment in each test that two have: by that of the baseline, where it has one."""
        found = []
        for test in tests:
            of = {name: one for name, tool in self._tools.items() if (one := self._speed(test, tool)) is not None}
            if len(of) > 1:
                found.append(of)
        return found

    def _speed(self, test: PublishedValue, tool: Matcher) -> Estimate | None:
        from virtometer.analysis.statistics.interval import interval  # loads scipy, which printed values do not need

        mine = tool.find(test)
        if not isinstance(mine, Found):
            return None
        bare = None if self._baseline is None else self._baseline.find(self._single(test))
        against = bare.values if isinstance(bare, Found) else {}
        one: Logs = logs(mine.values, against or dict.fromkeys(mine.values, 1.0), test.better)
        return interval(one.values())

    def _single(self, test: PublishedValue) -> PublishedValue:
        assert self._baseline is not None
        return reference(test, self._baseline.of) or test
