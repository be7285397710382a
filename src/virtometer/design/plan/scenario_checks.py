"""What is wrong with the scenarios of a plan, and the scenarios with all that they leave out. PURE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from virtometer.design.plan import validation_messages
from virtometer.design.plan.document import Document, Path, Wrong
from virtometer.design.plan.factors import level_name
from virtometer.model import (
    MAX_SCENARIOS,
    MOST_AT_ONCE,
    MOST_GUESTS,
    Kinds,
    Level,
    Plan,
    PlanWorkload,
    Scenario,
    size_text,
)
from virtometer.workloads.registry import WORKLOADS

_OWN = {
    "guests": ("together", "mixed"),
    "load": ("loaded",),
    "members": ("matrix",),
    "workloads": ("mixed",),
    "count": ("instances",),
    "workload": ("alone", "together", "loaded", "pair", "matrix", "instances"),
    "environment": ("alone", "together", "loaded", "pair", "mixed", "instances"),
}
"""Which types have a field."""

_NEEDED = {
    "together": ("guests", "[1, 2, 3]"),
    "mixed": ("guests", "[1, 2]"),
    "loaded": ("load", "{workload: linpack, guests: 2}"),
    "matrix": ("members", "[box, box, other]"),
    "instances": ("count", "[1, 2, 4]"),
}
"""What a type cannot do without, and an example of it."""


def completed(plan: Plan, document: Document, kinds: Kinds) -> Plan:
    """The plan with every scenario naming its workloads, in `workloads`. What is wrong is refused in the document.

    The kinds and workloads of the plan are known to be right.
    """
    found = []
    first: dict[str, int] = {}
    for number, scenario in enumerate(plan.scenarios):
        at: Path = ("scenarios", number)
        line = document.line((*at, "name"))
        if scenario.name in first:
            sentence = f"another scenario, in line {first[scenario.name]}, already has the name '{scenario.name}'"
            document.refuse([((*at, "name"), sentence)])
        first.setdefault(scenario.name, line)
        given = document.value["scenarios"][number]
        messages = list(_messages(scenario, given, plan, kinds))
        document.refuse(((*at, *path), sentence) for path, sentence in messages)
        if not messages:
            found += _mixes(scenario, plan) if scenario.type == "mixed" else [_whole(scenario, plan)]
    if len(found) > MAX_SCENARIOS:
        sentence = f"with the levels of their workloads the plan has more than {MAX_SCENARIOS} scenarios"
        document.refuse([(("scenarios",), sentence)])
    return plan.model_copy(update={"scenarios": found})


def _whole(scenario: Scenario, plan: Plan) -> Scenario:
    return scenario.model_copy(update={"workloads": _workloads(scenario, plan)})


def _mixes(scenario: Scenario, plan: Plan) -> list[Scenario]:
    """One scenario for each combination of levels: a factor that several workloads have has one level in all of them.

    The scenario alone where no workload that it names has factors. None where they have no level in common.
    """
    if not set(scenario.workloads) & {one.of for one in plan.workloads if one.of}:
        return [_whole(scenario, plan)]
    found: list[tuple[dict[str, Level], list[str]]] = [({}, [])]
    for name in scenario.workloads:
        found = [
            ({**levels, **one.levels}, [*chosen, one.name])
            for levels, chosen in found
            for one in _named(name, plan)
            if all(levels.get(factor, level) == level for factor, level in one.levels.items())
        ]
    return [
        scenario.model_copy(update={"name": f"{scenario.name} {_levels(levels)}".rstrip(), "workloads": names})
        for levels, names in found
    ]


def _levels(levels: Mapping[str, Level]) -> str:
    """Levels as parts of a name. Of a plan that was read, sizes are numbers."""
    shown = {
        name: size_text(level) if name == "size" and isinstance(level, int) else level for name, level in levels.items()
    }
    return " ".join(starmap(level_name, shown.items()))


def _messages(scenario: Scenario, given: dict[str, object], plan: Plan, kinds: Kinds) -> Iterator[Wrong]:
    """What is wrong with one scenario, and where within it."""
    kind = scenario.type
    foreign = [field for field, types in _OWN.items() if field in given and kind not in types]
    if foreign:
        yield (foreign[0],), f"a scenario of the type {kind} has no '{foreign[0]}'"
        return
    field, example = _NEEDED.get(kind, ("", ""))
    if field and not getattr(scenario, field):
        yield (field,) if field in given else (), f"a scenario of the type {kind} needs '{field}', such as {example}"
        return
    unknown = list(_unknown(scenario, plan))
    yield from unknown
    if unknown:
        return
    yield from _numbers(scenario)
    if kind == "matrix" and len(scenario.members) < 2:
        yield ("members",), "a matrix has two members or more"
    if kind == "mixed" and len(scenario.workloads or plan.workloads) < 2:
        yield ("workloads",) if "workloads" in given else (), "a scenario of the type mixed has two workloads or more"
    elif kind == "mixed" and len(scenario.workloads or plan.workloads) > MOST_AT_ONCE:
        most = f"a scenario of the type mixed has {MOST_AT_ONCE} workloads at most"
        yield ("workloads",) if "workloads" in given else (), most
    elif kind == "mixed" and not _mixes(scenario, plan):
        yield ("workloads",), "these workloads have a factor in common, and no level of it in common"
    yield from _network(scenario, plan)
    yield from _agents(scenario, plan, kinds)


def _unknown(scenario: Scenario, plan: Plan) -> Iterator[Wrong]:
    """Names that the plan does not have."""
    environments = [one.name for one in plan.environments]
    single = [one.name for one in plan.workloads]
    workloads = list(dict.fromkeys(name for one in plan.workloads for name in (one.of or one.name, one.name)))
    named: list[tuple[Path, str, str | None, Sequence[str]]] = [
        (("environment",), "environment", scenario.environment, environments),
        (("workload",), "workload", scenario.workload, workloads),
        *((("members", n), "environment", name, environments) for n, name in enumerate(scenario.members)),
        *((("workloads", n), "workload", name, workloads) for n, name in enumerate(scenario.workloads)),
    ]
    if scenario.load is not None:
        named.append((("load", "workload"), "workload", scenario.load.workload, single))
        named.append((("load", "environment"), "environment", scenario.load.environment, environments))
    for path, noun, name, known in named:
        if name is not None and name not in known:
            yield path, validation_messages.unknown(f"the plan has no {noun}", name, known)


def _numbers(scenario: Scenario) -> Iterator[Wrong]:
    for field, numbers in (("guests", scenario.guests), ("count", scenario.count)):
        twice = sorted({one for one in numbers if numbers.count(one) > 1})
        if twice:
            yield (field,), f"'{field}' has {twice[0]} twice"
    if scenario.type == "mixed" and len(set(scenario.workloads)) < len(scenario.workloads):
        name = next(one for one in scenario.workloads if scenario.workloads.count(one) > 1)
        yield ("workloads",), f"'workloads' has '{name}' twice; the type instances runs one workload several times"
    if scenario.load is not None and scenario.load.guests >= MOST_GUESTS:
        yield ("load", "guests"), f"a trial has {MOST_GUESTS} guests at most, the measured one included"


def _network(scenario: Scenario, plan: Plan) -> Iterator[Wrong]:
    if scenario.type not in ("pair", "matrix"):
        return
    if scenario.workload is None and not _workloads(scenario, plan):
        yield (), f"a scenario of the type {scenario.type} measures the network, and no workload of the plan does"
    elif scenario.workload is not None:
        apart = [one for one in _named(scenario.workload, plan) if not _networked(one)]
        if apart:
            sentence = f"'{scenario.workload}' does not measure the network, so it cannot run between two guests"
            yield ("workload",), sentence


def _agents(scenario: Scenario, plan: Plan, kinds: Kinds) -> Iterator[Wrong]:
    if scenario.type != "instances":
        return
    able = [kind for kind, one in kinds.items() if one.several_agents]
    named = [one for one in plan.environments if scenario.environment in (None, one.name)]
    for environment in named:
        if environment.kind not in able:
            place = f"'{environment.name}' (kind {environment.kind})"
            yield (
                ("environment",),
                f"{place} has one agent in a guest, and 'threads' is not the same as several processes; "
                f"kinds with several agents: {', '.join(able)}",
            )


def _workloads(scenario: Scenario, plan: Plan) -> list[str]:
    """The names of all workloads of a scenario, one for each combination of factors, in the plan's order."""
    if scenario.workload is not None:
        return [one.name for one in _named(scenario.workload, plan)]
    if scenario.workloads:
        return [one.name for name in scenario.workloads for one in _named(name, plan)]
    of: Iterable[PlanWorkload] = plan.workloads
    if scenario.type in ("pair", "matrix"):
        of = filter(_networked, of)
    return [one.name for one in of]


def _named(name: str, plan: Plan) -> list[PlanWorkload]:
    """The workload of a name, or all combinations of the one with factors."""
    one = [workload for workload in plan.workloads if workload.name == name]
    return one or [workload for workload in plan.workloads if workload.of == name]


def _networked(workload: PlanWorkload) -> bool:
    """Whether it exchanges data with a peer."""
    return "peer" in WORKLOADS[workload.workload].needs
