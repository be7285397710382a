"""Answers to the questions of a study as sentences and tables."""

from __future__ import annotations

import dataclasses

import pytest

from tests.report.studies.filled import filled, printed, with_groups, with_parameters, with_tools
from tests.sentences import Said
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.studies.results import StudyResults
from virtometer.analysis.studies.steps import StepHere, StepsFound
from virtometer.model import Estimate
from virtometer.report.studies.answers import AnswerBlock, blocks
from virtometer.studies.data import studies


def block(of: StudyResults, question: str) -> AnswerBlock:
    """The block whose question begins so."""
    return next(one for one in blocks(of) if one.question.startswith(question))


def told(of: AnswerBlock) -> str:
    """All texts of a block, a line each."""
    rows = [" | ".join(row) for table in of.tables for row in (table.heads, *table.rows, (table.caption,))]
    return "\n".join([of.question, of.published, *of.sentences, *rows])


@pytest.mark.parametrize("study", studies())
def test_every_question_has_its_place_and_every_row_its_columns(study: str) -> None:
    of = printed(study)
    shown = blocks(of)
    questions = [one.question or [row[0] for row in one.tables[0].rows] for one in shown]
    assert [one.question for one in of.answers] == [
        name for one in questions for name in ([one] if isinstance(one, str) else one)
    ]
    for one in shown:
        assert one.tables and (one.sentences or not one.question)
        assert all(len(row) == len(table.heads) for table in one.tables for row in table.rows)
        assert not any("here" in head for table in one.tables for head in table.heads)


@pytest.mark.parametrize(
    ("study", "question"),
    [
        ("lemberger2010", "Which parameters matter on the network"),
        ("tsiouprou2010", "Which parameters matter for caches"),
        ("lemberger2010", "How many guests"),
        ("zupka2008", "How many guests"),
        ("lemberger2010", "Are guests at once"),
        ("appel2008", "Are processors"),
        ("zupka2008", "Which tool"),
        ("klein2008", "What did the steps"),
    ],
)
def test_the_printed_cells_answer(said: Said, study: str, question: str) -> None:
    said(told(block(printed(study), question)))


def test_parameters_of_a_campaign_stand_beside_the_printed_ones(said: Said) -> None:
    found = block(with_parameters(), "Which parameters matter on the network")
    row = next(row for row in found.tables[1].rows if row[0].startswith("guest tools x bits"))
    assert row[3].startswith("-33 % [-33, -33]") and row[4] == "matters"
    said(told(found))
    memory = block(with_parameters(), "Which parameters matter for caches")
    assert len(memory.tables[0].heads) == 3  # no column without any number


def test_groups_of_a_campaign_stand_beside_the_printed_ones(said: Said) -> None:
    found = with_groups()
    said(told(block(found, "How many containers")))
    said(told(block(found, "Are containers")))
    said(told(block(with_groups("appel2008"), "Are processors")))


def test_environments_of_a_campaign_stand_beside_the_printed_tools(said: Said) -> None:
    said(told(block(with_tools(), "Which tool")))


def test_ratios_of_a_campaign_stand_beside_the_printed_ones(said: Said) -> None:
    table = next(one for one in blocks(filled()) if not one.question).tables[0]
    assert table.heads[-1] == "here" and table.rows[0][3].startswith("50 % lost: 0.500")
    said("\n".join(table.rows[0]))


def test_steps_that_a_design_tries_have_a_table_of_their_own(said: Said) -> None:
    of = printed("klein2008")
    first = of.answers[0]
    assert isinstance(first.found, StepsFound)
    here = StepHere("checksums off", "port checksums", "kernel against device", "net write",
                    Estimate(12.0, 10.5, 13.5, 8), Influence.INFLUENCE)  # fmt: skip
    found = dataclasses.replace(first.found, here=(here,))
    made = dataclasses.replace(of, answers=(dataclasses.replace(first, found=found),), campaigns=("tuning",))
    said(told(blocks(made)[0]))
