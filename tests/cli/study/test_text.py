"""What people see of studies: every printed number, at every width."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from virtometer.cli.study.text import claim_numbers, claims_lines, item_lines, items_lines, studies_lines
from virtometer.studies.data import Item, claims, items, studies
from virtometer.studies.printed import printed, words, words_with_unit

ALL = [item for study in studies() for item in items(study).values()]
MARK = re.compile(r"\[\d+\] (?=\S)")


def identity(item: Item) -> str:
    return f"{item.study} {item.item}"


def body(item: Item, width: int) -> list[str]:
    """The lines of an item below its head, without the marks of restored cells."""
    lines = item_lines(item, width, alone=False)
    return [MARK.sub("", line) for line in lines[lines.index("") + 1 :]]


def pieces(line: str) -> list[str]:
    return [piece for piece in re.split(r"\s{2,}", line) if piece]


@pytest.mark.parametrize("item", [item for item in ALL if printed(item).table], ids=identity)
def test_every_row_of_a_table_has_its_cells_in_order(item: Item) -> None:
    table = printed(item).table
    assert table is not None
    lines = [pieces(line) for line in body(item, 1000)]
    for label, row in zip(table.rows, table.cells, strict=True):
        shown = [
            words(cell) if column.unit else words_with_unit(cell)
            for cell, column in zip(row, table.columns, strict=True)
            if cell is not None
        ]
        assert [label or "(nothing printed)", *shown] in lines


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("item", [item for item in ALL if printed(item).table], ids=identity)
def test_a_narrow_table_has_all_numbers_and_cuts_none(item: Item, width: int) -> None:
    found = printed(item)
    assert found.table is not None
    lines = body(item, width)
    assert max(map(len, item_lines(item, width, alone=True))) <= width
    shown = Counter(piece for line in lines for piece in pieces(line))
    wanted = Counter(words(cell) for cell in found.values)
    assert not wanted - shown


@pytest.mark.parametrize("item", [item for item in ALL if printed(item).listed], ids=identity)
def test_a_list_has_every_number_with_its_unit(item: Item) -> None:
    found = printed(item)
    lines = [pieces(line) for line in body(item, 1000)]
    assert [[f"{one.row}: {one.column}", words_with_unit(one)] for one in found.listed] == lines[: len(found.listed)]
    assert max(map(len, item_lines(item, 80, alone=True))) <= 80


def test_restored_cells_say_how_and_unreadable_ones_what_is_legible() -> None:
    text = "\n".join(item_lines(items("lemberger2010")["appendix: 3-disk"], 200, alone=True))
    assert "[3] 2.36" in text and "[3] restored: from appendix-3-Netz-Disk-Disk/r1c2 - " in text
    assert "[1] restored: equal to appendix-3-Netz-Disk-Disk/r1c1\n" in text
    assert "unreadable" in text and "sequential, read, VM 2: .23; " in text


def test_a_figure_shows_its_tables_alone_and_names_them_among_all_items() -> None:
    figure = items("tsiouprou2010")["F5.1"]
    assert "\n".join(item_lines(figure, 80, alone=True)).count("1000 x 1000") == 2
    among = "\n".join(item_lines(figure, 80, alone=False))
    assert "1000 x 1000" not in among and "draws 5.1: " in among and "draws 5.2: " in among
    empty = item_lines(items("klein2008")["surface vm3-hd write"], 80, alone=True)
    assert "nowhere" in empty[-1] and "rows: file size" in empty


def test_the_head_names_units_conditions_and_what_was_inferred() -> None:
    text = "\n".join(item_lines(items("tsiouprou2010")["5.1"], 100, alone=True))
    assert "experiments: linpack" in text and "10 runs a size, 30 min limit" in text
    assert "inferred, not stated by the study: array_order" in text
    assert "guest [s]" in text or "[s]" in text
    assert "\n[MB/s]" in "\n".join(item_lines(items("tsiouprou2010")["5.3"], 100, alone=True))


@pytest.mark.parametrize("width", [80, 120])
def test_claims_and_lists_keep_to_the_width(width: int) -> None:
    for study in studies().values():
        lines = [*claims_lines(claims(study.study), width), *items_lines(study, items(study.study).values(), width)]
        assert max(map(len, [*lines, *studies_lines(width)])) <= width
        assert len([line for line in lines if re.match(r"c\d{3}  ", line)]) == len(claims(study.study))
    assert claims_lines((), width) == ["claims: none"]


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("tsiouprou2010/c001", "1 to 3 %"),
        ("klein2008/c014", "200 s"),
        ("klein2008/c012", "10"),
        ("zupka2008/c001", "0.1 to 0.2"),
        ("zupka2008/c013", "1,024,375,000 B/s"),
        ("klein2008/c001", ""),
    ],
)
def test_the_numbers_of_a_claim_have_their_unit(claim: str, shown: str) -> None:
    [found] = [one for one in claims(claim.partition("/")[0]) if one.claim_id == claim]
    assert claim_numbers(found) == shown
