"""`virtometer plan`: is a plan right, what will it do, what may stand in it, and what of it Iometer can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from virtometer.cli.parts.choosing import In, Only, ShortForm
from virtometer.cli.parts.encoding import put_document, say
from virtometer.cli.parts.verbs import add, application
from virtometer.cli.plan.icf import icf
from virtometer.cli.plan.reference import reference

if TYPE_CHECKING:
    from virtometer.design.plan.resolved import ResolvedPlan
    from virtometer.design.schedule.duration import Duration
    from virtometer.design.schedule.residents import Residents
    from virtometer.design.schedule.trials import Groups
    from virtometer.model import GuestKey, Plan, Trial

plan_app = application("Plans: YAML files that say what is compared.")

PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="A plan file.")]


PlanFiles = Annotated[list[Path], typer.Argument(metavar="PLAN", help="Plan files.")]


def check(plans: PlanFiles, only: Only = None, in_: In = None) -> None:
    """Say whether plans are right; an error names the file, the line, what is wrong and what is allowed.

    A plan with a short form is checked in both forms.

    Status 2: one is wrong on every host. Status 3: all are right, but this host cannot execute one of them.
    """
    from virtometer.cli.plan.files import load_for_here, selection
    from virtometer.errors import EnvironmentFailed, UsageError

    selected = selection(only, in_)
    wrong: list[UsageError | EnvironmentFailed] = []
    for plan in plans:
        try:
            loaded, _, skipped = load_for_here(plan, Path("results"), selected)
            if loaded.plan.short is not None:
                load_for_here(plan, Path("results"), selected, short=True)
        except (UsageError, EnvironmentFailed) as error:
            wrong.append(error)
        else:
            say("\n".join([*skipped, f"{plan}: right; {_size(loaded.plan)}{_too_few(loaded.plan)}"]))
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        kind = UsageError if any(isinstance(one, UsageError) for one in wrong) else EnvironmentFailed
        # What is to be done stands with its plan.
        raise kind("\n".join(line for one in wrong for line in (one.sentence, one.advice) if line))


def show(
    plan: PlanFile,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=2**63 - 1, help="Show the order of this seed.")
    ] = None,
    short: ShortForm = False,
    only: Only = None,
    in_: In = None,
    noise: Annotated[
        str, typer.Option("--noise", metavar="SHARE", help="With factors: noise of single trials, such as 3%.")
    ] = "",
    pilot: Annotated[
        Path | None, typer.Option("--pilot", metavar="DIR", help="With factors: the noise of an earlier campaign.")
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="TIME", help="With factors: show the best design that takes so long: 2h.")
    ] = "",
) -> None:
    """Show what a plan compares, about how long it takes, and its trials in the order of execution.

    Of a plan with factors also its design: what it estimates, what it cannot tell apart, and how small an effect it
    finds.
    """
    from virtometer.cli.plan.files import load, selection
    from virtometer.design.schedule.duration import duration
    from virtometer.design.schedule.trials import schedule
    from virtometer.runner.campaign.here import growing_guests_here, residents_here

    selected = selection(only, in_)
    resolved, text = load(plan, selected, short=short)
    _only_with_factors(resolved.plan, {"--noise": noise, "--pilot": pilot, "--budget": budget})
    given_up: list[str] = []
    if budget:
        resolved, given_up = _within(
            resolved, text, budget, lambda fields: load(plan, selected, fields, short=short)[0]
        )
    loaded = resolved.plan
    shown = seed if seed is not None else loaded.seed if loaded.seed is not None else 0
    names = [environment.name for environment in loaded.environments]
    resident = residents_here(resolved, names, Path("results"))
    apart = [one for one in growing_guests_here(resolved, names, Path("results")) if one.apart]
    trials = schedule(loaded, names, shown, resident.of_blocks, [one.scenario for one in apart])
    lines = [f"plan: {loaded.name}"]
    if loaded.question:
        lines.append(f"question: {loaded.question}")
    lines += _compared(loaded)
    if loaded.factors:
        lines += _designed(loaded, noise, pilot)
    lines += given_up
    if loaded.shortened:
        lines += ["shortened:", *(f"  {one}" for one in loaded.shortened)]
    lines.append(f"size: {_size(loaded, len(trials))}{_too_few(loaded)}")
    lines += _memory(loaded, resident)
    lines += [f"memory: {one.sentence}" for one in apart]
    lines += _disk(resolved)
    early = any(work.ends_early for work in resolved.works.values())
    of = " of the first stage" if loaded.sequential else ""
    lines.append(f"time{of}: {_takes(duration(resolved, trials), early=early)}")
    if loaded.sequential:
        lines += _second_stage(resolved, trials, noise, pilot)
    chosen = seed is not None or loaded.seed is not None
    lines.append(f"order: that of seed {shown}" + ("" if chosen else "; a run takes a fresh seed, and records it"))
    lines += _trials(loaded, trials, grouped=len(resident.groups) > 1)
    say("\n".join(lines))


def schema() -> None:
    """Print the JSON Schema of plans, as contract/schema/plan.schema.json holds it."""
    import json

    from virtometer.design.reference.schema import plan_schema

    put_document(json.dumps(plan_schema(), indent=2))


def _compared(plan: Plan) -> list[str]:
    typical = ", by the typical ratio where guests take turns" if plan.verdict == "typical" else ""
    lines = [f"compared with {plan.baseline}, equivalent within {plan.margin:.0%}{typical}:"]
    for name, kind, given, cells in _places(plan):
        settings = ", ".join(f"{key} {_shown(value)}" for key, value in given.items())
        varied = f" in {cells} combinations of factors" if cells else ""
        lines.append(f"  {name} (kind {kind}{', ' + settings if settings else ''}){varied}")
    lines += [f"  not available: {what}: {reason}" for what, reason in plan.absent.items()]
    if plan.tuning:
        steps = [one.model_dump(mode="json", exclude_unset=True) for one in plan.tuning]
        lines.append(f"all tuned: {_shown(steps)[1:-1]}")
    lines.append("in:")
    for workload in plan.workloads:
        parameters = ", ".join(f"{key} {_shown(value)}" for key, value in workload.parameters.items())
        seconds = plan.seconds if workload.seconds is None else workload.seconds
        threads = "1 thread" if workload.threads == 1 else f"{workload.threads} threads"
        slices = f" in slices of {plan.slice_s * 1e3:g} ms" if workload.scheduling == "interleaved" else ""
        what = ", ".join(part for part in (parameters, threads, f"{seconds:g} s{slices}") if part)
        lines.append(f"  {workload.name} ({workload.workload} {workload.op}, {what})")
    return lines


def _places(plan: Plan) -> list[tuple[str, str, dict[str, Any], int]]:
    """Environments with name, kind and settings; cells once, as in the file, with how many there are."""
    from virtometer.cli.plan.design import settings_beside_factors

    found: dict[str, tuple[str, str, dict[str, Any], int]] = {}
    for one in plan.environments:
        if one.levels:
            count = found[one.of][3] + 1 if one.of in found else 1
            found[one.of] = (one.of, one.kind, settings_beside_factors(plan, one), count)
        else:
            found[one.name] = (one.name, one.kind, one.settings, 0)
    return list(found.values())


def _only_with_factors(plan: Plan, options: dict[str, object]) -> None:
    """Raise UsageError for options that say nothing of a plan without factors, or that exclude each other."""
    from virtometer.errors import UsageError

    given = [name for name, value in options.items() if value]
    if given and not plan.factors:
        raise UsageError(f"{given[0]} is for plans with factors, and '{plan.name}' has none")
    if "--budget" in given and plan.sequential:
        raise UsageError("--budget chooses among designs, and a sequential design finds its second stage automatically")
    if {"--noise", "--pilot"} <= set(given):
        raise UsageError("--noise and --pilot exclude each other")


def _second_stage(resolved: ResolvedPlan, first: Sequence[Trial], noise: str, pilot: Path | None) -> list[str]:
    """What the second stage of a sequential design takes and finds, by how many factors are kept."""
    from virtometer.cli.plan.second_stage import second_stage_lines
    from virtometer.design.schedule.duration import duration
    from virtometer.runner.campaign.here import residents_here

    def groups(larger: ResolvedPlan, names: Sequence[str]) -> Groups:
        return residents_here(larger, names, Path("results")).of_blocks

    def seconds(larger: ResolvedPlan, trials: Sequence[Trial]) -> float:
        return duration(larger, trials).seconds

    return second_stage_lines(resolved, first, groups, seconds, _noise(resolved.plan, noise, pilot))


def _within(
    resolved: ResolvedPlan, text: str, budget: str, load: Callable[[dict[str, Any]], ResolvedPlan]
) -> tuple[ResolvedPlan, list[str]]:
    """The plan with the best design that fits, and what was given up."""
    from virtometer.cli.parts.times import seconds_option
    from virtometer.cli.plan.design import within_budget
    from virtometer.design.plan.document import read_document
    from virtometer.runner.campaign.here import seconds_here

    given = read_document(text, resolved.plan.name).value.get("design", {"type": "full"})
    left_s = seconds_option("--budget", budget)
    return within_budget(resolved, given, left_s, load, lambda one: seconds_here(one, Path("results")))


def _designed(plan: Plan, noise: str, pilot: Path | None) -> list[str]:
    """The design of a plan with factors, and its power where the noise is known."""
    from virtometer.cli.plan.design import design_lines, power_lines

    return [*design_lines(plan), *power_lines(plan, _noise(plan, noise, pilot))]


def _noise(plan: Plan, noise: str, pilot: Path | None) -> dict[str, float]:
    """The noise of single trials by workload, or of all workloads by the empty name; empty where nobody knows."""
    from virtometer.cli.parts.shares import share_option
    from virtometer.cli.plan.design import pilot_noise

    return {"": share_option("--noise", noise)} if noise else pilot_noise(pilot, plan) if pilot else {}


def _memory(plan: Plan, resident: Residents) -> list[str]:
    """What guests that take turns need at once, and their groups where this host has not so much."""
    from virtometer.design.schedule.scenarios import work_in_turns
    from virtometer.model import rounded_size

    if not work_in_turns(plan):
        return []
    first, *groups = [*resident.sentences()] or [
        f"{resident.arithmetic(resident.groups[0])} for guests that take turns; {rounded_size(resident.room)} are free"
    ]
    return [f"memory: {first}", *groups]


def _disk(resolved: ResolvedPlan) -> list[str]:
    """How many disk files there are, and where they are when trials begin, on this host."""
    from virtometer.design.feasible import disk_files
    from virtometer.model import rounded_size
    from virtometer.runner.campaign.page_cache import files_stay

    count, size = disk_files(resolved), rounded_size(resolved.plan.disk_span)
    if not count:
        return []
    files = f"a file of {size}" if count == 1 else f"{count} of {size}"
    how = "read into" if files_stay(resolved) else "dropped from"
    return [f"disk: {files}, {how} the host's page cache before each trial that uses it, for all guests alike"]


def _takes(duration: Duration, *, early: bool) -> str:
    """How long a plan takes, as far as that is known; of work that runs to completion only that it takes longer."""
    from virtometer.cli.parts.times import time_words

    known = (
        f"{'at most' if early else 'about'} {time_words(duration.seconds)} of measuring where every environment works"
    )
    if not duration.unknown:
        return known
    first, more = duration.unknown[:3], len(duration.unknown) - 3
    names = ", ".join(first) + (f" and {more} more" if more > 0 else "")
    trials = "1 trial runs its" if duration.unknown_trials == 1 else f"{duration.unknown_trials} trials run their"
    return (
        f"{known}, and more: {trials} work to completion, for a time that is not known before. `run` shows the whole "
        f"time left once each of these workloads has run ({names})"
    )


def _shown(value: object) -> str:
    """A setting as one would write it in a plan."""
    from virtometer.model import size_text

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        from virtometer.report.parts.tuning_words import tuning_words

        return f"({tuning_words(value)})"
    return size_text(value) if isinstance(value, int) else str(value)


def _size(plan: Plan, planned: int | None = None) -> str:
    """`planned`: trials with the groups of this host; those of a host with memory for all guests by default."""
    from virtometer.design.schedule.trials import trial_count

    environments, workloads = len(plan.environments), len(plan.workloads)
    total = trial_count(plan)
    trials = f"{total} {'trial' if total == 1 else 'trials'}"
    control = plan.control and environments > 1
    fresh = "each in a guest of its own" if plan.fresh == "trial" else "one start of each guest a block"
    blocks, places, works = (
        f"{count} {what}{'' if count == 1 else 's'}"
        for count, what in ((plan.first_blocks, "block"), (environments, "environment"), (workloads, "workload"))
    )
    more = f", {planned} in groups" if planned not in (None, total) else ""
    if plan.scenarios:
        count = len(plan.scenarios)
        return f"{trials}{more} of {count} {'scenario' if count == 1 else 'scenarios'} in {blocks}, {fresh}"
    factors = f"{blocks} x {f'({places} + control)' if control else places} x {works}"
    return f"{factors} = {trials}{more}, {fresh}{'; a second stage follows' if plan.sequential else ''}"


def _too_few(plan: Plan) -> str:
    """What to know of a plan whose comparisons will all be undecided."""
    from virtometer.model import MIN_BLOCKS

    return "" if plan.blocks >= MIN_BLOCKS else f"; a verdict takes {MIN_BLOCKS} blocks"


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
add(plan_app, "icf", icf)
