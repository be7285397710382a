"""Two campaigns, or two environments of one, side by side: on a terminal and as Markdown for a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from virtometer.analysis.compared.comparison import Comparison, Where
from virtometer.analysis.compared.worse import Outcome, Tested
from virtometer.counted import counted
from virtometer.model import Finding, Verdict
from virtometer.report.findings import summary
from virtometer.report.findings.footnotes import Footnotes
from virtometer.report.formats.terminal import STYLES
from virtometer.report.parts import words

_LEAST_P = 0.0001
_HEADINGS = ("workload", "environment", "A", "B", "B / A", "verdict", "worse?")
_ORDER = (Verdict.SLOWER, Verdict.FASTER, Verdict.EQUIVALENT, Verdict.UNDECIDED)


def headline(of: Comparison) -> str:
    """How the comparisons came out, and whether anything is worse, in sentences."""
    found = Counter(finding.verdict for finding in of.findings)
    parts = ", ".join(f"{found[verdict]} {verdict.value}" for verdict in _ORDER if found[verdict])
    all_of = len(of.compared)
    worse = f"{len(of.worse)} of {counted(all_of, 'comparison')}"
    shown = f"not worse: {len(of.not_worse)} of {all_of}; open: {len(of.open)}"
    lost = f" Lost: {counted(len(of.lost), 'value')} that A has." if of.lost else ""
    error = summary.equivalence_error(of.findings)
    said = f"B against A: {parts}. Worse by more than {of.margin * 100:g} %: {worse}; {shown}.{lost}"
    return f"{said} {error}".rstrip()


def legend(of: Comparison) -> str:
    """What the columns hold, in a sentence."""
    what = "values" if of.absolute else "efficiencies within the blocks of each campaign"
    by = Counter(finding.verdict_by for finding in of.findings)
    typical = "; ratios are typical ones, without stalls" if by["typical"] else ""
    where = ", where both sides have them" if typical and by["total"] else ""
    tests = f"; worse?: by more than {of.margin * 100:g} %, one-sided tests"
    level = words.interval_level(of.findings)
    return f"A and B: {what}; B / A above 1: B is better, with its {level} interval{typical}{where}{tests}"


def rows(of: Comparison) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """Each finding with its workload, environment, what A and B reached, ratio, verdict and whether it is worse."""
    for one in of.compared:
        finding = one.finding
        shown = words.value(one.before), words.value(one.after)
        where = " / ".join(dict.fromkeys((finding.subject, finding.ratio.reference)))
        verdict = f"{words.verdict(finding)}{words.star(finding)}"
        yield finding, (_what(one.where), where, *shown, words.efficiency(finding), verdict, outcome(one.tested))


def outcome(of: Tested) -> str:
    """`worse (p 0.003)`, `not worse (p < 0.0001)` or `open`."""
    p = {Outcome.WORSE: of.p_worse_adjusted, Outcome.NOT_WORSE: of.p_not_worse}.get(of.outcome)
    if p is None:
        return of.outcome.value
    return f"{of.outcome.value} (p {words.significant(p, 2) if p >= _LEAST_P else f'< {_LEAST_P:g}'})"


def _what(where: Where) -> str:
    """The workload, with its scenario and the number of guests where several worked."""
    if not where.scenario:
        return where.workload
    guests = f", {counted(where.guests, 'guest')}" if where.guests else ""
    return f"{where.workload} ({where.scenario}{guests})" + (f" {where.which + 1}" if where.which else "")


def markdown(of: Comparison) -> str:
    """The comparison as a table of GitHub's Markdown, with its notes below."""
    lines = [f"**{_cell(headline(of))}**", ""]
    lines += [f"| {' | '.join(_HEADINGS)} |", "|---|---|---|---|---|---|---|"]
    notes = Footnotes()
    for finding, cells in rows(of):
        numbers = "".join(f" [{number}]" for number in notes.numbers(words.all_notes(finding)))
        *shown, worse = map(_cell, cells)
        lines.append(f"| {' | '.join(shown)}{numbers} | {worse} |")
    lines += ["", f"{_cell(legend(of))}."]
    lines += [f"- [{number}] {_cell(text)}" for number, text in notes.lines()]
    lines += [f"- {_cell(text)}" for text in (*of.lost, *of.differing, *of.left_out)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    for mark in "\\`*_[]<>|~#!":
        text = text.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return text


class ComparisonTable:
    """The comparison as a rich renderable, with its footnotes."""

    def __init__(self, of: Comparison) -> None:
        self._of = of

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row a finding."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for heading in _HEADINGS:
            table.add_column(heading, overflow="fold")
        notes = Footnotes()
        for finding, (*cells, verdict, worse) in rows(self._of):
            word = Text(f"{verdict}{notes.mark(words.all_notes(finding))}", style=STYLES[finding.verdict])
            table.add_row(*map(Text, cells), word, worse.partition(" (")[0])  # p values: Markdown and JSON
        yield table
        yield Text(headline(self._of), style="bold")
        yield Text(legend(self._of), style="dim")
        if any(words.star(finding) for finding in self._of.findings):
            yield Text("* different conditions, see the note", style="dim")
        for _, text in notes.lines():
            yield Text(f"{notes.mark([text])} {text}", style="dim")
        for text in (*self._of.lost, *self._of.differing, *self._of.left_out):
            yield Text(text, style="dim")
