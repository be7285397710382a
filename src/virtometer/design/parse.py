"""From the text of a plan to a Plan. PURE: no file is read; what plans may name is given as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from virtometer.design.factorial.cells import in_cells
from virtometer.design.feasible import impossible, refused
from virtometer.design.plan import scenario_checks, validation_messages
from virtometer.design.plan.cache_sizes import in_bytes
from virtometer.design.plan.document import Document, Path, read_document
from virtometer.design.plan.factors import expand
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.plan.selection import Selection, select
from virtometer.design.plan.validated import ValidationMessage, validated
from virtometer.design.schedule import interleaving as scheduling
from virtometer.design.schedule.trials import MAX_TRIALS, trial_count
from virtometer.errors import PlanError, UsageError
from virtometer.model import Kinds, Plan, PlanEnvironment, PlanWorkload
from virtometer.visible import visible
from virtometer.workloads.base import EVERYTHING
from virtometer.workloads.registry import WORKLOADS

MAX_MESSAGES = 20
ALL = Selection()


@dataclass(frozen=True, slots=True)
class PlanRead:
    """A plan that is right, the document that it was read from, and what of it is skipped because it is impossible."""

    resolved: ResolvedPlan
    document: Document
    skipped: tuple[ValidationMessage, ...]


def read_plan(
    text: str | bytes,
    file_name: str,
    kinds: Kinds,
    selected: Selection = ALL,
    instead: Mapping[str, Any] | None = None,
    *,
    last_cache_bytes: int | None = None,
) -> PlanRead:
    """Read a plan. Raises one PlanError that lists everything wrong with it, each with file, line and what is allowed.

    `selected`: the part of the plan that is returned. A mistake in any other part is an error as well, but what cannot
    be executed counts in the selected part alone. Raises UsageError for a name in `selected` that the plan lacks.
    `instead`: fields of the plan that replace those of the text. `last_cache_bytes`: of this host, None where it
    reports none.

    In the plan returned, settings and parameters hold what the file gives, in the types of their models: `64M` and `4x
    llc` are numbers there.
    """
    document = read_document(text, file_name)
    if not isinstance(document.value, dict):
        raise PlanError(file_name, document.line(()), "a plan is a mapping: lines of the form 'name: value'")
    if instead is not None:
        document = Document({**document.value, **instead}, document.lines)
    document, wrong = in_cells(document)
    if not wrong:
        document, wrong = expand(document)
    if not wrong:
        document, wrong = in_bytes(document, last_cache_bytes)
    if wrong:
        raise _together(file_name, wrong)
    plan, wrong = validated(Plan, document, (), "field")
    if plan is not None:
        environments, wrong_environments = _environments(plan, document, kinds)
        workloads, wrong_workloads = _workloads(plan, document)
        plan = plan.model_copy(update={"environments": environments, "workloads": workloads})
        wrong = [*wrong_environments, *wrong_workloads, *_names(plan, document), *_host_in_block(plan, document)]
        if not wrong:
            plan, wrong = scenario_checks.completed(plan, document, kinds)
        if not wrong and plan.sequential:
            wrong += _levels_of_second_stage(plan, document, kinds)
    if plan is None or wrong:
        raise _together(file_name, wrong)
    plan, document = select(plan, document, selected)
    if trial_count(plan) > MAX_TRIALS:
        sentence = f"{trial_count(plan)} trials are more than the {MAX_TRIALS} that one campaign may have"
        raise PlanError(file_name, document.line(("blocks",)), sentence)
    resolved = resolve(plan, kinds)
    plan, refusals = scheduling.decided(resolved)
    resolved = replace(resolved, plan=plan)
    wrong = [(document.line(path), sentence) for path, sentence in refusals]
    skipped: list[ValidationMessage] = []
    for found in impossible(resolved) if not wrong else ():
        (wrong if refused(found, plan) else skipped).append((document.line(found.path), found.sentence))
    if wrong:
        raise _together(file_name, wrong)
    return PlanRead(resolved, document, tuple(skipped))


def _together(file: str, wrong: Iterable[ValidationMessage]) -> PlanError:
    """All messages in one error, in the order of the lines."""
    ordered = sorted(dict.fromkeys(wrong))
    (line, first), *rest = ordered
    shown = visible(file)
    lines = [first, *(f"{shown}:{number}: {sentence}" for number, sentence in rest[: MAX_MESSAGES - 1])]
    if len(ordered) > MAX_MESSAGES:
        lines.append(f"{shown}: and {len(ordered) - MAX_MESSAGES} more")
    return PlanError(file, line, "\n".join(lines))


def _environments(
    plan: Plan, document: Document, kinds: Kinds
) -> tuple[list[PlanEnvironment], list[ValidationMessage]]:
    result: list[PlanEnvironment] = []
    wrong: list[ValidationMessage] = []
    combined: dict[ValidationMessage, list[str]] = {}
    for number, environment in enumerate(plan.environments):
        path: Path = ("environments", number)
        kind = kinds.get(environment.kind)
        if kind is None:
            sentence = validation_messages.unknown("unknown kind of environment", environment.kind, kinds)
            wrong.append((document.line((*path, "kind")), sentence))
        elif "settings" in document.value["environments"][number]:
            given, found = validated(
                kind.settings_type, document, (*path, "settings"), f"setting of {environment.kind}"
            )
            if environment.levels:  # settings that do not go together are said once, not for every cell
                together = [one for one in found if one[0] == document.line((*path, "settings"))]
                for one in together:
                    combined.setdefault(one, []).append(environment.name)
                found = [one for one in found if one not in together]
            wrong += found
            if given is not None:
                plain = given.model_dump(mode="json", exclude_unset=True)
                environment = environment.model_copy(update={"settings": plain})
        result.append(environment)
    for (line, sentence), (first, *others) in combined.items():
        more = f" and {len(others)} more" if others else ""
        wrong.append((line, f"'{first}'{more}: {sentence}; exclude it with 'constraints'"))
    return result, wrong


def _levels_of_second_stage(plan: Plan, document: Document, kinds: Kinds) -> list[ValidationMessage]:
    """What is wrong with levels that the first stage of a sequential design lacks."""
    from virtometer.design.factorial.follow_up import refused_levels

    return [(document.line(("factors",)), sentence) for sentence in refused_levels(plan, kinds)]


def _workloads(plan: Plan, document: Document) -> tuple[list[PlanWorkload], list[ValidationMessage]]:
    result: list[PlanWorkload] = []
    wrong: list[ValidationMessage] = []
    for number, workload in enumerate(plan.workloads):
        path: Path = ("workloads", number)
        known = WORKLOADS.get(workload.workload)
        if known is None:
            sentence = validation_messages.unknown("unknown workload", workload.workload, WORKLOADS)
            wrong.append((document.line((*path, "workload")), sentence))
            continue
        if workload.op not in known.operations:
            sentence = validation_messages.unknown(f"unknown op of {workload.workload}", workload.op, known.operations)
            wrong.append((document.line((*path, "op")), sentence))
        if "parameters" in document.value["workloads"][number]:
            where = (*path, "parameters")
            given, found = validated(known.parameters, document, where, f"parameter of {workload.workload}")
            wrong += found
            if given is not None:
                plain = given.model_dump(mode="json", exclude_unset=True)
                values = {**workload.levels, **plain}
                levels = {name: values[name] for name in workload.levels}
                workload = workload.model_copy(update={"parameters": plain, "levels": levels})
                try:
                    if workload.op in known.operations:
                        known.arguments(workload.op, given, EVERYTHING)
                except UsageError as cause:
                    wrong.append((document.line(where), cause.sentence))
        result.append(workload)
    return result, wrong


def _host_in_block(plan: Plan, document: Document) -> list[ValidationMessage]:
    """An environment cannot tune the host while guests of others live."""
    if plan.fresh == "trial" or len(plan.environments) == 1:
        return []
    wrong = []
    for number, environment in enumerate(plan.environments):
        steps = environment.settings.get("tuning", [])
        if any(isinstance(step, dict) and step.get("where") == "host" for step in steps):
            line = document.line(("environments", number, "settings", "tuning"))
            sentence = (
                f"'{environment.name}' tunes the host, where guests of other environments live at the same time; write "
                "'fresh: trial', or tune for the whole plan ('tuning' of the plan)"
            )
            wrong.append((line, sentence))
    return wrong


def _names(plan: Plan, document: Document) -> list[ValidationMessage]:
    """Names are unique, and the baseline is one of the environments."""
    wrong: list[ValidationMessage] = []
    for group, names in (
        ("environments", [environment.name for environment in plan.environments]),
        ("workloads", [workload.name for workload in plan.workloads]),
    ):
        first: dict[str, int] = {}
        for number, name in enumerate(names):
            line = document.line((group, number, "name"))
            if name in first:
                one = group.removesuffix("s")
                wrong.append((line, f"another {one}, in line {first[name]}, already has the name '{name}'"))
            first.setdefault(name, line)
    names = [environment.name for environment in plan.environments]
    if plan.baseline not in names:
        default = "" if "baseline" in document.value else f" ({plan.baseline}, where none is named)"
        wrong.append(
            (
                document.line(("baseline",)),
                validation_messages.unknown(
                    f"the baseline{default} is not among the environments:", plan.baseline, names
                ),
            )
        )
    return wrong
