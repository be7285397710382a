"""The tables of the page: what stands in their rows, and what is left empty."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from typing import Any

from tests.analysis.compare.test_reference_clock import campaign
from tests.analysis.simulated_campaigns import Place, changed, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.analysis.compare.reference_clock import timed
from virtometer.analysis.compare.values import efficiency
from virtometer.analysis.describe.measures import Times
from virtometer.model import (
    CommandLine,
    Estimate,
    Failure,
    FailureKind,
    Finding,
    Mark,
    MarkKind,
    Quantity,
    Verdict,
    WorstBlock,
)
from virtometer.report import render
from virtometer.report.parts import html_tables


def test_a_row_an_environment() -> None:
    found = timed(campaign(own=1e9, reference=1.98e9, rate=0.5))
    grid = html_tables.clocks_compared({environment: one for (_, environment), one in found.items()})
    assert grid.rows == [("native", "1.00 GFLOP/s", "2.00 GFLOP/s", "1.98 GFLOP/s", "−1.00 %", "100 µs")]
    assert len(grid.columns) == len(grid.rows[0])


def test_the_page_has_it_where_an_reference_clock_was_asked_and_only_there() -> None:
    asked = campaign(own=1e9, reference=1.98e9, rate=0.5)
    unasked = with_runs(asked, lambda run: changed(run, measures={}))
    assert "by the reference clock" in render(analyse(asked), "html")
    assert "by the reference clock" not in render(analyse(unasked), "html")


def finding(**fields: Any) -> Finding:
    """`fields`: of a finding, with estimates in place of its quantities, and the subject."""
    given: dict[str, Any] = {
        "workload": "w", "op": "triad", "ratio": Estimate(0.93, 0.92, 0.94, 8), "verdict": Verdict.SLOWER,
        "p_value": 0.00001, "p_adjusted": 0.0123, "host_cpu_ratio": Estimate(1.5, 1.4, 1.6, 8),
        "value": Estimate(18.1e9, 18e9, 18.2e9, 8),
    } | fields  # fmt: skip
    of = Quantity(given.pop("subject", "box"), "bandwidth", "B/s", "higher", "geometric mean", None)
    for name in ("value", "ratio", "host_cpu_ratio", "typical", "median", "slices_by_windows"):
        if given.get(name) is not None or name in ("value", "ratio"):
            given[name] = replace(of, estimate=given[name], reference="" if name == "value" else "native")
    return Finding(**given)


def test_numbers_of_a_comparison_are_all_reported() -> None:
    table = html_tables.numbers([finding()], {"box": 2.5e-6})
    assert table.rows == [
        (
            "box", "18.1 GB/s", "18.0 GB/s to 18.2 GB/s", "0.93 ±0.01", "8", "slower", "< 0.0001", "0.0123",
            "×1.5 ±0.1", "±2.5 ppm",
        )
    ]  # fmt: skip
    assert len(table.columns) == len(table.rows[0])
    assert "in host time" in table.caption


def test_what_qualifies_a_verdict_stands_beside_it() -> None:
    ((*_, verdict, _p, _adjusted, _cost, _clock),) = html_tables.numbers(
        [finding(verdict=Verdict.UNDECIDED, qualified="the host was busy")], {}
    ).rows
    assert verdict == "undecided: the host was busy"


def test_what_is_not_known_of_a_comparison_is_empty() -> None:
    nothing: dict[str, Any] = dict.fromkeys(("ratio", "p_value", "p_adjusted", "host_cpu_ratio", "value"))
    table = html_tables.numbers([finding(**nothing, verdict=Verdict.UNDECIDED)], {})
    assert table.rows == [("box", "", "", "", "", "undecided", "", "", "", "")]
    assert "in host time" not in table.caption


def test_guests_that_took_turns_have_a_typical_ratio() -> None:
    of = [finding(typical=Estimate(0.951, 0.941, 0.961, 8)), finding(subject="other")]
    table = html_tables.numbers(of, {})
    assert [row[-3:-1] for row in table.rows] == [("0.95 ±0.01", "total"), ("", "total")]
    assert table.columns[-3:-1] == ("typical", "verdict by")
    (chosen,) = html_tables.numbers([replace(of[0], verdict_by="typical")], {}).rows
    assert chosen[-2] == "typical" and chosen[3] == table.rows[0][3], "the total ratio keeps its column"
    assert "Typical: efficiency in the rounds of slices" in table.caption
    assert "typical" not in html_tables.numbers(of[1:], {}).columns


def test_of_guests_that_took_turns_the_ratio_in_slices_stands_beside_that_in_long_windows() -> None:
    typical, few = Estimate(0.951, 0.941, 0.961, 8), Estimate(1.3, None, None, 1)
    of = [
        finding(typical=typical, slices_by_windows=Estimate(1.02, 1.01, 1.03, 8)),
        finding(typical=typical, slices_by_windows=few),
        finding(typical=typical),
        finding(),
        finding(typical=typical, verdict=Verdict.BASELINE),
    ]
    table = html_tables.numbers(of, {})
    assert table.columns[-1] == "slices by windows"
    assert [row[-1] for row in table.rows] == ["1.02 ±0.01", "not known", "not known", "", ""]
    assert "`long_windows: each`" in table.caption


def test_the_worst_block_is_counted_from_1_and_stands_beside_the_result_without_it() -> None:
    ratio, without = Estimate(0.6123, None, None, 1), Estimate(0.951, 0.941, 0.961, 8)
    worst = WorstBlock(3, efficiency("box", "native", ratio), efficiency("box", "native", without), Verdict.EQUIVALENT)
    of = [finding(worst_block=worst), finding(subject="other")]
    table = html_tables.numbers(of, {})
    assert [row[-2:] for row in table.rows] == [("4: 0.612", "0.95 ±0.01 equivalent"), ("", "")]
    assert table.columns[-2:] == ("worst block", "without it")
    assert "farthest from the median" in table.caption
    assert "worst block" not in html_tables.numbers(of[1:], {}).columns


def test_a_baseline_costs_what_it_costs_and_the_star_is_of_what_is_not_alike() -> None:
    (baseline,) = html_tables.numbers([finding(verdict=Verdict.BASELINE)], {}).rows
    assert baseline[8] == ""
    (unlike,) = html_tables.numbers([finding(unlike=("io",), value=Estimate(1.0, None, None, 2))], {}).rows
    assert unlike[3] == "0.93 ±0.01*" and unlike[2] == ""


def known(unit: str, value: float, low: float | None = None, high: float | None = None) -> Quantity[Estimate]:
    return Quantity("native", "loss", unit, None, "median", Estimate(value, low, high, 8))


def test_a_measure_that_only_one_environment_has_is_empty_in_the_other() -> None:
    one, two = known("1", 0.25, 0.0, 0.5), known("s", 2e-6, 2e-6, 2e-6)
    table = html_tables.measures({"native": {"loss": one}, "box": {"loss": one, "lateness": two}})
    assert table.columns == ("measure", "native", "box")
    assert [row[0] for row in table.rows] == ["loss", "lateness"]
    assert table.rows[0][1] == table.rows[0][2] != ""
    assert table.rows[1][1:] == ("", "2.00 µs")
    assert html_tables.measures({}).rows == []


def test_level_averages_have_their_interval_where_there_is_one() -> None:
    table = html_tables.levels(
        "read", {"native": {"L1": known("B/s", 9e10, 8e10, 1e11)}, "box": {"RAM": known("B/s", 5e9)}}
    )
    assert table.columns == ("environment", "L1", "RAM")
    assert table.rows == [
        ("native", "90.0 GB/s [80.0 GB/s to 100 GB/s]", ""), ("box", "", "5.00 GB/s")
    ]  # fmt: skip


def test_times_are_reported_by_their_quantiles() -> None:
    found = Times(1000, ((1e-6, 500), (2e-6, 950), (0.5, 1000)))
    table = html_tables.times("latency", {"native": found, "still": Times(1, ((0.0, 1),))})
    assert table.rows[0] == ("native", "1,000", "1.00 µs", "2.00 µs", "500 ms", "500 ms", "500 ms")
    assert table.rows[1] == ("still", "1", *["1.00 ns"] * 5), "no time is told as none"
    assert len(table.columns) == 7


def test_trouble_is_counted_in_a_sentence_and_by_reason(said: Said) -> None:
    campaign = simulate([Place("native"), Place("box")], blocks=2, fail={0: Failure(FailureKind.GUEST, "it died")})
    sentence, table = html_tables.trouble(analyse(campaign))
    where = campaign.trials[0].trial.placements[0].environment
    assert table.rows == [(where, "failed", "guest", "", "1", "it died")]
    assert "4 of 4 planned trials have run: 1 failed" in sentence
    assert "0 of 12 samples were not used." in sentence
    said(sentence)
    quiet, none = html_tables.trouble(analyse(replace(campaign, trials=())))
    assert quiet.startswith("0 of 4 planned trials have run: 0 failed") and none.rows == []


def test_starts_are_by_environment_and_one_that_never_started_has_no_row() -> None:
    campaign = simulate([Place("native"), Place("kvm", works=False), Place("box", provision_s=0.25)], blocks=3)
    assert html_tables.starts(analyse(campaign).provisioning).rows == [
        ("native", "3", "50.0 ms", "50.0 ms", "50.0 ms"), ("box", "3", "250 ms", "250 ms", "250 ms")
    ]  # fmt: skip


def test_the_machine_s_id_is_not_shown_around_and_nested_facts_are_flat() -> None:
    facts = {
        "machine_id": "secret", "memory_bytes": 3 << 30, "small_bytes": 4096, "cpu": {"model": "x", "flags": ["a", 2]},
        "empty": "", "none": None, "mixed": [1.5, {"b": math.nan}], "on": True,
    }  # fmt: skip
    assert html_tables.host(simulate([Place("native")], host=facts)).rows == [
        ("memory_bytes", "3,072 MiB"), ("small_bytes", "4096"), ("cpu.model", "x"), ("cpu.flags", "a 2"),
        ("empty", "not reported"), ("none", "not reported"), ("mixed", '[1.5, {"b": null}]'), ("on", "true"),
    ]  # fmt: skip


def test_settings_are_requested_and_effective_and_values_that_differ_are_all_reported(said: Said) -> None:
    campaign = simulate([Place("box", settings={"memory": "1G"})], blocks=5)
    guests = tuple(replace(guest, effective={"pid": n, "bits": "64"}) for n, guest in enumerate(campaign.guests))
    table = html_tables.settings(replace(campaign, guests=guests), "box")
    assert table.rows == [("memory", "1G", ""), ("bits", "", "64"), ("pid", "", "0 | 1 | 2 and 2 others")]
    none = html_tables.settings(replace(simulate([Place("native")]), guests=()), "native")
    assert none.rows == []
    said(none.caption)


def test_every_trial_has_a_row_with_its_value_or_why_there_is_none() -> None:
    mark = Mark(MarkKind.STEAL, "7%")
    campaign = simulate(
        [Place("native")], blocks=3, marks={0: (mark,)}, fail={1: Failure(FailureKind.GUEST, "died", 0)}
    )
    done, failed, _ = html_tables.trials(campaign).rows
    assert done[:5] == ("0", "1", "native", "memory triad 64 MB", "18.0 GB/s") and done[6] == "steal: 7%"
    assert failed[4] == "failed" and failed[6] == "native: died"
    gone = replace(campaign.trials[1], failure=Failure(FailureKind.UNAVAILABLE, "no disk", 0))
    (row,) = html_tables.trials(replace(campaign, trials=(gone,))).rows
    assert row[4] == "not available here"


def test_a_command_line_can_be_pasted_into_a_shell() -> None:
    line = CommandLine("now", "start", ("sh", "-c", "echo 'a b'"), None)
    (row,) = html_tables.commands(replace(simulate([Place("native")]), commands=(line,))).rows
    assert row[:3] == ("now", "start", "") and shlex.split(row[3]) == list(line.argv)


def test_pairs_are_as_given() -> None:
    assert html_tables.pairs("Versions", iter([("agent", "1")])).rows == [("agent", "1")]
