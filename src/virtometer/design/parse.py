"""From the text of a plan to a Plan. PURE: no file is read; what plans may name is given as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from virtometer.design.factorial.cells import in_cells
from virtometer.design.feasible import impossible, refused
from virtometer.design.plan import scenario_checks
from virtometer.design.plan.cache_sizes import in_bytes
from virtometer.design.plan.document import Document, Path, Wrong, read_document
from virtometer.design.plan.factors import expand
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.design.plan.selection import Selection, select
from virtometer.design.plan.short import in_form
from virtometer.design.plan.validated import validated
from virtometer.design.plan.validation_messages import unknown
from virtometer.design.schedule import interleaving as scheduling
from virtometer.design.schedule.trials import MAX_TRIALS, trial_count
from virtometer.errors import PlanError, UsageError
from virtometer.model import Kinds, Plan, PlanEnvironment, PlanWorkload, on_host
from virtometer.workloads.base import EVERYTHING
from virtometer.workloads.registry import WORKLOADS

ALL = Selection()


@dataclass(frozen=True, slots=True)
class PlanRead:
    """A plan that is right, the document that it was read from, and what of it is skipped because it is impossible."""

    resolved: ResolvedPlan
    document: Document
    skipped: tuple[tuple[int, str], ...]


def read_plan(
    text: str | bytes,
    file_name: str,
    kinds: Kinds,
    selected: Selection = ALL,
    instead: Mapping[str, Any] | None = None,
    *,
    short: bool = False,
    last_cache_bytes: int | None = None,
) -> PlanRead:
    """Read a plan. Raises one PlanError that lists everything wrong with it, each with file, line and what is allowed.

    `selected`: the part of the plan that is returned. A mistake in any other part is an error as well, but what cannot
    be executed counts in the selected part alone. Raises UsageError for a name in `selected` that the plan lacks.
    `instead`: fields of the plan that replace those of the text. `short`: its short form. `last_cache_bytes`: of this
    host, None where it reports none.

    In the plan returned, settings and parameters hold what the file gives, in the types of their models: `64M` and `4x
    llc` are numbers there.
    """
    document = read_document(text, file_name)
    if not isinstance(document.value, dict):
        raise PlanError(file_name, document.line(()), "a plan is a mapping: lines of the form 'name: value'")
    if instead is not None:
        document = replace(document, value={**document.value, **instead})
    for step in (partial(in_form, short=short), in_cells, expand, partial(in_bytes, last_cache_bytes=last_cache_bytes)):
        document = step(document)
        document.check()
    plan = validated(Plan, document, (), "field")
    document.check()
    assert plan is not None
    plan = plan.model_copy(
        update={
            "environments": list(_environments(plan, document, kinds)),
            "workloads": list(_workloads(plan, document)),
        }
    )
    document.refuse(_names(plan, document))
    document.check()
    plan = scenario_checks.completed(plan, document, kinds)
    document.check()
    document.refuse(_host_in_block(resolve(plan, kinds)))
    document.check()
    if plan.sequential:
        from virtometer.design.factorial.follow_up import refused_levels

        document.refuse((("factors",), sentence) for sentence in refused_levels(plan, kinds))
        document.check()
    plan, document = select(plan, document, selected)
    if (count := trial_count(plan)) > MAX_TRIALS:
        document.refuse([(("blocks",), f"{count} trials are more than the {MAX_TRIALS} that one campaign may have")])
        document.check()
    resolved = resolve(plan, kinds)
    plan, wrong = scheduling.decided(resolved)
    document.refuse(wrong)
    document.check()
    resolved = replace(resolved, plan=plan)
    found = list(impossible(resolved))
    document.refuse((one.path, one.sentence) for one in found if refused(one, plan))
    document.check()
    return PlanRead(resolved, document, tuple((document.line(one.path), one.sentence) for one in found))


def _environments(plan: Plan, document: Document, kinds: Kinds) -> Iterator[PlanEnvironment]:
    """The environments of the plan with settings as their models have them. What is wrong is refused."""
    combined: dict[tuple[int, str], list[str]] = {}
    for number, environment in enumerate(plan.environments):
        path: Path = ("environments", number)
        kind = kinds.get(environment.kind)
        if kind is None:
            document.refuse([((*path, "kind"), unknown("unknown kind of environment", environment.kind, kinds))])
        elif "settings" in document.value["environments"][number]:
            path = (*path, "settings")
            aside = replace(document, wrong=[])
            given = validated(kind.settings_type, aside, path, f"setting of {environment.kind}")
            for one in aside.wrong:
                # Settings that exclude each other are reported once, not for every cell.
                if environment.levels and one[0] == document.line(path):
                    combined.setdefault(one, []).append(environment.name)
                else:
                    document.wrong.append(one)
            if given is not None:
                plain = given.model_dump(mode="json", exclude_unset=True)
                environment = environment.model_copy(update={"settings": plain})
        yield environment
    for (line, sentence), (first, *others) in combined.items():
        more = f" and {len(others)} more" if others else ""
        document.wrong.append((line, f"'{first}'{more}: {sentence}; exclude it with 'constraints'"))


def _workloads(plan: Plan, document: Document) -> Iterator[PlanWorkload]:
    """The workloads of the plan with parameters as their models have them. What is wrong is refused."""
    for number, workload in enumerate(plan.workloads):
        path: Path = ("workloads", number)
        known = WORKLOADS.get(workload.workload)
        if known is None:
            document.refuse([((*path, "workload"), unknown("unknown workload", workload.workload, WORKLOADS))])
            continue
        if workload.op not in known.operations:
            sentence = unknown(f"unknown op of {workload.workload}", workload.op, known.operations)
            document.refuse([((*path, "op"), sentence)])
        if "parameters" in document.value["workloads"][number]:
            path = (*path, "parameters")
            given = validated(known.parameters, document, path, f"parameter of {workload.workload}")
            if given is not None:
                plain = given.model_dump(mode="json", exclude_unset=True)
                values = {**workload.levels, **plain}
                levels = {name: values[name] for name in workload.levels}
                workload = workload.model_copy(update={"parameters": plain, "levels": levels})
                try:
                    if workload.op in known.operations:
                        known.arguments(workload.op, given, EVERYTHING)
                except UsageError as cause:
                    document.refuse([(path, cause.sentence)])
        yield workload


def _host_in_block(resolved: ResolvedPlan) -> Iterator[Wrong]:
    """An environment cannot tune the host while guests of others live."""
    plan = resolved.plan
    if plan.fresh == "trial" or len(plan.environments) == 1:
        return
    for number, environment in enumerate(plan.environments):
        if on_host(resolved.settings[environment.name].tuning):
            sentence = (
                f"'{environment.name}' tunes the host while guests of other environments live. Write 'fresh: trial', "
                "or tune for the whole plan ('tuning' of the plan)"
            )
            yield ("environments", number, "settings", "tuning"), sentence


def _names(plan: Plan, document: Document) -> Iterator[Wrong]:
    """Names are unique, and the baseline is one of the environments."""
    names = [environment.name for environment in plan.environments]
    for group, given in (("environments", names), ("workloads", [workload.name for workload in plan.workloads])):
        first: dict[str, int] = {}
        for number, name in enumerate(given):
            path: Path = (group, number, "name")
            if name in first:
                one = group.removesuffix("s")
                yield path, f"another {one}, in line {first[name]}, already has the name '{name}'"
            first.setdefault(name, document.line(path))
    if plan.baseline not in names:
        default = "" if "baseline" in document.value else f" ({plan.baseline}, where none is named)"
        yield ("baseline",), unknown(f"the baseline{default} is not among the environments:", plan.baseline, names)
