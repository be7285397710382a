"""Campaigns with known truth, built as the ledger would return them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from virtometer.analysis import analyse
from virtometer.analysis.score.of_run import score
from virtometer.analysis.score.slices import long_windows_apart
from virtometer.model import (
    AgentReport,
    Better,
    Campaign,
    ClockFault,
    ClockFit,
    CommandLine,
    EnvironmentStatus,
    Excluded,
    Failure,
    FailureKind,
    Finding,
    GuestStart,
    HostUse,
    Mark,
    Placement,
    Plan,
    RoundTrip,
    Run,
    Sample,
    Samples,
    Score,
    Trial,
    TrialRecord,
    columns_of,
    texts_of,
)

# (block, position of the trial within the campaign, random numbers) -> log of the factor that noise multiplies with
Noise = Callable[[int, float, np.random.Generator], float]


@dataclass(frozen=True)
class Work:
    """A workload of a simulated campaign: `level` is what the baseline reaches, in `unit`."""

    name: str = "memory triad 64 MB"
    workload: str = "memory"
    op: str = "triad"
    unit: str = "B/s"
    level: float = 18e9
    threads: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""  # the workload with factors that it is a combination of
    levels: Mapping[str, Any] = field(default_factory=dict)
    scheduling: str = "auto"

    @property
    def better(self) -> Better:
        return "lower" if self.unit == "s" else "higher"


@dataclass(frozen=True)
class Place:
    """An environment: `efficiency` by workload name ("" for all others), cost factor, conditions by workload name."""

    name: str
    kind: str = "native"
    efficiency: Mapping[str, float] = field(default_factory=dict)
    cost: float | None = 1.0
    conditions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    works: bool = True
    reason: str = ""
    fails: Mapping[str, Failure] = field(default_factory=dict)  # workload name -> why every trial fails
    settings: Mapping[str, Any] = field(default_factory=dict)
    provision_s: float = 0.05


MOST_WORK = 2**63 - 1  # in a sample; the protocol allows less


def quiet(_block: int, _time: float, _rng: np.random.Generator) -> float:
    return 0.0


def plan_of(places: Sequence[Place], works: Sequence[Work], blocks: int, **more: Any) -> Plan:
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "simulated",
            "question": "What does each environment cost?",
            "environments": [{"name": p.name, "kind": p.kind, "settings": dict(p.settings)} for p in places],
            "workloads": [
                {
                    "name": w.name, "workload": w.workload, "op": w.op, "parameters": dict(w.parameters),
                    "threads": w.threads, "of": w.of, "levels": dict(w.levels), "scheduling": w.scheduling,
                }
                for w in works
            ],
            "baseline": places[0].name,
            "blocks": blocks,
            "slice_s": 0.025,  # as in `in_rounds`
        }
        | more
    )  # fmt: skip


def changed(run: Run, **fields: Any) -> Run:
    """The run with fields replaced wherever they are: in the run, in its score, or (`agent_...`) in its report."""
    reported = {"agent_value": "value", "agent_cpu_s": "cpu_s"} | {
        name: name for name in ("check", "measures", "histograms", "output")
    }
    scored = ("value", "work", "clock", "window_start_host_ns", "window_end_host_ns", "guest_cpu_s", "guest_use")
    of_report = {reported[name]: fields.pop(name) for name in reported if name in fields}
    of_score = {name: fields.pop(name) for name in scored if name in fields}
    if of_report:
        fields["report"] = replace(run.reported, **of_report)
    if of_score:
        fields["score"] = replace(run.scored, **of_score)
    return replace(run, **fields)


def with_runs(of: Campaign, change: Callable[[Run], Run]) -> Campaign:
    """The campaign with every run changed."""
    trials = tuple(replace(record, runs=tuple(map(change, record.runs))) for record in of.trials)
    return replace(of, trials=trials)


def finding_of(campaign: Campaign, subject: str, workload: str = "memory triad 64 MB") -> Finding:
    """What is concluded about one environment."""
    return next(f for f in analyse(campaign).findings if f.subject == subject and f.workload == workload)


def in_columns(samples: Sequence[Sample]) -> Samples:
    """The samples as the ledger returns them: their columns are made once, however many analyses ask for them."""
    if isinstance(samples, Samples):
        return samples
    texts = texts_of(samples)
    return Samples(columns_of(samples), lambda: texts)


def in_rounds(run: Run, rates: Sequence[float], windows: Sequence[Sequence[float]] = (), *, count: bool = False) -> Run:
    """The run in slices of 25 ms, one a rate, after long windows of pieces of 25 ms each. Rates: of work per second.

    count: the long windows are the values, and there are no slices. The value is total work / total time.
    """
    pieces = [(-number, rate) for number, window in enumerate(windows, 1) for rate in window]
    pieces += [] if count else list(enumerate(rates))
    each_ns, start = 25_000_000, run.samples[0].start_ns
    samples = [
        Sample(start + at * each_ns, start + (at + 1) * each_ns, round(rate * each_ns * 1e-9), "ok", slice=number)
        for at, (number, rate) in enumerate(pieces)
    ]
    return scored(replace(run, samples=long_windows_apart(samples)))


def scored(run: Run) -> Run:
    """The run with the score of the samples that are used."""
    run = replace(run, samples=in_columns(run.samples))
    old = run.scored
    window = (old.window_start_host_ns, old.window_end_host_ns)
    return replace(run, score=score(run, old.clock, window, old.guest_cpu_s))


def with_fields(campaign: Campaign, change: dict[int, dict[str, object]]) -> Campaign:
    """The campaign with fields of some trials' runs replaced, by trial index."""
    trials: list[TrialRecord] = []
    for record in campaign.trials:
        fields = change.get(record.trial.index, {})
        trials.append(replace(record, runs=tuple(changed(run, **fields) for run in record.runs)))
    return replace(campaign, trials=tuple(trials))


def trials_of(campaign: Campaign, environment: str) -> list[int]:
    return [r.trial.index for r in campaign.trials if r.trial.placements[0].environment == environment]


def lied(record: TrialRecord, fault: ClockFault, reason: str = "") -> TrialRecord:
    """A trial that was done, as if it had failed because of a clock instead: it keeps all but its score.

    reason: without the name of the environment.
    """
    why = reason or f"its clock: {fault.kind}"
    runs = tuple(
        replace(
            run,
            samples=tuple(
                replace(sample, excluded=Excluded.FAILED_TRIAL, mark=reason or fault.kind) for sample in run.samples
            ),
            probes=(RoundTrip("during", 0, 5, 6, 10), RoundTrip("during", 10**9, 10**9 + 5, 10**9 + 6, 10**9 + 10)),
            score=None,
            fault=fault,
        )
        for run in record.runs
    )
    failure = Failure(FailureKind.CLOCK, why, 0)
    return replace(record, failure=failure, start_skew_ns=0, host=None, runs=runs)


def simulate(
    places: Sequence[Place],
    works: Sequence[Work] = (Work(),),
    *,
    blocks: int = 8,
    seed: int = 1,
    noise: Noise = quiet,
    samples: int = 4,
    host: Mapping[str, Any] | None = None,
    marks: Mapping[int, tuple[Mark, ...]] | None = None,
    fail: Mapping[int, Failure] | None = None,
    control: bool = False,
    **more: Any,
) -> Campaign:
    """Run every treatment once per block in random order. `marks` and `fail` are by trial index.

    control: the baseline has two guests.
    """
    rng = np.random.default_rng(seed)
    plan = plan_of(places, works, blocks, **more)
    planned: list[Trial] = []
    records: list[TrialRecord] = []
    guests: list[GuestStart] = []
    treatments = [(place, work, 1) for place in places if place.works for work in works]
    treatments += [(places[0], work, 2) for work in works if control]
    total = blocks * len(treatments)
    for block in range(blocks):
        for position, choice in enumerate(rng.permutation(len(treatments))):
            place, work, number = treatments[int(choice)]
            index = len(planned)
            trial = Trial(index, block, position, index, (Placement(place.name, work.name, guest=number),))
            planned.append(trial)
            guest_id = f"sim-{index}"
            guests.append(
                GuestStart(
                    guest_id, place.name, place.kind, dict(place.settings), {"bits": "64"}, place.provision_s, at(index)
                )
            )
            failure = place.fails.get(work.name) or (fail or {}).get(index)
            if failure is not None:
                records.append(TrialRecord(trial, failure, at(index), 0.4, 0, None, (), ()))
                continue
            level = work.level * math.exp(noise(block, index / total, rng))
            efficiency = place.efficiency.get(work.name, place.efficiency.get("", 1.0))
            value = level * efficiency if work.better == "higher" else level / efficiency
            run = run_of(place, work, value, index, guest_id, samples, rng)
            run = replace(run, placement=trial.placements[0])
            use = HostUse(1.0, 0.9, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0)
            records.append(TrialRecord(trial, None, at(index), 1.25, 1000, use, (marks or {}).get(index, ()), (run,)))
    statuses = tuple(
        EnvironmentStatus(place.name, place.kind, place.works, place.reason, "", {"disk": True}) for place in places
    )
    return Campaign(
        plan=plan,
        plan_text="virtometer: 1\nname: simulated\n",
        seed=seed,
        created_at="2026-01-02T03:04:05.678+00:00",
        host=host if host is not None else {"cpu_model": "Simulated 3000", "cpus_online": 2, "kernel": "6.1"},
        versions={"virtometer": "0.1.0", "agent": "0.1.0"},
        environments=statuses,
        planned=tuple(planned),
        trials=tuple(records),
        guests=tuple(guests),
        commands=(CommandLine(at(0), "start a container", ("runc", "run", "--bundle", "/b <x>", "id"), 0),),
    )


def run_of(
    place: Place, work: Work, value: float, index: int, guest_id: str, samples: int, rng: np.random.Generator
) -> Run:
    """A run whose samples spread by 1 % around its value, in a guest whose clock runs 100 ppm slow."""
    start = 5_000_000_000
    each_ns = 1_000_000_000 // samples
    taken = []
    for number in range(samples):
        begin = start + number * each_ns
        rate = (
            value * math.exp(rng.normal(0, 0.01)) if work.better == "higher" else math.exp(rng.normal(0, 0.01)) / value
        )
        taken.append(Sample(begin, begin + each_ns, min(max(1, round(rate * each_ns * 1e-9)), MOST_WORK), "ok"))
    done = sum(sample.work for sample in taken)
    native_rate = work.level if work.better == "higher" else 1 / work.level
    host_ns = index * 2_000_000_000
    return Run(
        placement=Placement(place.name, work.name), guest_id=guest_id, kernel=work.workload, op=work.op,
        parameters={**work.parameters, "size": 64 << 20}, threads=work.threads, unit=work.unit, better=work.better,
        conditions={"simd": "avx2", **place.conditions.get(work.name, {})}, samples=in_columns(taken), probes=(),
        report=AgentReport(
            value=value, cpu_s=0.98, check={"kind": "checksum", "value": "ok", "passed": True}, measures={},
            histograms={},
        ),
        score=Score(
            value=value, work=done, clock=ClockFit(start, host_ns, 1.0001, 20_000.0, 1e-6, 32),
            window_start_host_ns=host_ns, window_end_host_ns=host_ns + 1_000_000_000,
            guest_cpu_s=None if place.cost is None else place.cost * done / native_rate,
        ),
    )  # fmt: skip


def at(index: int) -> str:
    """A time of day for the record: two seconds a trial."""
    minutes, seconds = divmod(index * 2, 60)
    return f"2026-01-02T03:{minutes % 60:02d}:{seconds:02d}.000+00:00"


# --- families of noise ----------------------------------------------------------------------------------------


def gaussian(sd: float) -> Noise:
    return lambda _block, _time, rng: rng.normal(0, sd)


def skewed(sd: float) -> Noise:
    """Never much faster than usual, sometimes much slower: an exponential tail towards slow."""
    return lambda _block, _time, rng: -sd * (rng.exponential() - 1.0)


def outliers(sd: float) -> Noise:
    """One trial in twenty is slower by ten spreads, which is what a neighbour's burst looks like."""
    return lambda _block, _time, rng: rng.normal(0, sd) - (10 * sd if rng.random() < 0.05 else 0.0)


def heavy(sd: float) -> Noise:
    """Student's t with 2 degrees of freedom: no variance at all."""
    return lambda _block, _time, rng: sd * rng.standard_t(2)


def drifting(sd: float) -> Noise:
    """The host gets slower by ten spreads over the campaign and swings three times, beside skewed noise."""
    inner = skewed(sd)
    return lambda block, time, rng: inner(block, time, rng) - 10 * sd * time + 3 * sd * math.sin(6 * math.pi * time)


def bimodal(sd: float) -> Noise:
    """Two modes, such as two NUMA nodes: which one a start gets is chance."""
    return lambda _block, _time, rng: rng.normal(0, sd / 4) + (sd if rng.random() < 0.5 else -sd)


FAMILIES: dict[str, Callable[[float], Noise]] = {
    "gaussian": gaussian,
    "skewed": skewed,
    "outliers": outliers,
    "heavy": heavy,
    "drifting": drifting,
    "bimodal": bimodal,
}
