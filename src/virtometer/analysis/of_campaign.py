"""All that is concluded from one campaign, in one place: reports, tables and the machine interface read this."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from virtometer.analysis.compare.blocks import Key, TreatmentData, by_treatment
from virtometer.analysis.compare.cold import Cold, cold
from virtometer.analysis.compare.command_values import command_values
from virtometer.analysis.compare.commands import beside_first, names_of
from virtometer.analysis.compare.control import controls
from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.compare.reference_clock import Timed, timed
from virtometer.analysis.conclude import comparisons, findings
from virtometer.analysis.curves import levels
from virtometer.analysis.curves.knees import Knee, knees
from virtometer.analysis.curves.sweeps import Series, Sweep, series, sweeps
from virtometer.analysis.describe.clocks import ClockQuality, clock_qualities
from virtometer.analysis.describe.empty import WithoutEmpty, without_empty
from virtometer.analysis.describe.entries import Entered, entries
from virtometer.analysis.describe.measures import Times, further_measures, histograms, histograms_of, median_and_range
from virtometer.analysis.describe.samples import TimedSamples, samples_unused, timed_samples
from virtometer.analysis.effects.effect import Effects
from virtometer.analysis.effects.in_stages import effects_of
from virtometer.analysis.groups.scenarios import GroupResults, group_results
from virtometer.analysis.notes.circumstances import Circumstance, circumstances, clock_readings
from virtometer.analysis.notes.missing import Reason, failures, marked, unused
from virtometer.analysis.profile.predict import Profile, Profiled, profiles
from virtometer.analysis.score.alone import alone_in
from virtometer.clock.intervals import of_run
from virtometer.model import Campaign, Control, Estimate, Finding, Quantity, Run, TrialRecord, columns_of


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials were planned, ran, failed, could not run here, were marked; samples in all and not used.

    blocks_done: those with a trial that is done.
    """

    planned: int
    ran: int
    failed: int
    unavailable: int
    marked: int
    samples: int
    samples_unused: int
    blocks_done: int

    @property
    def missing(self) -> int:
        """Trials that are still to do."""
        return self.planned - self.ran


@dataclass(frozen=True, slots=True)
class Trouble:
    """Reasons in one environment; the most frequent first."""

    environment: str
    failed: tuple[Reason, ...]
    unavailable: tuple[Reason, ...]
    marked: tuple[Reason, ...]
    samples_unused: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class LevelAverages:
    """Averages of one series over the sizes in each cache and in RAM, by environment and level."""

    series: Series
    averages: Mapping[str, Mapping[str, Quantity[Estimate]]]


class Analysis:
    """What a campaign says. Each part is computed when it is first read, and once.

    `campaign` holds the records, which reports show as they are. What takes more than one record to say is here.
    """

    def __init__(self, campaign: Campaign, profiled: Profiled | None = None) -> None:
        """Nothing is computed yet. profiled: what was learnt of the commands beside the campaign."""
        self.campaign, self.profiled = campaign, profiled

    @cached_property
    def treatments(self) -> dict[Key, TreatmentData]:
        """What the plan measures alone, with its values by block, by (workload, environment), in the plan's order."""
        return by_treatment(self.campaign)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Every environment compared with the baseline in every workload, in the plan's order."""
        return findings(self.campaign, self.treatments, self.compared)

    @cached_property
    def compared(self) -> dict[Key, Ratios]:
        """The ratios of every treatment that has a baseline, by (workload, environment)."""
        return comparisons(self.campaign, self.treatments)

    @cached_property
    def commands(self) -> Mapping[Key, Quantity[Estimate]]:
        """Times of the user's commands by that of the first one, by (workload, environment), in the plan's order."""
        names, baseline = names_of(self.campaign), self.campaign.plan.baseline
        values = command_values(names, self.treatments, self.compared, baseline)
        return beside_first(self.campaign, self.treatments, values)

    @cached_property
    def without_empty(self) -> Mapping[Key, WithoutEmpty]:
        """Efficiencies of the user's commands without the start of an empty program, where the plan asks for it."""
        return without_empty(self.campaign, self.treatments)

    @cached_property
    def cold(self) -> Mapping[Key, Cold]:
        """The user's commands from the start of a guest on, where each run has a fresh one."""
        return cold(self.campaign, self.treatments)

    @cached_property
    def entries(self) -> Mapping[str, Entered]:
        """How long guests take to be entered from the host, by environment, where the plan asks for it."""
        return entries(self.campaign)

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """What explains the slowdown of the user's commands, where they were profiled."""
        return profiles(self.findings, self.command_measures, self.profiled)

    @cached_property
    def circumstances(self) -> tuple[Circumstance, ...]:
        """What differs between environments for the user's commands, beside what makes them incomparable."""
        return circumstances(self.treatments, names_of(self.campaign))

    @cached_property
    def clock_readings(self) -> Mapping[str, float]:
        """What one reading of the clock costs the user's commands in each environment, s."""
        return clock_readings(self.treatments, names_of(self.campaign))

    @cached_property
    def effects(self) -> Effects:
        """What each factor of the plan's environments does to every metric. Empty where the plan has none.

        Of a sequential design: of the second stage, and of the first as long as there is no second one.
        """
        return effects_of(self.campaign, self.treatments, self.controls)

    @cached_property
    def group_results(self) -> GroupResults:
        """Groups of guests: groups, matrices, scaling. Empty where the plan has no such scenario."""
        return group_results(self.campaign)

    @cached_property
    def alone(self) -> tuple[TrialRecord, ...]:
        """The trials of one guest alone, in the order of execution."""
        alone = alone_in(self.campaign.plan)
        return tuple(record for record in self.campaign.trials if alone(record.trial))

    @cached_property
    def controls(self) -> tuple[Control, ...]:
        """The baseline compared with itself in every workload, in the plan's order."""
        return controls(self.campaign, self.treatments)

    @cached_property
    def clocks(self) -> tuple[ClockQuality, ...]:
        """The clock of every environment that ran, in the plan's order."""
        return clock_qualities(self.campaign)

    @cached_property
    def measures(self) -> Mapping[Key, Mapping[str, Quantity[Estimate]]]:
        """Further measures by (workload, environment) and name, in host time."""
        return further_measures(self.campaign)

    @cached_property
    def command_measures(self) -> Mapping[Key, Mapping[str, Quantity[Estimate]]]:
        """Those of `measures` that are of the user's commands."""
        names = set(names_of(self.campaign))
        return {key: one for key, one in self.measures.items() if key[0] in names}

    @cached_property
    def times(self) -> Mapping[Key, Mapping[str, Times]]:
        """Times of single operations by (workload, environment) and name of the histogram, in host seconds."""
        return histograms(self.campaign)

    @cached_property
    def timed(self) -> Mapping[Key, Timed]:
        """Work that a reference clock timed too, by (workload, environment)."""
        return timed(self.campaign)

    @cached_property
    def sweeps(self) -> tuple[Sweep, ...]:
        """Workloads with factors, in the plan's order."""
        return sweeps(self.campaign.plan.workloads)

    @cached_property
    def level_averages(self) -> tuple[LevelAverages, ...]:
        """Of every sweep of the memory over sizes that reached a cache which was found."""
        found = ((one, levels.of_series(self.treatments, one)) for one in series(self.campaign.plan.workloads))
        return tuple(LevelAverages(one, averages) for one, averages in found if averages)

    @cached_property
    def knees(self) -> tuple[Knee, ...]:
        """Where latency leaves its flat part, of every open loop that is swept over its rate, in the plan's order."""
        return knees(self.campaign)

    @cached_property
    def clock_errors(self) -> Mapping[Key, float]:
        """How far off the length of a sample that is used may be at worst, as a share, by (workload, environment).

        Empty for raw values: how well the guests' own clocks are right is not known from them.
        """
        worst: dict[Key, float] = {}
        if self.campaign.clock != "host":
            return worst
        for record in self.campaign.trials:
            for run in record.scored:
                used = of_run(run).relative_bound[columns_of(run.samples).used]
                error = max(used.tolist(), default=0.0)
                key = (run.placement.workload, run.placement.environment)
                worst[key] = max(worst.get(key, 0.0), run.scored.clock.relative_bound, error)
        return worst

    @cached_property
    def counts(self) -> TrialCounts:
        """How many trials and samples there are, and what became of them."""
        trials = self.campaign.trials
        runs = [run for record in trials for run in record.runs]
        return TrialCounts(
            planned=len(self.campaign.planned),
            ran=len(trials),
            failed=sum(record.at_fault for record in trials),
            unavailable=sum(record.unavailable for record in trials),
            marked=sum(record.failure is None and bool(record.marks) for record in trials),
            samples=sum(len(run.samples) for run in runs),
            samples_unused=sum(samples_unused(run) for run in runs),
            blocks_done=len({record.trial.block for record in trials if record.failure is None}),
        )

    @cached_property
    def provisioning(self) -> Mapping[str, Quantity[Estimate]]:
        """How long starts of guests took, by environment, in the plan's order."""
        names = [environment.name for environment in self.campaign.plan.environments]
        took = {name: [one.provision_s for one in self.campaign.guests if one.environment == name] for name in names}
        return {name: median_and_range(name, "start", "s", of) for name, of in took.items() if of}

    @cached_property
    def trouble(self) -> tuple[Trouble, ...]:
        """Why trials failed or were marked and samples were excluded, one for each environment of the plan."""
        return tuple(self._trouble(environment.name) for environment in self.campaign.plan.environments)

    def samples(self, run: Run) -> TimedSamples:
        """The samples of a scored run in host time."""
        return timed_samples(run)

    def times_of(self, run: Run) -> Mapping[str, Times]:
        """Times of single operations of one run, by name of the histogram; empty where none was scored."""
        return histograms_of(run) if run.report is not None and run.score is not None else {}

    def _trouble(self, environment: str) -> Trouble:
        def of(record: TrialRecord) -> bool:
            return any(placement.environment == environment for placement in record.trial.placements)

        here = [record for record in self.campaign.trials if of(record)]
        samples = (run.samples for record in here for run in record.runs if run.placement.environment == environment)
        return Trouble(
            environment,
            failed=failures(record for record in here if record.at_fault),
            unavailable=failures(record for record in here if record.unavailable),
            marked=marked(mark for record in here if record.failure is None for mark in record.marks),
            samples_unused=unused(samples),
        )


def analyse(campaign: Campaign, profiled: Profiled | None = None) -> Analysis:
    """What a campaign says, complete or not. For values by the guests' own clocks give it `by_guest_clocks` of one.

    profiled: what was learnt of its commands beside it.
    """
    return Analysis(campaign, profiled)
