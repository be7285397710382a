"""Profiles of commands on a terminal: classes down, environments across, and sentences on what explains most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from virtometer.analysis.profile.operations import COMPUTING
from virtometer.analysis.profile.predict import Prediction, Profile, Share
from virtometer.model import Estimate
from virtometer.report.parts import words
from virtometer.report.parts.terminal_text import plain_table, text_line
from virtometer.report.profile import words as of_profile


def terminal(profiles: Sequence[Profile]) -> Iterator[Text | Table]:
    """All profiles, in the order of the commands."""
    for one in profiles:
        yield text_line(f"profile of {one.workload}", style="bold")
        yield text_line(of_profile.did(one))
        if one.predictions:
            yield _table(one)
        yield from (text_line(of_profile.explained(prediction)) for prediction in one.predictions)
        yield from (text_line(sentence, style="dim") for sentence in of_profile.further(one))
        yield text_line(of_profile.cost(one), style="dim")


def _table(of: Profile) -> Table:
    """Cells: what one costs more there, and below it what all of them add to the time natively."""
    made = plain_table()
    made.add_column("what", overflow="fold")
    made.add_column("a second", justify="right", no_wrap=True)
    for one in of.predictions:
        made.add_column(text_line(one.subject), justify="right", overflow="fold")
    cells = [{share.name: share for share in one.shares} for one in of.predictions]
    for name in _names(of.predictions):
        first = next(shares[name] for shares in cells if name in shares)
        number = words.percent(first.a_second) if name == COMPUTING else words.significant(first.a_second, 2)
        made.add_row(name, number, *(_cell(shares.get(name)) for shares in cells))
    made.add_section()
    made.add_row("predicted", "", *(_ratio(one.predicted) for one in of.predictions))
    made.add_row("measured", "", *(_ratio(one.measured) for one in of.predictions))
    made.add_row("unexplained", "", *(of_profile.signed(one.rest) for one in of.predictions))
    return made


def _names(of: Sequence[Prediction]) -> list[str]:
    """Classes that explain something somewhere, the largest first."""
    most: dict[str, float] = {}
    for one in of:
        for share in one.shares:
            most[share.name] = max(most.get(share.name, 0.0), abs(share.extra))
    return sorted((name for name, extra in most.items() if extra >= of_profile.LEAST), key=lambda name: -most[name])


def _ratio(of: Estimate) -> str:
    return f"x {words.ratio(of)}\n{words.interval(of)}".rstrip()


def _cell(of: Share | None) -> Text:
    if of is None:
        return text_line("")
    each = [] if of.name == COMPUTING else [of_profile.time(of_profile.each_s(of))]
    return Text("\n".join([*each, of_profile.signed(of.extra)]))
