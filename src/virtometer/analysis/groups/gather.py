"""From a campaign to the trials of groups of guests, and of the single guests that are their reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from virtometer import agent_table
from virtometer.analysis.compare.blocks import usable
from virtometer.analysis.groups import further
from virtometer.analysis.groups.members import GroupTrial, Member, Shape, shape_of
from virtometer.analysis.score.judged import judged
from virtometer.analysis.score.slices import long_value
from virtometer.model import Campaign, GuestKey, GuestStart, HostUse, MarkKind, Placement, Plan, Run, Trial, TrialRecord

_ALL = "all"  # of the condition `guest_processors`: the guest is not bound


def gather(campaign: Campaign) -> tuple[GroupTrial, ...]:
    """Every trial that is done, in the order of execution."""
    starts = {guest.guest_id: guest for guest in campaign.guests}
    cpus, allowed = _cpus(campaign, "cpus"), _cpus(campaign, "cpus_allowed")
    types = types_of(campaign.plan)
    return tuple(
        _trial(record, types[record.trial.scenario], starts, cpus, allowed)
        for record in campaign.trials
        if record.failure is None
    )


def failed(campaign: Campaign) -> dict[tuple[str, Shape], int]:
    """How many trials failed, by scenario and shape; what cannot be done here counts too."""
    return dict(
        Counter(
            (record.trial.scenario, _shape(record.trial)) for record in campaign.trials if record.failure is not None
        )
    )


def types_of(plan: Plan) -> Mapping[str, str]:
    """The type of each scenario by its name; the empty name is that of plans without scenarios."""
    return {"": "alone", **{scenario.name: scenario.type for scenario in plan.scenarios}}


def _shape(trial: Trial) -> Shape:
    placements = [one for one in trial.placements if one.role != "service"]
    return shape_of(
        ((one.role, one.environment, one.workload, _name(one, placements)) for one in placements), _services(trial)
    )


def _name(placement: Placement, among: list[Placement]) -> str:
    """The guest's name; of several agents in one guest with the number of the agent."""
    name = placement.guest_key.name
    copies = any(one.guest_key == placement.guest_key and one.instance > 1 for one in among)
    return f"{name} copy {placement.instance}" if copies else name


def _services(trial: Trial) -> tuple[tuple[str, str], ...]:
    placements = [one for one in trial.placements if one.role != "service"]
    pairs = [(one, trial.placements[service]) for one in placements for service in one.uses]
    return tuple((_name(one, placements), service.guest_key.name) for one, service in pairs)


def _lengths(record: TrialRecord, begin_ns: int, end_ns: int) -> tuple[float, float | None]:
    """Seconds that CPU accounts are over, and in which all measured guests worked.

    Of guests that took turns the former are from before their releases until all rest, and only the record has the
    latter, unless it is old.
    """
    window_s = max(end_ns - begin_ns, 0) * 1e-9
    if not any(run.in_slices for run in record.scored):
        return window_s, window_s
    return (window_s, None) if record.host is None else (record.host.wall_s, record.host.overlap_s)


def _trial(record: TrialRecord, kind: str, starts: Mapping[str, GuestStart], cpus: int, allowed: int) -> GroupTrial:
    runs = [run for run in record.scored if run.placement.role != "service"]
    placements = [run.placement for run in runs]
    order = {key: at for at, key in enumerate(dict.fromkeys((one.guest_key, one.instance) for one in placements))}
    runs = sorted(runs, key=lambda run: _by_number(run.placement))  # the placements are in the order of starts
    measured = [run for run in runs if run.placement.role == "measured"]
    windows = [run.scored for run in measured]
    begin = max((one.window_start_host_ns for one in windows), default=0)
    end = min((one.window_end_host_ns for one in windows), default=0)
    window_s, overlap_s = _lengths(record, begin, end)
    return GroupTrial(
        index=record.trial.index,
        block=record.trial.block,
        scenario=record.trial.scenario,
        type=kind,
        members=tuple(_member(run, placements, order, starts, kind) for run in runs),
        window_s=window_s,
        overlap_s=overlap_s,
        skew_ns=record.start_skew_ns,
        skew_bound_ns=_skew_bound_ns(measured),
        host=record.host,
        repeated=any(mark.kind is MarkKind.REPEATED for mark in record.marks),
        cpus=_of_use(record.host) or cpus,
        allowed=allowed,
        services=_services(record.trial),
        addresses=tuple(
            (_name(run.placement, placements), str(run.parameters["peer"]))
            for run in runs
            if run.placement.uses and run.parameters.get("peer")
        ),
        servers=tuple(_server(run) for run in record.runs if run.account is not None),
    )


def _by_number(placement: Placement) -> tuple[bool, int, int]:
    """Measured guests before loads, then by their numbers."""
    return placement.role != "measured", placement.guest, placement.instance


def _skew_bound_ns(measured: list[Run]) -> int:
    """Bound of the error (host ns) of the time between two begins: those of the two clocks that are known worst.

    0 where one guest is measured, or clocks were not compared.
    """
    if len(measured) < 2 or not all(run.samples and run.scored.clock.compared for run in measured):
        return 0
    return round(sum(sorted(run.scored.clock.bound_at_ns(run.samples[0].start_ns) for run in measured)[-2:]))


def _member(
    run: Run,
    placements: list[Placement],
    order: Mapping[tuple[GuestKey, int], int],
    starts: Mapping[str, GuestStart],
    kind: str,
) -> Member:
    placement, of = run.placement, judged(run)
    latency = agent_table.judged_by(run.kernel, run.op) is not None
    # Of guests that take turns alone, long windows are compared; of groups, the score counts.
    long = None if kind == "together" else long_value(run)
    reached = run.scored.value if long is None else long
    value, good = of.value if latency else reached, usable(run)
    start = starts.get(run.guest_id)
    vcpus = _vcpus(start)
    return Member(
        guest=_name(placement, placements),
        environment=placement.environment,
        workload=placement.workload,
        role=placement.role,
        rate=(1 / reached if run.unit == "s" else reached) if good and reached > 0 else None,
        value=value if good else None,
        unit=of.unit,
        better=of.better,
        host_cpu_s=run.scored.guest_cpu_s,
        processors=min(float(run.threads), vcpus or float(run.threads)),
        on=_processors(run.conditions.get("guest_processors", _ALL)),
        order=order[placement.guest_key, placement.instance],
        instance=placement.guest_key.name,
        vcpus=vcpus,
        rate_unit="1/s" if run.unit == "s" else run.unit,
        latency=latency,
        use=run.scored.guest_use,
        measures=further.reported(run),
    )


def _server(run: Run) -> Member:
    """A guest that served, which has an account and no value."""
    placement = run.placement
    return Member(
        guest=placement.guest_key.name,
        environment=placement.environment,
        workload=placement.workload,
        role=placement.role,
        rate=None,
        value=None,
        unit=run.unit,
        better=run.better,
        host_cpu_s=run.guest_cpu_s,
        use=run.guest_use,
    )


def _vcpus(start: GuestStart | None) -> float:
    """How many processors a guest may use at the same time; 0 where it did not say."""
    if start is None:
        return 0.0
    facts = start.effective.get("facts")
    allowed = float(facts.get("cpus_allowed") or 0) if isinstance(facts, Mapping) else 0.0
    quota = start.effective.get("cpus")
    limits = [one for one in (allowed, float(quota) if isinstance(quota, int | float) else 0.0) if one > 0]
    return min(limits, default=0.0)


def _processors(said: str) -> frozenset[int] | None:
    """The set behind `7` or `5-6,9`; None for all."""
    if said == _ALL:
        return None
    found: set[int] = set()
    for part in said.split(","):
        first, _, last = part.partition("-")
        if not (first.isdigit() and (not last or last.isdigit())):
            return None
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


def _of_use(use: HostUse | None) -> int:
    """Number of processors that the host's account covers: the total time of all states by the wall time."""
    if use is None:
        return 0
    if use.processors:
        return len(use.processors)
    states = (use.user, use.nice, use.system, use.idle, use.iowait, use.irq, use.softirq, use.steal)
    return round(sum(states) / use.wall_s) if use.wall_s > 0 else 0


def _cpus(campaign: Campaign, name: str) -> int:
    found = campaign.host.get(name) or 0
    return int(found) if isinstance(found, int | float) else 0
