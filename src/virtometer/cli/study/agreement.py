"""What `virtometer study claims` prints: for people as lines, and as JSON; docs/methods/studies.md has the shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from virtometer.cli.study.layout import filled, folded, listed
from virtometer.cli.study.machine import claim_objects, study_object
from virtometer.cli.study.text import study_lines, tested
from virtometer.counted import counted
from virtometer.studies.agreement import SHORT_FORM, VERDICTS, counts
from virtometer.studies.printed import words_with_unit
from virtometer.studies.shared_runs import CONTAINERS, MACHINES, native_cells, shared_runs
from virtometer.studies.units import unit_and_factor, unit_words

if TYPE_CHECKING:
    from virtometer.studies.agreement import ClaimRow, Outcome, Verdict
    from virtometer.studies.bounds import Bounded
    from virtometer.studies.data import PublishedValue, Study
    from virtometer.studies.shared_runs import SharedRun

Object = dict[str, Any]

_INDENT = "  "
_HOLDS = {
    "each": "in each pair",
    "most": "in most pairs",
    "clearly": "in more than two thirds of the pairs",
    "mean": "in the geometric mean",
}


def agreement_lines(study: Study, rows: Sequence[ClaimRow], width: int) -> list[str]:
    """All claims of a study with their verdicts, counted; the notes; the runs that it shares with another study.

    With campaigns the verdicts of new cells stand beside those of the printed ones, and the numbers are theirs.
    """
    new = [row.new for row in rows if row.new is not None]
    header = ("id", "statement", "printed cells", *(("here", "numbers here") if new else ("numbers", "tested by")))
    widths = (4, None, 15, 18, 12) if width < 100 else (4, None, 24, 30, 18)
    cells = [
        (
            row.claim_id,
            row.claim.statement,
            row.published.words,
            *(
                (numbers(row.published, row.claim.unit), tested(row.claim))
                if row.new is None
                else (row.here, numbers(row.new, row.claim.unit))
            ),
        )
        for row in rows
    ]
    found = counts(row.published for row in rows)
    lines = [
        *study_lines(study, width),
        "",
        *filled(f"{counted(len(rows), 'claim')} by the printed cells: {_counted(found)}.", width),
        *(filled(f"By the new cells: {_counted(counts(new))}.", width) if new else ()),
        "",
        *listed(header, cells, width, (*widths[:3], *((15, 18) if width < 100 else (24, 30))) if new else widths),
    ]
    notes = [f"{row.claim_id}: {words}" for row in rows if (words := _judged(row))]
    if notes:
        lines += ["", "how claims are judged:"]
        for note in notes:
            lines += filled(_INDENT + note, width, _INDENT * 2)
    if study.study in {CONTAINERS, MACHINES}:
        lines += ["", *shared_lines(shared_runs(), width)]
    return lines


def claim_lines(row: ClaimRow, width: int) -> list[str]:
    """One claim with all pairs of cells that were compared: printed ones, and new ones where there are campaigns."""
    claim, outcome, new = row.claim, row.published, row.new
    facts = (
        ("printed cells", outcome.words),
        ("numbers", numbers(outcome, claim.unit)),
        ("here", row.here),
        ("numbers here", "" if new is None else numbers(new, claim.unit)),
        (SHORT_FORM, ", ".join(row.short_form)),
        ("judged", f"{row.rule.relation}, {_HOLDS[row.rule.holds]}" if outcome.pairs or (new and new.pairs) else ""),
        ("note", row.note),
        ("tested by", tested(claim)),
    )
    lines = filled(f"{claim.claim_id}: {claim.statement}", width, _INDENT)
    for name, fact in facts:
        if fact:
            lines += filled(f"{name}: {fact}", width, _INDENT)
    lines += _pairs(outcome, "subject", width, here=False)
    return lines if new is None else [*lines, *_pairs(new, "subject here", width, here=True)]


def _pairs(outcome: Outcome, first: str, width: int, *, here: bool) -> list[str]:
    """The pairs of an outcome as a table, after an empty line; none where it has none."""
    if not outcome.pairs:
        return []
    cells = [
        (
            _cell(pair.subject, pair.subject_number if here else None),
            "" if pair.reference is None else _cell(pair.reference, pair.reference_number if here else None),
            _range(outcome, pair.figure.value, pair.figure.value),
            {True: "yes", False: "no", None: "undecided"}[pair.holds],
        )
        for pair in outcome.pairs
    ]
    header = (first, "reference", outcome.figure, "holds")
    return ["", *listed(header, cells, width, ((width - 26) // 2, None, 12, 9))]


def shared_lines(runs: Sequence[SharedRun], width: int) -> list[str]:
    """The efficiencies of guests whose native runs are the same."""
    machines = list(dict.fromkeys(name for run in runs for name in run.machines))
    header = ["native", "OpenVZ or Virtuozzo", *(f"ESXi, {name}" for name in machines)]
    labels, cells = [], []
    for run in runs:
        found = run.efficiencies
        labels.append(_work(run.native))
        cells.append(
            [
                words_with_unit(run.native),
                _number(found[run.container.virtualizer].value),
                *(_number(found[name].value) if name in found else "" for name in machines),
            ]
        )
    text = (
        f"{len(runs)} of {len(native_cells())} native cells of {MACHINES} are those of {CONTAINERS}. The efficiencies "
        "of their guests stand side by side: guest against native, above 1 is better."
    )
    return [*filled(text, width), "", *folded("", labels, header, cells, width)]


def agreement_object(study: Study, rows: Sequence[ClaimRow]) -> Object:
    """Claims with every pair of cells that was compared; the shared runs are of a study as a whole."""
    claims = claim_objects(row.claim for row in rows)
    whole = len(rows) > 1
    shared = shared_runs() if whole and study.study in {CONTAINERS, MACHINES} else ()
    return {
        "study": study_object(study),
        "counts": {
            "published": counts(row.published for row in rows),
            "new": counts(row.new for row in rows if row.new is not None)
            if any(row.new is not None for row in rows)
            else None,
        },
        "claims": [
            {
                **claim,
                "judged": row.rule.relation,
                "holds": row.rule.holds,
                "note": row.note,
                "published": _outcome(row.published),
                "new": None if row.new is None else _outcome(row.new),
                "short_form": [*row.short_form],
            }
            for claim, row in zip(claims, rows, strict=True)
        ],
        "shared": [_shared(run) for run in shared],
    }


def numbers(outcome: Outcome, unit: str) -> str:
    """What was compared, in words: the figures, where the claim has them, and in how many pairs it holds.

    unit: of the claim, which a value or a difference has.
    """
    if not outcome.pairs:
        return ""
    ends = [pair.figure.value for pair in outcome.pairs]
    found = f"{_range(outcome, min(ends), max(ends))}{_unit(outcome, unit)}"
    judged = (
        f"mean {outcome.figure} {_range(outcome, outcome.mean.value, outcome.mean.value)}; pairs {found}"
        if (outcome.mean)
        else f"{outcome.figure} {found}"
    )
    missing = outcome.of - len(outcome.pairs)
    return (
        f"{judged}; {outcome.holding} of {len(outcome.pairs)} {region_words(outcome, unit)}"
        f"{f'; {missing} without a number' if missing else ''}"
    )


def region_words(outcome: Outcome, unit: str) -> str:
    """Where a figure agrees with the claim: `above 1`, `at most 5 %`, `in 0.95 to 1.05`. Empty without cells."""
    region = outcome.region
    if region is None:
        return ""
    low, high = (f"{_range(outcome, end, end)}{_unit(outcome, unit)}" for end in (region.low, region.high))
    if math.isinf(region.low):
        return f"{'below' if region.open else 'at most'} {high}"
    if math.isinf(region.high):
        return f"{'above' if region.open else 'at least'} {low}"
    return f"{'not in' if region.outside else 'in'} {_range(outcome, region.low, region.high)}{_unit(outcome, unit)}"


def _range(outcome: Outcome, low: float, high: float) -> str:
    """Two figures of an outcome, or one of them where they do not differ in three digits: losses in percent."""
    percent = outcome.figure in {"loss", "gain"} or (
        outcome.figure == "value" and outcome.pairs[0].subject.unit == "share"
    )
    first, last = (_number(end * 100 if percent else end) for end in (low, high))
    return f"{first if first == last else f'{first} to {last}'}{' %' if percent else ''}"


def _unit(outcome: Outcome, unit: str) -> str:
    """The unit of a value or a difference; ratios have none."""
    return f" {unit}" if outcome.figure in {"difference", "value"} and unit not in {"", "1", "share"} else ""


def _number(one: float) -> str:
    if math.isinf(one):
        return ""
    return f"{round(one):,}" if abs(one) >= 1000 else f"{round(one, 6) + 0.0:.3g}"


def _judged(row: ClaimRow) -> str:
    """What a reader must know of the rule; empty where the claim must simply hold in each pair."""
    found = [] if row.rule.holds == "each" else [f"Judged {_HOLDS[row.rule.holds]}."]
    return " ".join([*found, row.note]).strip()


def _counted(found: dict[Verdict, int]) -> str:
    return ", ".join(f"{found[verdict]} {_PLURALS[verdict]}" for verdict in VERDICTS)


_PLURALS = {
    "agrees": "agree",
    "disagrees": "disagree",
    "undecided": "undecided",
    "cannot be tried here": "cannot be tried here",
}


def _cell(cell: PublishedValue, new: Bounded | None) -> str:
    """A cell with its printed number, or with the new one in the printed unit."""
    if new is None:
        return f"{cell.item}: {cell.row}, {cell.column}: {words_with_unit(cell)}"
    factor = float(unit_and_factor(cell.unit_printed, cell.workload, cell.metric)[1])
    number = f"{_number(new.value / factor)} {unit_words(cell.unit_printed)}".rstrip()
    return f"{cell.item}: {cell.row}, {cell.column}: {number}"


def _work(cell: PublishedValue) -> str:
    size = f" {cell.row}" if cell.array_order else f" {cell.level}" if cell.level else ""
    return f"{cell.system.capitalize()} {cell.bits} bit, {cell.workload} {cell.operation}{size}"


def _outcome(outcome: Outcome) -> Object:
    region = outcome.region
    return {
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "figure": outcome.figure if region else None,
        "wanted": region
        and {"low": _finite(region.low), "high": _finite(region.high), "open": region.open, "outside": region.outside},
        "mean": _bounded(outcome.mean),
        "holding": outcome.holding,
        "of": outcome.of,
        "left_out": [*outcome.left_out],
        "pairs": [
            {
                "subject": pair.subject.id,
                "subject_number": _bounded(pair.subject_number),
                "reference": None if pair.reference is None else pair.reference.id,
                "reference_number": _bounded(pair.reference_number),
                "figure": _bounded(pair.figure),
                "holds": pair.holds,
            }
            for pair in outcome.pairs
        ],
    }


def _shared(run: SharedRun) -> Object:
    return {
        "native": run.native.id,
        "machine_native": run.machine_native.id,
        "container": run.container.id,
        "machines": {name: cell.id for name, cell in run.machines.items()},
        "efficiencies": {name: _bounded(one) for name, one in run.efficiencies.items()},
    }


def _bounded(one: Bounded | None) -> Object | None:
    """A number with its bounds; null for what is not bounded."""
    return None if one is None else {"value": _finite(one.value), "low": _finite(one.low), "high": _finite(one.high)}


def _finite(one: float) -> float | None:
    return one if math.isfinite(one) else None
