"""A part of a plan: some of its workloads and environments, chosen by name. PURE.

A workload with factors has two kinds of names: the name in the plan's file chooses all combinations of its levels, and
the name of one combination chooses that one. The same holds for an environment whose settings are factors. The baseline
is always kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from virtometer.design.plan.document import Document, Path
from virtometer.design.plan.validation_messages import short, similar
from virtometer.errors import UsageError
from virtometer.model import Plan, Scenario

_SHOWN = 12  # names that an error lists
_NEAR = 3  # names that an error proposes


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command line asks for. Each text holds names with commas between them; no text means all."""

    only: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()


def select(plan: Plan, document: Document, selected: Selection) -> tuple[Plan, Document]:
    """The chosen part of a plan, and of its document, in the order of the plan.

    Raises UsageError for a name that the plan does not have.
    """
    if not selected.only and not selected.environments:
        return plan, document
    names = [workload.name for workload in plan.workloads]
    by_name: dict[str, set[str]] = {}
    for workload in plan.workloads:
        by_name.setdefault(workload.of or workload.name, set()).add(workload.name)
    by_name |= {name: {name} for name in names}
    workloads = _chosen("--only", "workload", selected.only, by_name) if selected.only else set(names)
    present: dict[str, set[str]] = {}
    for environment in plan.environments:
        present.setdefault(environment.of or environment.name, set()).add(environment.name)
    present |= {environment.name: {environment.name} for environment in plan.environments}
    environments = {environment.name for environment in plan.environments}
    if selected.environments:
        environments = {plan.baseline} | _chosen("--in", "environment", selected.environments, present)
    scenarios = {
        number: part
        for number, one in enumerate(plan.scenarios)
        if (part := _part_of(one, workloads, environments)) is not None
    }
    if plan.scenarios and not scenarios:
        chosen = " and ".join(
            option for option, given in (("--only", selected.only), ("--in", selected.environments)) if given
        )
        raise UsageError(
            f"{chosen}: no scenario of the plan is left",
            advice=f"its scenarios: {_listed([one.name for one in plan.scenarios])}",
        )
    # What only loads the host is no choice.
    workloads |= {one.load.workload for one in scenarios.values() if one.load is not None}
    kept = {
        "workloads": [number for number, name in enumerate(names) if name in workloads],
        "environments": [number for number, one in enumerate(plan.environments) if one.name in environments],
    }
    smaller = plan.model_copy(
        update={
            "workloads": [plan.workloads[number] for number in kept["workloads"]],
            "environments": [plan.environments[number] for number in kept["environments"]],
            "scenarios": list(scenarios.values()),
        }
    )
    return smaller, _document(document, kept | ({"scenarios": list(scenarios)} if scenarios else {}))


def _part_of(scenario: Scenario, workloads: Collection[str], environments: Collection[str]) -> Scenario | None:
    """What is left of a scenario; None where nothing is. Guests of a mixture or a matrix are all needed."""
    left = [name for name in scenario.workloads if name in workloads]
    load = scenario.load and scenario.load.environment
    named = [*scenario.members, *(name for name in (scenario.environment, load) if name is not None)]
    if not left or any(name not in environments for name in named):
        return None
    if scenario.type == "mixed" and len(left) < len(scenario.workloads):
        return None
    return scenario.model_copy(update={"workloads": left})


def words(selected: Selection, plan: Plan) -> str:
    """What was left of a plan, as a line of words for the copy of the plan's text; empty where nothing was chosen."""
    parts = []
    if selected.only:
        parts.append(f"the workloads {_listed([workload.name for workload in plan.workloads])}")
    if selected.environments:
        parts.append(f"the environments {_listed([environment.name for environment in plan.environments])}")
    return f"of the plan below only {' and '.join(parts)}" if parts else ""


def _chosen(option: str, noun: str, texts: Iterable[str], by_name: Mapping[str, set[str]]) -> set[str]:
    """The names behind what was given to `option`. Raises UsageError for the first name that is unknown."""
    found: set[str] = set()
    for text in texts:
        for name in _names(text, by_name):
            if name not in by_name:
                raise _unknown(option, noun, name, list(by_name))
            found |= by_name[name]
    return found


def _names(text: str, known: Iterable[str]) -> list[str]:
    """The names in a text with commas. A known name may hold commas itself: the longest known name counts."""
    pieces = text.split(",")
    names: list[str] = []
    at = 0
    while at < len(pieces):
        for end in range(len(pieces), at, -1):
            name = ",".join(pieces[at:end]).strip()
            if name in known or end == at + 1:
                names.append(name)
                at = end
                break
    return names


def _unknown(option: str, noun: str, name: str, known: Sequence[str]) -> UsageError:
    near = " or ".join(f"'{short(one)}'" for one in _nearest(name, known))
    hint = f"; did you mean {near}?" if near else ""
    what = f"'{short(name)}'" if name else "with an empty name"
    return UsageError(f"{option}: the plan has no {noun} {what}{hint}", advice=f"its {noun}s: {_listed(known)}")


def _nearest(name: str, known: Sequence[str]) -> list[str]:
    """The names that `name` was probably meant to be: those that hold it, else those that are similar."""
    holding = [one for one in known if name and name.lower() in one.lower()]
    return holding[:_NEAR] or similar(name, known, _NEAR)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(f"'{short(name)}'" for name in names[:_SHOWN]) + more


def _document(document: Document, kept: Mapping[str, list[int]]) -> Document:
    """The document without what was not chosen, so that lines are found by the positions in the chosen plan."""
    value = {**document.value, **{group: [document.value[group][old] for old in kept[group]] for group in kept}}
    to = {(group, old): new for group, olds in kept.items() for new, old in enumerate(olds)}
    lines: dict[Path, int] = {}
    for path, line in document.lines.items():
        if len(path) < 2 or path[0] not in kept:
            lines[path] = line
        elif (new := to.get((str(path[0]), int(path[1])))) is not None:
            lines[(path[0], new, *path[2:])] = line
    return replace(document, value=value, lines=lines)
