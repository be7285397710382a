"""Descriptions of studies: their language, their files, and the cells that they join."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.analysis.studies.derived import FUNCTIONS
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.studies.data import items, studies, value, values
from virtometer.studies.sections import (
    chart_cells,
    chart_of,
    description,
    others,
    per_run,
    read,
    reference,
    rule_of,
    sources,
)
from virtometer.studies.selectors import ANY, selects

GUEST = value("tsiouprou2010/5.1/r1c3")  # Linux 64 bit, guest, 1000 x 1000


@pytest.mark.parametrize("study", studies())
def test_every_study_has_a_description_with_kinds_and_functions_that_exist(study: str) -> None:
    of = description(study)
    assert of.study == study
    assert {one.kind for rule in of.environments for one in rule.kinds} <= KINDS.keys()
    assert {rule.by for rule in of.derived} <= FUNCTIONS.keys()
    assert of.question.endswith("?") and all(one.question.endswith("?") for one in of.answers)


@pytest.mark.parametrize("study", studies())
def test_every_rule_is_for_some_cell_and_every_question_about_some(study: str) -> None:
    of = description(study)
    cells = [one for item in items(study) for one in (values(study, item) or chart_cells(study, item))]
    for rules in (of.environments, of.quantities, of.derived):
        used = {id(rule_of(rules, one)) for one in cells}
        assert {id(rule) for rule in rules} <= used, [rule.select for rule in rules if id(rule) not in used]
    for answer in of.answers:
        for selector in answer.selectors:
            assert any(selects(selector, one) for one in cells), (answer.question, selector)


def test_the_reference_is_the_native_cell_of_the_row() -> None:
    found = reference(GUEST, description("tsiouprou2010"))
    assert found is not None and found.id == "tsiouprou2010/5.1/r1c5"
    native = value("tsiouprou2010/5.1/r1c5")
    assert reference(native, description("tsiouprou2010")) is None


def test_a_sum_of_guests_has_the_native_cell_of_another_table() -> None:
    found = reference(value("tsiouprou2010/6.4/r1c4"), description("tsiouprou2010"))
    assert found is not None and found.item == "5.4" and found.bits == 32 and found.role == "native"


def test_others_differ_by_the_changes_alone() -> None:
    assert [one.id for one in others(GUEST, {"bits": "32"})] == ["tsiouprou2010/5.1/r1c2"]
    assert others(GUEST, {"bits": "16"}) == ()
    assert {one.bits for one in others(GUEST, {"bits": ANY})} == {32, 64}


def test_a_cell_that_is_printed_twice_counts_once_and_in_its_own_item() -> None:
    of = value("tsiouprou2010/6.3/r1c1")
    assert [one.item for one in others(of, {"member": "2"})] == ["6.3"]
    assert [one.item for one in others(of, {"member": "single", "guests": "1"})] == ["6.3"]


def test_sources_are_complete_or_none() -> None:
    average = value("tsiouprou2010/5.15/r5c1")
    rule = rule_of(description("tsiouprou2010").derived, average)
    assert rule is not None
    assert [one.operation for one in sources(average, rule)] == ["int-copy", "int-scale", "int-add", "int-triad"]
    assert sources(GUEST, rule.model_copy(update={"sources": [{"bits": "16"}]})) == ()


def test_totals_count_for_one_run() -> None:
    total = value("lemberger2010/appendix-CPU-Linpack-parallel/r1c1")
    assert per_run(total) == pytest.approx(21.321)
    assert per_run(GUEST) == GUEST.value


def test_facts_and_levels_are_filled_from_the_cell() -> None:
    quantities = description("tsiouprou2010").quantities
    rule = rule_of(quantities, GUEST)
    assert rule is not None and rule.facts(GUEST)["order"] == 500 and rule.works(GUEST) == (rule.facts(GUEST),)
    disk = value("tsiouprou2010/5.3/r1c1")
    rule = rule_of(quantities, disk)
    assert rule is not None
    assert [one["size"] for one in rule.works(disk)] == [4096, 32768, 262144, 1048576, 4194304]
    five = value("zupka2008/F5.15/bonnie++/r1c11")
    rule = rule_of(description("zupka2008").quantities, five)
    assert rule is not None
    assert [(one["op"], one.get("size")) for one in rule.works(five)] == [
        ("char-write", None), ("write", 8192), ("read-rewrite", 8192), ("char-read", None), ("read", 8192),
    ]  # fmt: skip


@pytest.mark.parametrize("study", studies())
def test_every_figure_that_draws_no_item_has_cells_or_a_reason(study: str) -> None:
    figures = [name for name, item in items(study).items() if item.kind == "figure" and not item.draws]
    charts = {name: chart_of(study, name) for name in items(study)}
    without = [name for name in figures if not values(study, name)]
    assert [name for name, chart in charts.items() if chart is not None] == without
    for name in without:
        chart = charts[name]
        assert chart is not None and bool(chart_cells(study, name)) is not bool(chart.unavailable)


def test_cells_of_charts_and_printed_ones_are_never_joined() -> None:
    of = description("zupka2008")
    guest = next(one for one in chart_cells("zupka2008", "F5.2") if one.row == "KVM, paravirtual devices")
    native = reference(guest, of)
    assert native is not None and (native.item, native.role, native.value) == ("F5.2", "native", None)
    printed = next(one for one in values("zupka2008", "F5.15/lmdd") if one.role == "guest")
    assert {one.item for one in others(printed, {"devices": ANY})} == {"F5.15/lmdd"}
    efficiency = next(one for one in chart_cells("zupka2008", "F5.1") if one.metric == "efficiency")
    rule = rule_of(of.derived, efficiency)
    assert rule is not None and [one.column for one in sources(efficiency, rule)] == [
        "throughput",
        "CPU use of the host",
    ]


def test_settings_of_an_environment_are_filled_from_the_cell() -> None:
    cell = next(one for one in chart_cells("zupka2008", "F5.8") if one.column == "KVM, processors: 4")
    rule = rule_of(description("zupka2008").environments, cell)
    assert rule is not None and {one.wanted(cell)["cpus"] for one in rule.kinds} == {4}


GOOD = """
study: some
question: Is it so?
processors: 2
environments: [{for: {role: native}, kinds: [native, {kind: qemu, settings: {disk_device: ide}}]}]
quantities: [{for: {metric: time}, measured: {workload: linpack, size: 32M}, as: seconds}]
"""


CHART = (
    "charts: [{{item: {}, cells: {{role: guest, workload: ab, metric: rate, unit_printed: requests/s}}, "
    "rows: [{{label: a}}], columns: [{{label: b}}]}}]"
)


def test_a_description_is_read_with_kinds_as_words(tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(GOOD)
    rule = read(path).environments[0]
    assert [(one.kind, one.settings) for one in rule.kinds] == [("native", {}), ("qemu", {"disk_device": "ide"})]
    assert read(path).quantities[0].facts(GUEST) == {"workload": "linpack", "size": 32 << 20}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("role: native", "colour: blue"), "colour"),
        (("kinds: [native", "none: [native"), "environments.0"),
        (("processors: 2", "processors: 0"), "processors"),
        (("as: seconds", "as: measure"), "measure"),
        (("measured: {workload: linpack, size: 32M}, ", ""), "quantities.0"),
        (("study: some", "study: ["), "no YAML"),
        (("study: some", "charts: [{item: F9, unavailable: so it is}]\nstudy: some"), "no item F9"),
        (("study: some", f"{CHART.format('F5.15/lmdd')}\nstudy: zupka2008"), "is no figure"),
        (("study: some", f"{CHART.format('F4.3')}\nstudy: zupka2008"), "values of F4.3 are printed"),
        (("study: some", f"{CHART.format('F5.1').replace('role', 'colour')}\nstudy: zupka2008"), "colour is no field"),
        (("study: some", ""), "study"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_name_and_place(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(UsageError) as raised:
        read(path)
    assert "some.yaml" in raised.value.sentence and said in raised.value.sentence
    assert "\n" not in raised.value.sentence


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read(tmp_path / "none.yaml")
