"""The machine interface against its schema, and what may never be in it."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.simulated_campaigns import FAMILIES, Place, Work, changed, lied, simulate, with_runs
from tests.report.showcase import DISK, curves, showcase
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.errors import UsageError
from virtometer.model import Campaign, ClockFault, ClockFit, Failure, FailureKind, Mark, MarkKind, RoundTrip, Run
from virtometer.report import FORMATS, render
from virtometer.report.machine import document, plain

SCHEMA = json.loads((Path(__file__).parents[2] / "contract" / "schema" / "report.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def report() -> Any:
    return json.loads(render(analyse(showcase()), "json"))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_is_valid(report: Any) -> None:
    VALIDATOR.validate(report)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 9),
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from(["B/s", "s", "IO/s"]),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_any_campaign_gives_a_valid_report(blocks: int, family: str, unit: str, seed: int, cost: bool) -> None:
    campaign = simulate(
        [Place("native"), Place("guest", efficiency={"": 0.7}, cost=2.0 if cost else None), Place("kvm", works=False)],
        [Work(unit=unit, level=1e-6 if unit == "s" else 1e9)],
        blocks=blocks,
        seed=seed,
        noise=FAMILIES[family](0.1),
        fail={0: Failure(FailureKind.GUEST, "it died")},
    )
    VALIDATOR.validate(json.loads(render(analyse(campaign), "json")))


def test_wrong_reports_are_refused(report: Any) -> None:
    for change in (
        {"findings": [{**report["findings"][0], "verdict": "better"}]},
        {"findings": [{**report["findings"][0], "ratio": 0}]},
        {"findings": [{key: value for key, value in report["findings"][0].items() if key != "n"}]},
        {"surprise": 1},
    ):
        assert not VALIDATOR.is_valid(report | change)
    failed = next(trial for trial in report["trials"] if trial["status"] == "failed")
    done = next(trial for trial in report["trials"] if trial["status"] == "done")
    assert not VALIDATOR.is_valid(report | {"trials": [{**failed, "runs": done["runs"]}]})
    assert not VALIDATOR.is_valid(report | {"trials": [{**done, "runs": [{**done["runs"][0], "work": None}]}]})
    assert not VALIDATOR.is_valid(report | {"trials": [{**failed, "reason_kind": None}]})
    assert not VALIDATOR.is_valid(report | {"trials": [{**failed, "reason_kind": "bad luck"}]})
    assert not VALIDATOR.is_valid(report | {"trials": [{**done, "marks": [{"kind": "noise", "text": "x"}]}]})


def test_findings_have_the_fields_of_the_design(report: Any) -> None:
    promised = {
        *("workload", "op", "metric", "unit", "better", "subject", "against", "ratio", "low", "high", "n"),
        *("verdict", "host_cpu_ratio", "notes"),
    }
    assert all(promised <= set(finding) for finding in report["findings"])
    assert report["effects"] == []


def test_what_does_not_exist_is_null_and_never_zero(report: Any) -> None:
    by_name = {(finding["workload"], finding["subject"]): finding for finding in report["findings"]}
    kvm = by_name["cpu linpack 500", "KVM"]
    assert [kvm[key] for key in ("ratio", "low", "high", "value", "host_cpu_ratio", "p_value")] == [None] * 6
    assert by_name["cpu linpack 500", "user-mode Linux"]["host_cpu_ratio"] is None
    failed = [trial for trial in report["trials"] if trial["status"] == "failed"]
    assert failed and all(trial["runs"] == [] and trial["reason"] for trial in failed)


def test_not_like_with_like_is_a_field_of_its_own(report: Any) -> None:
    marked = {(f["workload"], f["subject"]) for f in report["findings"] if not f["like_with_like"]}
    assert marked == {("disk 4k random read", "user-mode Linux"), ("cpu linpack 500", "QEMU (emulated)")}


def test_numbers_that_are_not_finite_become_null() -> None:
    campaign = showcase()
    host: Any = {"load": math.nan, "list": [math.inf, 1, {"x": -math.inf}], "path": Path("a"), 3: {1}}
    text = render(analyse(replace(campaign, host=host)), "json")
    assert "NaN" not in text and "Infinity" not in text
    assert json.loads(text)["host"] == {"load": None, "list": [None, 1, {"x": None}], "path": "a", "3": [1]}


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
@settings(deadline=None)
def test_plain_values_are_json(value: object) -> None:
    json.dumps(plain(value), allow_nan=False)


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


def lying() -> Campaign:
    """One guest is right, the clock of the other one stepped in each trial."""
    made = simulate([Place("native"), Place("liar")], [Work()], blocks=2)
    trials = tuple(
        lied(record, ClockFault("stepped", -3.0, 0.4), "the clock stepped")
        if record.trial.placements[0].environment == "liar"
        else record
        for record in made.trials
    )
    return replace(made, trials=trials)


def test_what_a_failed_trial_left_is_in_the_machine_interface() -> None:
    document = json.loads(render(analyse(lying()), "json"))
    VALIDATOR.validate(document)
    failed = [trial for trial in document["trials"] if trial["status"] == "failed"]
    assert len(failed) == 2
    assert {(trial["reason"], trial["reason_kind"]) for trial in failed} == {("liar: the clock stepped", "clock")}
    (left,) = failed[0]["runs"]
    assert [left[name] for name in ("value", "value_bound", "work", "window_s", "clock")] == [None] * 5
    assert left["fault"] == {"kind": "stepped", "size_s": -3.0, "at_s": 0.4, "bound": None}
    assert (left["samples"], left["samples_unused"], left["probes"]) == (4, 4, 2)
    assert left["agent_value"] > 0
    good, liar = document["clocks"]
    assert (good["believable"], good["faults"], good["steps"], good["step_s"]) == (True, [], 0, None)
    assert (liar["believable"], liar["faults"], liar["steps"], liar["step_s"]) == (False, [left["fault"]] * 2, 2, 3.0)
    done = next(trial for trial in document["trials"] if trial["status"] == "done")
    assert all(run["fault"] is None and run["value"] > 0 for run in done["runs"])
    assert not VALIDATOR.is_valid(document | {"trials": [{**done, "runs": failed[0]["runs"]}]})


def test_a_clock_is_believable_where_the_plot_says_from_which_length_on() -> None:
    """Of clocks whose runs were all right: a good one, one too fast, and one that jumps far."""
    watch = Work("clock", "clock", "watch", "s", 3e-8)
    made = simulate([Place("native"), Place("fast"), Place("jumps")], [watch], blocks=2)
    measured = {"resolution-monotonic": {"unit": "s", "value": 1e-8}, "cost-monotonic": {"unit": "s", "value": 3e-8}}

    def put(run: Run) -> Run:
        name = run.placement.environment
        fit = replace(run.scored.clock, rate=1 / 2.42 if name == "fast" else 1.0)
        host, guest = fit.reference_host_ns, fit.reference_guest_ns + (20 * 10**9 if name == "jumps" else 0)
        probe = RoundTrip("during", host, guest, guest, host)
        return changed(run, clock=fit, measures=measured, probes=(probe,))

    document = json.loads(render(analyse(with_runs(made, put)), "json"))
    VALIDATOR.validate(document)
    told = {clock["environment"]: (clock["believable"], clock["believable_from_s"]) for clock in document["clocks"]}
    assert told["native"] == (True, pytest.approx(4e-8 / 0.005, rel=0.01))
    assert told["fast"] == told["jumps"] == (False, None)


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
    told = ("used", "set_aside", "mark", "duration_s", "start_host_ns", "rate")
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
    told = replace(record, marks=(Mark(MarkKind.UNKNOWN, text),), runs=(replace(run, samples=samples),))
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


def compared() -> Campaign:
    """Two blocks with probes, in guests whose clock is 1,000 s behind and runs at half speed, known within 0.1 %."""
    made = simulate([Place("native")], [Work(), Work("switch", "os", "fork", "s", 1e-4)], blocks=2)
    fit = ClockFit(5_000_000_000, 1_005_000_000_000, 2.0, 20_000.0, 0.002, 2)
    probes = tuple(
        RoundTrip("during", host, guest, guest + 1_000, host + 42_000)
        for host, guest in ((1_004_999_980_000, 5_000_000_000), (1_006_999_980_000, 6_000_000_000))
    )

    return with_runs(made, lambda run: changed(run, clock=fit, probes=probes))


def test_samples_csv_has_both_ends_in_host_time_and_every_bound() -> None:
    for row in rows_of(compared(), "samples-csv"):
        start, end = int(row["start_guest_ns"]), int(row["end_guest_ns"])
        assert int(row["start_host_ns"]) == 1_005_000_000_000 + 2 * (start - 5_000_000_000)
        assert int(row["end_host_ns"]) - int(row["start_host_ns"]) == 2 * (end - start)
        assert float(row["start_bound_ns"]) == pytest.approx(20_000 + 0.002 * (start - 5_000_000_000))
        assert float(row["end_bound_ns"]) == pytest.approx(20_000 + 0.002 * (end - 5_000_000_000))
        share = 0.001 if row["unit"] == "s" else 0.001 / 0.999
        assert float(row["rate_bound"]) == pytest.approx(float(row["rate"]) * share)


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
    assert rows_of(by_guest_clocks(campaign), "probes-csv") == rows, "what was read is the same whatever is believed"


def test_probes_of_failed_trials_are_told_without_a_line() -> None:
    campaign = compared()
    first = campaign.trials[0]
    left = replace(first.runs[0], score=None, report=None, fault=ClockFault("stepped", 3.0, 0.5))
    failed = replace(first, failure=Failure(FailureKind.CLOCK, "a step"), runs=(left,))
    rows = rows_of(replace(campaign, trials=(failed, *campaign.trials[1:])), "probes-csv")
    assert [row["status"] for row in rows] == ["failed"] * 2 + ["done"] * 6
    assert all(row["sent_host_ns"] and row["guest_id"] for row in rows)
    assert [row["sent_fitted_ns"] == "" for row in rows] == [True] * 2 + [False] * 6


def test_raw_exports_know_no_bound_and_no_host_time() -> None:
    """Raw values believe the guest's clock: that is not a perfect comparison with the host's but none."""
    raw = by_guest_clocks(compared())
    for row in rows_of(raw, "samples-csv"):
        unknown = ("start_host_ns", "start_bound_ns", "end_host_ns", "end_bound_ns", "duration_bound_s", "rate_bound")
        assert [row[name] for name in unknown] == [""] * len(unknown)
        assert row["duration_s"] == row["duration_guest_s"]
    for row in rows_of(raw, "csv"):
        assert row["value"] and not any(row[name] for name in row if name.startswith("clock_") or name == "value_bound")
    said = json.loads(render(analyse(raw), "json"))
    VALIDATOR.validate(said)
    assert all(one["clock"] is None for trial in said["trials"] for one in trial["runs"])
    assert said["clocks"] == json.loads(render(analyse(compared()), "json"))["clocks"]
    assert said["clocks"][0]["rate_ppm"] == pytest.approx(-500_000)


def test_raw_samples_that_have_no_length_are_told() -> None:
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


def test_clocks_are_told_by_environment_and_what_was_not_measured_is_null() -> None:
    made = simulate([Place("native")], [Work("clock", "clock", "watch", "s", 3e-8)], blocks=2)
    assert made.trials[0].scored
    bare = json.loads(render(analyse(made), "json"))["clocks"][0]
    assert bare["rate_bound_ppm"] == pytest.approx(1.0, rel=1e-3) and bare["runs"] == 2
    for name in ("drift", "step_s", "counter_rate", "steal", "lateness", "realtime_jump_s"):
        assert bare[name] is None, name
    assert set(bare["resolution_s"].values()) == set(bare["reading_s"].values()) == {None}
    found: dict[str, Any] = {
        "measures": {
            "resolution-realtime": {"unit": "s", "value": 1e-9},
            "backward-counter": {"unit": "1", "value": 0.0},
            "counter-rate": {"unit": "1/s", "value": 2.6e9},
            "steal": {"unit": "1", "value": 0.25},
        },
        "histograms": {"timer-lateness": {"unit": "s", "digits": 2, "counts": [[60_000, 98], [2_000_000, 2]]}},
        "clock": ClockFit(0, 0, 1.0, 1.0, 1e-6, 8),
        "guest_id": "same",
    }
    first, second = (
        replace(record, runs=tuple(changed(one, **found) for one in record.runs)) for record in made.trials
    )
    later = changed(second.runs[0], clock=ClockFit(61_000_000_000, 60_000_000_000, 1.0, 1.0, 1e-6, 8))
    said = json.loads(render(analyse(replace(made, trials=(first, replace(second, runs=(later,))))), "json"))
    VALIDATOR.validate(said)
    clock = said["clocks"][0]
    assert clock["drift"] == pytest.approx({"gained_s": 1.0, "bound_s": 2e-9, "over_s": 60.0})
    assert clock["resolution_s"]["realtime"] == 1e-9 and clock["resolution_s"]["monotonic"] is None
    assert clock["backward"]["counter"] == 0 and clock["backward"]["realtime"] is None
    assert (clock["counter_rate"], clock["steal"]) == (2.6e9, 0.25)
    assert clock["lateness"] == pytest.approx({"timers": 200, "median_s": 6e-5, "p99_s": 2e-3, "max_s": 2e-3})


def test_findings_csv_is_the_machine_interface_as_a_table() -> None:
    campaign = showcase()
    rows = list(csv.DictReader(io.StringIO(render(analyse(campaign), "findings-csv"), newline="")))
    for row, finding in zip(rows, document(analyse(campaign))["findings"], strict=True):
        assert row["ratio"] == ("" if finding["ratio"] is None else str(finding["ratio"]))
        assert row["notes"] == " | ".join(finding["notes"])
        assert row["like_with_like"] == ("true" if finding["like_with_like"] else "false")


def test_an_unknown_format_is_a_usage_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        render(analyse(showcase()), "pdf")
    assert all(name in caught.value.advice for name in FORMATS)


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
