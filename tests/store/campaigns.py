"""Campaigns as literals, for the tests of the ledger."""

from __future__ import annotations

from dataclasses import replace

from virtometer.model import (
    Campaign,
    ClockFault,
    ClockFit,
    ClockProbe,
    CommandLine,
    EnvironmentStatus,
    Evidence,
    GuestStart,
    HostUse,
    Placement,
    PlacementResult,
    Plan,
    Sample,
    Trial,
    TrialRecord,
)

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
                (Placement("native" if number % 2 else "box", "w"), Placement("native", "w", "load")),
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
    """A finished trial with a result for each placement, every field with a value of its own."""
    n = trial.index
    results = tuple(
        PlacementResult(
            placement=placement,
            guest_id=f"g{n}",
            kernel="disk",
            op="random-read",
            parameters={"size": 4096, "direct": True},
            threads=1 + place,
            unit="IO/s",
            better="higher",
            value=1000.125 + n,
            agent_value=999.875,
            samples=tuple(
                Sample(10 + k, 20 + k, 2**53 - 1 - k, f"c{k}", k % 3 != 0, "" if k % 3 else "clock error")
                for k in range(samples)
            ),
            probes=tuple(ClockProbe(k, k + 1, k + 2, k + 3) for k in range(5)),
            clock=ClockFit(123456789, 987654321, 1.0000012345, 345.5, 1e-7, 40),
            window_start_host_ns=2**52,
            window_end_host_ns=2**52 + 10**9,
            work=samples,
            guest_cpu_s=None if place else 0.123,
            agent_cpu_s=0.045,
            check={"kind": "checksum", "value": "0xdead", "passed": True},
            conditions={"io": "buffered", "io_reason": "O_DIRECT refused: EINVAL"},
            measures={"cpu-per-io": {"unit": "s", "value": 1.5e-06}},
            histograms={"latency": {"unit": "s", "digits": 2, "counts": [[99327, 12], [100351, 8]]}},
        )
        for place, placement in enumerate(trial.placements)
    )
    host = HostUse(1.0, 0.5, 0.0, 0.25, 1.0, 0.125, 0.0, 0.0625, 0.03125)
    return TrialRecord(trial, "done", "", "2026-01-02T03:05:00.000+00:00", 1.5, 12345, host, ("steal 7 %",), results)


def failed(trial: Trial) -> TrialRecord:
    return TrialRecord(trial, "failed", "the guest died: exit status 3", "2026", 0.5, 0, None, (), ())


def lied(trial: Trial, samples: int = 20) -> TrialRecord:
    """A trial that failed on a clock's account: what the first placement left, every field with a value of its own."""
    n = trial.index
    left = Evidence(
        placement=trial.placements[0],
        guest_id=f"g{n}",
        kernel="disk",
        op="random-read",
        parameters={"size": 4096},
        threads=2,
        unit="IO/s",
        better="higher",
        conditions={"io": "direct"},
        said={"value": 7.5 + n, "unit": "IO/s", "measures": {}, "output": None} if n % 2 else None,
        samples=tuple(Sample(10 + k, 5 - k, k, f"c{k}", False, "it stepped") for k in range(samples)),
        probes=tuple(ClockProbe(k, k + 1, k + 2, k + 3) for k in range(5)),
        fault=ClockFault("stepped", -3.0, 0.25) if n % 3 else ClockFault("uncertain", bound=0.0064),
    )
    reason = "box: the guest's clock stepped by about -3 s"
    return TrialRecord(trial, "failed", reason, "2026", 0.5, 0, None, (), (), (left,))


def expected(of: Campaign, records: list[TrialRecord], guests: list[GuestStart], lines: list[CommandLine]) -> Campaign:
    """What the ledger must hold after these were recorded."""
    return replace(of, trials=tuple(records), guests=tuple(guests), commands=of.commands + tuple(lines))
