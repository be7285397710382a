"""What `virtometer doctor --noise` shows: how noisy this host is, and what difference can be found on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from virtometer.analysis.stopping.noise import MINUTES, Noise
from virtometer.cli.parts.console import PlainConsole
from virtometer.cli.parts.display import remaining, where
from virtometer.cli.plan.files import NOISE, built_in, load
from virtometer.model import Plan, Trial, TrialRecord
from virtometer.report.parts.terminal_text import plain_table
from virtometer.report.parts.words import percent
from virtometer.runner.campaign.noise import measure
from virtometer.runner.campaign.progress import Estimates, Progress
from virtometer.runner.campaign.remaining_time import TimeLeft


def measured(*, quiet: bool) -> tuple[Noise, ...]:
    """Execute the built-in plan; progress goes to standard error, in one line that goes away on a terminal."""
    resolved, text = load(built_in(NOISE))
    console = PlainConsole(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        return measure(resolved, text, NoiseProgress(console, None, quiet=quiet))
    with Live(console=console, auto_refresh=False, transient=True) as live:
        return measure(resolved, text, NoiseProgress(console, live))


def machine(found: Sequence[Noise]) -> list[dict[str, Any]]:
    """What `--json` prints below `noise`."""
    return [
        {
            "workload": one.workload,
            "blocks": one.blocks,
            "sd": one.sd,
            "noise_floor": one.floor,
            "seconds_per_block": one.block_s,
            "detectable": [{"minutes": minutes, "difference": one.detectable[minutes]} for minutes in MINUTES],
            "reason": one.reason,
        }
        for one in found
    ]


def noise_table(found: Sequence[Noise]) -> Table:
    """A row for each workload."""
    table = plain_table()
    table.add_column("the same twice")
    for name in ("blocks", "spread", "noise floor", *(f"found in\n{minutes} min" for minutes in MINUTES)):
        table.add_column(name, justify="right")
    for one in found:
        values = [one.sd, one.floor, *(one.detectable[minutes] for minutes in MINUTES)]
        table.add_row(
            Text(one.workload), str(one.blocks), *("-" if value is None else percent(value) for value in values)
        )
    return table


def show(found: Sequence[Noise], console: Console) -> None:
    """Print the table, why values are missing, and what the columns mean."""
    console.print(noise_table(found))
    for one in found:
        if one.reason:
            console.print(Text(f"{one.workload}: {one.reason}"))
    console.print(
        Text(
            "Spread: standard deviation of a block's ratio. Noise floor: the largest difference that two guests of "
            "the same environment may seem to have in these blocks. Found in: the smallest difference that a campaign "
            "of this length finds with 80 % probability. It has this workload and two environments.",
            style="dim",
        )
    )


class NoiseProgress(Progress):
    """One line on a terminal; elsewhere a line for each block, or nothing where `quiet`."""

    def __init__(self, console: Console, live: Live | None, *, quiet: bool = False) -> None:
        """Writes to `console`, and what goes away to `live`."""
        self._console = console
        self._live = live
        self._quiet = quiet
        self._blocks = 0
        self._block = -1
        self._left = ""

    def cleaned_up(self, sentences: Sequence[str]) -> None:
        """What earlier laboratories had left behind was removed."""
        for sentence in sentences:
            self._line(f"cleaned up: {sentence}")

    def stage(self, text: str) -> None:
        """What the laboratory does now, beside trials."""
        self._now(text)

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        """The trials are planned; the directory is not the user's."""
        self._blocks = plan.blocks

    def trial_started(self, trial: Trial) -> None:
        """A trial begins."""
        if self._live is not None:
            self._now(f"block {trial.block + 1}/{self._blocks}: {where(trial)}{self._left}")
        elif trial.block > self._block:
            self._block = trial.block
            self._line(f"block {trial.block + 1}/{self._blocks}")

    def trial_finished(self, record: TrialRecord, done: int, total: int, left: TimeLeft, estimates: Estimates) -> None:
        """A trial is in the ledger."""
        self._left = f", {remaining(left)}"

    def message(self, text: str) -> None:
        """Something that the user should know."""
        self._line(text)

    def _now(self, text: str) -> None:
        if self._live is not None:
            self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._console.print(Text(text), soft_wrap=True)
