"""The tables of effects, on the page and in the terminal."""

from __future__ import annotations

from virtometer.analysis.effects.effect import Effect, Effects, MetricEffects
from virtometer.counted import counted
from virtometer.report.effects import words as effect_words
from virtometer.report.parts import words
from virtometer.report.parts.table import TextTable


def effects(of: MetricEffects) -> TextTable:
    """All terms of a metric, the largest first; a factor of several levels has a row for each."""
    rows = [row for effect in of.effects for row in _rows(effect)]
    if of.control is not None:
        shown = effect_words.percent(of.control.estimate.value), effect_words.bounds(of.control.estimate)
        rows.append(("control (A/A)", "the baseline against itself", *shown, "", "", "", ""))
    better = "lower is better" if of.better == "lower" else "higher is better"
    unit = f" in {of.unit}" if of.unit else ""
    level = f"{words.level_words(of.interval_level)} interval"
    return TextTable(
        f"{of.metric}{unit} ({better}): {counted(of.trials, 'trial')} in {counted(of.blocks, 'block')}. Change: in "
        f"per cent, with its {level}. p: after Holm over the contrasts of all metrics of its kind. Share: of the "
        "variance of single trials within blocks.",
        ("effect", "levels", "change", level, "verdict", "p adjusted", "share", "cannot be told from"),
        rows,
        right=frozenset({2, 5, 6}),
    )


def _rows(of: Effect) -> list[tuple[str, ...]]:
    return [
        (
            of.term if first else "",
            effect_words.contrast(of, one),
            effect_words.percent(one.change.estimate.value),
            effect_words.bounds(one.change.estimate),
            one.verdict.value,
            "" if one.p_adjusted is None else _p(one.p_adjusted),
            f"{100 * of.share:.1f} %" if first else "",
            _aliases(of) if first else "",
        )
        for first, one in zip([True, *[False] * len(of.contrasts)], of.contrasts, strict=False)
    ]


def _aliases(of: Effect) -> str:
    if not of.aliases:
        return ""
    names = ", ".join(of.aliases[:4]) + (f" and {len(of.aliases) - 4} more" if len(of.aliases) > 4 else "")
    return names if of.wholly else f"in part {names}"


def _p(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def settings(of: Effects) -> TextTable | None:
    """What each recommended setting changes and does to every metric; None where there is none."""
    rows = []
    chosen = [("all metrics on average", of.overall), *((one.metric, one.recommended) for one in of.metrics)]
    for name, one in chosen:
        if one is None or (one.metric and of.overall is not None and one.changed == of.overall.changed):
            continue
        gains = ([one.gain] if one.metric else []) + [gain for gain in one.trade if gain.metric != one.metric]
        rows.append(
            (
                name,
                ", ".join(f"{factor}={new} (was {old})" for factor, old, new in one.changed),
                effect_words.trade(gains),
                "yes" if one.ran else "no",
                f"{one.candidates:,}",
            )
        )
    if not rows:
        return None
    return TextTable(
        "Settings that are best, and what they do against the default; intervals hold jointly for all candidates",
        ("best for", "setting", "what it does", "measured itself", "candidates"),
        rows,
        right=frozenset({4}),
    )


def notes(of: MetricEffects) -> list[str]:
    """What is to be known beside the numbers of a metric: aliases, what cannot be estimated, what is left over."""
    said = [f"{one.term}: {note}" for one in of.effects for note in one.notes]
    by_reason: dict[str, list[str]] = {}
    for one in of.lost:
        by_reason.setdefault(one.reason, []).append(one.term)
    lost = [f"{one.term}: not estimable, {one.reason}" for one in of.lost]
    if len(lost) > 6:
        lost = [*lost[:5], f"{len(lost) - 5} more terms are not estimable"]
    left = [f"{counted(len(said) - 8, 'more note')} of this kind"] if len(said) > 8 else []
    return [*said[:8], *left, *lost, *of.diagnostics]


def factors(of: Effects) -> TextTable:
    """The factors with their levels."""
    rows = [(name, levels[0], ", ".join(levels[1:])) for name, levels in of.factors]
    return TextTable(
        f"Factors; a change below {words.percent(of.margin)} does not matter",
        ("factor", "reference", "other levels"),
        rows,
    )
