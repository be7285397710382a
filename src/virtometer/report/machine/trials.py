"""Trials: what was placed where, what each run measured, and what the host did meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from virtometer.analysis.describe.samples import samples_unused, value_bound
from virtometer.model import Campaign, FailureKind, MarkKind, Run, Trial, TrialRecord
from virtometer.report.machine.field import TYPES, Schema, Shape, by_name, texts

Shape(
    "traffic",
    "what network interfaces transferred over the scored window; dropped: packets",
    """
    received_bytes    integer
    received_packets  integer
    received_dropped  integer
    sent_bytes        integer
    sent_packets      integer
    sent_dropped      integer
    """,
)
_STATES = """\
    user              number
    nice              number
    system            number
    idle              number
    iowait            number
    irq               number
    softirq           number
    steal             number
"""
Shape("processor", "CPU seconds of one processor", "    number            count\n" + _STATES)
Shape(
    "host_use",
    "CPU seconds of all processors over the scored window",
    "    wall_s            number\n"
    + _STATES
    + """
    foreign           number?   of programs that are neither a guest nor the laboratory
    run_delay         number?   in which the measured guest was ready and others had its processors
    pressure          number?   in which some program of the host waited for a processor
    frequency_mhz     number?   the lowest frequency of the guest's processors
    temperature_c     number?   the highest temperature that the host reports
    processors        processor[]  CPU seconds of each processor; empty where guests worked alone
    run_queue         number?   threads that ran or were ready, on average
    context_switches  integer?
    disk_read         integer?  bytes of all disks
    disk_written      integer?  bytes of all disks
    network           traffic?  of all interfaces of the host's own network namespace but the loopback
    loopback          traffic?  of the loopback interface of the host
    watch_s           bound?    processor time of the laboratory that watching the host and its guests took
    overlap_s         bound?    of guests in windows in turn: the stretches in which all measured ones worked, added up
    busy              number
    """,
)
Shape(
    "guest_use",
    "what the CPU seconds of a guest were spent for",
    """
    code     number?   the guest's own code
    vmm      number?   the program that makes the guest
    kernel   number?   threads of the host's kernel that serve it
    user     number?   all its processes in user mode
    system   number?   all its processes in kernel mode
    unknown  text      why a figure is null; empty where none is
    traffic  traffic?  of the interface to which it is connected, as the guest sees it
    """,
    columns={"traffic": ""},
)
Shape(
    "clock",
    "host time = reference_host_ns + (guest time - reference_guest_ns) * rate",
    """
    reference_guest_ns  integer
    reference_host_ns   integer
    rate                number   host seconds per guest second
    bound_ns            bound?   of the host time at the reference
    rate_bound          bound?
    probes              ordinal
    """,
)
Shape(
    "fault",
    "of a guest's clock",
    """
    kind    stepped|went-back|stood-still|uncertain|contradicts
    size_s  number?  of a step, in guest seconds, above zero forwards
    at_s    number?  about when, in seconds since the start of the run
    bound   number?  relative error of every duration, where that was too large
    """,
)
_PLACEMENT = """
    environment  text
    workload     text
    role         measured|load|service
    guest        ordinal   number among the trial's guests of this environment
    ordinal      count     identifies the placement within its trial
    uses         count[]   ordinals of the services that it uses; beyond them it may use those of the laboratory
    instance     ordinal   number of the agent within the guest
"""
PLACEMENT = Shape("placement", "one workload in one guest", _PLACEMENT)


def _placed(name: str) -> Callable[[Run], Any]:
    return lambda run: getattr(run.placement, name)


_NAMES: Schema = {"propertyNames": {"pattern": "^[a-z0-9-]{1,64}$"}}
_MEASURE: Schema = {
    "type": "object",
    "properties": {"unit": {"type": "string", "minLength": 1, "maxLength": 16}, "value": TYPES["number"]},
    "required": ["unit", "value"],
    "additionalProperties": False,
}
_BUCKET: Schema = {"type": "array", "minItems": 2, "maxItems": 2, "items": TYPES["count"]}
_HISTOGRAM: Schema = {
    "type": "object",
    "properties": {
        "unit": {"const": "s"},
        "digits": {"type": "integer", "minimum": 1, "maximum": 5},
        "counts": {"type": "array", "minItems": 1, "items": _BUCKET},
    },
    "required": ["counts", "digits", "unit"],
    "additionalProperties": False,
}
RUN = Shape(
    "run",
    "what one placement measured; what a run of a failed trial lacks is null",
    _PLACEMENT
    + """
    guest_id      text
    kernel        text
    op            text
    parameters    object
    threads       ordinal
    unit          text
    better        higher|lower
    value=score.value  number?  total work / total host time (inverse for s); of a tool its number in host time
    value_bound   bound?    how far off value may be for the clock's sake, in its unit; null where nobody knows
    agent_value=report.value  number?  median over the iterations, or a tool's own number, in guest time; null where the
        run did not come to its end
    work=score.work  number?
    window_s      number?
    guest_cpu_s   number?   also of a service: of its guest in the window of those who use it
    guest_use     guest_use?  null where its processes could not be read
    agent_cpu_s=report.cpu_s  number?  by the guest's own account; with commands that took turns with it
    samples       count
    samples_unused  count
    probes        count     round trips
    clock         clock?    the fitted line; null for raw values, which are by the guest's clock
    fault         fault?    of the guest's clock, where it is the reason
    check=report.check  object?
    conditions    conditions
    measures      measures  further figures as the agent gave them, in its own time
    histograms    histograms  times of single operations as the agent gave them: [highest value of the bucket in ns of
        its own time, operations in it]
    """,
    types={
        "conditions": by_name(TYPES["text"]),
        "measures": {**by_name(_MEASURE), **_NAMES},
        "histograms": {**by_name(_HISTOGRAM), **_NAMES},
    },
    get={
        **{field.name: _placed(field.name) for field in PLACEMENT.fields},
        "value_bound": value_bound,
        "window_s": lambda of: of.score and (of.score.window_end_host_ns - of.score.window_start_host_ns) * 1e-9,
        "samples": lambda of: len(of.samples),
        "samples_unused": samples_unused,
        "probes": lambda of: len(of.probes),
        "clock": lambda of: of.score.clock if of.score is not None and of.score.clock.compared else None,
        "measures": lambda of: of.report.measures if of.report is not None else {},
        "histograms": lambda of: of.report.histograms if of.report is not None else {},
    },
    columns={"guest_use": "guest"},
)


class OfCampaign(NamedTuple):
    """A trial of a campaign, with its record where it has run."""

    campaign: Campaign
    trial: Trial
    record: TrialRecord | None = None

    @property
    def stage(self) -> int:
        """That it belongs to."""
        return self.campaign.stage_of(self.trial)


_PLANNED = """
    index=trial.index  count
    stage              ordinal   which it belongs to: 1, or a further one
    block=trial.block  count
    position=trial.position  count
    start_group=trial.start_group  integer  trials with the same number share one start of their guests
    turns=trial.turns  integer?  trials with the same number took turns in slices; null: continuous windows
    scenario=trial.scenario  text  its name in the plan; empty where the plan has none
    placements=trial.placements  placement[]
"""
Shape("planned", "a trial of the plan, run or not", _PLANNED)
Shape(
    "mark",
    "what broke the plan's rules",
    """
    kind  kind
    text  text
    """,
    types={"kind": texts(MarkKind)},
)
_NO_SCORE = {name: {"type": "null"} for name in ("value", "value_bound", "work", "window_s", "guest_cpu_s", "clock")}
_FAILED: Schema = {
    "if": {"properties": {"status": {"const": "failed"}}},
    "then": {
        "properties": {
            "reason": {"minLength": 1},
            "reason_kind": {"type": "string"},
            "runs": {"items": {"properties": _NO_SCORE}},
        }
    },
}
_DONE: Schema = {
    "if": {"properties": {"status": {"const": "done"}}},
    "then": {
        "properties": {
            "reason": {"const": ""},
            "reason_kind": {"type": "null"},
            "runs": {
                "items": {
                    "properties": {"fault": {"type": "null"}},
                    "if": {"properties": {"role": {"const": "service"}}},
                    "else": {"properties": {"work": TYPES["number"], "agent_cpu_s": TYPES["number"]}},
                }
            },
        }
    },
}
TRIAL = Shape(
    "trial",
    "a finished trial",
    _PLANNED
    + """
    status=record.status  done|failed
    reason=record.reason  text  of a failed trial; else empty
    reason_kind=record.failure.kind  kind?  of a failed trial; else null
    marks=record.marks    mark[]  what broke the plan's rules; such trials are kept
    started_at=record.started_at  text
    wall_s=record.wall_s  number
    start_skew_ns=record.start_skew_ns  integer
    host_use=record.host  host_use?  null where the host was not read
    runs=record.runs      run[]   one of each placement; of a failed trial what was measured, without a value and not
        used
    """,
    types={"kind": texts(FailureKind)},
    columns={"host_use": "host"},
    conditions={"allOf": [_FAILED, _DONE]},
)
