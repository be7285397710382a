"""What a user sees while a campaign runs, on standard error: a display that redraws, or plain lines where it cannot.

Drawing costs processor time on the host that is being measured. So nothing is drawn while a trial runs: the display has
no thread and no clock of its own: it is redrawn when something begins, with the time of day since when it goes on, and
when a trial is in the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.measure import Measurement
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from virtometer.analysis.live import LiveEstimate
from virtometer.counted import counted
from virtometer.model import UNAVAILABLE, Plan, Stage, Trial, TrialRecord
from virtometer.report.findings.summary import stage_sentence
from virtometer.report.parts.words import quantity
from virtometer.runner.campaign.progress import Estimates, Progress
from virtometer.runner.campaign.remaining_time import TimeLeft


def display(console: Console) -> PlainDisplay:
    """The display that suits where `console` leads."""
    return LiveDisplay(console) if console.is_terminal and not console.is_dumb_terminal else PlainDisplay(console)


def remaining(time_left: TimeLeft) -> str:
    """Time left, as h:mm:ss or m:ss, and how many trials there are whose length nobody knows yet."""
    whole = max(0, round(time_left.seconds))
    hours, rest = divmod(whole, 3600)
    shown = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    if time_left.unknown_trials:
        return f"{shown} and {counted(time_left.unknown_trials, 'trial')} of unknown length left"
    return f"{shown} left"


def since() -> str:
    """The time of day, for what may go on for a while."""
    return f"since {time.strftime('%H:%M:%S')}"


def cell(live: LiveEstimate | None, *, long: bool = True) -> str:
    """A live estimate: the efficiency so far, with its interval (`long`) once there is one.

    1 is the baseline's. What has no baseline to be compared with yet is shown as it was measured, in its unit.
    """
    if live is None:
        return ""
    if live.ratio is None:
        return "1" if live.baseline else quantity(live.value.estimate.value, live.value.unit)
    ratio = live.ratio
    if not long or ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3g}"
    return f"{ratio.value:.3g} [{ratio.low:.3g}, {ratio.high:.3g}]"


class PlainDisplay(Progress):
    """One line for each thing that happens. Also keeps what both displays need to know."""

    def __init__(self, console: Console) -> None:
        """Writes to `console`."""
        self.console = console
        self.directory: Path | None = None
        self.blocks = 0
        self.total = 0
        self._told: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def line(self, text: str) -> None:
        """One line, not wrapped, not interpreted."""
        self.console.print(Text(text), soft_wrap=True)

    def cleaned_up(self, sentences: Sequence[str]) -> None:
        """What earlier laboratories had left behind was removed."""
        for sentence in sentences:
            self.line(f"cleaned up: {sentence}")

    def stage(self, text: str) -> None:
        """What the laboratory does now, beside trials; shown once."""
        if text not in self._told:
            self._told.add(text)
            self.line(f"{text}, {since()}")

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        """The campaign's directory exists."""
        self.directory = directory
        self.factors = bool(plan.factors)
        self.total = len(planned)
        self.blocks = 1 + max((trial.block for trial in planned), default=-1)
        done = f", {finished} of them done before" if finished else ""
        self.line(f"results: {directory}; {counted(self.total, 'trial')} in {counted(self.blocks, 'block')}{done}")

    def guest_starting(self, environment: str) -> None:
        """A guest is being started; shown at the first start of each environment."""
        self.stage(f"starting {environment}")

    def trial_started(self, trial: Trial) -> None:
        """A trial begins."""

    def trial_finished(self, record: TrialRecord, done: int, total: int, left: TimeLeft, estimates: Estimates) -> None:
        """A trial is in the ledger."""
        parts = [f"block {record.trial.block + 1}/{self.blocks}", f"trial {done}/{total}", where(record.trial)]
        if record.status == "failed":
            parts.append(without_value(record))
        else:
            parts += [f"efficiency so far {shown}" for shown in self._cells(record.trial, estimates)]
        parts.append(remaining(left))
        self.line(", ".join(parts))

    def extended(self, stage: Stage, planned: Sequence[Trial]) -> None:
        """A further stage is fixed."""
        before = self.blocks
        self.total = len(planned)
        self.blocks = 1 + max(trial.block for trial in planned)
        self.line(f"after {counted(before, 'block')}: {stage_sentence(stage, factors=self.factors)}")

    def message(self, text: str) -> None:
        """Something that the user should know."""
        self.line(text)

    def _cells(self, trial: Trial, estimates: Estimates) -> list[str]:
        shown = []
        for placement in trial.placements:
            live = estimates.get((placement.workload, placement.environment))
            if live is not None and live.ratio is not None:
                shown.append(cell(live))
        return shown


class LiveDisplay(PlainDisplay):
    """Block, trial, time left and live estimates, redrawn in place."""

    def __init__(self, console: Console) -> None:
        """Draws on `console`, from `__enter__` to `__exit__`."""
        super().__init__(console)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._columns: list[str] = []
        self._rows: list[str] = []
        self._done = 0
        self._block = 0
        self._left = ""
        self._now = "looking for what earlier laboratories left behind"
        self._estimates: Estimates = {}

    def __enter__(self) -> Self:
        self._live.start()
        self._draw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def line(self, text: str) -> None:
        """One line above what is redrawn, wrapped between words."""
        self.console.print(Text(text))

    def stage(self, text: str) -> None:
        """What the laboratory does now, beside trials."""
        self._now = f"{text}, {since()}"
        self._draw()

    def begun(self, directory: Path, plan: Plan, planned: Sequence[Trial], finished: int) -> None:
        """The campaign's directory exists. Rows and columns of the table are in the order of the plan."""
        super().begun(directory, plan, planned, finished)
        places = [placement for trial in planned for placement in trial.placements]
        environments, workloads = {place.environment for place in places}, {place.workload for place in places}
        self._columns = [one.name for one in plan.environments if one.name in environments]
        self._rows = [one.name for one in plan.workloads if one.name in workloads]
        self._done = finished
        self.stage("preparing")

    def trial_started(self, trial: Trial) -> None:
        """A trial begins."""
        self._block = trial.block + 1
        self.stage(where(trial))

    def trial_finished(self, record: TrialRecord, done: int, total: int, left: TimeLeft, estimates: Estimates) -> None:
        """A trial is in the ledger."""
        self._done, self.total = done, total
        self._left = remaining(left)
        self._estimates = estimates
        if record.status == "failed":
            text = f"{where(record.trial)}: {without_value(record)}"
            if record.at_fault or text not in self._told:  # what cannot be done here cannot be done in any block
                self._told.add(text)
                self.line(text)
        self._draw()

    def _draw(self) -> None:
        self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        if not self.total:
            return Text(self._now)
        head = Table.grid(padding=(0, 2))
        head.add_row(
            Text(f"block {max(self._block, 1)}/{self.blocks}"),
            Text(f"trial {min(self._done + 1, self.total)}/{self.total}"),
            ProgressBar(total=self.total, completed=self._done, width=max(6, min(30, self.console.width - 70))),
            Text(self._left, no_wrap=True, overflow="ellipsis"),
        )
        now = Text(self._now, no_wrap=True, overflow="ellipsis")
        for long in (True, False):
            table = self._table(long)
            roomy = self.console.options.update(max_width=10_000)
            if Measurement.get(self.console, roomy, table).maximum <= self.console.width:
                return Group(head, now, table)
        return Group(head, now)

    def _table(self, long: bool) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("efficiency so far", no_wrap=True)
        for column in self._columns:
            table.add_column(Text(column if long else column.replace(" ", "\n")), no_wrap=True)
        for row in self._rows:
            table.add_row(Text(row), *(cell(self._estimates.get((row, column)), long=long) for column in self._columns))
        return table


def where(trial: Trial) -> str:
    """`memory triad 64 MB in box`, where a box is an environment of the plan."""
    return " beside ".join(f"{placement.workload} in {placement.guest_key.name}" for placement in trial.placements)


def without_value(record: TrialRecord) -> str:
    """Why a trial has no value: it failed, or cannot be done here, which is no failure."""
    assert record.failure is not None
    return f"{UNAVAILABLE if record.unavailable else 'failed'}: {record.failure.reason}"
