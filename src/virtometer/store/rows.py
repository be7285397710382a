"""Between the nouns of the model and the rows of the tables, both ways."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row

from virtometer.model import (
    AgentReport,
    ClockFault,
    ClockFit,
    CommandLine,
    EnvironmentStatus,
    Excluded,
    Failure,
    FailureKind,
    FollowUp,
    GuestStart,
    GuestUse,
    HostTuningEvent,
    HostUse,
    Mark,
    MarkKind,
    Placement,
    Plan,
    RoundTrip,
    Run,
    Sample,
    Score,
    ServiceAccount,
    Stage,
    Trial,
    TrialRecord,
    TuningState,
)

Values = dict[str, Any]

_HOST_USE, _GUEST_USE, _FOLLOW_UP = TypeAdapter(HostUse), TypeAdapter(GuestUse), TypeAdapter(FollowUp)
_CLOCK = tuple(one.name for one in dataclasses.fields(ClockFit))
_DEPTH = 64  # of arrays and objects within each other


def to_json(value: object) -> str:
    """JSON of a mapping or sequence; NaN and infinities are a fault of the caller (ValueError)."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_plain)


def from_json(text: str) -> Any:  # noqa: ANN401 - whatever was stored
    """Back from the text. Raises ValueError for what is nested deeper than anything that is stored."""
    value = json.loads(text)
    level = [value]
    for _ in range(_DEPTH + 1):
        groups = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for group in groups for inner in group]
        if not level:
            return value
    if level:
        raise ValueError(f"nested more than {_DEPTH} deep")
    return value


def to_text(value: str) -> str:
    """Text that can be stored: what a guest sent may hold code points that are no characters."""
    return value.encode("utf-8", "replace").decode()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def _same(of: object, *names: str) -> Values:
    """Columns that have the names of fields."""
    return {name: getattr(of, name) for name in names}


def plan_of(text: str) -> Plan:
    """A plan as the ledger holds it. Raises ValueError, in a sentence, for what is no plan."""
    try:
        return Plan.model_validate_json(to_json(from_json(text)))
    except ValidationError as cause:
        where = ".".join(map(str, cause.errors()[0]["loc"])) or "all of it"
        raise ValueError(f"a plan that is wrong at {where}") from cause


def environment_row(position: int, status: EnvironmentStatus) -> Values:
    """Row of the table `environments`."""
    of = _same(status, "name", "kind", "works", "reason", "advice")
    return {"position": position, **of, "capabilities_json": to_json(status.capabilities)}


def environment_of(row: Row[Any]) -> EnvironmentStatus:
    """Back from the row."""
    return EnvironmentStatus(row.name, row.kind, row.works, row.reason, row.advice, from_json(row.capabilities_json))


def planned_rows(trials: Iterable[Trial]) -> tuple[list[Values], list[Values]]:
    """Rows of the tables `planned` and `placements`."""
    planned: list[Values] = []
    placements: list[Values] = []
    for trial in trials:
        own = {"trial": trial.index}
        planned.append(own | _same(trial, "block", "position", "start_group", "turns", "scenario"))
        for one in trial.placements:
            of = _same(one, "environment", "workload", "role", "guest", "instance")
            placements.append({**own, "placement": one.ordinal, **of, "uses_json": to_json(one.uses)})
    return planned, placements


def planned_of(planned: Sequence[Row[Any]], placements: Sequence[Row[Any]]) -> tuple[Trial, ...]:
    """Back from the rows, in order of execution."""
    found: defaultdict[int, list[Placement]] = defaultdict(list)
    for row in placements:
        uses = tuple(from_json(row.uses_json))
        placement = Placement(row.environment, row.workload, row.role, row.guest, row.placement, uses, row.instance)
        found[row.trial].append(placement)
    return tuple(
        Trial(row.trial, row.block, row.position, row.start_group, tuple(found[row.trial]), row.turns, row.scenario)
        for row in planned
    )


def stage_row(stage: Stage) -> Values:
    """Row of the table `stages`."""
    follow_up = stage.follow_up
    return {
        "decided_at": stage.decided_at,
        "first_trial": stage.first_trial,
        "trials": stage.trials,
        "blocks_json": to_json([[*key, count] for key, count in stage.blocks.items()]),
        "beyond_json": to_json([[*key, seconds] for key, seconds in stage.beyond.items()]),
        "bounded_by": to_text(stage.limit),
        "follow_up_json": follow_up and to_json(_FOLLOW_UP.dump_python(follow_up, mode="json")),
    }


def stage_of(row: Row[Any]) -> Stage:
    """Back from the row."""
    return Stage(
        row.decided_at,
        row.first_trial,
        row.trials,
        {(workload, environment): count for workload, environment, count in from_json(row.blocks_json)},
        {(workload, environment): seconds for workload, environment, seconds in from_json(row.beyond_json)},
        row.bounded_by,
        None if row.follow_up_json is None else _FOLLOW_UP.validate_python(from_json(row.follow_up_json)),
    )


def guest_row(guest: GuestStart) -> Values:
    """Row of the table `guests`."""
    of = _same(guest, "environment", "kind", "provision_s", "started_at")
    settings = {"asked_json": to_json(guest.requested), "given_json": to_json(guest.effective)}
    return {"guest": guest.guest_id, **of, **settings}


def guest_of(row: Row[Any]) -> GuestStart:
    """Back from the row."""
    return GuestStart(
        row.guest,
        row.environment,
        row.kind,
        from_json(row.asked_json),
        from_json(row.given_json),
        row.provision_s,
        row.started_at,
    )


def command_row(command: CommandLine) -> Values:
    """Row of the table `commands`."""
    return {**_same(command, "at", "purpose", "status"), "argv_json": to_json(command.argv)}


def command_of(row: Row[Any]) -> CommandLine:
    """Back from the row."""
    return CommandLine(row.at, row.purpose, tuple(from_json(row.argv_json)), row.status)


def tuning_row(event: HostTuningEvent) -> Values:
    """Row of the table `tunings`."""
    return {"at": event.at, "tuning": event.tuning, "state": event.state.value, "what": to_text(event.what)}


def tuning_of(row: Row[Any]) -> HostTuningEvent:
    """Back from the row."""
    return HostTuningEvent(row.at, row.tuning, TuningState(row.state), row.what)


def trial_row(record: TrialRecord) -> Values:
    """Row of the table `trials`."""
    failure = record.failure
    return {
        "trial": record.trial.index,
        "status": record.status,
        "reason": to_text(failure.reason) if failure is not None else "",
        "started_at": record.started_at,
        "wall_s": record.wall_s,
        "start_skew_ns": record.start_skew_ns,
        "host_json": None if record.host is None else to_json(dataclasses.asdict(record.host)),
        "marks_json": to_json([(mark.kind, to_text(mark.text)) for mark in record.marks]),
        "failure": failure and failure.kind,
        "failure_placement": failure and failure.placement,
    }


def run_row(trial: int, run: Run) -> Values:
    """Row of the table `runs`."""
    report, score, fault = run.report, run.score, run.fault
    clock = score and score.clock
    return {
        "trial": trial,
        "placement": run.placement.ordinal,
        "guest": run.guest_id,
        "kernel": run.kernel,
        "op": run.op,
        "parameters_json": to_json(run.parameters),
        "threads": run.threads,
        "unit": run.unit,
        "better": run.better,
        "conditions_json": to_json(run.conditions),
        "agent_value": report and report.value,
        "agent_cpu_s": report and report.cpu_s,
        "check_json": report and to_json(report.check),
        "measures_json": report and to_json(report.measures),
        "histograms_json": report and to_json(report.histograms),
        "output": to_text(report.output) if report is not None and report.output is not None else None,
        "value": score and score.value,
        "work": score and score.work,
        "guest_cpu_s": run.guest_cpu_s,
        "window_start_host_ns": score and score.window_start_host_ns,
        "window_end_host_ns": score and score.window_end_host_ns,
        **{f"clock_{name}": clock and getattr(clock, name) for name in _CLOCK},
        "fault": fault and fault.kind,
        "fault_size_s": fault and fault.size_s,
        "fault_at_s": fault and fault.at_s,
        "fault_bound": fault and fault.bound,
        "guest_use_json": run.guest_use and to_json(dataclasses.asdict(run.guest_use)),
    }


def run_of(row: Row[Any], placement: Placement, samples: Sequence[Sample], probes: tuple[RoundTrip, ...]) -> Run:
    """Back from the row, with its samples and probes."""
    fault = None
    if row.fault is not None:
        fault = ClockFault(row.fault, row.fault_size_s, row.fault_at_s, row.fault_bound)
    return Run(
        placement=placement,
        guest_id=row.guest,
        kernel=row.kernel,
        op=row.op,
        parameters=from_json(row.parameters_json),
        threads=row.threads,
        unit=row.unit,
        better=row.better,
        conditions=from_json(row.conditions_json),
        samples=samples,
        probes=probes,
        report=None if row.agent_cpu_s is None else _report_of(row),
        score=None if row.value is None else _score_of(row),
        fault=fault,
        account=_account_of(row) if row.value is None else None,
    )


def _report_of(row: Row[Any]) -> AgentReport:
    return AgentReport(
        value=row.agent_value,
        cpu_s=row.agent_cpu_s,
        check=from_json(row.check_json),
        measures=from_json(row.measures_json),
        histograms=from_json(row.histograms_json),
        output=row.output,
    )


def _score_of(row: Row[Any]) -> Score:
    clock = ClockFit(**{name: getattr(row, f"clock_{name}") for name in _CLOCK})
    ends = (row.window_start_host_ns, row.window_end_host_ns)
    return Score(row.value, row.work, clock, *ends, row.guest_cpu_s, _use_of(row))


def _account_of(row: Row[Any]) -> ServiceAccount | None:
    if row.guest_cpu_s is None and row.guest_use_json is None:
        return None
    return ServiceAccount(row.guest_cpu_s, _use_of(row))


def _use_of(row: Row[Any]) -> GuestUse | None:
    return None if row.guest_use_json is None else _GUEST_USE.validate_python(from_json(row.guest_use_json))


def sample_rows(trial: int, number: int, samples: Iterable[Sample]) -> list[Values]:
    """Rows of the table `samples`."""
    return [
        {
            "trial": trial,
            "placement": number,
            "position": position,
            "start_ns": sample.start_ns,
            "end_ns": sample.end_ns,
            "work": sample.work,
            "check_value": to_text(sample.check),
            "excluded": sample.excluded,
            "mark": to_text(sample.mark),
            "slice": sample.slice,
        }
        for position, sample in enumerate(samples)
    ]


def probe_rows(trial: int, number: int, probes: Iterable[RoundTrip]) -> list[Values]:
    """Rows of the table `probes`."""
    names = ("sent_host_ns", "received_guest_ns", "sent_guest_ns", "received_host_ns", "kind")
    return [
        {"trial": trial, "placement": number, "position": position, **_same(probe, *names)}
        for position, probe in enumerate(probes)
    ]


def sample_of(row: Row[Any]) -> Sample:
    """Back from the row."""
    why = None if row.excluded is None else Excluded(row.excluded)
    return Sample(row.start_ns, row.end_ns, row.work, row.check_value, why, row.mark, row.slice)


def trial_of(row: Row[Any], trial: Trial, runs: Sequence[Run]) -> TrialRecord:
    """Back from the row, with its runs."""
    failure = None
    if row.status == "failed":
        failure = Failure(FailureKind(row.failure), row.reason, row.failure_placement)
    return TrialRecord(
        trial=trial,
        failure=failure,
        started_at=row.started_at,
        wall_s=row.wall_s,
        start_skew_ns=row.start_skew_ns,
        host=None if row.host_json is None else _HOST_USE.validate_python(from_json(row.host_json)),
        marks=tuple(Mark(MarkKind(kind), text) for kind, text in from_json(row.marks_json)),
        runs=tuple(runs),
    )
