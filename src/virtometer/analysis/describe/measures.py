"""Further measures and histograms of single operations, over all trials of a workload in an environment."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from virtometer import agent_table
from virtometer.agent_table import TimedBy
from virtometer.analysis.compare.blocks import Key
from virtometer.analysis.score.alone import alone_in
from virtometer.analysis.score.tool_measures import TOOL_MEASURES
from virtometer.model import Campaign, Estimate, Quantity, Run

QUANTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


@dataclass(frozen=True, slots=True)
class Times:
    """Times of single operations, of all trials in total: (time in host seconds, operations that took no longer)."""

    total: int
    steps: tuple[tuple[float, int], ...]

    def quantile(self, share: float) -> float:
        """The time that this share (0 to 1) of the operations did not exceed, s."""
        wanted = share * self.total
        return next((time for time, so_far in self.steps if so_far >= wanted), self.steps[-1][0])


def further_measures(campaign: Campaign) -> dict[Key, dict[str, Quantity[Estimate]]]:
    """Each measure of each workload in each environment, by name, over the trials and in host time."""
    values: dict[Key, dict[str, tuple[str, list[float]]]] = {}
    for key, run in _measured(campaign):
        for name, measure in run.reported.measures.items():
            unit = str(measure["unit"])
            factor = in_host_time(name, unit, run)
            if factor is not None:
                values.setdefault(key, {}).setdefault(name, (unit, []))[1].append(float(measure["value"]) * factor)
    return {
        key: {name: median_and_range(key[1], name, unit, found) for name, (unit, found) in of.items()}
        for key, of in values.items()
    }


def median_and_range(subject: str, metric: str, unit: str, values: Sequence[float]) -> Quantity[Estimate]:
    """Of several values; in place of an interval the smallest and the largest."""
    estimate = Estimate(statistics.median(values), min(values), max(values), len(values), level=1.0)
    return Quantity(subject, metric, unit, None, "median", estimate)


def histograms(campaign: Campaign) -> dict[Key, dict[str, Times]]:
    """Each histogram of each workload in each environment, by name: all trials added up."""
    counts: dict[Key, dict[str, Counter[float]]] = {}
    for key, run in _measured(campaign):
        for name, found in _counts(run).items():
            counts.setdefault(key, {}).setdefault(name, Counter()).update(found)
    return {key: {name: _times(found) for name, found in of.items()} for key, of in counts.items()}


def histograms_of(run: Run) -> dict[str, Times]:
    """Each histogram of one scored run, by name."""
    return {name: _times(found) for name, found in _counts(run).items()}


def merged_times(runs: Iterable[Run], name: str) -> Times | None:
    """The histogram `name` of several scored runs added up; None where no run has a time of a known length in it."""
    counts: Counter[float] = Counter()
    for run in runs:
        counts.update(_counts(run).get(name, {}))
    return _times(counts) if counts else None


def _counts(run: Run) -> dict[str, Counter[float]]:
    """Operations by their time in host seconds; nothing where nobody knows how to convert it."""
    if _rate_of_work_only(run):
        return {}
    rate = run.scored.clock.rate
    return {
        name: Counter({top_ns * 1e-9 * rate: int(count) for top_ns, count in histogram["counts"]})
        for name, histogram in run.reported.histograms.items()
    }


def _times(counts: Mapping[float, int]) -> Times:
    so_far = 0
    steps: list[tuple[float, int]] = []
    for time in sorted(counts):
        so_far += counts[time]
        steps.append((time, so_far))
    return Times(so_far, tuple(steps))


def _measured(campaign: Campaign) -> Iterator[tuple[Key, Run]]:
    alone = alone_in(campaign.plan)
    for record in campaign.trials:
        for run in record.scored if alone(record.trial) else ():
            if run.placement.role == "measured":
                yield (run.placement.workload, run.placement.environment), run


def _rate_of_work_only(run: Run) -> bool:
    """Whether nobody knows how fast the guest's clock runs but while it works: the laboratory timed that."""
    return run.scored.clock.compared and run.host_timed


def in_host_time(name: str, unit: str, run: Run) -> float | None:
    """What turns a value as it was measured into one in host time. None where nothing is known to do that."""
    rate = run.scored.clock.rate
    timed_by = _timed_by(name, unit, run)
    if timed_by == "host-by-guest":
        return 1 / rate
    if timed_by == "guest" and _rate_of_work_only(run):
        return None
    if timed_by in ("guest", "guest-at-work"):
        return 1 / rate if unit.endswith("/s") else rate
    return 1.0


def _timed_by(name: str, unit: str, run: Run) -> TimedBy:
    """The clock that the time in a measure is by. A measure that no table has was reported by another agent."""
    known = TOOL_MEASURES.get(name) or agent_table.measure(run.kernel, run.op, name)
    if known is not None:
        return known.timed_by
    timed = unit == "s" or (unit.startswith("s/") != unit.endswith("/s"))
    return "guest" if timed else "nothing"


def names(of: Sequence[Mapping[str, object]]) -> list[str]:
    """All names in the order in which they first occur."""
    return list(dict.fromkeys(name for one in of for name in one))
