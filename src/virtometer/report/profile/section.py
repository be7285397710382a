"""Profiles of commands, as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence

from virtometer.analysis.profile.operations import COMPUTING
from virtometer.analysis.profile.predict import Prediction, Profile
from virtometer.report.parts import words
from virtometer.report.parts.section import Section
from virtometer.report.parts.table import TextTable
from virtometer.report.profile import words as of_profile

_COLUMNS = (
    "environment", "what", "count", "a second", "one natively", "one there", "efficiency", "additional time",
)  # fmt: skip


def section(profiles: Sequence[Profile]) -> Section | None:
    """A part for each command. None where none was profiled."""
    if not profiles:
        return None
    parts = [_part(one, number) for number, one in enumerate(profiles, 1)]
    return Section(
        id="profiles",
        title="What explains the slowdown of the commands",
        short="Profiles",
        about="A first prediction: how often a command does what, natively, by what each of these costs more there.",
        parts=parts,
        legend=[
            "Additional time is a share of what the command takes natively. docs/methods/profiles.md has the method."
        ],
    )


def _part(of: Profile, number: int) -> Section:
    whole = TextTable(
        "Time there / natively",
        ("environment", "predicted", "measured", "unexplained", "explains most"),
        [
            (
                one.subject,
                words.estimate(one.predicted),
                words.estimate(one.measured),
                of_profile.signed(one.rest),
                one.dominant or "nothing",
            )
            for one in of.predictions
        ],
        frozenset({1, 2, 3}),
    )
    each = TextTable(
        "By environment and class, the largest first",
        _COLUMNS,
        [row for one in of.predictions for row in _rows(one)],
        frozenset(range(2, len(_COLUMNS))),
    )
    return Section(
        id=f"profile-{number}",
        title=of.workload,
        about=of_profile.did(of),
        sentences=[of_profile.explained(one) for one in of.predictions],
        tables=[whole, each],
        notes=[("", sentence) for sentence in (*of_profile.further(of), of_profile.cost(of))],
    )


def _rows(of: Prediction) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for one in of.shares:
        computing = one.name == COMPUTING
        rows.append(
            (
                of.subject,
                one.name,
                words.quantity(one.count, "s") if computing else words.significant(one.count),
                words.percent(one.a_second) if computing else words.significant(one.a_second, 2),
                "" if one.native_s is None else of_profile.time(one.native_s),
                "" if one.there_s is None else of_profile.time(one.there_s),
                words.estimate(one.efficiency),
                of_profile.signed(one.extra),
            )
        )
    return rows
