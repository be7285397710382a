"""The page of the reference is made from the models, whole, and never stale."""

from __future__ import annotations

from tests.cli.laboratory import ROOT, virtometer
from tests.sentences import Said
from virtometer.design.reference.page import page
from virtometer.design.reference.tables import FieldText, Section, sections
from virtometer.environments.registry import KINDS
from virtometer.workloads.base import Operation

ALL = sections(KINDS)


PAGE = ROOT / "docs" / "PLANS.md"


def test_the_page_of_the_documentation_is_made_from_the_models() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(ALL), (
        "docs/PLANS.md is stale, run: .venv/bin/virtometer plan reference --markdown > docs/PLANS.md"
    )
    assert virtometer("plan", "reference", "--markdown").out == page(ALL)


def test_a_section_is_a_heading_a_sentence_its_facts_and_a_table(said: Said) -> None:
    entry = FieldText("size", "size", "at least 1M", "4M", "bytes", "all but b", ("8M (b)",))
    drill = Section(
        "workload", "drill", "Drill", "bores holes", "parameter", (entry,),
        {"deep": Operation("s", "lower", "depth")}, ("It is loud.",),
    )  # fmt: skip
    text = page([drill])
    _, heading, rest = text.partition("## Workloads\n")
    assert heading and rest.startswith("\n### drill\n\nBores holes (Drill).\nIt is loud.\n\n")
    assert "\n| `deep` | depth | s | lower |\n" in rest
    assert rest.endswith("\n| `size` | size | at least 1M | 4M, but 8M (b) | bytes | all but b |\n")
    said(rest)


def test_sections_of_one_group_share_its_heading_and_one_without_entries_says_so() -> None:
    bare = [Section("environment", name, name, "a place", "setting", ()) for name in ("one", "two")]
    text = page(bare)
    assert text.count("## Environments\n") == 1
    assert "### one\n\nA place.\n\nThere are no settings.\n" in text and text.endswith("There are no settings.\n")
    assert "| operation |" not in text


def test_without_a_section_it_is_the_words_at_the_top() -> None:
    assert page([]).startswith("# Reference of plans\n") and "## " not in page([]).partition("\n")[2]


def test_every_row_has_as_many_cells_as_its_heading() -> None:
    tables = [table.splitlines() for table in page(ALL).split("\n\n") if table.startswith("| ")]
    assert len(tables) > 15
    for head, rule, *rows in tables:
        assert set(rule) == set("|- ") and rows
        assert {row.replace("\\|", "").count(" | ") for row in rows} == {head.count(" | ")}, head
