"""The user's commands beside the first one, as the page shows them."""

from __future__ import annotations

from virtometer.analysis import Analysis
from virtometer.report.parts import words
from virtometer.report.parts.html_tables import HtmlTable
from virtometer.report.parts.section import Section


def section(analysis: Analysis) -> Section | None:
    """A table with a row for each further command and a column for each environment. None without such a command."""
    of = analysis.commands
    if not of:
        return None
    first = next(iter(of.values()))
    environments = list(dict.fromkeys(environment for _, environment in of))
    rows = [
        [name, *(_cell(analysis, name, environment) for environment in environments)]
        for name in dict.fromkeys(name for name, _ in of)
    ]
    timed = first.metric.startswith("time ")
    what, more = ("Time of a run", "the command takes longer") if timed else ("Value", "the value is larger")
    level = words.level_words(first.estimate.level)
    table = HtmlTable(
        f"{what} by that of `{first.reference}`, with its {level} interval: above 1 {more}",
        ("command", *environments),
        rows,
        frozenset(range(1, len(environments) + 1)),
    )
    return Section(id="commands", title="Commands beside the first one", short="Commands", tables=[table])


def _cell(analysis: Analysis, name: str, environment: str) -> str:
    of = analysis.commands.get((name, environment))
    return "" if of is None else words.estimate(of.estimate)
