"""Campaigns as literals, for the tests of the ledger."""

from __future__ import annotations

from dataclasses import replace

from virtometer.model import (
    AgentReport,
    Campaign,
    ClockFault,
    ClockFit,
    CommandLine,
    EnvironmentStatus,
    Excluded,
    Failure,
    FailureKind,
    GuestStart,
    GuestUse,
    HostUse,
    Mark,
    MarkKind,
    Placement,
    Plan,
    ProcessorUse,
    RoundTrip,
    RoundTripKind,
    Run,
    Sample,
    Score,
    Traffic,
    Trial,
    TrialRecord,
)

KINDS: tuple[RoundTripKind, ...] = ("before", "during", "after", "null", "work")
CLOCK_REASON = "the guest's clock stepped by about -3 s"
GUEST_USE = GuestUse(0.1, 0.02, None, 0.09, 0.033, "threads are hidden", Traffic(13, 14, 15, 16, 17, 18))
PLAN_TEXT = "virtometer: 1  # with a comment, an umlaut: ü\n"

PLAN = Plan.model_validate(
    {
        "virtometer": 1,
        "name": "ledger",
        "question": "Is anything lost?",
        "environments": [
            {"name": "native", "kind": "native"},
            {"name": "box", "kind": "runc", "settings": {"cpus": 0.5, "memory": 64 << 20}},
        ],
        "workloads": [{"name": "w", "workload": "disk", "op": "random-read", "parameters": {"size": 4096}}],
        "blocks": 4,
    }
)


def campaign(trials: int = 8) -> Campaign:
    """Planned, and nothing done."""
    return Campaign(
        plan=PLAN,
        plan_text=PLAN_TEXT,
        seed=2**63 - 1,
        created_at="2026-01-02T03:04:05.678+00:00",
        host={"cpu": "a processor", "cpus": 2, "memory_bytes": 2**40, "flags": ["fpu", "avx"], "cpufreq": None},
        versions={"virtometer": "0.1.0", "agent_sha256": "ab" * 32},
        environments=(
            EnvironmentStatus("native", "native", True, "", "", {"disk": True, "settings": []}),
            EnvironmentStatus("box", "runc", False, "runc is not installed", "install runc", {}),
        ),
        planned=tuple(
            Trial(
                number,
                number // 2,
                number % 2,
                number,
                (
                    Placement("native" if number % 2 else "box", "w"),
                    Placement("native", "w", "load", ordinal=1, instance=2 if number % 4 == 0 else 1),
                ),
                turns=None if number % 4 == 2 else number // 2,
                scenario="" if number % 4 == 2 else "beside a load",
            )
            for number in range(trials)
        ),
        trials=(),
        guests=(),
        commands=(CommandLine("2026-01-02T03:04:05.000+00:00", "check runc", ("runc", "--version"), 0),),
    )


def guest(number: int) -> GuestStart:
    return GuestStart(f"g{number}", "box", "runc", {"cpus": 0.5}, {"pid": 7, "note": "ünïcode"}, 0.25, "2026")


def done(trial: Trial, samples: int = 20) -> TrialRecord:
    """A finished trial with a run of each placement, every field with a value of its own."""
    n = trial.index
    runs = tuple(
        Run(
            placement=placement,
            guest_id=f"g{n}",
            kernel="disk",
            op="random-read",
            parameters={"size": 4096, "direct": True},
            threads=1 + placement.ordinal,
            unit="IO/s",
            better="higher",
            conditions={"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"},
            samples=tuple(
                Sample(
                    10 + k, 20 + k, 2**53 - 1 - k, f"c{k}",
                    None if k % 3 else Excluded.CLOCK_ERROR, "" if k % 3 else "clock error",
                    None if n % 4 == 2 else k - 1,
                )
                for k in range(samples)
            ),
            probes=tuple(RoundTrip(kind, k, k + 1, k + 2, k + 3) for k, kind in enumerate(KINDS)),
            report=AgentReport(
                value=999.875,
                cpu_s=0.045,
                check={"kind": "checksum", "value": "0xdead", "passed": True},
                measures={"cpu-per-io": {"unit": "s", "value": 1.5e-06}},
                histograms={"latency": {"unit": "s", "digits": 2, "counts": [[99327, 12], [100351, 8]]}},
                output="what a tool printed" if n else None,
            ),
            score=Score(
                value=1000.125 + n,
                work=samples,
                clock=ClockFit(123456789, 987654321, 1.0000012345, 345.5, 1e-7, 40),
                window_start_host_ns=2**52,
                window_end_host_ns=2**52 + 10**9,
                guest_cpu_s=None if placement.ordinal else 0.123,
                guest_use=None if placement.ordinal else GUEST_USE,
            ),
        )
        for placement in trial.placements
    )  # fmt: skip
    processors = tuple(ProcessorUse(k, 0.25, 0.0, 0.125, 0.5, 0.0625, 0.0, 0.03125, 0.015625) for k in range(2))
    host = HostUse(
        1.0, 0.5, 0.0, 0.25, 1.0, 0.125, 0.0, 0.0625, 0.03125,
        processors=processors, run_queue=1.5, context_switches=4321, disk_read=4096, disk_written=8192,
        network=Traffic(1, 2, 3, 4, 5, 6), loopback=Traffic(7, 8, 9, 10, 11, 12),
    )  # fmt: skip
    marks = (Mark(MarkKind.STEAL, "7 %"),)
    return TrialRecord(trial, None, "2026-01-02T03:05:00.000+00:00", 1.5, 12345, host, marks, runs)


def failed(trial: Trial) -> TrialRecord:
    failure = Failure(FailureKind.GUEST, "the guest died: exit status 3")
    return TrialRecord(trial, failure, "2026", 0.5, 0, None, (), ())


def lied(trial: Trial, samples: int = 20) -> TrialRecord:
    """A trial that failed because of a clock: the run of the first placement, every field with a value of its own."""
    n = trial.index
    left = Run(
        placement=trial.placements[0],
        guest_id=f"g{n}",
        kernel="disk",
        op="random-read",
        parameters={"size": 4096},
        threads=2,
        unit="IO/s",
        better="higher",
        conditions={"io": "direct"},
        samples=tuple(Sample(10 + k, 5 - k, k, f"c{k}", Excluded.FAILED_TRIAL, "it stepped") for k in range(samples)),
        probes=tuple(RoundTrip(kind, k, k + 1, k + 2, k + 3) for k, kind in enumerate(KINDS)),
        report=AgentReport(7.5 + n, 0.25 + n, {"passed": True}, {}, {}) if n % 2 else None,
        fault=ClockFault("stepped", -3.0, 0.25) if n % 3 else ClockFault("uncertain", bound=0.0064),
    )
    failure = Failure(FailureKind.CLOCK, CLOCK_REASON, 0)
    return TrialRecord(trial, failure, "2026", 0.5, 0, None, (), (left,))


def expected(of: Campaign, records: list[TrialRecord], guests: list[GuestStart], lines: list[CommandLine]) -> Campaign:
    """What the ledger must hold after these were recorded."""
    return replace(of, trials=tuple(records), guests=tuple(guests), commands=of.commands + tuple(lines))
