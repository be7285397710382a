"""`virtometer plan check`, `show`, `schema`, `reference`: is a plan right, what will it do, what may stand in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from virtometer.cli.choosing import In, Only
from virtometer.cli.encoding import put_document, say
from virtometer.cli.reference import reference
from virtometer.cli.verbs import add, application

if TYPE_CHECKING:
    from virtometer.design.duration import Duration
    from virtometer.design.residents import Residents
    from virtometer.model import GuestKey, Plan, Trial

plan_app = application("Plans: YAML files that say what is compared.")

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan file.")]


def check(plan: PlanFile, only: Only = None, in_: In = None) -> None:
    """Say whether a plan is right; an error names the file, the line, what is wrong and what is allowed.

    Status 2: wrong on every host. Status 3: right, but this host cannot execute it.
    """
    from virtometer.cli.plan_files import load_for_here, selection

    loaded, _, skipped = load_for_here(plan, Path("results"), selection(only, in_))
    say("\n".join([*skipped, f"{plan}: right; {_size(loaded)}{_too_few(loaded)}"]))


def show(
    plan: PlanFile,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Show the order of this seed.")
    ] = None,
    only: Only = None,
    in_: In = None,
) -> None:
    """Show what a plan compares, about how long it takes, and its trials in the order of execution."""
    from virtometer.cli.plan_files import load, selection
    from virtometer.design.duration import duration
    from virtometer.design.schedule import schedule
    from virtometer.runner.catalogue import catalogue
    from virtometer.runner.here import residents_here
    from virtometer.runner.windows import may_end_early, windows

    loaded, _ = load(plan, selection(only, in_))
    shown = seed if seed is not None else loaded.seed if loaded.seed is not None else 0
    names = [environment.name for environment in loaded.environments]
    together = residents_here(loaded, names, Path("results"))
    trials = schedule(loaded, names, shown, together.groups)
    lines = [f"plan: {loaded.name}"]
    if loaded.question:
        lines.append(f"question: {loaded.question}")
    lines += _compared(loaded)
    lines.append(f"size: {_size(loaded, len(trials))}{_too_few(loaded)}")
    lines += _memory(loaded, together)
    takes = duration(loaded, trials, windows(loaded), catalogue())
    lines.append(f"time: {_takes(takes, early=may_end_early(loaded))}")
    chosen = seed is not None or loaded.seed is not None
    lines.append(f"order: that of seed {shown}" + ("" if chosen else "; a run takes a fresh seed, and records it"))
    lines += _trials(loaded, trials, grouped=len(together.groups) > 1)
    say("\n".join(lines))


def schema() -> None:
    """Print the JSON Schema of plans, as contract/schema/plan.schema.json holds it."""
    import json

    from virtometer.design.plan_schema import plan_schema

    put_document(json.dumps(plan_schema(), indent=2))


def _compared(plan: Plan) -> list[str]:
    typical = ", by the typical ratio where guests take turns" if plan.verdict == "typical" else ""
    lines = [f"compared with {plan.baseline}, equivalent within {plan.margin:.0%}{typical}:"]
    for environment in plan.environments:
        settings = ", ".join(f"{key} {_shown(value)}" for key, value in environment.settings.items())
        lines.append(f"  {environment.name} (kind {environment.kind}{', ' + settings if settings else ''})")
    lines.append("in:")
    for workload in plan.workloads:
        parameters = ", ".join(f"{key} {_shown(value)}" for key, value in workload.parameters.items())
        seconds = plan.seconds if workload.seconds is None else workload.seconds
        threads = "1 thread" if workload.threads == 1 else f"{workload.threads} threads"
        slices = f" in slices of {plan.slice_s * 1e3:g} ms" if workload.scheduling == "interleaved" else ""
        what = ", ".join(part for part in (parameters, threads, f"{seconds:g} s{slices}") if part)
        lines.append(f"  {workload.name} ({workload.workload} {workload.op}, {what})")
    return lines


def _memory(plan: Plan, together: Residents) -> list[str]:
    """What guests that take turns need at once, and their groups where this host has not so much."""
    from virtometer.design.demands import rounded_size
    from virtometer.design.scenarios import work_in_turns

    if not work_in_turns(plan):
        return []
    first, *groups = [*together.sentences()] or [
        f"{together.arithmetic(together.groups[0])} for guests that take turns; {rounded_size(together.room)} are free"
    ]
    return [f"memory: {first}", *groups]


def _takes(duration: Duration, *, early: bool) -> str:
    """How long a plan takes, as far as that is known; of work with an end of its own only that it has one."""
    known = f"{'at most' if early else 'about'} {_time(duration.seconds)} of measuring where every environment works"
    if not duration.unknown:
        return known
    first, more = duration.unknown[:3], len(duration.unknown) - 3
    names = ", ".join(first) + (f" and {more} more" if more > 0 else "")
    trials = "1 trial" if duration.unknown_trials == 1 else f"{duration.unknown_trials} trials"
    return (
        f"{known}, and the work of {trials}, which has an end of its own: not known before the first one ran ({names})"
    )


def _shown(value: object) -> str:
    """A setting as one would write it in a plan."""
    from virtometer.model import size_text

    if isinstance(value, bool):
        return "true" if value else "false"
    return size_text(value) if isinstance(value, int) else str(value)


def _size(plan: Plan, planned: int | None = None) -> str:
    """`planned`: trials with the groups of this host; those of a host with memory for all guests by default."""
    from virtometer.design.schedule import trial_count

    environments, workloads = len(plan.environments), len(plan.workloads)
    total = trial_count(plan)
    trials = f"{total} {'trial' if total == 1 else 'trials'}"
    control = plan.control and environments > 1
    fresh = "each in a guest of its own" if plan.fresh == "trial" else "one start of each guest a block"
    blocks, places, works = (
        f"{count} {what}{'' if count == 1 else 's'}"
        for count, what in ((plan.blocks, "block"), (environments, "environment"), (workloads, "workload"))
    )
    more = f", {planned} in groups" if planned not in (None, total) else ""
    if plan.scenarios:
        count = len(plan.scenarios)
        return f"{trials}{more} of {count} {'scenario' if count == 1 else 'scenarios'} in {blocks}, {fresh}"
    factors = f"{blocks} x {f'({places} + control)' if control else places} x {works}"
    return f"{factors} = {trials}{more}, {fresh}"


def _too_few(plan: Plan) -> str:
    """What to know of a plan whose comparisons will all be undecided."""
    from virtometer.model import MIN_BLOCKS

    return "" if plan.blocks >= MIN_BLOCKS else f"; a verdict takes {MIN_BLOCKS} blocks"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02} min"


def _trials(plan: Plan, trials: tuple[Trial, ...], *, grouped: bool) -> list[str]:
    width = max(len(guest.name) for trial in trials for guest in trial.guests)
    lines: list[str] = []
    block, group, scenario = -1, -1, ""
    started: set[tuple[int, GuestKey]] = set()
    for trial in trials:
        if trial.block != block:
            block, group = trial.block, trial.start_group
            lines.append(f"block {block + 1}:")
        elif grouped and trial.start_group != group:
            if trial.scenario == scenario and plan.scenario(scenario).type == "alone":
                lines.append("  the next group:")
            group = trial.start_group
        scenario = trial.scenario
        turns = "" if trial.turns is None else ", in turns"
        for placement in trial.placements:
            start = (trial.start_group, placement.guest_key)
            starts = "" if start in started else "starts"
            started.add(start)
            role = "" if placement.role == "measured" else f" ({placement.role})"
            where = f", {trial.scenario}" if trial.scenario else ""
            what = f"{placement.guest_key.name:{width}}  {placement.workload}{role}{turns}{where}"
            lines.append(f"  {trial.index + 1:>5}  {starts:6}  {what}")
    return lines


add(plan_app, "check", check)
add(plan_app, "show", show)
add(plan_app, "schema", schema)
add(plan_app, "reference", reference)
