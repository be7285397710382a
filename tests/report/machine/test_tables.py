"""Tables of results, findings, samples and probes: whole, in host time, and no formula."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, lied, simulate, with_runs
from tests.report.group_campaigns import group_campaign
from tests.report.showcase import DISK, compared, curves, in_turns, lying, showcase
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.model import Campaign, ClockFault, ClockFit, Failure, FailureKind, Mark, MarkKind, RoundTrip
from virtometer.report import render
from virtometer.report.machine.document import document
from virtometer.report.machine.tables import groups_csv, matrices_csv


def test_results_csv_has_a_row_for_every_placement_with_empty_cells_for_missing() -> None:
    campaign = showcase()
    rows = list(csv.DictReader(io.StringIO(render(analyse(campaign), "csv"), newline="")))
    assert len(rows) == len(campaign.trials)
    failed = [row for row in rows if row["status"] == "failed"]
    assert failed and all(row["value"] == "" and row["reason"] and row["environment"] for row in failed)
    done = next(row for row in rows if row["status"] == "done")
    assert float(done["value"]) == campaign.trials[int(done["trial"])].runs[0].scored.value


def test_samples_csv_keeps_every_sample_and_adds_up_to_the_value() -> None:
    campaign = simulate([Place("native"), Place("runc")], [Work(), Work("switch", "os", "fork", "s", 1e-4)], blocks=2)
    rows = list(csv.DictReader(io.StringIO(render(analyse(campaign), "samples-csv"), newline="")))
    assert len(rows) == 2 * 2 * 2 * 4
    for record in campaign.trials:
        own = [row for row in rows if int(row["trial"]) == record.trial.index]
        work, seconds = sum(int(row["work"]) for row in own), sum(float(row["duration_s"]) for row in own)
        score = record.runs[0].scored
        assert work == score.work
        rate = seconds / work if own[0]["unit"] == "s" else work / seconds
        assert rate == pytest.approx(score.value, rel=0.05)


def test_what_a_failed_trial_left_is_in_the_tables_and_has_no_value() -> None:
    campaign = lying()
    rows = [row for row in csv.DictReader(io.StringIO(render(analyse(campaign), "csv"), newline="")) if row["reason"]]
    assert len(rows) == 2
    for row in rows:
        assert (row["environment"], row["value"], row["samples"], row["samples_unused"]) == ("liar", "", "4", "4")
        assert float(row["agent_value"]) > 0
    samples = list(csv.DictReader(io.StringIO(render(analyse(campaign), "samples-csv"), newline="")))
    assert len(samples) == 2 * 2 * 4
    kept = [row for row in samples if row["environment"] == "liar"]
    told = ("used", "excluded", "mark", "duration_s", "start_host_ns", "rate")
    assert {tuple(row[name] for name in told) for row in kept} == {
        ("false", "failed-trial", "the clock stepped", "", "", "")
    }
    assert {row["duration_guest_s"] for row in kept} == {"0.25"}
    assert "8 of 16 samples were not used" in render(analyse(campaign), "html")


FORMULAS = ["=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@now", "\t=1", "\r=1", "\n=1", "\uff1d1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_plan_or_a_guest_is_a_formula_to_a_spreadsheet(text: str) -> None:
    campaign = simulate([Place("native"), Place(text.strip())], [Work()], blocks=2)
    record = campaign.trials[0]
    (run,) = record.runs
    samples = (replace(run.samples[0], mark=text), replace(run.samples[1], check=text), *run.samples[2:])
    told = replace(record, marks=(Mark(MarkKind.STEAL, text),), runs=(replace(run, samples=samples),))
    campaign = replace(campaign, trials=(told, *campaign.trials[1:]))
    cells = [
        cell
        for name in ("csv", "findings-csv", "samples-csv")
        for row in csv.reader(io.StringIO(render(analyse(campaign), name), newline=""))
        for cell in row
    ]
    assert not {text, text.strip()} & set(cells)
    assert {f"'{text}", f"'{text.strip()}"} <= set(cells)


@pytest.mark.parametrize("number", [-1, -0.25, -1e-300, "-7", "+1.5e3"])
def test_numbers_stay_numbers_in_csv(number: float | str) -> None:
    campaign = simulate([Place("native")], [Work()], blocks=1)
    first = replace(campaign.trials[0].runs[0].samples[0], check=str(number))
    campaign = with_runs(campaign, lambda run: changed(run, agent_value=float(number), samples=(first,)))
    [row] = csv.DictReader(io.StringIO(render(analyse(campaign), "csv"), newline=""))
    assert float(row["agent_value"]) == float(number)
    [sample] = csv.DictReader(io.StringIO(render(analyse(campaign), "samples-csv"), newline=""))
    assert sample["check"] == str(number)


def rows_of(campaign: Campaign, kind: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(analyse(campaign), kind), newline="")))


def test_samples_csv_has_both_ends_in_host_time_and_every_bound() -> None:
    for row in rows_of(compared(), "samples-csv"):
        start, end = int(row["start_guest_ns"]), int(row["end_guest_ns"])
        assert int(row["start_host_ns"]) == 1_005_000_000_000 + 2 * (start - 5_000_000_000)
        assert int(row["end_host_ns"]) - int(row["start_host_ns"]) == 2 * (end - start)
        assert float(row["start_bound_ns"]) == pytest.approx(20_000 + 0.002 * (start - 5_000_000_000))
        assert float(row["end_bound_ns"]) == pytest.approx(20_000 + 0.002 * (end - 5_000_000_000))
        share = 0.001 if row["unit"] == "s" else 0.001 / 0.999
        assert float(row["rate_bound"]) == pytest.approx(float(row["rate"]) * share)


def test_findings_csv_has_the_worst_block() -> None:
    campaign = showcase()
    rows = {(row["workload"], row["subject"]): row for row in rows_of(campaign, "findings-csv")}
    found = rows["memory triad 64 MB", "user-mode Linux"]
    assert (found["worst_block"], found["worst_block_verdict_without"]) == ("4", "equivalent")
    numbers = [float(found[name]) for name in ("worst_block_ratio", "worst_block_without_low", "worst_block_without")]
    assert numbers == sorted(numbers) and 0 < numbers[0] < float(found["ratio"]) < numbers[2]
    assert rows["memory triad 64 MB", "native"]["worst_block"] == ""


def test_samples_csv_has_the_slice_and_findings_csv_the_typical_ratio() -> None:
    campaign = in_turns()
    own = [row for row in rows_of(campaign, "samples-csv") if row["trial"] == "0"]
    assert [row["slice"] for row in own] == ["-1"] * 4 + [str(number) for number in range(10)]
    assert [row["excluded"] for row in own] == ["long-window"] * 4 + [""] * 10
    native, half = rows_of(campaign, "findings-csv")
    assert (native["typical"], native["typical_low"], native["typical_high"]) == ("", "", "")
    assert [float(half[name]) for name in ("typical", "typical_low", "typical_high")] == pytest.approx([0.5] * 3)
    assert half["verdict_by"] == "total"
    names = ("slices_by_windows", "slices_by_windows_low", "slices_by_windows_high", "slices_by_windows_n")
    assert [native[name] for name in names] == [""] * 4
    assert float(half[names[0]]) == pytest.approx(1.0) and int(half[names[3]]) > 0
    assert rows_of(in_turns(verdict="typical"), "findings-csv")[1]["verdict_by"] == "typical"
    assert {row["slice"] for row in rows_of(compared(), "samples-csv")} == {""}, "not in slices"


def test_results_csv_has_the_fit_and_what_it_leaves_open_of_the_value() -> None:
    for row in rows_of(compared(), "csv"):
        assert (float(row["clock_rate"]), float(row["clock_rate_bound"])) == (2.0, 0.002)
        assert (row["clock_reference_guest_ns"], row["clock_reference_host_ns"]) == ("5000000000", "1005000000000")
        assert float(row["value_bound"]) == pytest.approx(float(row["value"]) * 0.001, rel=0.002)


def test_every_correction_can_be_traced_to_its_probes() -> None:
    campaign = compared()
    rows = rows_of(campaign, "probes-csv")
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        sent, received = int(row["sent_host_ns"]), int(row["received_host_ns"])
        assert sent <= int(row["received_fitted_ns"]) <= int(row["sent_fitted_ns"]) <= received
        assert int(row["received_fitted_ns"]) == 1_005_000_000_000 + 2 * (int(row["received_guest_ns"]) - 5_000_000_000)
    assert rows_of(by_guest_clocks(campaign), "probes-csv") == rows, "readings are the same whichever clock is used"


def test_probes_of_failed_trials_are_reported_without_a_line() -> None:
    campaign = compared()
    first = campaign.trials[0]
    left = replace(first.runs[0], score=None, report=None, fault=ClockFault("stepped", 3.0, 0.5))
    failed = replace(first, failure=Failure(FailureKind.CLOCK, "a step"), runs=(left,))
    rows = rows_of(replace(campaign, trials=(failed, *campaign.trials[1:])), "probes-csv")
    assert [row["status"] for row in rows] == ["failed"] * 2 + ["done"] * 6
    assert all(row["sent_host_ns"] and row["guest_id"] for row in rows)
    assert [row["sent_fitted_ns"] == "" for row in rows] == [True] * 2 + [False] * 6


def test_raw_exports_know_no_bound_and_no_host_time() -> None:
    """Raw values take the guest's clock as true: that is not a perfect comparison with the host's but none."""
    raw = by_guest_clocks(compared())
    for row in rows_of(raw, "samples-csv"):
        unknown = ("start_host_ns", "start_bound_ns", "end_host_ns", "end_bound_ns", "duration_bound_s", "rate_bound")
        assert [row[name] for name in unknown] == [""] * len(unknown)
        assert row["duration_s"] == row["duration_guest_s"]
    for row in rows_of(raw, "csv"):
        assert row["value"] and not any(row[name] for name in row if name.startswith("clock_") or name == "value_bound")


def test_raw_samples_that_have_no_length_are_reported() -> None:
    """What a clock that stood still left: there is no rate of it, and nothing else is lost."""
    made = simulate([Place("native")], [Work("clock", "clock", "watch", "s", 3e-8)], blocks=1)
    failed = lied(made.trials[0], ClockFault("stood-still", None, 0.2))
    (left,) = failed.runs
    still = (replace(left.samples[0], end_ns=left.samples[0].start_ns), *left.samples[1:])
    failed = replace(failed, runs=(replace(left, samples=still),))
    rows = rows_of(by_guest_clocks(replace(made, trials=(failed,))), "samples-csv")
    assert [float(row["duration_s"]) > 0 for row in rows] == [False, True, True, True]
    assert {row["rate_bound"] for row in rows} == {""}


def test_a_sample_is_known_as_well_as_the_probes_around_it_allow() -> None:
    made = simulate([Place("native")], blocks=1)
    fit = ClockFit(5 * 10**9, 0, 1.0, 0.0, 0.0, 4)
    ends = [(0, 0), (300_000_000, 302_000_000), (10**9, 1_002_000_000)]  # 2 ms are lost in the first gap
    probes = [RoundTrip("during", host, guest, guest, host) for host, guest in ((h, 5 * 10**9 + g) for h, g in ends)]
    campaign = with_runs(made, lambda run: changed(run, clock=fit, probes=tuple(probes)))
    rows = rows_of(campaign, "samples-csv")
    assert [float(row["duration_bound_s"]) for row in rows] == pytest.approx([2e-3, 2e-3, 0.0, 0.0])
    shares = [float(row["rate_bound"]) / float(row["rate"]) for row in rows]
    assert shares == pytest.approx([8e-3 / (1 - 8e-3)] * 2 + [0.0] * 2, rel=1e-3)
    assert "±8e+03 ppm" in render(analyse(campaign), "html"), "the page tells the worst of the samples that are used"


def test_findings_csv_is_the_machine_interface_as_a_table() -> None:
    campaign = showcase()
    rows = list(csv.DictReader(io.StringIO(render(analyse(campaign), "findings-csv"), newline="")))
    for row, finding in zip(rows, document(analyse(campaign))["findings"], strict=True):
        assert row["ratio"] == ("" if finding["ratio"] is None else str(finding["ratio"]))
        assert row["notes"] == " | ".join(finding["notes"])
        assert row["comparable"] == ("true" if finding["comparable"] else "false")


def test_results_say_what_others_did_on_the_host() -> None:
    campaign = curves()
    first = campaign.trials[0]
    assert first.host is not None
    others: dict[str, Any] = {
        "foreign": 0.5,
        "run_delay": 0.25,
        "pressure": 0.75,
        "frequency_mhz": 2400.0,
        "temperature_c": 61.5,
    }
    told = replace(first, host=replace(first.host, **others))
    rows = rows_of(replace(campaign, trials=(told, *campaign.trials[1:])), "csv")
    assert {name: float(rows[0][f"host_{name}"]) for name in others} == others
    assert all(rows[-1][f"host_{name}"] == "" for name in others)


def test_results_say_what_ran_where_and_what_the_host_did() -> None:
    campaign = curves()
    rows = rows_of(campaign, "csv")
    assert {row["kind"] for row in rows} == {"native", "runc"}
    assert all(float(row["host_busy"]) == pytest.approx(1.0) and float(row["host_wall_s"]) == 1.0 for row in rows)
    swept = next(row for row in rows if row["workload"] == "write 8 MiB by 4 KiB")
    assert json.loads(swept["levels"]) == {"span": 8 << 20, "size": 4096}
    disk = next(row for row in rows if row["workload"] == DISK.name and row["environment"] == "native")
    assert (disk["times"], int(disk["times_count"]) > 0) == ("latency", True)
    quantiles = [float(disk[f"times_{name}_s"]) for name in ("p50", "p90", "p99", "p999", "max")]
    assert quantiles == sorted(quantiles)
    assert quantiles[0] > 8e-5
    assert swept["times"] == swept["times_p50_s"] == ""


@pytest.mark.parametrize("kind", ["csv", "findings-csv", "groups-csv", "matrices-csv", "samples-csv", "probes-csv"])
def test_a_campaign_that_has_only_begun_has_its_header_and_lines_end_as_rfc_4180_has_it(kind: str) -> None:
    empty = replace(compared(), trials=())
    text = render(analyse(empty), kind)
    lines = text.split("\r\n")
    assert lines[-1] == "" and "\n" not in text.replace("\r\n", "")
    assert len(lines) == (4 if kind == "findings-csv" else 2), "findings say of all rows that nothing is known"
    columns = lines[0].split(",")
    assert len(columns) == len(set(columns)) and all(columns)


@pytest.mark.parametrize("name", ['a, "b"', "two  blanks", "50 %; more", "'quoted'"])
def test_names_come_back_as_they_were(name: str) -> None:
    campaign = simulate([Place(name)], [Work()], blocks=1)
    for kind in ("csv", "findings-csv", "samples-csv"):
        column = "subject" if kind == "findings-csv" else "environment"
        assert {row[column] for row in rows_of(campaign, kind)} == {name}


def test_no_row_of_several_guests_has_a_column_without_a_name() -> None:
    analysis = analyse(group_campaign(blocks=2))
    for text in (groups_csv(analysis), matrices_csv(analysis)):
        header, *rows = csv.reader(io.StringIO(text))
        assert len(set(header)) == len(header) and rows
        assert {len(row) for row in rows} == {len(header)}
    named = list(csv.DictReader(io.StringIO(groups_csv(analysis))))
    load = next(row for row in named if row["guest_role"] == "load")
    assert load["guest_workload"] == "linpack" and load["workload"] == "disk read"
    assert load["guest_unit"] == "FLOP/s" and load["unit"] == "IO/s" and load["guest_against_others"] == ""
