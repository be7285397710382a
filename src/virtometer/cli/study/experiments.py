"""The experiments of a study: the plans that measure them, and the campaigns that were made of these in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from virtometer.cli.plan.files import built_in_folder
from virtometer.counted import counted
from virtometer.store.names import LEDGER

if TYPE_CHECKING:
    from virtometer.model import Campaign, Plan


@dataclass(frozen=True, slots=True)
class State:
    """A campaign that was begun. left: planned trials that have not ended."""

    plan: Plan
    directory: Path
    begun: str
    left: int


def plans_of(study: str) -> dict[str, Path]:
    """The plan of each experiment, by its name, in the order of the names."""
    folder = built_in_folder() / "studies" / study
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def progress(study: str, campaigns: Sequence[Campaign]) -> tuple[tuple[str, str], ...]:
    """Each experiment that has a plan, with what these campaigns measured of it, or how to measure it."""
    by_plan = {one.plan.name: one for one in campaigns}
    return tuple((name, _words(study, name, by_plan.get(f"{study} {name}"))) for name in plans_of(study))


def _words(study: str, name: str, campaign: Campaign | None) -> str:
    command = f"virtometer study run {study} {name}"
    if campaign is None:
        return f"not measured yet: {command}"
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


def states(folder: Path) -> dict[str, State]:
    """The campaigns in the folders of a folder, by the names of these. Raises LedgerError for one that is damaged."""
    from virtometer.store.ledger import Ledger

    found = {}
    for path in sorted(folder.glob(f"*/{LEDGER}")):
        with Ledger.open(path.parent) as ledger:
            campaign = ledger.read()
            left = len(campaign.planned) - len(ledger.finished())
        found[path.parent.name] = State(campaign.plan, path.parent, campaign.created_at, left)
    return found
