"""Figures of tables as SVG."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from tests.report.studies.filled import filled, printed, section
from virtometer.analysis.studies.results import StudyResults
from virtometer.report.studies.figures import drawing, plain
from virtometer.studies.data import studies

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def found() -> StudyResults:
    return filled()


def marks(svg: str, kind: str) -> list[ElementTree.Element]:
    tree = ElementTree.fromstring(svg)
    return [one for one in tree.iter() if one.get("class") == kind]


def test_every_printed_cell_is_hollow_and_every_new_one_filled_with_its_interval(found: StudyResults) -> None:
    made = drawing([section(found, "5.1")])
    assert made is not None and "16 printed values" in made.alternative and "4 measured" in made.alternative
    assert [len(marks(made.svg, kind)) for kind in ("p", "n", "i")] == [16, 4, 4]


def test_a_table_without_a_better_direction_is_drawn_whole() -> None:
    made = drawing([section(printed("lemberger2010"), "appendix: Netz - Iometer Win CPU")])
    assert made is not None and len(marks(made.svg, "p")) == 20 and "%" in made.caption


def test_a_figure_has_the_cells_of_all_items_that_it_draws(found: StudyResults) -> None:
    made = drawing([section(found, "5.1"), section(found, "5.2")])
    assert made is not None and len(marks(made.svg, "p")) == 32
    assert "logarithmic" in made.caption  # from a third of a second to six minutes


def test_marks_lie_in_the_order_of_their_numbers(found: StudyResults) -> None:
    made = drawing([section(found, "5.1")])
    assert made is not None
    places = [float(one.get("cx", "")) for one in marks(made.svg, "p")]
    rows = [places[at : at + 4] for at in range(0, 16, 4)]
    assert all(max(row) < min(following) for row, following in itertools.pairwise(rows))
    assert min(places) >= 230 and max(places) <= 640


def test_intervals_enclose_their_values(found: StudyResults) -> None:
    made = drawing([section(found, "5.1")])
    assert made is not None
    for line, dot in zip(marks(made.svg, "i"), marks(made.svg, "n"), strict=True):
        assert float(line.get("x1", "")) < float(dot.get("cx", "")) < float(line.get("x2", ""))


@pytest.mark.parametrize("study", studies())
def test_all_figures_of_a_study_are_drawn_within_their_picture(study: str) -> None:
    of = printed(study)
    for one in of.sections:
        made = drawing([section(of, name) for name in one.drawn] or [one])
        if made is not None:
            assert all(230 <= float(dot.get("cx", "")) <= 640 for dot in marks(made.svg, "p"))


def test_too_few_numbers_are_no_figure() -> None:
    assert drawing([section(printed("klein2008"), "text 3.4.2")]) is None
    assert drawing([]) is None


def test_labels_are_escaped_and_colours_are_plain_for_print(found: StudyResults) -> None:
    made = drawing([section(found, "5.1")])
    assert made is not None and "var(--" in made.svg
    assert "var(" not in plain(made.svg) and re.search(r"#[0-9a-f]{6}", plain(made.svg))


def test_figures_for_print_name_the_font_that_is_always_there(found: StudyResults) -> None:
    made = drawing([section(found, "5.1")])
    assert made is not None and "DejaVu" in made.svg
    assert "DejaVu" not in plain(made.svg) and 'font-family="Liberation Sans' in plain(made.svg)
