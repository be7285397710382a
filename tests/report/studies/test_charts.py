"""Figures of new values whose printed ones are not known."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from tests.analysis.simulated_campaigns import Place, Work
from tests.analysis.studies.hand_made import NATIVE, levels, made
from tests.report.studies.filled import printed, section
from tests.sentences import Said
from virtometer.analysis.studies.results import StudyResults, results
from virtometer.report.studies import terminal, words
from virtometer.report.studies.charts import picture
from virtometer.report.studies.figures import drawing
from virtometer.report.studies.page import page
from virtometer.studies.data import studies

TOOLS = [
    NATIVE,
    Place("virtio", "qemu", {"": 0.4}, settings={"disk_device": "virtio", "network_device": "virtio"}),
    Place("ide", "qemu", {"": 0.6}, settings={"disk_device": "ide", "network_device": "e1000"}),
]
WORKS = [
    Work("write", "disk", "write", "B/s", 500e6, parameters={"size": "1M"}),
    *(
        Work(f"{count}", "os", "context-switch", "s", 1e-6 * count, parameters={"processes": count, "size": "4K"})
        for count in (2, 16, 256)
    ),
]


@pytest.fixture(scope="module")
def found() -> StudyResults:
    return results(studies()["zupka2008"], [made(TOOLS, WORKS, levels(TOOLS, WORKS))])


def marks(svg: str, kind: str) -> list[ElementTree.Element]:
    return [one for one in ElementTree.fromstring(svg).iter() if one.get("class") == kind]


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("text")]


def test_bars_stand_in_the_order_of_their_values_with_their_intervals(found: StudyResults) -> None:
    made_of = picture([section(found, "F5.2")])
    assert made_of is not None and "3 values" in made_of.alternative
    widths = [float(one.get("width", "")) for one in marks(made_of.svg, "b")]
    assert widths[1:] == pytest.approx([0.6 * widths[0], 0.4 * widths[0]], abs=0.2)
    names = [text for text in texts(made_of.svg) if text == "native" or text.startswith("KVM")]
    assert names == ["native", "KVM, emulated devices", "KVM, paravirtual devices"]
    assert len(marks(made_of.svg, "w")) == 3


def test_lines_lie_along_sizes_on_a_logarithmic_axis(found: StudyResults) -> None:
    made_of = picture([section(found, "F5.4")])
    assert made_of is not None and len(marks(made_of.svg, "l")) == len(marks(made_of.svg, "w")) == 9
    first = [float(one.get("cx", "")) for one in marks(made_of.svg, "l")[:3]]
    assert (first[1] - first[0]) / (first[2] - first[0]) == pytest.approx(math.log(8) / math.log(128), abs=0.01)
    heights = [float(one.get("cy", "")) for one in marks(made_of.svg, "l")[:3]]
    assert heights == sorted(heights, reverse=True)  # a larger time lies higher
    assert {"2", "16", "256", "processes", "native"} <= set(texts(made_of.svg))


def test_whiskers_enclose_their_marks(found: StudyResults) -> None:
    made_of = picture([section(found, "F5.4")])
    assert made_of is not None
    for whisker, dot in zip(marks(made_of.svg, "w"), marks(made_of.svg, "l"), strict=True):
        assert float(whisker.get("y2", "")) < float(dot.get("cy", "")) < float(whisker.get("y1", ""))


def test_a_chart_without_new_values_is_not_drawn_and_other_items_are_as_ever(found: StudyResults) -> None:
    assert picture([section(found, "F5.1")]) is None
    item = section(found, "F5.15/lmdd")
    assert picture([item]) == drawing([item]) is not None


def test_only_rows_and_columns_with_new_values_are_shown(found: StudyResults) -> None:
    chart = section(found, "F5.4")
    shown = words.shown(chart)
    assert shown.rows == ("2 processes", "16 processes", "256 processes")
    assert [one.label for one in shown.columns] == ["native", "KVM, paravirtual devices", "KVM, emulated devices"]
    grid = terminal.grid(chart)
    assert grid is not None and grid.cells[0] == ["printed nowhere"] * 3
    assert words.shown(section(found, "F5.15/lmdd")) is section(found, "F5.15/lmdd")


def test_the_page_has_the_chart_and_says_how_much_is_filled(found: StudyResults) -> None:
    text = page(found)
    assert "9 of 56 cells" in text and "printed nowhere" in text
    # F5.2, F5.4, one guest of F5.11 and of F5.13 (all and each), and one processor of F5.8, natively
    assert found.chart_filled == 3 + 9 + 3 + 2 + 3


def test_words_on_figures_that_are_printed_nowhere(said: Said, found: StudyResults) -> None:
    alone, java = printed("zupka2008"), printed("appel2008")
    said(words.nowhere_words(section(alone, "F5.4"), campaigns=False))
    said(words.nowhere_words(section(found, "F5.4"), campaigns=True))
    said(words.nowhere_words(section(java, "slide: CPU not Fully Utilized"), campaigns=False))
    said(words.filled_words(alone))
    said(words.filled_words(found))
    assert words.nowhere_words(section(alone, "F5.15/lmdd"), campaigns=False) == ""
