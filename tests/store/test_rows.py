"""Between the nouns of the model and the rows: whole, also where the text is none."""

from __future__ import annotations

import json
import math
import types
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.campaigns import campaign, done, failed, guest, lied
from virtometer.model import GuestUse, Run, ServiceAccount
from virtometer.store import schema
from virtometer.store.rows import (
    command_row,
    environment_row,
    from_json,
    guest_row,
    plan_of,
    planned_of,
    planned_rows,
    probe_rows,
    run_of,
    run_row,
    sample_rows,
    to_json,
    to_text,
    trial_of,
    trial_row,
)


def test_a_stored_plan_that_is_none_is_one_sentence() -> None:
    text = campaign(1).plan.model_dump_json()
    assert plan_of(text) == campaign(1).plan
    with pytest.raises(ValueError, match=r"^a plan that is wrong at limits\.start_s$"):
        plan_of(text.replace('"start_s":60.0', '"start_s":-1'))
    with pytest.raises(ValueError, match=r"^a plan that is wrong at virtometer$"):
        plan_of("{}")


def test_what_is_no_number_cannot_be_stored() -> None:
    for number in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="JSON compliant"):
            to_json({"x": [number]})


def test_mappings_sets_and_paths_have_a_form() -> None:
    value = {"set": {3, 1, 2}, "mapping": types.MappingProxyType({"a": 1}), "path": Path("/x"), "none": None}
    assert to_json(value) == '{"set":[1,2,3],"mapping":{"a":1},"path":"/x","none":null}'


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_json_comes_back(value: object) -> None:
    assert from_json(to_json(value)) == value


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_what_is_nested_deeper_than_anything_that_is_stored_is_refused() -> None:
    assert from_json(nested(64)) is not None
    assert from_json('{"a":' * 64 + "1" + "}" * 64) is not None
    for text in (nested(66), nested(900), '{"a":' * 66 + "1" + "}" * 66):
        with pytest.raises(ValueError, match="nested more than 64 deep"):
            from_json(text)


@pytest.mark.parametrize(
    ("text", "stored"), [("", ""), ("ü\x00", "ü\x00"), ("a\ud800b", "a?b"), ("\udcff", "?"), ("😀", "😀")]
)
def test_text_is_stored_as_well_as_it_can_be(text: str, stored: str) -> None:
    assert to_text(text) == stored
    stored.encode()


def test_the_row_of_a_failed_trial_has_its_kind_and_no_host() -> None:
    of = campaign(4)
    row = trial_row(failed(of.planned[0]))
    assert (row["status"], row["failure"], row["failure_placement"]) == ("failed", "guest", None)
    assert (row["reason"], row["host_json"]) == ("the guest died: exit status 3", None)
    whole = trial_row(done(of.planned[0]))
    assert (whole["status"], whole["reason"], whole["failure"]) == ("done", "", None)
    assert json.loads(whole["marks_json"]) == [["steal", "7 %"]]


def test_the_row_of_a_run_without_a_score_or_a_report_has_neither() -> None:
    (left,) = lied(campaign(4).planned[0], 2).runs
    row = run_row(7, left)
    score = ("value", "work", "guest_cpu_s", "window_start_host_ns", "clock_rate", "clock_probes")
    report = ("agent_value", "agent_cpu_s", "check_json", "measures_json", "histograms_json", "output")
    assert left.report is None and left.score is None
    assert [row[name] for name in (*score, *report)] == [None] * 12
    assert (row["trial"], row["placement"], row["fault"], row["fault_bound"]) == (7, 0, "uncertain", 0.0064)


def test_a_service_without_a_score_has_the_account_of_its_guest() -> None:
    run = done(campaign().planned[0]).runs[0]
    use = GuestUse(0.25, 0.0, None, 0.125, 0.125, "threads are hidden")
    serving = replace(run, score=None, account=ServiceAccount(0.25, use))
    columns = [column.name for column in schema.runs.columns]

    def back(of: Run) -> Run:
        row = run_row(7, of)
        return run_of(types.SimpleNamespace(**{name: row[name] for name in columns}), of.placement, (), ())  # type: ignore[arg-type]

    assert back(serving).account == serving.account and back(serving).score is None
    assert back(replace(serving, account=None)).account is None, "ledgers of older versions do not have it"
    assert back(run).account is None and back(run).guest_cpu_s == run.guest_cpu_s


def test_values_of_zero_are_stored_as_zero_and_not_as_missing() -> None:
    run = done(campaign(1).planned[0]).runs[0]
    assert run.report is not None and run.score is not None
    zero = replace(run, report=replace(run.report, value=0.0, cpu_s=0.0), score=replace(run.score, value=0.0, work=0))
    row = run_row(0, zero)
    assert (row["agent_value"], row["agent_cpu_s"], row["value"], row["work"]) == (0.0, 0.0, 0.0, 0)


def test_samples_and_probes_have_their_place_in_the_order() -> None:
    run = done(campaign(1).planned[0], 3).runs[0]
    samples, probes = sample_rows(4, 1, run.samples), probe_rows(4, 1, run.probes)
    assert [(row["trial"], row["placement"], row["position"]) for row in samples] == [(4, 1, n) for n in range(3)]
    assert [row["excluded"] for row in samples] == ["clock-error", None, None]
    assert [row["kind"] for row in probes] == [probe.kind for probe in run.probes]
    assert sample_rows(4, 1, ()) == probe_rows(4, 1, ()) == []


def test_every_column_of_a_table_has_a_value_in_its_row() -> None:
    of = campaign(2)
    record = done(of.planned[0], 1)
    planned, placements = planned_rows(of.planned)
    made = {
        "planned": planned[0], "placements": placements[0], "environments": environment_row(0, of.environments[0]),
        "trials": trial_row(record), "runs": run_row(0, record.runs[0]),
        "samples": sample_rows(0, 0, record.runs[0].samples)[0], "probes": probe_rows(0, 0, record.runs[0].probes)[0],
    }  # fmt: skip
    for table, row in made.items():
        assert sorted(row) == sorted(column.name for column in schema.METADATA.tables[table].columns), table
    # These number themselves.
    for table, row in (("guests", guest_row(guest(0))), ("commands", command_row(of.commands[0]))):
        named = sorted(column.name for column in schema.METADATA.tables[table].columns)
        assert sorted(["position", *row]) == named, table


def test_planned_trials_come_back_from_rows_with_their_placements() -> None:
    of = campaign(3)
    planned, placements = ([types.SimpleNamespace(**row) for row in found] for found in planned_rows(of.planned))
    assert planned_of(planned, placements) == of.planned  # type: ignore[arg-type]
    assert planned_of([], []) == ()


def test_what_watching_took_and_what_was_shared_come_back() -> None:
    record = done(campaign(1).planned[0])
    assert record.host is not None
    known = replace(record, host=replace(record.host, watch_s=0.0, overlap_s=0.5))
    for of in (record, known):
        values = trial_row(of)
        row = types.SimpleNamespace(**values)
        assert trial_of(row, of.trial, of.runs) == of  # type: ignore[arg-type]
