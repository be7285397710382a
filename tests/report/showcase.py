"""Campaigns that have everything a report must show: all verdicts, other conditions, faults, marks, odd names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.analysis.simulated_campaigns import Place, Work, changed, in_rounds, lied, outliers, simulate, with_runs
from virtometer.model import (
    Campaign,
    ClockFault,
    ClockFit,
    CommandLine,
    Excluded,
    Failure,
    FailureKind,
    Mark,
    MarkKind,
    RoundTrip,
    Run,
)

CPU = Work("cpu linpack 500", "linpack", "classic", "FLOP/s", 4e9, parameters={"size": 500})
MEMORY = Work("memory triad 64 MB", parameters={"size": "64M"})
DISK = Work("disk 4k random read", "disk", "random-read", "IO/s", 10_300)
NETWORK = Work("network to host", "net", "stream", "B/s", 1.7e9)
SWITCH = Work("context switch", "os", "context-switch", "s", 2.9e-6)
ODD = 'odd & <b>"name"</b> [red]</script>'


def showcase() -> Campaign:
    """Eight blocks, seven environments, five workloads, fixed seed."""
    direct = {DISK.name: {"io": "direct"}}
    buffered = {DISK.name: {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}}
    places = [
        Place("native", conditions=direct),
        Place("runc", "runc", {"": 0.998, NETWORK.name: 0.93}, 1.01, direct, provision_s=0.08),
        Place("gVisor", "gvisor", {"": 0.97, SWITCH.name: 0.12, NETWORK.name: 0.21}, 1.3, direct, provision_s=0.6),
        Place("user-mode Linux", "uml", {"": 0.96, SWITCH.name: 0.3, DISK.name: 1.8}, None, buffered, provision_s=1.6),
        Place(
            "QEMU (emulated)", "qemu", {"": 0.07, MEMORY.name: 0.3}, 12.0, {**direct, CPU.name: {"simd": "sse2"}},
            fails={NETWORK.name: Failure(FailureKind.UNAVAILABLE, "this environment offers no network", 0)},
            settings={"memory": "512M"}, provision_s=4.2,
        ),
        Place("KVM", "kvm", works=False, reason="a guest needed 2,100 ns for an instruction: KVM is emulated here"),
        Place(ODD, "runc", {"": 0.95}, 1.02, direct, provision_s=0.1),
    ]  # fmt: skip
    campaign = simulate(
        places,
        [CPU, MEMORY, DISK, NETWORK, SWITCH],
        seed=3,
        noise=outliers(0.015),
        marks={5: (Mark(MarkKind.STEAL, "7.1% of the host's processor time went to others (the plan allows 5.0%)"),)},
        fail={30: Failure(FailureKind.GUEST, f"{ODD}: the guest ended in the middle of the trial: <out of memory>")},
        name="showcase",
        question=f"What does {ODD} cost?",
    )
    first = campaign.trials[0]
    (run,) = first.runs
    mark = "clock error ±0.6% exceeds the limit of 0.5%"
    aside = (replace(run.samples[0], excluded=Excluded.CLOCK_ERROR, mark=mark), *run.samples[1:])
    trials = (replace(first, runs=(replace(run, samples=aside),)), *campaign.trials[1:])
    command = CommandLine(campaign.created_at, "a command", ("sh", "-c", "echo '</script><img src=x>'"), None)
    return replace(
        campaign,
        trials=trials,
        commands=(*campaign.commands, command),
        plan_text=f"virtometer: 1\nname: showcase\n# {ODD}\n",
    )


def curves() -> Campaign:
    """Two environments, a curve over sizes, a surface of file and record sizes, calls, measures, a histogram."""
    sizes = [
        Work(
            f"read {1 << k} KiB", "memory", "read", "B/s", 90e9 / (1 + k),
            parameters={"size": 1024 << k}, of="read", levels={"size": 1024 << k},
        )
        for k in range(0, 17, 2)
    ]  # fmt: skip
    files = [
        Work(
            f"write {span} MiB by {size} KiB", "disk", "write", "B/s", 3e8 * size**0.5 / span**0.2,
            parameters={"span": span << 20, "size": size << 10},
            of="write", levels={"span": span << 20, "size": size << 10},
        )
        for span in (1, 8, 64)
        for size in (4, 32, 256, 1024)
    ]  # fmt: skip
    calls = [
        Work(f"system {call}", "os", "system-call", "s", 1e-7 * cost, of="system", levels={"call": call})
        for call, cost in (("null", 1), ("read", 2), ("open", 8))
    ]
    places = [Place("native"), Place(ODD, "runc", {"": 0.8})]
    campaign = simulate(places, [*sizes, *files, *calls, DISK], seed=4, noise=outliers(0.02), samples=2, name="curves")
    counts = [[round(80_000 * 1.07**k), max(1, round(4000 * 0.8**k))] for k in range(40)]

    def with_extras(run: Run) -> Run:
        if run.placement.workload != DISK.name:
            return run
        slower = 1.5 if run.placement.environment == ODD else 1.0
        latency = {"unit": "s", "digits": 2, "counts": [[round(top * slower), count] for top, count in counts]}
        measures = {
            "cpu-per-io": {"unit": "s", "value": 1.4e-5 * slower},
            "loss": {"unit": "1", "value": 0.0},
            "service-demand": {"unit": "s/B", "value": 3.1e-10 * slower},
        }
        return changed(run, measures=measures, histograms={"latency": latency})

    return with_runs(campaign, with_extras)


def small() -> Campaign:
    """Seven blocks of one workload in four environments, for formats that hold every field."""
    buffered = {DISK.name: {"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"}}
    places = [
        Place("native", conditions={DISK.name: {"io": "direct"}}),
        Place("user-mode Linux", "uml", {"": 1.8}, 1.2, buffered),
        Place("gVisor", "gvisor", {"": 0.97}, None, {DISK.name: {"io": "direct"}}),
        Place("KVM", "kvm", works=False, reason='no, "not" here'),
    ]
    campaign = simulate(
        places, [DISK], blocks=7, seed=5, noise=outliers(0.03), samples=2,
        fail={4: Failure(FailureKind.GUEST, "it ended, and said: \n\"no\"")},
        marks={2: (Mark(MarkKind.STEAL, "7.1%"), Mark(MarkKind.SWAP, "3 pages"))},
    )  # fmt: skip

    def probed(run: Run) -> Run:
        """With one probe before the samples and one after, each 20 µs on its way there and back."""
        probes, clock = [], run.scored.clock
        for after_ns in (0, 1_000_000_000):
            guest = clock.reference_guest_ns + after_ns
            host = round(clock.to_host_ns(guest))
            probes.append(RoundTrip("during", host - 20_000, guest, guest + 1_000, host + 21_000))
        return replace(run, probes=tuple(probes))

    return with_runs(campaign, probed)


def lying() -> Campaign:
    """One guest is right, the clock of the other one stepped in each trial."""
    made = simulate([Place("native"), Place("liar")], [Work()], blocks=2)
    trials = tuple(
        lied(record, ClockFault("stepped", -3.0, 0.4), "the clock stepped")
        if record.trial.placements[0].environment == "liar"
        else record
        for record in made.trials
    )
    return replace(made, trials=trials)


def compared() -> Campaign:
    """Two blocks with probes, in guests whose clock is 1,000 s behind and runs at half speed, known within 0.1 %."""
    made = simulate([Place("native")], [Work(), Work("switch", "os", "fork", "s", 1e-4)], blocks=2)
    fit = ClockFit(5_000_000_000, 1_005_000_000_000, 2.0, 20_000.0, 0.002, 2)
    probes = tuple(
        RoundTrip("during", host, guest, guest + 1_000, host + 42_000)
        for host, guest in ((1_004_999_980_000, 5_000_000_000), (1_006_999_980_000, 6_000_000_000))
    )

    return with_runs(made, lambda run: changed(run, clock=fit, probes=probes))


def in_turns(**plan: Any) -> Campaign:
    """Six blocks in which two guests took turns in ten slices, after a long window of four pieces."""
    made = simulate([Place("native"), Place("half", efficiency={"": 0.5})], blocks=6, **plan)
    made = with_runs(made, lambda run: in_rounds(run, [run.scored.value] * 10, [[run.scored.value] * 4]))
    return replace(
        made,
        planned=tuple(replace(trial, turns=trial.block) for trial in made.planned),
        trials=tuple(replace(one, trial=replace(one.trial, turns=one.trial.block)) for one in made.trials),
    )
