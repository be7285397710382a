"""The table of a campaign on a terminal: workloads down, environments across; a line a cell where that is too wide.

Works on any width from 60 columns, without colour, and when piped: everything that colour says is also said in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from virtometer.model import Finding, Verdict
from virtometer.report import summary, words
from virtometer.report.footnotes import Footnotes

STYLES = {
    Verdict.SLOWER: "red",
    Verdict.FASTER: "green",
    Verdict.EQUIVALENT: "cyan",
    Verdict.UNDECIDED: "yellow",
    Verdict.BASELINE: "dim",
    Verdict.UNAVAILABLE: "dim",
}
_NO_VALUE = "no value"
_LEGEND = "efficiency = performance there / in {baseline}, above 1 is better; ± or [ ]: 95 % interval{blocks}"
_COST = "; cpu: host CPU time per unit of work against {baseline}"


class ResultTable:
    """The table with its legend and footnotes: a rich renderable that fits itself to the width it is given."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        """`findings` in the order in which they are to be shown."""
        self.findings = findings
        self.workloads = list(dict.fromkeys(finding.workload for finding in findings))
        self.environments = list(dict.fromkeys(finding.subject for finding in findings))
        self.cell = {(finding.workload, finding.subject): finding for finding in findings}
        self.footnotes = Footnotes()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the widest layout that fits."""
        if not self.findings:
            yield Text("nothing has been measured")
            return
        self.footnotes = Footnotes()
        for finding in self.findings:
            self.footnotes.numbers(finding.notes)
        for lines in (2, 3):
            if self._width(lines) <= options.max_width:
                yield self._wide(lines)
                break
        else:
            yield self._long()
        yield Text(summary.headline(self.findings), style="bold")
        still_open = summary.undecided(self.findings)
        if still_open:
            yield Text(still_open)
        yield Text(self._legend(), style="dim")
        if any(words.star(finding) for finding in self.findings):
            yield Text("* not like with like: the conditions differ, see the note", style="dim")
        for _, text in self.footnotes.lines():
            yield Text(f"{self.footnotes.mark([text])} {text}", style="dim")

    def _legend(self) -> str:
        counts = sorted({f.ratio.n for f in self.findings if f.ratio is not None and f.verdict is not Verdict.BASELINE})
        blocks = ""
        if counts:
            span = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
            blocks = f" over {span} {'block' if counts[-1] == 1 else 'blocks'}"
        costs = any(finding.host_cpu_ratio is not None for finding in self.findings)
        return (_LEGEND + _COST * costs).format(baseline=self.findings[0].against, blocks=blocks)

    def _verdict(self, finding: Finding) -> tuple[str, str]:
        """Word with its marks, and style."""
        mark = self.footnotes.mark(finding.notes)
        return f"{finding.verdict.value}{words.star(finding)}{mark}", STYLES[finding.verdict]

    def _lines(self, finding: Finding | None, lines: int) -> list[tuple[str, str]]:
        """The lines of one cell of the wide layout, each with its style."""
        if finding is None:
            return []
        word, style = self._verdict(finding)
        if finding.verdict is Verdict.BASELINE:
            mark = self.footnotes.mark(finding.notes)
            if finding.ratio is None:
                return [(f"{_NO_VALUE}{mark}", "dim")]
            value = words.quantity(finding.value.value, finding.unit) if finding.value is not None else ""
            return [(f"1{mark}", ""), (value, "dim")]
        if finding.verdict is Verdict.UNAVAILABLE or finding.ratio is None:
            return [(word, style)]
        price = words.cost(finding)
        cost = [(f"cpu {price}", "dim")] if price else []
        if lines == 2:
            return [(f"{words.efficiency(finding)} {word}", style), *cost]
        return [(words.efficiency(finding), ""), (word, style), *cost]

    def _width(self, lines: int) -> int:
        total = 2 + max(cell_len(name) for name in self.workloads)
        for environment in self.environments:
            longest = _longest_word(environment)
            for workload in self.workloads:
                for text, _ in self._lines(self.cell.get((workload, environment)), lines):
                    longest = max(longest, cell_len(text))
            total += longest + 3
        return total

    def _wide(self, lines: int) -> Table:
        made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False, header_style="bold", collapse_padding=True)
        made.add_column("what", no_wrap=True)
        for environment in self.environments:
            made.add_column(Text(environment), min_width=_longest_word(environment))
        for workload in self.workloads:
            cells = []
            for environment in self.environments:
                text = Text(no_wrap=True)
                for number, (line, style) in enumerate(self._lines(self.cell.get((workload, environment)), lines)):
                    text.append("\n" if number else "").append(line, style=style)
                cells.append(text)
            made.add_row(Text(workload), *cells)
        return made

    def _long(self) -> Table:
        made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", collapse_padding=True)
        made.add_column("what, where", overflow="fold")
        made.add_column("efficiency", overflow="fold")
        made.add_column("verdict", overflow="fold")
        made.add_column("cpu", no_wrap=True, justify="right")
        for workload in self.workloads:
            made.add_row(Text(workload, style="bold"))
            for environment in self.environments:
                finding = self.cell.get((workload, environment))
                if finding is None:
                    continue
                word, style = self._verdict(finding)
                shown, cost = words.efficiency(finding), words.cost(finding)
                if finding.verdict is Verdict.BASELINE:
                    value = f" ({words.quantity(finding.value.value, finding.unit)})" if finding.value else ""
                    shown, cost = _NO_VALUE if finding.ratio is None else f"1{value}", ""
                made.add_row(Text(f"  {environment}"), Text(shown), Text(word, style=style), Text(cost))
            made.add_section()
        return made


def _longest_word(text: str) -> int:
    """In cells of the terminal: no word of a heading is cut."""
    return max((cell_len(word) for word in text.split()), default=0)
