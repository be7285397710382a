"""The tables of the page beside the result: numbers, trouble, starts, facts, trials, command lines."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from virtometer.analysis import Analysis
from virtometer.analysis.compare.reference_clock import Timed
from virtometer.analysis.describe.measures import QUANTILES, Times, names
from virtometer.model import ENTRY, UNAVAILABLE, Campaign, Control, Estimate, Finding, Quantity, Verdict
from virtometer.report.parts import words
from virtometer.report.parts.plain import plain
from virtometer.report.parts.table import TextTable
from virtometer.report.parts.tuning_words import tuning_words


def numbers(findings: Sequence[Finding], errors: Mapping[str, float]) -> TextTable:
    """Everything that was computed for one workload. `errors`: of the clock, by environment, where they are known."""
    turns = any(finding.typical is not None for finding in findings)
    middle = any(finding.median is not None for finding in findings)
    worst = any(finding.worst_block is not None for finding in findings)
    rows = [
        (
            finding.subject,
            words.value(finding.value),
            _bounds(finding.value),
            words.value(finding.ratio) + words.star(finding) if finding.ratio.n else "",
            str(finding.ratio.n or ""),
            words.verdict(finding),
            _p(finding.p_value),
            _p(finding.p_adjusted),
            _cost(finding),
            f"±{errors[finding.subject] * 1e6:.2g} ppm" if finding.subject in errors else "",
            *([words.value(finding.typical), _verdict_by(finding), _by_windows(finding)] if turns else []),
            *([words.value(finding.median), _unseen(finding)] if middle else []),
            *([_worst(finding), _without(finding)] if worst else []),
        )
        for finding in findings
    ]
    return TextTable(
        f"{findings[0].value.metric}: geometric mean over the blocks. Efficiency: from pairs within blocks, with its "
        f"{words.interval_level(findings)} interval. p: of no "
        "difference, alone and after Holm over the whole campaign. Host cpu: host CPU time per unit of work."
        + (" Clock: the largest relative error of a sample's length in host time." if errors else "")
        + (
            " Typical: efficiency in the rounds of slices, without the extreme rounds. Slices by windows: "
            "efficiency in slices divided by that in long windows; it takes six blocks that have both "
            "(`long_windows: each` in the plan)."
            if turns
            else ""
        )
        + (_MEDIAN if middle else "")
        + (" Worst block: the one farthest from the median of the blocks, and its ratio." if worst else ""),
        (
            "environment",
            "value",
            "95 % interval",
            "efficiency",
            "blocks",
            "verdict",
            "p",
            "p adjusted",
            "host cpu",
            "clock",
            *(["typical", "verdict by", "slices by windows"] if turns else []),
            *(["median", "unseen starts"] if middle else []),
            *(["worst block", "without it"] if worst else []),
        ),
        rows,
        right=frozenset({4, 6, 7, 9}),
    )


_MEDIAN = (
    " Median: of the blocks' efficiencies, with an interval for every distribution (at least 95 %). Unseen starts: "
    "the share of starts that may be of a kind that no block has (95 %)."
)


def _unseen(finding: Finding) -> str:
    return "" if finding.unseen_share is None else f"up to {100 * finding.unseen_share:.0f} %"


def _verdict_by(finding: Finding) -> str:
    """Which ratio the verdict is about; empty where there is none."""
    return "" if not finding.ratio.n or finding.verdict is Verdict.BASELINE else finding.verdict_by


def _by_windows(finding: Finding) -> str:
    """The ratio in slices by that in long windows; empty of the baseline and of what was in no slices."""
    of = finding.slices_by_windows
    if finding.typical is None or finding.verdict is Verdict.BASELINE:
        return ""
    return "not known" if of is None or of.estimate.low is None else words.value(of)


def _worst(finding: Finding) -> str:
    """Number of the worst block, counted from 1, and its ratio."""
    worst = finding.worst_block
    return "" if worst is None else f"{worst.block + 1}: {words.significant(worst.ratio.estimate.value)}"


def _without(finding: Finding) -> str:
    """Ratio and verdict without the worst block."""
    worst = finding.worst_block
    return "" if worst is None else f"{words.value(worst.without)} {worst.verdict_without}"


def _bounds(value: Quantity[Estimate | None]) -> str:
    of = value.estimate
    if of is None or of.low is None or of.high is None:
        return ""
    return f"{words.quantity(of.low, value.unit)} to {words.quantity(of.high, value.unit)}"


def _p(value: float | None) -> str:
    return "" if value is None else "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _cost(finding: Finding) -> str:
    cost = finding.host_cpu_ratio
    if cost is None or finding.verdict is Verdict.BASELINE:
        return ""
    return f"×{words.value(cost)}"


def measures(of: Mapping[str, Mapping[str, Quantity[Estimate]]]) -> TextTable:
    """Further measures of one workload, a row each; `of`: by environment and name."""
    rows = [
        (name, *(_measured(found[name]) if name in found else "" for found in of.values()))
        for name in names(list(of.values()))
    ]
    return TextTable(
        "Further measures: median over the trials, smallest and largest in brackets",
        ("measure", *of),
        rows,
        frozenset(range(1, len(of) + 1)),
    )


def _measured(one: Quantity[Estimate]) -> str:
    of = one.estimate
    low, high = (of.value if bound is None else bound for bound in (of.low, of.high))
    return words.measures(of.value, low, high, one.unit)


def levels(caption: str, of: Mapping[str, Mapping[str, Quantity[Estimate]]]) -> TextTable:
    """Level averages of one series, a row an environment. `of`: by environment and level."""
    found_levels = names(list(of.values()))
    rows = [
        (environment, *(_level(found[name]) if name in found else "" for name in found_levels))
        for environment, found in of.items()
    ]
    return TextTable(
        f"{caption}: averages over the sizes that lie in each of the caches that were found, and in RAM",
        ("environment", *found_levels),
        rows,
        frozenset(range(1, len(found_levels) + 1)),
    )


def _level(average: Quantity[Estimate]) -> str:
    bounds = _bounds(average)
    return words.value(average) + (f" [{bounds}]" if bounds else "")


def times(name: str, of: Mapping[str, Times]) -> TextTable:
    """How long single operations of one workload took, a row an environment."""
    rows = [
        (
            environment,
            f"{found.total:,}",
            *(words.quantity(max(found.quantile(q), 1e-9), "s") for q in QUANTILES),
        )
        for environment, found in of.items()
    ]
    return TextTable(
        f"{name} of single operations, over all trials",
        ("environment", "operations", "median", "90 %", "99 %", "99.9 %", "longest"),
        rows,
        frozenset(range(1, 7)),
    )


def clocks_compared(of: Mapping[str, Timed]) -> TextTable:
    """The same work timed in three ways, a row an environment."""
    rows = [
        (
            environment,
            *(words.quantity(value, found.unit) for value in (found.own, found.corrected, found.reference)),
            f"{100 * found.difference:+.2f} %".replace("-", "−"),
            "" if found.round_trip is None else words.measure(found.round_trip, "s"),
        )
        for environment, found in of.items()
    ]
    return TextTable(
        "The same work by three clocks, medians over the trials. Difference: of the reference clock from the corrected "
        "value; each reference time is too long by about one round trip",
        (
            "environment",
            "by the guest's own clock",
            "corrected by comparing clocks",
            "by the reference clock",
            "difference",
            "round trip",
        ),
        rows,
        frozenset(range(1, 6)),
    )


def trouble(analysis: Analysis) -> tuple[str, TextTable]:
    """How many trials failed or were marked, in a sentence, and each reason with its count."""
    rows = [
        (
            reason.about.guest or one.environment,
            what,
            reason.about.fault or reason.about.kind,
            reason.about.workload,
            str(reason.count),
            reason.shown,
        )
        for one in analysis.trouble
        for what, reasons in (
            ("failed", one.failed),
            (UNAVAILABLE, one.unavailable),
            ("marked, and kept", one.marked),
            ("sample not used", one.samples_unused),
        )
        for reason in reasons
    ]
    of = analysis.counts
    sentence = (
        f"{of.ran:,} of {of.planned:,} planned trials have run: {of.failed:,} failed, {of.unavailable:,} "
        f"{'was' if of.unavailable == 1 else 'were'} {UNAVAILABLE}, and {of.marked:,} "
        f"{'was' if of.marked == 1 else 'were'} marked as disturbed. "
        f"{of.samples_unused:,} of {of.samples:,} samples were not used. "
        "A failed trial never counts as a zero; "
        "a marked one is kept, and its mark is named."
    )
    return sentence, TextTable(
        "By guest, workload and kind of reason",
        ("guest", "what", "kind", "workload", "times", "reason"),
        rows,
        frozenset({4}),
    )


def control(of: Sequence[Control]) -> TextTable:
    """The baseline against itself, by workload."""
    rows = [
        (
            one.workload,
            words.value(one.ratio),
            "" if one.noise_floor is None else words.percent(one.noise_floor),
            "yes" if one.ratio.estimate.excludes(1) else "no",
        )
        for one in of
    ]
    heads = ("workload", "second guest / first", "noise floor", "interval leaves out 1")
    return TextTable("The baseline against itself", heads, rows, frozenset({1, 2}))


def starts(of: Mapping[str, Quantity[Estimate]]) -> TextTable:
    """Provisioning times by environment."""
    rows = [
        (
            name,
            str(one.n),
            *(words.quantity(max(t, 1e-9), "s") for t in (one.value, one.low, one.high) if t is not None),
        )
        for name, one in ((name, start.estimate) for name, start in of.items())
    ]
    return TextTable(
        "By environment", ("environment", "starts", "median", "fastest", "slowest"), rows, frozenset({1, 2, 3, 4})
    )


def host(campaign: Campaign) -> TextTable:
    """The host's facts, as the laboratory found them, but for the machine's id: a page is made to be shown around."""
    shown = {key: value for key, value in campaign.host.items() if key != "machine_id"}
    return TextTable("The host", ("fact", "value"), _facts(shown))


def settings(campaign: Campaign, name: str) -> TextTable:
    """Requested settings of an environment, and effective ones of its guests; where guests differ, all values."""
    planned = next(e for e in campaign.plan.environments if e.name == name)
    requested: dict[str, dict[str, None]] = {key: {value: None} for key, value in _facts(planned.settings)}
    effective: dict[str, dict[str, None]] = {}
    for guest in campaign.guests:
        if guest.environment == name:
            shown = {key: value for key, value in guest.effective.items() if key != ENTRY}  # has a table of its own
            for table, facts in ((requested, guest.requested), (effective, shown)):
                for key, value in _facts(facts):
                    table.setdefault(key, {})[value] = None
    # Settings first, then what the laboratory found on its side, then what the agent sees from inside.
    keys = sorted(requested.keys() | effective.keys(), key=lambda key: (key not in requested, "." in key, key))
    rows = [(key, _some(list(requested.get(key, {}))), _some(list(effective.get(key, {})))) for key in keys]
    caption = "Settings and facts" if rows else "No guest was started, and no setting was requested"
    return TextTable(caption, ("what", "requested", "effective"), rows)


def _some(values: Sequence[str]) -> str:
    more = f" and {len(values) - 3} others" if len(values) > 3 else ""
    return " | ".join(values[:3]) + more


def _facts(facts: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in facts.items():
        if isinstance(value, Mapping):
            rows += _facts(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", _fact(key, value)))
    return rows


def _fact(key: str, value: object) -> str:
    if value is None or value == "":
        return "not reported"
    if isinstance(value, str):
        return value
    if key.endswith("bytes") and isinstance(value, int) and value >= 1 << 20:
        return f"{value / (1 << 20):,.0f} MiB"
    if key == "tuning" and isinstance(value, list | tuple):
        return tuning_words(value)
    if isinstance(value, list | tuple) and all(isinstance(inner, str | int) for inner in value):
        return " ".join(map(str, value))
    return json.dumps(plain(value), ensure_ascii=False)


def trials(campaign: Campaign) -> TextTable:
    """Every trial that ran, in order."""
    rows = []
    for record in campaign.trials:
        placements = record.trial.placements
        values = ", ".join(words.quantity(r.scored.value, r.unit) for r in record.scored if r.scored.value > 0)
        rows.append(
            (
                str(record.trial.index),
                str(record.trial.block + 1),
                ", ".join(p.guest_key.name + ("" if p.role == "measured" else f" ({p.role})") for p in placements),
                ", ".join(p.workload for p in placements),
                values if record.failure is None else "failed" if record.at_fault else UNAVAILABLE,
                f"{record.wall_s:.2f}",
                "; ".join([*([record.reason] if record.reason else []), *map(str, record.marks)]),
                record.started_at,
            )
        )
    columns = ("trial", "block", "environment", "workload", "value", "took, s", "reason and marks", "started")
    return TextTable("In the order in which they ran", columns, rows, frozenset({4, 5}))


def commands(campaign: Campaign) -> TextTable:
    """Every command line; the status is that of the program's end, empty where it was not waited for."""
    rows = [
        (
            command.at,
            command.purpose,
            "" if command.status is None else str(command.status),
            shlex.join(command.argv),
        )
        for command in campaign.commands
    ]
    return TextTable(
        "In order of time", ("at", "what for", "status", "command line"), rows, frozenset({2}), frozenset({3})
    )


def pairs(caption: str, of: Iterable[tuple[str, str]]) -> TextTable:
    """Two columns, such as versions."""
    return TextTable(caption, ("what", "value"), list(of))
