"""The machine interface as one document. Nothing in it is ever NaN, infinite, or zero in place of missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from virtometer.analysis import Analysis
from virtometer.analysis.describe.empty import MEASURE as EMPTY
from virtometer.analysis.effects.effect import Effects
from virtometer.model import EnvironmentStatus, Finding, PlanEnvironment, TuningState
from virtometer.report.machine import groups, profiles  # noqa: F401 - their shapes are named in a table
from virtometer.report.machine.clocks import LimitedClock
from virtometer.report.machine.effects import EFFECT, EXPERIMENT, staged, with_factors
from virtometer.report.machine.field import TYPES, Shape, by_name, line, texts
from virtometer.report.machine.findings import FINDING, FORMAT
from virtometer.report.machine.trials import OfCampaign
from virtometer.report.parts.left_tuned import left_tuned
from virtometer.report.parts.plain import plain

if TYPE_CHECKING:
    from virtometer.analysis.compared.comparison import Comparison


Shape(
    "further_blocks",
    "of one comparison",
    """
    workload=0.0  text
    subject=0.1   text
    blocks=1      ordinal
    """,
)
Shape(
    "beyond",
    "a comparison that the limit leaves out",
    """
    workload=0.0  text
    subject=0.1   text
    seconds=1     number?  what its blocks would take; null: more than a plan may have
    """,
)
Shape(
    "missing",
    "a combination that does not work here",
    """
    subject=0    text
    reason=1.0   text
    advice=1.1   text
    """,
)
Shape(
    "follow_up",
    "second stage of a sequential design",
    """
    factors=screened  screened[]
    subjects=cells    text[]     its combinations, the reference first
    terms             text[]     what it estimates
    left_out          text[]     interactions of its factors that it does not
    blocks            count
    missing           missing[]  combinations that do not work here
    """,
    get={"missing": lambda of: of.missing.items()},
)
Shape(
    "stage",
    "further blocks, fixed from those before them",
    """
    decided_at   text
    first_trial  count
    trials       count
    limit        text              what limited the blocks, in words
    blocks       further_blocks[]  further blocks of comparisons
    beyond       beyond[]          comparisons that take more than the limit, also where they get what is left of it;
        where the plan has factors, effects, with the term as subject
    follow_up    follow_up?        null where the design is not sequential
    """,
    get={"blocks": lambda of: of.blocks.items(), "beyond": lambda of: of.beyond.items()},
)
Shape(
    "environment",
    "an environment of the plan",
    """
    name         text
    kind         text
    settings     object   as in the plan
    baseline     flag
    works=status.works  flag?  what its check said; null when it was not asked
    reason       text
    advice       text
    capabilities  object
    provision_s  bound[]  every start of a guest, in seconds until the agent's greeting
    """,
    get={
        "kind": lambda of: of.planned.kind if of.planned else of.status.kind,
        "settings": lambda of: of.planned.settings if of.planned else {},
        "reason": lambda of: of.status.reason if of.status else "",
        "advice": lambda of: of.status.advice if of.status else "",
        "capabilities": lambda of: of.status.capabilities if of.status else {},
    },
)


class _Place(NamedTuple):
    """An environment of the plan, or one that was checked, with the starts of its guests."""

    name: str
    planned: PlanEnvironment | None
    status: EnvironmentStatus | None
    baseline: bool
    provision_s: list[float]


def _places(analysis: Analysis) -> list[_Place]:
    """Environments of the plan first, then whatever else was checked."""
    campaign = analysis.campaign
    planned = {one.name: one for one in campaign.plan.environments}
    checked = {one.name: one for one in campaign.environments}
    starts: dict[str, list[float]] = {}
    for guest in campaign.guests:
        starts.setdefault(guest.environment, []).append(guest.provision_s)
    return [
        _Place(name, planned.get(name), checked.get(name), name == campaign.plan.baseline, starts.get(name, []))
        for name in dict.fromkeys([*planned, *checked])
    ]


Shape(
    "guest",
    "a start of a guest",
    """
    guest_id         text
    environment      text
    kind             text
    asked=requested  object  settings that were requested
    given=effective  object  settings in force
    provision_s      number
    started_at       text
    """,
)
Shape(
    "command",
    "a command line that was run",
    """
    at       text
    purpose  text
    argv     text[]
    status   integer?  null where its end was not waited for
    """,
)
Shape(
    "tuning_event",
    "something that happened to a tuning of the host",
    """
    at      text
    tuning  text   its name, one for each time that it is done
    state   state  in-force: it is about to be done, or is; left: it could not be undone
    what    text   its steps, or what could not be undone
    """,
    types={"state": texts(TuningState)},
)


REPORT = Shape(
    "report",
    "what `report --format json` prints",
    """
    format        format
    clock=campaign.clock  host|guest  what everything is timed by: the host's clock, or, where raw values were asked
        for, the guests' own
    findings      finding[]      one for every workload and environment, in the plan's order
    groups=group_results.groups  group[]  empty where no scenario has several guests
    matrices=group_results.matrices  matrix[]  interference of loaded scenarios, and networks; empty without any
    scaling=group_results.scalings  scaling[]  of each scenario, environment and workload with several numbers of guests
    knees         knee[]         latency under rising load, of each sweep over a rate and environment
    controls      control[]      the baseline against itself, by workload; empty where it was measured once a block
    between_commands  command_ratio[]  of the user's commands after the first one; empty with fewer than two
    empty_programs  empty_program[]  beside the user's commands; empty where no guest reported any
    clock_readings  clock_reading[]  beside the user's commands; empty where no guest reported any
    without_empty  without_empty[]  empty where the plan does not ask for it
    cold_commands  cold_command[]  empty where no run has a guest of its own
    differing_conditions=circumstances  differing_condition[]  of the user's commands; empty where all are equal
    entries       entry[]        how long guests take to be entered from the host; empty where the plan does not ask
    profiles      profile[]      of the user's commands; empty where they were not profiled
    stages=campaign.stages  stage[]  further blocks, fixed from those before them
    tunings=campaign.tunings  tuning_event[]  what happened to each tuning of the host, in the order of time
    left_tuned    text[]         a sentence for each tuning of the host of which nothing says that it was undone
    effects       effect[]       of each metric the largest first; empty where the plan has no factors of environments
    experiment    experiment?    null without factors
    environments  environment[]  those of the plan, then whatever else was checked
    clocks        clock_quality[]  every environment that ran, in the plan's order; of raw values the same
    trials        trial[]        finished trials, in order
    planned       planned[]      all trials of the plan, in order
    guests=campaign.guests  guest[]  every start
    commands=campaign.commands  command[]  every command line that was run
    host=campaign.host  object   facts of the host
    plan          object         the plan with every default filled in
    plan_text=campaign.plan_text  text
    seed=campaign.seed  count    of the order
    created_at=campaign.created_at  text  start of the campaign
    versions=campaign.versions  versions  of programs
    """,
    types={"format": {"const": FORMAT}, "versions": by_name(TYPES["text"])},
    get={
        "format": lambda of: FORMAT,
        "between_commands": lambda of: of.commands.items(),
        "empty_programs": lambda of: [
            (key, found[EMPTY]) for key, found in of.command_measures.items() if EMPTY in found
        ],
        "clock_readings": lambda of: of.clock_readings.items(),
        "without_empty": lambda of: of.without_empty.items(),
        "cold_commands": lambda of: of.cold.items(),
        "entries": lambda of: of.entries.items(),
        "left_tuned": lambda of: left_tuned(of.campaign),
        "effects": lambda of: staged(of.effects),
        "experiment": lambda of: with_factors(of.effects),
        "environments": _places,
        "clocks": lambda of: [LimitedClock(one, of.campaign.plan.limits.clock_error) for one in of.clocks],
        "trials": lambda of: [OfCampaign(of.campaign, one.trial, one) for one in of.campaign.trials],
        "planned": lambda of: [OfCampaign(of.campaign, one) for one in of.campaign.planned],
        "plan": lambda of: of.campaign.plan.model_dump(mode="json"),
    },
)


def document(analysis: Analysis) -> dict[str, Any]:
    """The whole report as plain values that JSON can hold."""
    return {key: plain(value) for key, value in REPORT.row(analysis).items()}


def text(analysis: Analysis) -> str:
    """The document as JSON text, ended by a newline."""
    return json.dumps(document(analysis), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def findings_parts(found: Sequence[Finding], margin: float, effects: Effects | None = None) -> Iterator[str]:
    """Findings and effects that are of no campaign, in the form that they have in the document: its text in parts.

    Each finding has a line: a table may have many, which would take much more time and memory with lines of their own
    for each value.
    """
    made: dict[str, Any] = {"format": FORMAT, "margin": margin, "effects": []}
    if effects is not None:
        experiment = with_factors(effects)
        made["effects"] = [EFFECT.row(one) for one in staged(effects)]
        made["experiment"] = experiment and EXPERIMENT.row(experiment)
    yield line(made)[:-1]
    before = ',\n"findings": [\n'
    for one in found:
        yield before + line(FINDING.row(one))
        before = ",\n"
    yield "\n]}\n"


def comparison_text(of: Comparison) -> str:
    """A comparison of two campaigns as JSON text."""
    from virtometer.report.machine.comparisons import COMPARISON  # a report needs no comparison

    return json.dumps(plain(COMPARISON.row(of)), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
