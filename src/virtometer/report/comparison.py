"""Two campaigns, or two environments of one, side by side: on a terminal and as Markdown for a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from virtometer.analysis.compared import Comparison
from virtometer.analysis.counted import counted
from virtometer.model import Estimate, Finding, Verdict
from virtometer.report import words
from virtometer.report.footnotes import Footnotes
from virtometer.report.terminal import STYLES

_ORDER = (Verdict.SLOWER, Verdict.FASTER, Verdict.EQUIVALENT, Verdict.UNDECIDED)


def headline(of: Comparison) -> str:
    """How the comparisons came out, and whether anything is worse, in a sentence."""
    found = Counter(finding.verdict for finding in of.findings)
    parts = ", ".join(f"{found[verdict]} {verdict.value}" for verdict in _ORDER if found[verdict])
    worse = f"{len(of.worse)} of {len(of.findings)} comparisons" if of.worse else "nothing"
    lost = f" Lost: {counted(len(of.lost), 'value')} that A has." if of.lost else ""
    return f"B against A: {parts}. Worse by more than {of.margin * 100:g} %: {worse}.{lost}"


def legend(of: Comparison) -> str:
    """What the columns hold, in a sentence."""
    what = "values" if of.absolute else "efficiencies within the blocks of each campaign"
    by = Counter(finding.verdict_by for finding in of.findings)
    typical = "; ratios are typical ones, without stops" if by["typical"] else ""
    where = ", where both sides have them" if typical and by["total"] else ""
    return f"A and B: {what}; B / A above 1: B is better, with its 95 % interval{typical}{where}"


def rows(of: Comparison) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """Each finding with its workload, environment, what A and B reached, ratio and verdict."""
    for finding in of.findings:
        before, after = of.reached[finding.workload, finding.subject]
        shown = [_reached(one, finding, absolute=of.absolute) for one in (before, after)]
        where = finding.subject if finding.subject == finding.against else f"{finding.subject} / {finding.against}"
        verdict = f"{words.verdict(finding)}{words.star(finding)}"
        yield finding, (finding.workload, where, *shown, words.efficiency(finding), verdict)


def markdown(of: Comparison, differing: Sequence[str]) -> str:
    """The comparison as a table of GitHub's Markdown, with its notes below."""
    lines = [f"**{_cell(headline(of))}**", ""]
    lines += ["| workload | environment | A | B | B / A | verdict |", "|---|---|---|---|---|---|"]
    notes = Footnotes()
    for finding, cells in rows(of):
        numbers = "".join(f" [{number}]" for number in notes.numbers(words.all_notes(finding)))
        lines.append(f"| {' | '.join(map(_cell, cells))}{numbers} |")
    lines += ["", f"{_cell(legend(of))}."]
    lines += [f"- [{number}] {_cell(text)}" for number, text in notes.lines()]
    lines += [f"- {_cell(text)}" for text in (*of.lost, *differing, *of.left_out)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    for mark in "\\`*_[]<>|~#!":
        text = text.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return text


def _reached(one: Estimate | None, finding: Finding, *, absolute: bool) -> str:
    if one is None:
        return ""
    return words.quantity(one.value, finding.unit) if absolute else words.estimate(one)


class ComparisonTable:
    """The comparison as a rich renderable, with its footnotes."""

    def __init__(self, of: Comparison, differing: Sequence[str]) -> None:
        """`differing`: what differs beside the numbers."""
        self._of = of
        self._differing = differing

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row a finding."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for heading in ("workload", "environment", "A", "B", "B / A", "verdict"):
            table.add_column(heading, overflow="fold")
        notes = Footnotes()
        for finding, (*cells, verdict) in rows(self._of):
            word = Text(f"{verdict}{notes.mark(words.all_notes(finding))}", style=STYLES[finding.verdict])
            table.add_row(*map(Text, cells), word)
        yield table
        yield Text(headline(self._of), style="bold")
        yield Text(legend(self._of), style="dim")
        if any(words.star(finding) for finding in self._of.findings):
            yield Text("* not like with like: the conditions differ, see the note", style="dim")
        for _, text in notes.lines():
            yield Text(f"{notes.mark([text])} {text}", style="dim")
        for text in (*self._of.lost, *self._differing, *self._of.left_out):
            yield Text(text, style="dim")
