"""Join the methods: campaign -> findings, one for every workload and environment, in the plan's order.

The baseline is `baseline`. An environment that cannot run or never gave a value is `not available here`, with the
reason. `verdicts` decides the rest.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import replace

from virtometer.analysis.compare import cost, lost_time, worst_block
from virtometer.analysis.compare.blocks import Cell, Key, beside
from virtometer.analysis.compare.control import control_spread
from virtometer.analysis.compare.lost_time import Lengths
from virtometer.analysis.compare.ratios import Ratios, ratios
from virtometer.analysis.compare.values import efficiency, value_of
from virtometer.analysis.compare.worst_block import worst_blocks
from virtometer.analysis.note import Note
from virtometer.analysis.notes import (
    between_stalls,
    block_shapes,
    busy,
    conditions,
    foreign_load,
    missing,
    slices_by_windows,
    stalls,
)
from virtometer.analysis.notes.block_shapes import Series
from virtometer.analysis.notes.doubts import QUALIFIED, Doubts, doubts_of
from virtometer.analysis.score.slices import long_windows
from virtometer.analysis.score.window_level import level
from virtometer.analysis.statistics import unseen
from virtometer.analysis.statistics.interval import interval
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.analysis.statistics.verdicts import Decision, decide
from virtometer.analysis.stopping.block_costs import block_costs
from virtometer.analysis.stopping.rule import STRICTNESS
from virtometer.model import Better, Campaign, Estimate, Finding, Plan, Verdict


def findings(campaign: Campaign, table: dict[Key, Cell]) -> tuple[Finding, ...]:
    """Compare every environment with the plan's baseline, in every workload. `table`: the campaign's cells."""
    compared = comparisons(campaign, table)
    spreads = decisive_spreads(compared)
    controls = control_spreads(campaign, table, compared)
    disturbed = busy_host(campaign, table, compared)
    doubted = doubts_of(campaign, table, compared, controls, strictness(campaign))
    decisions = decide(
        spreads,
        campaign.plan.margin,
        controls=controls,
        refused={**doubted.refused, **{key: why.text for key, why in disturbed.items()}},
        blocks={key: count for key, count in doubted.blocks.items() if key not in disturbed},
        strictness=strictness(campaign),
    )
    concluder = _Concluder(campaign, table, compared, disturbed, doubted)
    return tuple(
        concluder.comparison(cell, decisions[key]) if key in decisions else concluder.alone(cell)
        for key, cell in table.items()
    )


def comparisons(campaign: Campaign, table: Mapping[Key, Cell]) -> dict[Key, Ratios]:
    """The ratios of every treatment that has a baseline. `table`: the cells of the campaign."""
    plan = campaign.plan
    return {
        key: ratios(cell, _against(table, cell, plan.baseline), plan.verdict)
        for key, cell in table.items()
        if cell.environment != plan.baseline and (cell.workload, plan.baseline) in table
    }


def control_spreads(campaign: Campaign, table: Mapping[Key, Cell], compared: Mapping[Key, Ratios]) -> dict[Key, Spread]:
    """The spread of the baseline's ratios with itself, for the comparisons that have one: of the ratios they decide by.

    Of the baseline that each is compared with. table: the cells of the campaign.
    """
    baseline = campaign.plan.baseline
    found = {key: control_spread(_against(table, table[key], baseline), of.by) for key, of in compared.items()}
    return {key: of for key, of in found.items() if of is not None}


def busy_host(campaign: Campaign, table: Mapping[Key, Cell], compared: Iterable[Key]) -> dict[Key, Note]:
    """Why comparisons get no verdict on a busy host, for those that get none. table: the cells of the campaign."""
    plan = campaign.plan
    return busy.refused(
        {key: busy.sides_of(table[key], _against(table, table[key], plan.baseline), plan=plan) for key in compared}
    )


def _against(table: Mapping[Key, Cell], cell: Cell, baseline: str) -> Cell:
    """The baseline that a cell is compared with."""
    return beside(cell, table[cell.workload, baseline])


def decisive_spreads(compared: Mapping[Key, Ratios]) -> dict[Key, Spread | None]:
    """What `decide` takes; None where no block has both sides."""
    return {key: spread(of.decisive.values()) for key, of in compared.items()}


def strictness(campaign: Campaign) -> float:
    """What the levels are multiplied by: `STRICTNESS` where stages fix the blocks, else 1."""
    return STRICTNESS if campaign.plan.stops_by_rule or campaign.stages else 1.0


def _shapes(table: Mapping[Key, Cell], compared: Mapping[Key, Ratios], plan: Plan) -> dict[Key, list[Note]]:
    """The shapes of the blocks of every comparison, and those of the values of each side, which tables do not show.

    What is small beside the plan's margin is not named.
    """
    least = math.log1p(plan.margin) / 5
    family = {key: _series(table[key], _against(table, table[key], plan.baseline), of) for key, of in compared.items()}
    own = {
        key: Series({block: math.log(value) for block, value in cell.values.items()}, "its own value")
        for key, cell in table.items()
    }
    found = block_shapes.notes(family, least)
    for key, notes in block_shapes.notes(own, least).items():
        found[key] = [*found.get(key, []), *(replace(note, brief="") for note in notes)]
    return found


def _series(cell: Cell, against: Cell, of: Ratios) -> Series:
    """The log ratios that are decided by, with the place of the subject: after the baseline, or else in its block."""
    own, other = _places(cell), _places(against)
    apart = {block: place - other[block] for block, place in own.items() if block in other}
    if len(set(apart.values())) > 1:
        return Series(of.decisive, places=apart, later=f"than {against.environment}")
    return Series(of.decisive, places=own)


def _places(cell: Cell) -> dict[int, float]:
    """The mean place of the trials of a cell in each block, counted in trials."""
    found: dict[int, list[int]] = {}
    for record, _ in cell.results:
        found.setdefault(record.trial.block, []).append(record.trial.position)
    return {block: statistics.fmean(places) for block, places in found.items()}


class _Concluder:
    """What all findings of a campaign share: the plan, cells, ratios, worst blocks, what a block takes."""

    def __init__(
        self,
        campaign: Campaign,
        table: dict[Key, Cell],
        compared: dict[Key, Ratios],
        busy_host: Mapping[Key, Note],
        doubted: Doubts,
    ) -> None:
        """busy_host: why comparisons get no verdict there. doubted: what few starts leave open."""
        self.doubted = doubted
        self.plan = campaign.plan
        self.table = table
        self.compared = compared
        self.slices: dict[int, tuple[Cell, Lengths]] = {}
        self.busy_host = busy_host
        self.strictness = strictness(campaign)
        decisive = {key: of.decisive for key, of in compared.items()}
        self.worst = worst_blocks(decisive, self.plan.margin, self.strictness)
        self.status = {status.name: status for status in campaign.environments}
        self.workloads = {workload.name: workload for workload in self.plan.workloads}
        self.costs = block_costs(campaign)
        self.shapes = _shapes(table, compared, campaign.plan)
        self.hidden = foreign_load.hidden_guests(campaign)

    def alone(self, cell: Cell) -> Finding:
        """The baseline's own row, or a row that has no baseline to be compared with."""
        gone = missing.unavailable(cell, self.status.get(cell.environment))
        happened: list[str | Note] = [*self._happened(cell, name=""), *conditions.notes(cell)]
        happened += foreign_load.notes(cell, self.hidden)
        happened += conditions.changes(cell).values()
        happened += self.shapes.get(cell.key, [])
        said: list[str | Note] = list(happened if gone is None else gone)
        if cell.environment == self.plan.baseline:
            verdict = Verdict.BASELINE if gone is None else Verdict.UNAVAILABLE
            made, price = self._finding(cell, Decision(verdict=verdict), said), cost.ratio(cell, cell)
            one = Estimate(1.0, None, None, len(cell.values)) if cell.values else None
            price = price and replace(price, estimate=Estimate(1.0, None, None, price.n))
            return replace(made, ratio=replace(made.ratio, estimate=one), host_cpu_ratio=price)
        said = [*said, f"the plan's baseline {self.plan.baseline} is not among its environments"]
        return self._finding(cell, Decision(verdict=Verdict.UNDECIDED if gone is None else Verdict.UNAVAILABLE), said)

    def comparison(self, cell: Cell, decision: Decision) -> Finding:
        """One environment against the baseline."""
        against = _against(self.table, cell, self.plan.baseline)
        gone = missing.unavailable(cell, self.status.get(cell.environment))
        if gone is not None:
            return self._finding(cell, Decision(verdict=Verdict.UNAVAILABLE), [*gone])
        of, worst, is_busy = self.compared[cell.key], self.worst.get(cell.key), cell.key in self.busy_host
        few = decision.why == (self.doubted.refused.get(cell.key),)
        if worst is not None and (is_busy or few):
            worst = replace(worst, verdict_without=Verdict.UNDECIDED)
        total, typical = (interval(logs.values(), strictness=self.strictness) for logs in (of.total, of.typical))
        slices, other_slices = self._slices(cell), self._slices(against)
        windows = slices_by_windows.slices_by_windows(cell, against, self.strictness)
        said: list[str | Note] = [
            *conditions.differences(cell, against).values(),
            *conditions.notes(cell),
            *conditions.changes(cell).values(),
            *self._happened(cell, name=""),
            *(Note(one.text, "") for one in self._happened(against, name=against.environment)),
            *cost.notes(cell, against),
            *foreign_load.notes(cell, self.hidden),
            *stalls.cost(
                total, typical, slices, other_slices, against=against.environment, beside=self._others(cell, against)
            ),
            *self._levels(cell, against),
            *slices_by_windows.notes(windows and windows.estimate, self.plan.margin),
            *self.shapes.get(cell.key, []),
        ]
        if not against.values:
            said.append(f"{against.environment} gave no value to compare with")
        if not of.decisive and (cell.failed or against.failed):  # more blocks will not help: all trials failed so far
            decision = replace(decision, blocks_needed=None, blocks_needed_low=None, blocks_needed_high=None)
        why = (self.busy_host[cell.key],) if is_busy else decision.why
        stalled = between_stalls.qualification(
            decision.verdict, of.by, (spread(of.total.values()), total), self.plan.margin, self.strictness
        )
        if stalled:
            said.append(between_stalls.slices_beside(slices, other_slices, against.environment))
        beside_it = self.doubted.notes.get(cell.key, ())
        said += [*of.notes, *why, *beside_it, *([] if few else worst_block.notes(worst, decision.verdict))]
        sides, median = (cell.environment, against.environment), interval(of.decisive.values(), method="median")
        made = replace(
            self._finding(cell, decision, said, len(of.decisive)), ratio=efficiency(*sides, total),
            typical=typical and efficiency(*sides, typical, "trimmed mean"), worst_block=worst, verdict_by=of.by,
            slices_by_windows=windows, median=median and efficiency(*sides, median, "median"),
            host_cpu_ratio=cost.ratio(cell, against, self.strictness), unseen_share=unseen.share(len(of.decisive)),
            qualified=QUALIFIED if few else stalled,
        )  # fmt: skip
        return busy.qualified(made, busy=is_busy)

    def _slices(self, cell: Cell) -> Lengths:
        """How long the slices of a cell took; computed once for each cell."""
        if id(cell) not in self.slices:
            self.slices[id(cell)] = cell, lost_time.lengths(cell)
        return self.slices[id(cell)][1]

    def _others(self, cell: Cell, against: Cell) -> Lengths:
        """The slices of all other environments in the same workload."""
        own = (cell.key, against.key)
        return stalls.pooled(
            *(self._slices(one) for key, one in self.table.items() if key[0] == cell.workload and key not in own)
        )

    def _levels(self, cell: Cell, against: Cell) -> list[str]:
        """That slices would not measure what a long window measures, in a sentence."""
        if not cell.long_blocks:
            return []
        changes = {"its": self._change(cell), f"{against.environment}'s": self._change(against)}
        said = [
            f"{whose} speed changes within a window: after {self.plan.slice_s * 1e3:g} ms it is {change:.3g} times "
            "that of the beginning"
            for whose, change in changes.items()
            if abs(math.log(change)) > math.log1p(self.plan.margin)
        ]
        return ["; ".join([*said, "windows as long as the plan's are compared here, not slices"])]

    def _change(self, cell: Cell) -> float:
        """How many times the speed of its beginning a long window of a cell reaches later (median); 1: not known."""
        slice_ns = round(self.plan.slice_s * 1e9)
        windows = [one for _, run in cell.results for one in long_windows(run.samples).values()]
        found = [one for one in (level(window, slice_ns) for window in windows) if one is not None]
        return statistics.median(one.later / one.beginning for one in found) if found else 1.0

    def _happened(self, cell: Cell, *, name: str) -> list[Note]:
        """Notes of failed trials, marks, excluded samples and stalls, with `name` where it is not empty."""
        return [*missing.notes(cell, name=name), *stalls.notes(cell, self.plan.rules.max_stall_share, name=name)]

    def _finding(self, cell: Cell, decision: Decision, said: list[str | Note], done: int = 0) -> Finding:
        """`said`: Notes whose `brief` is empty are not shown in tables, because another cell says the same.

        done: blocks that were compared.
        """
        notes = [one if isinstance(one, Note) else Note(one, one) for one in said]
        shape = self._shape(cell)
        against = beside(cell, self.table.get((cell.workload, self.plan.baseline), cell))
        gone = decision.verdict is Verdict.UNAVAILABLE
        unlike = () if gone else (*conditions.differences(cell, against), *conditions.changes(cell))
        seconds = None
        if decision.blocks_needed is not None and self.costs is not None:
            seconds = (decision.blocks_needed - done) * self.costs.of(cell.key)
        return Finding(
            **decision.concluded, workload=cell.workload, op=shape[0], seconds_needed=seconds,
            value=value_of(cell, self.workloads[cell.workload].workload, shape),
            ratio=efficiency(cell.environment, self.plan.baseline, None),
            notes=tuple(dict.fromkeys(one.text for one in notes)),
            table_notes=tuple(dict.fromkeys(one.brief for one in notes if one.brief)),
            unlike=tuple(dict.fromkeys(unlike)), levels=cell.treatment.levels,
        )  # fmt: skip

    def _shape(self, cell: Cell) -> tuple[str, str, Better]:
        """As measured here, else as measured anywhere, else what the plan knows."""
        if cell.shape is not None:
            return cell.shape
        for (workload, _), other in self.table.items():
            if workload == cell.workload and other.shape is not None:
                return other.shape
        return self.workloads[cell.workload].op, "", "higher"
