"""Effects as the terminal shows them: a table for each metric, sorted by size, and what to change in words.

No plot is drawn, and nothing that draws is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.effect import Effects, MetricEffects
from virtometer.report.effects import first_stage, nuisance
from virtometer.report.effects import tables as effect_tables
from virtometer.report.effects import words as effect_words
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import notes, plain_table, text_line
from virtometer.visible import visible

STYLES = {Influence.INFLUENCE: "green", Influence.NONE: "cyan", Influence.UNDECIDED: "yellow"}
_MOST_ROWS = 16  # of one metric; the page has all


def terminal(of: Effects, more: str | None = None) -> Iterator[Table | Text]:
    """Tables, notes and sentences, in the order in which they are printed. Nothing without factors.

    more: the command that prints all notes; None: they are shown.
    """
    if not of.factors:
        return
    for metric in of.metrics:
        if metric.effects:
            yield from _metric(metric)
        yield from notes(effect_tables.notes(metric), more)
    yield text_line(effect_words.headline(of), style="bold")
    for title, text in effect_words.sentences(of):
        yield Text.assemble((visible(f"{title}: "), "bold"), visible(text))
    if of.first is not None:
        yield text_line(first_stage.headline(of.first), style="bold")
        for name, text in first_stage.sentences(of):
            yield Text.assemble((visible(f"{name}: "), "bold"), visible(text))
    yield text_line("What to change", style="bold")
    yield from (text_line(f" {sentence}") for sentence in effect_words.changes(of))
    yield from (text_line(sentence, style="dim") for sentence in nuisance.sentences(of.nuisance))
    yield text_line(effect_words.about(of), style="dim")
    if of.first is not None:
        yield text_line(first_stage.ABOUT, style="dim")


def _metric(of: MetricEffects) -> Iterator[Table | Text]:
    better = "lower is better" if of.better == "lower" else "higher is better"
    made = plain_table(f"{of.metric} ({better})")
    made.add_column("effect", overflow="fold")
    made.add_column("levels", overflow="fold")
    made.add_column("change", justify="right", no_wrap=True)
    made.add_column(f"{words.level_words(of.interval_level)} interval", no_wrap=True)
    made.add_column("share", justify="right", no_wrap=True)
    made.add_column("verdict", no_wrap=True)
    rows = [(effect, one, first == 0) for effect in of.effects for first, one in enumerate(effect.contrasts)]
    claimed = sum(one.verdict is not Influence.UNDECIDED for _, one, _ in rows)
    most = max(_MOST_ROWS, claimed)
    for effect, one, first in rows[:most]:
        mark = "*" if effect.aliases and first else ""
        made.add_row(
            text_line(f"{effect.term}{mark}" if first else ""),
            text_line(effect_words.contrast(effect, one)),
            text_line(effect_words.percent(one.change.estimate.value)),
            text_line(effect_words.bounds(one.change.estimate)),
            text_line(f"{100 * effect.share:.0f} %" if first else ""),
            text_line(one.verdict.value, style=STYLES[one.verdict]),
        )
    yield made
    if of.control is not None:
        yield text_line(f" {effect_words.control(of.control.estimate)}", style="dim")
    if len(rows) > most:
        yield text_line(f" {len(rows) - most} smaller ones are in the report", style="dim")
