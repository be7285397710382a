"""The machine interface against its schema, and what may never be in it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis import sequential_campaign as sequential
from tests.analysis.factor_campaigns import disk_campaign
from tests.analysis.simulated_campaigns import FAMILIES, Place, Work, changed, simulate, with_runs
from tests.house.tracked import ROOT
from tests.report.showcase import compared, in_turns, lying, showcase
from virtometer.analysis import analyse, by_guest_clocks
from virtometer.errors import UsageError
from virtometer.model import ClockFit, Failure, FailureKind, RoundTrip, Run
from virtometer.report import FORMATS, render

SCHEMA = json.loads((ROOT / "contract" / "schema" / "report.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def report() -> Any:
    return json.loads(render(analyse(showcase()), "json"))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_report_is_valid(report: Any) -> None:
    VALIDATOR.validate(report)


@pytest.mark.parametrize("keeps", [("aio", "cache"), ()])
def test_a_sequential_campaign_is_valid(keeps: tuple[str, ...]) -> None:
    VALIDATOR.validate(json.loads(render(analyse(sequential.campaign(keeps=keeps)), "json")))


@settings(max_examples=25)
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
    assert report["effects"] == [] and report["experiment"] is None


def test_what_does_not_exist_is_null_and_never_zero(report: Any) -> None:
    by_name = {(finding["workload"], finding["subject"]): finding for finding in report["findings"]}
    kvm = by_name["cpu linpack 500", "KVM"]
    assert [kvm[key] for key in ("ratio", "low", "high", "value", "host_cpu_ratio", "p_value")] == [None] * 6
    assert by_name["cpu linpack 500", "user-mode Linux"]["host_cpu_ratio"] is None
    failed = [trial for trial in report["trials"] if trial["status"] == "failed"]
    assert failed and all(trial["runs"] == [] and trial["reason"] for trial in failed)


def test_turns_and_the_typical_ratio_are_in_the_machine_interface() -> None:
    campaign = in_turns()
    document = json.loads(render(analyse(campaign), "json"))
    VALIDATOR.validate(document)
    for trial in (*document["planned"], *document["trials"]):
        assert trial["turns"] == trial["block"]
    native, half = document["findings"]
    assert [native[name] for name in ("typical", "typical_low", "typical_high")] == [None] * 3
    assert half["typical"] == pytest.approx(0.5) == half["typical_low"] == half["typical_high"]
    assert half["verdict_by"] == "total"
    chosen = json.loads(render(analyse(in_turns(verdict="typical")), "json"))
    VALIDATOR.validate(chosen)
    assert chosen["findings"][1]["verdict_by"] == "typical"
    assert {name: chosen["findings"][1][name] for name in ("ratio", "typical")} == {
        name: half[name] for name in ("ratio", "typical")
    }
    runs = [run for trial in document["trials"] for run in trial["runs"]]
    assert {(run["samples"], run["samples_unused"]) for run in runs} == {(14, 0)}, "a long window is compared"


def test_the_worst_block_is_in_the_machine_interface(report: Any) -> None:
    worst = {(one["workload"], one["subject"]): one["worst_block"] for one in report["findings"]}
    assert worst["memory triad 64 MB", "native"] is None
    assert worst["memory triad 64 MB", "KVM"] is None
    uml = worst["memory triad 64 MB", "user-mode Linux"]
    assert (uml["block"], uml["ratio"]) == (4, pytest.approx(0.822, abs=1e-3))
    assert uml["without"]["n"] == 7
    assert uml["without"]["low"] < uml["without"]["ratio"] < uml["without"]["high"]
    assert uml["verdict_without"] == "equivalent"


def test_not_comparable_is_a_field_of_its_own(report: Any) -> None:
    marked = {(f["workload"], f["subject"]) for f in report["findings"] if not f["comparable"]}
    assert marked == {("disk 4k random read", "user-mode Linux"), ("cpu linpack 500", "QEMU (emulated)")}


def test_numbers_that_are_not_finite_become_null() -> None:
    campaign = showcase()
    host: Any = {"load": math.nan, "list": [math.inf, 1, {"x": -math.inf}], "path": Path("a"), 3: {1}}
    text = render(analyse(replace(campaign, host=host)), "json")
    assert "NaN" not in text and "Infinity" not in text
    assert json.loads(text)["host"] == {"load": None, "list": [None, 1, {"x": None}], "path": "a", "3": [1]}


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
    assert (good["usable"], good["faults"], good["steps"], good["step_s"]) == (True, [], 0, None)
    assert (liar["usable"], liar["faults"], liar["steps"], liar["step_s"]) == (False, [left["fault"]] * 2, 2, 3.0)
    done = next(trial for trial in document["trials"] if trial["status"] == "done")
    assert all(run["fault"] is None and run["value"] > 0 for run in done["runs"])
    assert not VALIDATOR.is_valid(document | {"trials": [{**done, "runs": failed[0]["runs"]}]})


def test_a_clock_is_usable_where_the_plot_says_from_which_length_on() -> None:
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
    told = {clock["environment"]: (clock["usable"], clock["usable_from_s"]) for clock in document["clocks"]}
    assert told["native"] == (True, pytest.approx(4e-8 / 0.005, rel=0.01))
    assert told["fast"] == told["jumps"] == (False, None)


def test_the_machine_interface_of_raw_values_has_no_fit_and_the_same_clocks() -> None:
    raw = by_guest_clocks(compared())
    said = json.loads(render(analyse(raw), "json"))
    VALIDATOR.validate(said)
    assert all(one["clock"] is None for trial in said["trials"] for one in trial["runs"])
    assert said["clocks"] == json.loads(render(analyse(compared()), "json"))["clocks"]
    assert said["clocks"][0]["rate_ppm"] == pytest.approx(-500_000)


def test_clocks_are_reported_by_environment_and_what_was_not_measured_is_null() -> None:
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


def test_an_unknown_format_is_a_usage_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        render(analyse(showcase()), "pdf")
    assert all(name in caught.value.advice for name in FORMATS)


def test_effects_of_a_plan_with_factors_fit_the_schema() -> None:
    made = json.loads(render(analyse(disk_campaign()), "json"))
    VALIDATOR.validate(made)
    first = made["effects"][0]
    assert (first["metric"], first["term"], first["verdict"]) == ("random read", "aio:cache", "influence")
    assert made["experiment"]["recommended"]["changed"][0] == {"factor": "aio", "from": "threads", "to": "io_uring"}
