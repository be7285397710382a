"""The knee of latency in words, as a table, and in the machine interface."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from tests.analysis.loaded_campaigns import loaded
from tests.analysis.simulated_campaigns import Place, simulate
from tests.sentences import Said
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.statistics.knee import Middle, Position
from virtometer.model import Campaign
from virtometer.report import render
from virtometer.report.formats.html import page
from virtometer.report.formats.terminal import ResultTable
from virtometer.report.machine.document import document
from virtometer.report.sweeps.knees import groups, notes, place, sentence, table
from virtometer.report.sweeps.section import part

SCHEMA = json.loads((Path(__file__).parents[3] / "contract" / "schema" / "report.schema.json").read_text())
CAPACITIES = {"native": 50_000, "box": 12_000, "fast": 1e6, "slow": 500}


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return loaded(CAPACITIES)


@pytest.fixture(scope="module")
def analysis(campaign: Campaign) -> Analysis:
    return analyse(campaign)


def test_one_sentence_has_each_knee_with_its_interval_and_its_part_of_the_baseline_s(
    said: Said, analysis: Analysis
) -> None:
    (group,) = groups(analysis.knees)
    native, box, fast, slow = sentence(group).split("; ")
    about, _, rate = native.partition(": native ")
    assert rate.startswith("2") and rate.endswith(" requests/s [16,000, 32,000]")
    assert box.startswith("box 6,") and " requests/s [4,000, 8,000], 0.2" in box
    assert box.endswith(" [0.125, 0.500] of native's")
    assert fast.startswith("fast above 64,000 ") and slow.startswith("slow below 1,000 ")
    said(about)
    said(f"{fast}; {slow}")
    assert notes(group) == []


def test_the_table_has_a_row_for_each_environment(analysis: Analysis) -> None:
    (group,) = groups(analysis.knees)
    made = table(group, "open loop")
    assert [row[0] for row in made.rows] == list(CAPACITIES)
    assert all(len(row) == len(made.columns) for row in made.rows)
    assert made.rows[0][2] == "1" and made.rows[2][1] == "above 64,000 requests/s"
    assert made.rows[0][3:5] == ("9", "1,000 to 64,000")


def test_what_is_not_known_is_said_in_words(said: Said, campaign: Campaign) -> None:
    few = analyse(loaded({"native": 50_000, "fast": 1e6, "slow": 500}, blocks=5))
    (group,) = groups(few.knees)
    assert place(group[1]) == "above the measured rates" and place(group[2]) == "below the measured rates"
    assert place(group[0]).endswith(" requests/s")
    assert notes(group)[0] == "native: 5 blocks with a knee; an interval takes 6"
    both = analyse(loaded({"native": 1e6, "box": 1e6}))
    box = sentence(groups(both.knees)[0]).split("; ")[-1]
    assert box.startswith("box above 64,000 ")
    said(box)
    assert Middle(Position.UNKNOWN, None, None, None, 9) == both.knees[1].ratio


def test_the_terminal_has_the_sentence_below_the_sweep(analysis: Analysis) -> None:
    out = io.StringIO()
    made = ResultTable(analysis.findings, analysis.sweeps, analysis.knees)
    Console(file=out, width=80, force_terminal=False, color_system=None).print(made)
    text = " ".join(out.getvalue().split())
    assert text.index("64000") < text.index("knee of open loop, the rate") < text.index("comparisons with native")
    assert max(map(len, out.getvalue().splitlines())) <= 80


def test_the_page_has_the_sentence_the_plot_and_the_table(analysis: Analysis) -> None:
    text = page(analysis, scripts=False)
    assert "<p>Knee of open loop, the rate at which 99 % of " in text
    assert "knees: native 2" in text and "Dashed: the knee" in text
    assert "against native</th>" in text
    (sweep,) = analysis.sweeps
    found = part("sweep-1", sweep, analysis.findings, analysis.knees)
    assert len(found.figures) == 3 and len(found.tables) == 2 and len(found.sentences) == 1


def test_names_of_environments_begin_a_sentence_as_the_plan_has_them(analysis: Analysis) -> None:
    noted = [replace(one, notes=("nothing was lost",)) for one in analysis.knees]
    (sweep,) = analysis.sweeps
    first, *others = part("sweep-1", sweep, analysis.findings, noted).sentences
    assert first.startswith("Knee of ")
    assert others == [f"{name}: nothing was lost" for name in CAPACITIES]


def test_the_document_is_valid_and_has_a_knee_for_each_environment(analysis: Analysis) -> None:
    made = json.loads(render(analysis, "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(made)
    native, box, fast, slow = made["knees"]
    assert (native["environment"], native["against"], native["ratio_position"], native["ratio_n"]) == (
        "native", "native", None, 0,
    )  # fmt: skip
    assert (box["position"], box["low"], box["high"], box["n"], box["ratio_n"]) == ("within", 4000, 8000, 9, 9)
    assert 5000 < box["rate"] < 7000 and box["ratio_low"] < box["ratio"] < box["ratio_high"]
    assert (fast["position"], fast["rate"], fast["low"], fast["high"]) == ("above", None, 64_000, None)
    assert (slow["position"], slow["rate"], slow["low"], slow["high"]) == ("below", None, None, 1000)
    assert [one["rate"] for one in native["latencies"]] == [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000]
    assert (native["smallest"], native["largest"], native["workload"], native["guests"]) == (
        1000,
        64_000,
        "open loop",
        1,
    )


def test_a_campaign_without_such_a_sweep_has_none() -> None:
    assert document(analyse(simulate([Place("native"), Place("box")])))["knees"] == []
