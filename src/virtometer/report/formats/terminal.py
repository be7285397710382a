"""The table of a campaign on a terminal: workloads down, environments across; a line a cell where that is too wide.

Each sweep has a table of its own: levels down, environments across. After the tables come a line of counts, a line of
noise and budget, and the most important notes. All work on any width from 60 columns, without colour, and when piped:
everything that colour says is also said in words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from virtometer.analysis.curves.knees import Knee
from virtometer.analysis.curves.sweeps import Sweep
from virtometer.counted import counted
from virtometer.model import Finding, PlanWorkload, Verdict
from virtometer.report.findings import summary
from virtometer.report.findings.footnotes import Footnotes
from virtometer.report.formats.commands import Measures, table_of_command
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import MOST_NOTES, plain_table, text_line
from virtometer.report.sweeps import knees
from virtometer.visible import visible

STYLES = {
    Verdict.SLOWER: "red",
    Verdict.FASTER: "green",
    Verdict.EQUIVALENT: "cyan",
    Verdict.UNDECIDED: "yellow",
    Verdict.BASELINE: "dim",
    Verdict.UNAVAILABLE: "dim",
}
_NO_VALUE = "no value"
_LEGEND = "efficiency = performance there / in {baseline}, above 1 is better; ± or [ ]: {level} interval{blocks}"
_COST = "; cpu: host CPU time per unit of work against {baseline}"
_UNLIMITED = 10_000  # columns
_MOST_CELLS = 1_000
_DIFFERENCES = (Verdict.SLOWER, Verdict.FASTER)
_OPEN = (Verdict.UNDECIDED, Verdict.BASELINE)


class ResultTable:
    """The table with its legend and footnotes: a rich renderable that fits itself to the width it is given."""

    def __init__(
        self,
        findings: Sequence[Finding],
        sweeps: Sequence[Sweep] = (),
        found: Sequence[Knee] = (),
        *,
        budget: str = "",
        method: Sequence[str] | None = None,
        more: str = "--notes",
        commands: Measures | None = None,
    ) -> None:
        """`findings` in the order in which they are to be shown; those of `sweeps` have tables after the others'.

        found: knees of the sweeps, whose sentences follow the tables. budget: the line of noise and budget. method:
        sentences on how the verdicts were reached, shown with all notes; None: only the most important notes. more: the
        command or option that prints all notes. commands: the further measures of the user's commands.
        """
        self.budget, self.method, self._more = budget, method, more
        self.knees = knees.groups([one for one in found if not one.scenario])
        measured = dict.fromkeys(finding.workload for finding in findings)
        swept = [work.name for one in sweeps for work in one.workloads if work.name in measured]
        in_sweeps = set(swept)
        others = [name for name in measured if name not in in_sweeps]
        place = {name: number for number, name in enumerate([*others, *swept])}
        self.findings = sorted(findings, key=lambda finding: place[finding.workload])
        self.shown = _shown(self.findings)
        shown = dict.fromkeys(finding.workload for finding in self.shown)
        there = [name for name in others if name in shown]
        self._measures = commands or {}
        named = {name for name, _ in self._measures}
        self.commands = [name for name in there if name in named]
        self.workloads = [name for name in there if name not in self.commands]
        parts = ((one.name, [work for work in one.workloads if work.name in shown]) for one in sweeps)
        self.sweeps = [(name, workloads) for name, workloads in parts if workloads]
        self.environments = list(dict.fromkeys(finding.subject for finding in self.shown))
        self.cell = {(finding.workload, finding.subject): finding for finding in self.shown}
        self.footnotes = Footnotes()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the widest layout that fits."""
        if not self.findings:
            yield text_line("nothing has been measured")
            return
        self.footnotes = Footnotes()
        for finding in self.shown:
            self.footnotes.numbers(finding.shown_notes)
        if self.workloads:
            yield self._plain(options.max_width)
        for name in self.commands:
            yield text_line(name, style="bold")
            yield self._command(name, console, options.max_width)
        for name, workloads in self.sweeps:
            yield from self._sweep(name, workloads, console, options.max_width)
            for group in self.knees:
                if group[0].series.name == name:
                    yield text_line(knees.sentence(group))
                    yield from (text_line(f" {note}", style="dim") for note in knees.notes(group))
        if len(self.shown) < len(self.findings):
            yield text_line(_left_out(self.shown, self.findings))
        yield text_line(summary.headline(self.findings), style="bold")
        if self.budget:
            yield text_line(self.budget)
        yield text_line(self._legend(), style="dim")
        if any(words.star(finding) for finding in self.shown):
            yield text_line("* different conditions, see the note", style="dim")
        notes = [text for _, text in self.footnotes.lines()]
        shown = notes if self.method is not None or len(notes) <= MOST_NOTES else self._most_important(notes)
        for text in shown:
            yield text_line(f"{self.footnotes.mark([text])} {text}", style="dim")
        if len(shown) < len(notes):
            yield text_line(f"{counted(len(notes) - len(shown), 'more note')}: {self._more}", style="dim")
        if self.method is not None:
            yield from map(text_line, filter(None, self.method))

    def _most_important(self, notes: Sequence[str]) -> list[str]:
        """The first note of each star, then those at the most verdicts that are decided or missing; in their order."""
        decided = [finding for finding in self.shown if finding.verdict not in _OPEN]
        weight = Counter(note for finding in decided for note in set(finding.shown_notes))
        stars = Counter(finding.shown_notes[0] for finding in self.shown if words.star(finding) and finding.shown_notes)
        ranked = sorted(notes, key=lambda note: (-stars[note], -weight[note]))[:MOST_NOTES]
        return [note for note in notes if note in ranked]

    def _legend(self) -> str:
        counts = sorted({f.ratio.n for f in self.findings if f.ratio.n and f.verdict is not Verdict.BASELINE})
        blocks = ""
        if counts:
            span = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
            blocks = f" over {span} {'block' if counts[-1] == 1 else 'blocks'}"
        names = {*self.workloads, *self.commands}
        costs = any(finding.host_cpu_ratio is not None for finding in self.findings if finding.workload in names)
        return (_LEGEND + _COST * costs).format(
            baseline=self.findings[0].ratio.reference, blocks=blocks, level=words.interval_level(self.findings)
        )

    def _verdict(self, finding: Finding) -> tuple[str, str]:
        """Word with its marks, and style."""
        mark = self.footnotes.mark(finding.shown_notes)
        return f"{words.verdict(finding)}{words.star(finding)}{mark}", STYLES[finding.verdict]

    def _lines(self, finding: Finding | None, lines: int) -> list[tuple[str, str]]:
        """The lines of one cell of the wide layout, each with its style."""
        if finding is None:
            return []
        word, style = self._verdict(finding)
        if finding.verdict is Verdict.BASELINE:
            mark = self.footnotes.mark(finding.shown_notes)
            if not finding.ratio.n:
                return [(f"{_NO_VALUE}{mark}", "dim")]
            return [(f"1{mark}", ""), (words.value(finding.value), "dim")]
        if finding.verdict is Verdict.UNAVAILABLE or not finding.ratio.n:
            return [(word, style)]
        price = words.cost(finding)
        cost = [(f"cpu {price}", "dim")] if price else []
        if lines == 2:
            return [(f"{words.efficiency(finding)} {word}", style), *cost]
        return [(words.efficiency(finding), ""), *((line, style) for line in _broken(word)), *cost]

    def _plain(self, width: int) -> Table:
        """What is no sweep, in the widest layout that fits."""
        return next((self._wide(lines) for lines in (2, 3) if self._width(lines) <= width), None) or self._long()

    def _width(self, lines: int) -> int:
        total = 2 + max(text_line(name).cell_len for name in self.workloads)
        for environment in self.environments:
            longest = _longest_word(environment)
            for workload in self.workloads:
                for text, _ in self._lines(self.cell.get((workload, environment)), lines):
                    longest = max(longest, cell_len(text))
            total += longest + 3
        return total

    def _wide(self, lines: int) -> Table:
        made = plain_table()
        made.add_column("what", no_wrap=True)
        for environment in self.environments:
            made.add_column(text_line(environment), min_width=_longest_word(environment))
        for workload in self.workloads:
            cells = (self._lines(self.cell.get((workload, environment)), lines) for environment in self.environments)
            made.add_row(text_line(workload), *(_cell(one, no_wrap=True) for one in cells))
        return made

    def _command(self, name: str, console: Console, width: int) -> Table:
        """The table of a command; where it is too wide, without what one run uses."""
        of = [finding for finding in self.shown if finding.workload == name]
        whole = table_of_command(of, self._measures, self._verdict)
        unlimited = console.options.update(width=_UNLIMITED)
        if console.measure(whole, options=unlimited).minimum <= width:
            return whole
        return table_of_command(of, self._measures, self._verdict, columns={})

    def _sweep(
        self, name: str, workloads: Sequence[PlanWorkload], console: Console, width: int
    ) -> Iterator[Table | Text]:
        """One table where that fits; else several, each with some of the environments beside the baseline.

        An environment that none of the levels is available in is named behind them.
        """
        against = self.findings[0].ratio.reference
        absent = {environment: self._absence(environment, workloads) for environment in self.environments}
        others = [name for name, word in absent.items() if name != against and not word]

        def table(names: Sequence[str], lines: int) -> Table:
            return self._levels(name, workloads, [one for one in self.environments if one in {against, *names}], lines)

        def fits(made: Table) -> bool:
            return console.measure(made, options=console.options.update(width=_UNLIMITED)).maximum <= width

        for lines in (1, 2):
            if fits(made := table(others, lines)):
                yield made
                break
        else:
            group: list[str] = []
            for environment in others:
                if group and not fits(table([*group, environment], 2)):
                    yield table(group, 2)
                    group = []
                group.append(environment)
            yield table(group, 2)
        for environment, word in absent.items():
            if word and environment != against:
                yield text_line(f" {environment}: {word}", style="dim")

    def _absence(self, environment: str, workloads: Sequence[PlanWorkload]) -> str:
        """Word and marks of an environment in which none of the workloads is available; empty for another one."""
        found = [one for workload in workloads if (one := self.cell.get((workload.name, environment)))]
        if not found or not all(one.verdict is Verdict.UNAVAILABLE for one in found):
            return ""
        notes = [note for one in found for note in one.shown_notes]
        return f"{Verdict.UNAVAILABLE.value}{self.footnotes.mark(notes)}"

    def _levels(self, name: str, workloads: Sequence[PlanWorkload], environments: Sequence[str], lines: int) -> Table:
        """A row for each combination of levels, a column for each environment; a level that repeats is left out."""
        made = plain_table(name)
        factors = list(workloads[0].levels)
        for factor in factors:
            made.add_column(text_line(factor), overflow="fold")
        for environment in environments:
            made.add_column(text_line(environment), min_width=_longest_word(environment))
        before: list[str] = []
        for workload in workloads:
            levels = [words.level(workload, factor) for factor in factors]
            new = next((at for at, one in enumerate(levels) if levels[: at + 1] != before[: at + 1]), 0)
            shown = [text_line(level if at >= new else "") for at, level in enumerate(levels)]
            cells = (self._ratio(self.cell.get((workload.name, environment)), lines) for environment in environments)
            made.add_row(*shown, *map(_cell, cells))
            before = levels
        return made

    def _ratio(self, finding: Finding | None, lines: int) -> list[tuple[str, str]]:
        """One cell of a sweep: the ratio with its interval and verdict; of the baseline its value."""
        if finding is None:
            return []
        word, style = self._verdict(finding)
        if finding.verdict is Verdict.BASELINE:
            value = words.value(finding.value) or _NO_VALUE
            return [(f"{value}{self.footnotes.mark(finding.shown_notes)}", "dim")]
        shown = words.efficiency(finding)
        if not shown or lines == 1:
            return [(f"{shown} {word}".lstrip(), style)]
        return [(shown, ""), (word, style)]

    def _long(self) -> Table:
        made = plain_table()
        made.add_column("what, where", overflow="fold")
        made.add_column("efficiency", overflow="fold")
        made.add_column("verdict", overflow="fold")
        made.add_column("cpu", no_wrap=True, justify="right")
        for workload in self.workloads:
            made.add_row(text_line(workload, style="bold"))
            for environment in self.environments:
                finding = self.cell.get((workload, environment))
                if finding is None:
                    continue
                word, style = self._verdict(finding)
                shown, cost = words.efficiency(finding), words.cost(finding)
                if finding.verdict is Verdict.BASELINE:
                    shown, cost = f"1 ({words.value(finding.value)})" if finding.ratio.n else _NO_VALUE, ""
                made.add_row(
                    text_line(f"  {environment}"), text_line(shown), text_line(word, style=style), text_line(cost)
                )
            made.add_section()
        return made


def _shown(findings: Sequence[Finding]) -> Sequence[Finding]:
    """The findings of a table that a person may still read: where there are too many, differences go first."""
    if len(findings) <= _MOST_CELLS:
        return findings
    places = sorted(range(len(findings)), key=lambda at: findings[at].verdict not in _DIFFERENCES)[:_MOST_CELLS]
    kept = {findings[at].workload for at in places}
    compared = set(places)
    return [
        finding
        for at, finding in enumerate(findings)
        if at in compared or (finding.verdict is Verdict.BASELINE and finding.workload in kept)
    ]


def _left_out(shown: Sequence[Finding], findings: Sequence[Finding]) -> str:
    """How many comparisons the table lacks, and where they are."""
    there, every = (sum(one.verdict is not Verdict.BASELINE for one in of) for of in (shown, findings))
    return f"The table has {there:,} of {every:,} comparisons, differences first; the JSON has all."


def _cell(lines: Sequence[tuple[str, str]], *, no_wrap: bool = False) -> Text:
    """Lines with their styles."""
    text = Text(no_wrap=no_wrap)
    for number, (line, style) in enumerate(lines):
        text.append("\n" if number else "").append(line, style=style)
    return text


def _broken(word: str) -> list[str]:
    """A verdict with what qualifies it, in lines: `undecided:` and `the host was busy`."""
    return re.sub("([;:]) ", "\\1\n", word).splitlines()


def _longest_word(text: str) -> int:
    """In cells of the terminal: no word of a heading is cut."""
    return max((cell_len(word) for word in visible(text).split()), default=0)
