"""The answers to the questions of a study as sentences and tables of texts, the same in every format.

Each sentence is made from numbers: no verdict is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from virtometer.analysis.studies.answers import Answered, Evidence, RatiosFound
from virtometer.analysis.studies.capacity import CapacityFound, Reach
from virtometer.analysis.studies.effects import EffectRow, EffectsFound, MeasuredEffect, PrintedEffect
from virtometer.analysis.studies.fairness import FAIR, FairnessFound, Share, Shares
from virtometer.analysis.studies.ranking import Ranked, RankingFound
from virtometer.analysis.studies.ratios import Ratios
from virtometer.analysis.studies.results import StudyResults
from virtometer.analysis.studies.steps import StepsFound
from virtometer.counted import counted
from virtometer.model import Estimate
from virtometer.report.parts.words import significant
from virtometer.report.studies.words import (
    campaigns_words,
    cells_words,
    change_words,
    estimate_words,
    here_words,
    plain_words,
    ratios_words,
)
from virtometer.studies.rules import MARGIN

THEN, NOW = "By the printed cells", "Here"


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Texts in columns. caption: how they are read. rows are shaped rows x heads."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """Several questions with ratios, which share one table, or another question alone.

    question: empty where the table has the questions. published: the answer of the study in our words.
    """

    question: str
    published: str
    sentences: tuple[str, ...]
    tables: tuple[AnswerTable, ...]


def blocks(found: StudyResults) -> list[AnswerBlock]:
    """The answers of a study in their order. Ratios that follow each other are joined in a table."""
    here = bool(found.campaigns)
    made: list[AnswerBlock] = []
    some: list[tuple[Answered, RatiosFound]] = []
    for one in found.answers:
        if isinstance(one.found, RatiosFound):
            some.append((one, one.found))
            continue
        made += _of_ratios(some, found)
        some = []
        sentences, tables = _told(one.found, here=here)
        took_part = campaigns_words(one.found.campaigns, found)
        sentences += [took_part] if took_part else []
        made.append(
            AnswerBlock(one.question, one.published, tuple(sentences), tuple(table for table in tables if table.rows))
        )
    return [*made, *_of_ratios(some, found)]


def _told(of: Evidence, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    if isinstance(of, EffectsFound):
        return _effects(of, here=here)
    if isinstance(of, CapacityFound):
        return _capacity(of, here=here)
    if isinstance(of, FairnessFound):
        return _fairness(of, here=here)
    if isinstance(of, RankingFound):
        return _ranking(of, here=here)
    assert isinstance(of, StepsFound)
    return _steps(of, here=here)


def _of_ratios(some: Sequence[tuple[Answered, RatiosFound]], found: StudyResults) -> list[AnswerBlock]:
    if not some:
        return []
    here = bool(found.campaigns)
    rows = tuple(
        (one.question, one.published, cells_words(of.then), *([here_words(of)] if here else [])) for one, of in some
    )
    caption = "Ratios above 1 mean better. Of several cells the median stands first."
    heads = ("question", "answer of the study", "its cells", *(["here"] if here else []))
    took_part = campaigns_words(sorted({number for _, of in some for number in of.campaigns}), found)
    return [AnswerBlock("", "", (took_part,) if took_part else (), (AnswerTable(caption, heads, rows),))]


# --- effects ---------------------------------------------------------------------------------------------------

_SAID = {
    "matters": "these parameters matter: {}.",
    "matters with others": "these matter with others: {}.",
    "does not matter": f"these do not matter, within {100 * MARGIN:g} %: {{}}.",
    "undecided": "these stay undecided: {}.",
    "one pair only": "undecided, because there is only one pair: {}.",
}


def _effects(of: EffectsFound, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    sentences = _influences(THEN, [(row, row.then) for row in of.main])
    if here:
        sentences += _influences(NOW, [(row, row.now) for row in of.main])
    return sentences, [
        _effect_table(
            "Change of the efficiency by each parameter alone: mean of all pairs of cells, smallest and largest pair. "
            "In brackets: pairs on the side of the mean.",
            "parameter",
            of.main,
        ),
        _effect_table(
            "Interactions: how much the second parameter changes what the first one brings.",
            "interaction",
            of.interactions,
        ),
    ]


def _effect_table(caption: str, first: str, rows: Sequence[EffectRow]) -> AnswerTable:
    """Rows of effects; columns of campaigns only where these have any."""
    here = any(row.now for row in rows)
    heads = (first, "printed", "verdict", *(("here", "verdict here") if here else ()))
    return AnswerTable(caption, heads, tuple(_effect_row(row, here=here) for row in rows))


def _influences(when: str, rows: Sequence[tuple[EffectRow, PrintedEffect | MeasuredEffect | None]]) -> list[str]:
    by_verdict: dict[str, list[str]] = {}
    for row, effect in rows:
        if effect is not None:
            ratio = effect.ratio if isinstance(effect, PrintedEffect) else effect.ratio.value
            within = ""
            if isinstance(effect, PrintedEffect) and effect.verdict == "undecided":
                within = f", {effect.within} of {counted(effect.pairs, 'pair')} within {100 * MARGIN:g} %"
            by_verdict.setdefault(effect.verdict, []).append(f"{row.parameters[0]} ({change_words(ratio)}{within})")
    if not by_verdict:
        return [f"{when}: no pairs of cells."]
    return [
        f"{when} {text.format(', '.join(by_verdict[verdict]))}"
        for verdict, text in _SAID.items()
        if verdict in by_verdict
    ]


def _effect_row(row: EffectRow, *, here: bool) -> tuple[str, ...]:
    name = f"{' x '.join(row.parameters)}: {row.change}"
    printed = ("no cells", "") if row.then is None else (_printed_effect(row.then), row.then.verdict)
    if not here:
        return (name, *printed)
    now = ("no cells", "") if row.now is None else (_measured_effect(row.now), row.now.verdict)
    return (name, *printed, *now)


def _printed_effect(of: PrintedEffect) -> str:
    if of.pairs == 1:
        return f"{change_words(of.ratio)} (1 pair)"
    side = f"{round(of.same_sign * of.pairs)} of {of.pairs} pairs"
    low, high = (change_words(one).removesuffix(" %") for one in (of.low, of.high))
    return f"{change_words(of.ratio)}, {low} to {high} ({side})"


def _measured_effect(of: MeasuredEffect) -> str:
    several = f" of {len(of.campaigns)} campaigns" if len(of.campaigns) > 1 else ""
    return f"{_changes(of.ratio)} ({counted(of.pairs, 'pair')}{several})"


def _changes(of: Estimate) -> str:
    if of.low is None or of.high is None:
        return change_words(of.value)
    low, high = (change_words(one).removesuffix(" %") for one in (of.low, of.high))
    return f"{change_words(of.value)} [{low}, {high}]"


# --- groups of guests ------------------------------------------------------------------------------------------


def _capacity(of: CapacityFound, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    share = f"{100 * of.kept:g} %"
    sentences = _reaches(THEN, share, [(one.work, one.keeps_then, one.grows_then) for one in of.works])
    if here:
        sentences += _reaches(NOW, share, [(one.work, one.keeps_now, one.grows_now) for one in of.works])
    heads = ("guests", "all, printed", "slowest, printed", *(("all, here", "slowest, here") if here else ()))
    rows = tuple(
        (
            f"{one.work}, {group.guests}",
            _number(group.total_then),
            _number(group.kept_then),
            *((_estimate(group.total_now), _estimate(group.kept_now)) if here else ()),
        )
        for one in of.works
        for group in one.groups
    )
    caption = (
        "Speed of all guests, and of the slowest one, by that of one guest alone. "
        "Of several rows: median, smallest to largest."
    )
    return sentences + _places(here, [(one.work, one.by) for one in of.works]), [AnswerTable(caption, heads, rows)]


def _reaches(when: str, share: str, works: Sequence[tuple[str, Reach | None, Reach | None]]) -> list[str]:
    keeps = ", ".join(f"{work} {_reach(keeps)}" for work, keeps, _ in works if keeps)
    grows = ", ".join(f"{work} {_reach(grows)}" for work, _, grows in works if grows)
    unknown = _unknown(when, [work for work, _, grows in works if grows is None])
    if not grows:
        return unknown
    said = [f"{when} guests keep {share} of their speed alone up to this number: {keeps}."] if keeps else []
    return [*said, f"{when} the speed of all grows up to this number: {grows}.", *unknown]


def _unknown(when: str, works: Sequence[str]) -> list[str]:
    """Works without groups of guests."""
    return [f"{when} no groups of guests have numbers of: {', '.join(works)}."] if works else []


def _reach(of: Reach) -> str:
    span = f"{of.least}" if of.least == of.most else f"{of.least} to {of.most}"
    return f"{span} or more" if of.most == of.last else span


def _places(here: bool, works: Iterable[tuple[str, str]]) -> list[str]:
    """Which environment stands for the guests of which work."""
    by: dict[str, list[str]] = {}
    for work, place in works:
        if place:
            by.setdefault(place, []).append(work)
    said = "; ".join(f"{place} for {', '.join(some)}" for place, some in by.items())
    return [f"Here stand: {said}."] if here and said else []


def _number(of: Ratios | None) -> str:
    if of is None:
        return ""
    if of.cells == 1:
        return significant(of.median)
    return f"{significant(of.median)}, {significant(of.low)} to {significant(of.high)}"


def _estimate(of: Estimate | None) -> str:
    return "" if of is None else estimate_words(of)


def _fairness(of: FairnessFound, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    rows = [(one.work, share) for one in of.works for share in one.shares]
    sentences = _verdicts(THEN, [(work, share, share.verdict_then) for work, share in rows])
    sentences += _unknown(THEN, [one.work for one in of.works if not any(share.verdict_then for share in one.shares)])
    if here:
        sentences += _verdicts(NOW, [(work, share, share.verdict_now) for work, share in rows])
        sentences += _unknown(NOW, [one.work for one in of.works if not any(share.verdict_now for share in one.shares)])
    heads = ("guests", "greatest by least", "slowest by equal", "verdict")
    heads_here = ("here", "in single blocks", "slowest by equal, here", "verdict here") if here else ()
    table = AnswerTable(
        f"Greatest by least share of the guests, fair up to {FAIR:g}. Share of the slowest guest by an equal share. "
        "Of several rows: median, smallest to largest."
        + (" Here: of the means over all blocks, and within single blocks." if here else ""),
        (*heads, *heads_here),
        tuple((f"{work}, {share.guests}", *_share_row(share, here=here)) for work, share in rows),
    )
    return sentences + _places(here, [(one.work, one.by) for one in of.works]), [table]


def _share_row(of: Shares, *, here: bool) -> tuple[str, ...]:
    bounds = ("at most ", "at least ") if of.bounded else ("", "")
    uneven, worst = _number(of.uneven_then), _number(of.worst_then)
    printed = (uneven and bounds[0] + uneven, worst and bounds[1] + worst, of.verdict_then or "")
    if not here:
        return printed
    now = (_estimate(of.uneven_now), _estimate(of.in_blocks), _estimate(of.worst_now), of.verdict_now or "")
    return (*printed, *now)


def _verdicts(when: str, rows: Sequence[tuple[str, Shares, Share | None]]) -> list[str]:
    by_verdict: dict[str, dict[str, list[str]]] = {}
    for work, share, verdict in rows:
        if verdict is not None:
            by_verdict.setdefault(verdict, {}).setdefault(work, []).append(str(share.guests))
    words = {"fair": "are treated alike", "unfair": "are not treated alike", "partly fair": "are treated alike in part"}
    return [
        f"{when} guests {words.get(verdict, 'stay undecided')}: "
        + ", ".join(f"{work} ({_listed(numbers)})" for work, numbers in by_verdict[verdict].items())
        + "."
        for verdict in ("fair", "partly fair", "unfair", "undecided")
        if verdict in by_verdict
    ]


def _listed(numbers: Sequence[str]) -> str:
    """`2 and 3`, `4, 5 and 6`."""
    return numbers[0] if len(numbers) == 1 else f"{', '.join(numbers[:-1])} and {numbers[-1]}"


# --- ranks and steps -------------------------------------------------------------------------------------------


def _ranking(of: RankingFound, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    sentences = _bests(THEN, [(one.purpose, one.then) for one in of.purposes])
    if here:
        sentences += _bests(NOW, [(one.purpose, one.now) for one in of.purposes])
    rows = tuple(
        (
            one.purpose,
            _ranks(one.then, one.tests_then),
            "; ".join(f"{rank}. {tool}" for tool, rank in one.worded),
            *([_ranks(one.now, one.tests_now)] if here else []),
        )
        for one in of.purposes
    )
    caption = (
        "Rank of each tool; in brackets its mean speed by that of the best one, and tests in which it is first. "
        f"Tools within {100 * MARGIN:g} % share a rank" + (", and here those whose intervals overlap." if here else ".")
    )
    heads = ("purpose", "printed numbers", "printed ranks", *(["here"] if here else []))
    return sentences, [AnswerTable(caption, heads, rows)]


def _bests(when: str, purposes: Sequence[tuple[str, Sequence[Ranked]]]) -> list[str]:
    by_tool: dict[str, list[str]] = {}
    for purpose, ranked in purposes:
        for one in ranked:
            if one.rank == 1:
                by_tool.setdefault(one.tool, []).append(purpose)
    if not by_tool:
        return [f"{when}: no two tools with numbers."]
    return [f"{when} {tool} is first in: {'; '.join(some)}." for tool, some in by_tool.items()]


def _ranks(of: Sequence[Ranked], tests: int) -> str:
    if not of:
        return "fewer than two tools"
    return "; ".join(
        f"{one.rank}. {one.tool} ({significant(one.speed, 2)}, {one.won} of {counted(tests, 'test')})" for one in of
    )


def _steps(of: StepsFound, *, here: bool) -> tuple[list[str], list[AnswerTable]]:
    sentences = [
        f"{THEN}, {one.group}, {one.stage}: {plain_words(one.first_then.median)}."
        for one in of.stages
        if one.first_then is not None
    ]
    sentences += [
        f"{NOW}, {one.group}, {one.stage}: {plain_words(one.first_now.value)}."
        for one in of.stages
        if one.first_now is not None
    ]
    longer = any(one.before_then != one.first_then or one.before_now != one.first_now for one in of.stages)
    heads = ("stage", "by the stage before", *(["by the first stage"] if longer else []))
    heads_here = ("here, before", *(["here, first"] if longer else [])) if here else ()
    stages = []
    for one in of.stages:
        then = (ratios_words(one.before_then), *([ratios_words(one.first_then)] if longer else []))
        now = (_estimate(one.before_now), *([_estimate(one.first_now)] if longer else [])) if here else ()
        stages.append((f"{one.group}: {one.stage}", *then, *now))
    tried = tuple(
        (one.step, f"{one.factor}: {one.level}", one.metric, _percent(one.change), one.verdict.value) for one in of.here
    )
    return sentences, [
        AnswerTable(
            "Ratios of speeds, above 1 better. Of several cells the median stands first.",
            (*heads, *heads_here),
            tuple(stages),
        ),
        AnswerTable(
            "Steps as factors of designs here, each with its change alone.",
            ("step", "factor", "metric", "change here", "verdict"),
            tried,
        ),
    ]


def _percent(of: Estimate) -> str:
    """A change in per cent with its interval."""
    if of.low is None or of.high is None:
        return f"{of.value:+.1f} %"
    return f"{of.value:+.1f} % [{of.low:+.1f}, {of.high:+.1f}]"
