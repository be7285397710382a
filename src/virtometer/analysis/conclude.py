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
from virtometer.analysis.compare.blocks import Key, TreatmentData, beside
from virtometer.analysis.compare.command_values import command_values
from virtometer.analysis.compare.commands import names_of
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
    first_runs,
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
from virtometer.analysis.stopping.rule import ALPHA_FACTOR
from virtometer.counted import counted
from virtometer.model import COMMAND, Better, Campaign, Estimate, Finding, Plan, Verdict


def findings(campaign: Campaign, table: dict[Key, TreatmentData], compared: dict[Key, Ratios]) -> tuple[Finding, ...]:
    """Compare every environment with the plan's baseline, in every workload.

    table: of the campaign. compared: as `comparisons` makes it of this table.
    """
    spreads = decisive_spreads(compared)
    controls = control_spreads(campaign, table, compared)
    beyond = busy_host(campaign, table, compared)
    far = {key for key in beyond if busy.is_far([*compared[key].decisive.values()], controls.get(key))}
    disturbed = {key: why for key, why in beyond.items() if key not in far}
    doubted = doubts_of(campaign, table, compared, controls, alpha_factor(campaign))
    decisions = decide(
        spreads,
        campaign.plan.margin,
        controls=controls,
        refused={**doubted.refused, **{key: why.text for key, why in disturbed.items()}},
        blocks={key: count for key, count in doubted.blocks.items() if key not in disturbed},
        alpha_factor=alpha_factor(campaign),
    )
    warnings = {key: busy.warning(beyond[key]) for key in far}
    concluder = _Concluder(campaign, table, compared, disturbed, doubted, warnings)
    return tuple(
        concluder.comparison(data, decisions[key]) if key in decisions else concluder.alone(data)
        for key, data in table.items()
    )


def comparisons(campaign: Campaign, table: Mapping[Key, TreatmentData]) -> dict[Key, Ratios]:
    """The ratios of every treatment that has a baseline. `table`: of the campaign."""
    plan = campaign.plan
    return {
        key: ratios(data, _against(table, data, plan.baseline), plan.verdict)
        for key, data in table.items()
        if data.environment != plan.baseline and (data.workload, plan.baseline) in table
    }


def control_spreads(
    campaign: Campaign, table: Mapping[Key, TreatmentData], compared: Mapping[Key, Ratios]
) -> dict[Key, Spread]:
    """The spread of the baseline's ratios with itself, for the comparisons that have one: of the ratios they decide by.

    Of the baseline that each is compared with. table: of the campaign.
    """
    baseline = campaign.plan.baseline
    found = {key: control_spread(_against(table, table[key], baseline), of.by) for key, of in compared.items()}
    return {key: of for key, of in found.items() if of is not None}


def busy_host(campaign: Campaign, table: Mapping[Key, TreatmentData], compared: Iterable[Key]) -> dict[Key, Note]:
    """Why comparisons get no verdict on a busy host, for those that get none. table: of the campaign."""
    plan = campaign.plan
    return busy.refused(
        {key: busy.sides_of(table[key], _against(table, table[key], plan.baseline), plan=plan) for key in compared}
    )


def _against(table: Mapping[Key, TreatmentData], data: TreatmentData, baseline: str) -> TreatmentData:
    """The baseline that a treatment is compared with."""
    return beside(data, table[data.workload, baseline])


def decisive_spreads(compared: Mapping[Key, Ratios]) -> dict[Key, Spread | None]:
    """What `decide` takes; None where no block has both sides."""
    return {key: spread(of.decisive.values()) for key, of in compared.items()}


def alpha_factor(campaign: Campaign) -> float:
    """What the levels are multiplied by: `ALPHA_FACTOR` where stages fix the blocks, else 1."""
    return ALPHA_FACTOR if campaign.plan.stops_by_rule or campaign.stages else 1.0


def _shapes(table: Mapping[Key, TreatmentData], compared: Mapping[Key, Ratios], plan: Plan) -> dict[Key, list[Note]]:
    """The shapes of the blocks of every comparison, and those of the values of each side, which tables do not show.

    What is small beside the plan's margin is not named.
    """
    least = math.log1p(plan.margin) / 5
    family = {key: _series(table[key], _against(table, table[key], plan.baseline), of) for key, of in compared.items()}
    own = {
        key: Series({block: math.log(value) for block, value in data.values.items()}, "its own value")
        for key, data in table.items()
    }
    found = block_shapes.notes(family, least)
    for key, notes in block_shapes.notes(own, least).items():
        found[key] = [*found.get(key, []), *(replace(note, brief="") for note in notes)]
    return found


def _series(data: TreatmentData, against: TreatmentData, of: Ratios) -> Series:
    """The log ratios that are decided by, with the place of the subject: after the baseline, or else in its block."""
    own, other = _places(data), _places(against)
    apart = {block: place - other[block] for block, place in own.items() if block in other}
    if len(set(apart.values())) > 1:
        return Series(of.decisive, places=apart, later=f"than {against.environment}")
    return Series(of.decisive, places=own)


def _places(data: TreatmentData) -> dict[int, float]:
    """The mean place of the trials of a treatment in each block, counted in trials."""
    found: dict[int, list[int]] = {}
    for record, _ in data.results:
        found.setdefault(record.trial.block, []).append(record.trial.position)
    return {block: statistics.fmean(places) for block, places in found.items()}


class _Concluder:
    """What all findings of a campaign share: the plan, the treatments' data, ratios, worst blocks, a block's time."""

    def __init__(
        self,
        campaign: Campaign,
        table: dict[Key, TreatmentData],
        compared: dict[Key, Ratios],
        busy_host: Mapping[Key, Note],
        doubted: Doubts,
        warnings: Mapping[Key, Note],
    ) -> None:
        """busy_host: why comparisons get no verdict there. doubted: what few starts leave open.

        warnings: of comparisons that get a verdict all the same.
        """
        self.warnings = warnings
        self.doubted = doubted
        self.plan = campaign.plan
        self.table = table
        self.compared = compared
        self.slices: dict[int, tuple[TreatmentData, Lengths]] = {}
        self.busy_host = busy_host
        self.alpha_factor = alpha_factor(campaign)
        decisive = {key: of.decisive for key, of in compared.items()}
        self.worst = worst_blocks(
            decisive, lambda key: (key[1], self.plan.baseline), self.plan.margin, self.alpha_factor
        )
        self.status = {status.name: status for status in campaign.environments}
        self.workloads = {workload.name: workload for workload in self.plan.workloads}
        self.costs = block_costs(campaign)
        self.command_values = command_values(names_of(campaign), table, compared, campaign.plan.baseline)
        self.shapes = _shapes(table, compared, campaign.plan)
        self.hidden = foreign_load.hidden_guests(campaign)

    def alone(self, data: TreatmentData) -> Finding:
        """The baseline's own row, or a row that has no baseline to be compared with."""
        gone = missing.unavailable(data, self.status.get(data.environment))
        happened: list[str | Note] = [*self._happened(data, name=""), *conditions.notes(data)]
        happened += foreign_load.notes(data, self.hidden)
        happened += conditions.changes(data).values()
        happened += self.shapes.get(data.key, [])
        said: list[str | Note] = list(happened if gone is None else gone)
        if data.environment == self.plan.baseline:
            verdict = Verdict.BASELINE if gone is None else Verdict.UNAVAILABLE
            made, price = self._finding(data, Decision(verdict=verdict), said), cost.ratio(data, data)
            one = Estimate(1.0, None, None, len(data.values)) if data.values else None
            price = price and replace(price, estimate=Estimate(1.0, None, None, price.n))
            return replace(made, ratio=replace(made.ratio, estimate=one), host_cpu_ratio=price)
        said = [*said, f"the plan's baseline {self.plan.baseline} is not among its environments"]
        return self._finding(data, Decision(verdict=Verdict.UNDECIDED if gone is None else Verdict.UNAVAILABLE), said)

    def comparison(self, data: TreatmentData, decision: Decision) -> Finding:
        """One environment against the baseline."""
        against = _against(self.table, data, self.plan.baseline)
        gone = missing.unavailable(data, self.status.get(data.environment))
        if gone is not None:
            return self._finding(data, Decision(verdict=Verdict.UNAVAILABLE), [*gone])
        of, worst, is_busy = self.compared[data.key], self.worst.get(data.key), data.key in self.busy_host
        few = decision.why == (self.doubted.refused.get(data.key),)
        if worst is not None and (is_busy or few):
            worst = replace(worst, verdict_without=Verdict.UNDECIDED)
        total, typical = (interval(logs.values(), alpha_factor=self.alpha_factor) for logs in (of.total, of.typical))
        slices, other_slices = self._slices(data), self._slices(against)
        windows = slices_by_windows.slices_by_windows(data, against, self.alpha_factor)
        said: list[str | Note] = [
            *conditions.differences(data, against).values(),
            *conditions.notes(data),
            *conditions.changes(data).values(),
            *self._happened(data, name=""),
            *(Note(one.text, "") for one in self._happened(against, name=against.environment)),
            *cost.notes(data, against),
            *foreign_load.notes(data, self.hidden),
            *stalls.cost(
                total, typical, slices, other_slices, against=against.environment, beside=self._others(data, against)
            ),
            *self._levels(data, against),
            *slices_by_windows.notes(windows and windows.estimate, self.plan.margin),
            *self.shapes.get(data.key, []),
        ]
        if not against.values:
            said.append(f"{against.environment} gave no value to compare with")
        if not of.decisive and (data.failed or against.failed):  # more blocks will not help: all trials failed so far
            decision = replace(decision, blocks_needed=None, blocks_needed_low=None, blocks_needed_high=None)
        why: tuple[str | Note, ...] = (self.busy_host[data.key],) if is_busy else decision.why
        why = (*why, *([self.warnings[data.key]] if data.key in self.warnings else []))
        stalled = between_stalls.qualification(
            decision.verdict, of.by, (spread(of.total.values()), total), self.plan.margin, self.alpha_factor
        )
        if stalled:
            said.append(between_stalls.slices_beside(slices, other_slices, against.environment))
        beside_it = self.doubted.notes.get(data.key, ())
        said += [*of.notes, *why, *beside_it, *([] if few else worst_block.notes(worst, decision.verdict))]
        sides, median = (data.environment, against.environment), interval(of.decisive.values(), method="median")
        made = replace(
            self._finding(data, decision, said, len(of.decisive)), ratio=efficiency(*sides, total),
            typical=typical and efficiency(*sides, typical, "trimmed mean"), worst_block=worst, verdict_by=of.by,
            slices_by_windows=windows, median=median and efficiency(*sides, median, "median"),
            host_cpu_ratio=cost.ratio(data, against, self.alpha_factor), unseen_share=unseen.share(len(of.decisive)),
            qualified=self._failed(data, decision.verdict) or (QUALIFIED if few else stalled),
        )  # fmt: skip
        return busy.qualified(made, busy=is_busy)

    @staticmethod
    def _failed(data: TreatmentData, verdict: Verdict) -> str:
        """What an undecided comparison is qualified with first: how many of its trials failed."""
        count = sum(one.at_fault for one in data.failed)
        return f"{count} of {counted(data.tried, 'trial')} failed" if count and verdict is Verdict.UNDECIDED else ""

    def _slices(self, data: TreatmentData) -> Lengths:
        """How long the slices of a treatment took; computed once for each treatment."""
        if id(data) not in self.slices:
            self.slices[id(data)] = data, lost_time.lengths(data)
        return self.slices[id(data)][1]

    def _others(self, data: TreatmentData, against: TreatmentData) -> Lengths:
        """The slices of all other environments in the same workload."""
        own = (data.key, against.key)
        return stalls.pooled(
            *(self._slices(one) for key, one in self.table.items() if key[0] == data.workload and key not in own)
        )

    def _levels(self, data: TreatmentData, against: TreatmentData) -> list[str]:
        """That slices would not measure what a long window measures, in a sentence."""
        if not data.long_blocks:
            return []
        changes = {"its": self._change(data), f"{against.environment}'s": self._change(against)}
        said = [
            f"{whose} speed changes within a window: after {self.plan.slice_s * 1e3:g} ms it is {change:.3g} times "
            "that of the beginning"
            for whose, change in changes.items()
            if abs(math.log(change)) > math.log1p(self.plan.margin)
        ]
        return ["; ".join([*said, "windows as long as the plan's are compared here, not slices"])]

    def _change(self, data: TreatmentData) -> float:
        """How many times the speed of its beginning a long window reaches later (median); 1: not known."""
        slice_ns = round(self.plan.slice_s * 1e9)
        windows = [one for _, run in data.results for one in long_windows(run.samples).values()]
        found = [one for one in (level(window, slice_ns) for window in windows) if one is not None]
        return statistics.median(one.later / one.beginning for one in found) if found else 1.0

    def _happened(self, data: TreatmentData, *, name: str) -> list[Note]:
        """Notes of failed trials, marks, excluded samples, stalls and first runs, with `name` where it is not empty."""
        said = [*missing.notes(data, name=name), *stalls.notes(data, self.plan.rules.max_stall_share, name=name)]
        of = self.workloads[data.workload]
        slow = first_runs.notes(data, of.parameters, self.plan.margin) if of.workload == COMMAND else []
        return [*said, *slow]

    def _finding(self, data: TreatmentData, decision: Decision, said: list[str | Note], done: int = 0) -> Finding:
        """`said`: Notes whose `brief` is empty are not shown in tables, because another treatment says the same.

        done: blocks that were compared.
        """
        notes = [one if isinstance(one, Note) else Note(one, one) for one in said]
        shape = self._shape(data)
        against = beside(data, self.table.get((data.workload, self.plan.baseline), data))
        gone = decision.verdict is Verdict.UNAVAILABLE
        unlike = () if gone else (*conditions.differences(data, against), *conditions.changes(data))
        seconds = None
        if decision.blocks_needed is not None and self.costs is not None:
            seconds = (decision.blocks_needed - done) * self.costs.of(data.key)
        return Finding(
            **decision.concluded, workload=data.workload, op=shape[0], seconds_needed=seconds,
            value=value_of(data, self.workloads[data.workload].workload, shape, self.command_values.get(data.key)),
            ratio=efficiency(data.environment, self.plan.baseline, None),
            notes=tuple(dict.fromkeys(one.text for one in notes)),
            table_notes=tuple(dict.fromkeys(one.brief for one in notes if one.brief)),
            unlike=tuple(dict.fromkeys(unlike)), levels=data.treatment.levels,
        )  # fmt: skip

    def _shape(self, data: TreatmentData) -> tuple[str, str, Better]:
        """As measured here, else as measured anywhere, else what the plan knows."""
        if data.shape is not None:
            return data.shape
        for (workload, _), other in self.table.items():
            if workload == data.workload and other.shape is not None:
                return other.shape
        return self.workloads[data.workload].op, "", "higher"
