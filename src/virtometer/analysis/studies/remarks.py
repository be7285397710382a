"""What the studies, or their readers, calculate from the cells of a table, said in sentences. PURE."""

from __future__ import annotations

import math
from collections.abc import Callable

from virtometer.analysis.describe.service_demand import consistent
from virtometer.analysis.studies import derived
from virtometer.analysis.studies.cells import StudyCell, StudySection
from virtometer.analysis.studies.matching import Found, Matcher
from virtometer.counted import counted
from virtometer.model import Estimate, Level
from virtometer.studies.data import PublishedValue
from virtometer.studies.sections import others, rule_of, sources

_MEGA = 2**20
_ASYMMETRIC = 1.25
"""Two printed directions of a pair that differ by more than this factor are named."""


def remarks(of: StudySection, matcher: Matcher) -> tuple[str, ...]:
    """The sentences of a section."""
    made = [
        *_overbooked(of, matcher),
        *_expected(of, matcher),
        *_asymmetric(of, matcher),
        *_demands(of, matcher),
        *_ranked(of),
    ]
    return (*made, *_by_caches(of, matcher))


def _overbooked(of: StudySection, matcher: Matcher) -> list[str]:
    """How many virtual processors the guests have for each processor of the hosts, then and now."""
    counts = {
        (cell.published.guests, int(vcpus))
        for cell in of.all_cells
        if (vcpus := cell.published.options.get("vcpus")) and (cell.published.guests or 1) > 1
    }
    said = []
    for guests, vcpus in sorted((guests or 1, vcpus) for guests, vcpus in counts):
        then = derived.overbooking(guests, vcpus, matcher.of.processors)
        filled = {cell.campaign for cell in of.all_cells if cell.value is not None and cell.published.guests == guests}
        here = [derived.overbooking(guests, vcpus, matcher.cpus[campaign]) for campaign in sorted(filled)]
        now = "".join(f", and {one:g} here if each has as many" for one in dict.fromkeys(here))
        said.append(
            f"{counted(guests, 'guest')}: {then:g} virtual processors for each processor of the study's host{now}."
        )
    return said


def _expected(of: StudySection, matcher: Matcher) -> list[str]:
    """Expected against actual times of guests that fill the processors: from one guest, and from two guests."""
    said = []
    for cell in of.all_cells:
        value, guests = cell.published, cell.published.guests or 1
        timed = value.metric == "time" and value.better == "lower" and value.statistic != "expected"
        if not timed or guests < 2 or value.member not in ("mean", "1"):
            continue
        single = next(iter(others(value, {"guests": "1", "member": "single"})), None)
        pair = next(iter(others(value, {"guests": "2"})), None) if guests > 2 else None
        here = None if cell.value is None else cell.value.estimate.value
        for of_what, fewer in (("one guest", single), ("two guests", pair)):
            if fewer is None:
                continue
            for when, base, actual, processors in (
                ("printed", fewer.value, value.value, matcher.of.processors),
                ("measured here", matcher.mean(fewer), here, matcher.cpus[cell.campaign] if here else 1),
            ):
                if base and actual:
                    expected = (
                        derived.expected_from_one(base, guests, processors)
                        if fewer is single
                        else derived.expected_from_fewer(base, 2, guests)
                    )
                    said.append(
                        f"{value.row}, {value.column}: {expected:.5g} s expected from {of_what}, "
                        f"{actual:.5g} s {when}, {actual / expected:.3f} times as long."
                    )
    return said


def _asymmetric(of: StudySection, matcher: Matcher) -> list[str]:
    """The pairs of a matrix whose directions differ: by a factor as printed, and by a test over the blocks here."""
    found = {
        (cell.published.source, cell.published.target): cell
        for cell in of.all_cells
        if cell.published.source and cell.published.target and cell.published.metric == "throughput"
    }
    said = []
    for (source, target), cell in found.items():
        back = found.get((target, source))
        if back is None or source >= target:
            continue
        to, fro = cell.published.value, back.published.value
        if to and fro and (times := derived.asymmetry(to, fro)) > _ASYMMETRIC:
            fast = (source, target) if to > fro else (target, source)
            said.append(f"Asymmetric: {fast[0]} to {fast[1]} is {times:.3g} times as fast as the way back.")
    series = {pair: matcher.find(cell.published) for pair, cell in found.items()}
    logs = {
        pair: {block: math.log(one) for block, one in here.values.items()}
        for pair, here in series.items()
        if isinstance(here, Found)
    }
    if not logs:
        return said
    from virtometer.analysis.groups.network import asymmetries  # loads scipy, which printed values do not need

    roles = {name: end.role for name, end in matcher.of.ends.items()}
    return [*said, *(f"Here {one}." for one in asymmetries(logs, roles))]


def _demands(of: StudySection, matcher: Matcher) -> list[str]:
    """The check of netperf: throughput times service demand is the CPU use, as printed and as measured."""
    tried, wrong = 0, []
    here, wrong_here = 0, []
    for cell in of.all_cells:
        demand, rule = cell.published, rule_of(matcher.of.derived, cell.published)
        if demand.metric != "service demand" or rule is None:
            continue
        throughput, use = sources(demand, rule)
        if demand.value and throughput.value and use.value:
            tried += 1
            made = derived.cpu_of_demand(throughput.value, demand.value, rule.processors)
            if not consistent(made, use.value):
                wrong.append(f"{demand.row}, {use.column}: {100 * made:.3g} %, printed {use.printed} %")
        share, rate, each = matcher.find(use), matcher.mean(throughput), matcher.mean(demand)
        if isinstance(share, Found) and rate and each and (found := matcher.mean(use)):
            here += 1
            made = derived.cpu_of_demand(rate, each, 1) / share.processors
            if not consistent(made, found):
                wrong_here.append(f"{demand.row}, {use.column}: {100 * made:.3g} %, measured {100 * found:.3g} %")
    said = []
    for when, count, some in (("", tried, wrong), (" here", here, wrong_here)):
        if count:
            right = f"{count - len(some)} of {counted(count, 'cell')}{when}"
            said += [
                f"Throughput times service demand is the CPU use in {right}.",
                *(f"It is not: {one}." for one in some),
            ]
    return said


def _ranked(of: StudySection) -> list[str]:
    """The rank of the systems of a table whose rows are systems, and how many columns each wins."""
    systems = {_system(cell.published) for cell in of.all_cells} - {""}
    if of.item.kind != "table" or len(systems) < 3 or len(systems) != len(of.rows):
        return []
    said = []
    for when, number in (("printed", _as_printed), ("here", _as_measured)):
        rankings = _rankings(of, number)
        if rankings:
            won = sorted(derived.wins(rankings).items(), key=lambda one: -one[1])
            best = ", ".join(f"{name} {count}" for name, count in won if count)
            said.append(f"First ranks in {counted(len(rankings), 'column')}, {when}, shared ones included: {best}.")
    return said


def _by_caches(of: StudySection, matcher: Matcher) -> list[str]:
    """The means of levels by the caches that were found here, beside those by the ranges of the study."""
    asked: dict[tuple[int, str, Level, Level], None] = {}
    for cell in of.all_cells:
        rule = rule_of(matcher.of.quantities, cell.published)
        if cell.value is not None and cell.published.level and rule is not None:
            facts = rule.facts(cell.published)
            asked[cell.campaign, cell.by, facts["op"], facts["type"]] = None
    said = []
    for campaign, environment, op, kind in asked:
        for one in matcher.analyses[campaign].level_averages:
            averages = one.averages.get(environment, {})
            if one.series.op == op and one.series.fixed.get("type", "float") == kind and averages:
                means = ", ".join(
                    f"{level} {mean.estimate.value / _MEGA:,.5g} MB/s" for level, mean in averages.items()
                )
                said.append(f"By the caches of this machine, {environment}, {kind} {op}: {means}.")
    return list(dict.fromkeys(said))


def _system(value: PublishedValue) -> str:
    return f"{value.virtualizer} {value.devices} {value.role}" if value.role else ""


def _rankings(of: StudySection, number: Callable[[StudyCell], Estimate | None]) -> list[dict[str, int]]:
    made = []
    for column in zip(*of.cells, strict=True):
        known = [(row, cell, one) for row, cell in zip(of.rows, column, strict=True) if cell and (one := number(cell))]
        if len(known) == len(of.rows) and all(cell.published.better for _, cell, _ in known):
            better = known[0][1].published.better
            placed = derived.ranks([one for _, _, one in known], "lower" if better == "lower" else "higher")
            made.append({row: rank for (row, _, _), rank in zip(known, placed, strict=True)})
    return made


def _as_printed(cell: StudyCell) -> Estimate | None:
    value = cell.published.value
    return None if value is None else Estimate(value, None, None, 1)


def _as_measured(cell: StudyCell) -> Estimate | None:
    return None if cell.value is None else cell.value.estimate
