"""The experiments of a study: the plans that measure them, and the campaigns that were made of these in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from virtometer.cli.plan.files import built_in_folder
from virtometer.counted import counted
from virtometer.store.names import LEDGER
from virtometer.studies.data import items

if TYPE_CHECKING:
    from virtometer.analysis.studies.cells import StudySection
    from virtometer.errors import LedgerError
    from virtometer.model import Campaign


_UNMEASURED = "not measured yet: "


@dataclass(frozen=True, slots=True)
class State:
    """A campaign that was begun. left: planned trials that have not ended. failed: those that can be measured again."""

    campaign: Campaign
    directory: Path
    left: frozenset[int]
    failed: frozenset[int]


def plans_of(study: str) -> dict[str, Path]:
    """The plan of each experiment, by its name, in the order of the names."""
    folder = built_in_folder() / "studies" / study
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def without_plan(study: str, sections: Sequence[StudySection]) -> dict[str, str]:
    """The experiments of the items of a study that no plan measures, with the reason, in the order of the items.

    The reason is that of the sections where all tables and figures of the experiment have the same one.
    """
    from virtometer.analysis.studies.matching import NOT_YET

    plans = plans_of(study)
    reasons: dict[str, set[str]] = {
        name: set()
        for item in items(study).values()
        for name in item.experiments
        if not any(plan == name or plan.startswith(f"{name}-") for plan in plans)
    }
    for one in sections:
        for name in reasons.keys() & set(one.item.experiments) if one.item.kind != "text" else ():
            reasons[name] |= {one.chart.unavailable} if one.chart and one.chart.unavailable else one.reasons.keys()
    return {name: next(iter(some)) if len(some) == 1 else NOT_YET for name, some in reasons.items()}


def progress(
    study: str, campaigns: Sequence[Campaign], sections: Sequence[StudySection]
) -> tuple[tuple[str, str], ...]:
    """Each experiment with what these campaigns measured of it, or how to measure it; then those without a plan."""
    by_plan = {one.plan.name: one for one in campaigns}
    planned = [(name, _words(study, name, by_plan.get(f"{study} {name}"))) for name in plans_of(study)]
    return (*planned, *without_plan(study, sections).items())


def with_unreadable(
    listed: Sequence[tuple[str, str]], errors: Mapping[Path, LedgerError]
) -> tuple[tuple[str, str], ...]:
    """The experiments with their states, and why campaigns in these directories cannot be read.

    The reason is the state of an experiment that no other campaign measured. Other directories follow.
    """
    states = dict(listed)
    for directory, error in errors.items():
        measured = not states.get(directory.name, _UNMEASURED).startswith(_UNMEASURED)
        name = str(directory) if measured else directory.name
        states[name] = f"its campaign cannot be read: {error.sentence}"
    return tuple(states.items())


def _words(study: str, name: str, campaign: Campaign | None) -> str:
    command = f"virtometer study run {study} {name}"
    if campaign is None:
        return f"{_UNMEASURED}{command}"
    plan, done = campaign.plan, len(campaign.trials)
    form = f"in short form ({'; '.join(plan.shortened)})" if plan.shortened else "in full"
    if done < len(campaign.planned):
        left = f"{done:,} of {counted(len(campaign.planned), 'trial')} measured"
        option = " --short" if plan.shortened else ""
        return f"begun on {campaign.created_at[:10]} {form}: {left}; go on with: {command}{option}"
    return f"measured on {campaign.created_at[:10]} {form}"


def campaigns_in(directory: Path) -> list[Path]:
    """The directory where it holds a campaign, else those of its folders that do, in the order of their names."""
    if (directory / LEDGER).exists() or not directory.is_dir():
        return [directory]
    return sorted(path.parent for path in directory.glob(f"*/{LEDGER}")) or [directory]


def state_of(directory: Path) -> State | None:
    """The campaign in a directory; None where none was begun. Raises LedgerError for one that is damaged."""
    from virtometer.store.ledger import Ledger

    if not (directory / LEDGER).exists():
        return None
    with Ledger.open(directory) as ledger:
        campaign = ledger.read()
    ended = {record.trial.index for record in campaign.trials}
    return State(
        campaign,
        directory,
        left=frozenset(trial.index for trial in campaign.planned) - ended,
        failed=frozenset(record.trial.index for record in campaign.trials if record.at_fault),
    )
