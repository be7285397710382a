"""Items as their studies printed them."""

from __future__ import annotations

import dataclasses

import pytest

from virtometer.studies.data import PublishedValue, items, studies, value, values
from virtometer.studies.printed import Column, Table, number, parts, printed, words, words_with_unit


def table_of(study: str, item: str) -> Table:
    found = printed(items(study)[item]).table
    assert found is not None
    return found


def test_every_item_holds_all_its_values_once_in_the_printed_order() -> None:
    for study in studies():
        for item in items(study).values():
            found = printed(item)
            assert found.values == values(study, item.item), item.item
            if item.kind == "table":
                assert found.table is not None and not found.listed, item.item
            if found.table is not None:
                assert {len(row) for row in found.table.cells} == {len(found.table.columns)}
                assert len(found.table.cells) == len(found.table.rows)


def test_every_cell_stands_at_its_labels() -> None:
    for study in studies():
        for item in items(study).values():
            found = printed(item).table
            for at, row in enumerate(found.cells if found else (), 1):
                for across, cell in enumerate(row, 1):
                    assert found is not None
                    if cell is not None:
                        assert cell.place == (at, across)
                        assert (cell.row, cell.column) == (found.rows[at - 1], found.columns[across - 1].label)


def test_a_table_has_rows_columns_and_units_as_printed() -> None:
    found = table_of("tsiouprou2010", "5.1")
    assert found.rows == ("1000 x 1000", "2000 x 2000", "4000 x 4000", "8000 x 8000")
    assert found.columns[:2] == (Column("runs", ""), Column("Linux 32 bit, guest", "s"))
    assert [words(cell) for cell in found.cells[0] if cell is not None] == ["10", "0.351", "0.333", "0.351", "0.332"]


def test_what_was_not_printed_is_none_and_a_dash_is_a_cell() -> None:
    found = table_of("klein2008", "3.1")
    assert [cell is not None for cell in found.cells[1]] == [True, False, False, True]
    assert found.rows[2] == "" and found.cells[2] == (None,) * 4
    dash = table_of("appel2008", "slide: Fair CPU Sharing Between VMs").cells[1][0]
    assert dash is not None and words_with_unit(dash) == "-"


def test_the_parts_of_an_item_are_found_by_its_name() -> None:
    assert len(parts("zupka2008", "F5.15")) == 13
    assert [item.item for item in parts("zupka2008", "F5.15/lmdd")] == ["F5.15/lmdd"]
    assert [item.item for item in parts("zupka2008", "F5.1")] == ["F5.1"]
    assert parts("zupka2008", "F5") == () and parts("lemberger2010", "appendix: 3 Netz") == ()
    with pytest.raises(KeyError):
        parts("miller2009", "1")


def test_a_table_of_two_parts_is_one_and_a_listing_is_a_list() -> None:
    assert len(table_of("zupka2008", "F5.15/bonnie++").columns) == 15
    listing = printed(items("zupka2008")["F4.3"])
    assert listing.table is None and len(listing.listed) == 17 and listing.drawn == ()
    text = printed(items("klein2008")["text 3.5"])
    assert [one.place for one in text.listed] == [(at, 1) for at in range(1, 6)]


def test_a_figure_has_the_items_that_it_draws_or_nothing() -> None:
    assert [item.item for item in printed(items("tsiouprou2010")["F5.1"]).drawn] == ["5.1", "5.2"]
    empty = printed(items("klein2008")["surface vm3-hd write"])
    assert (empty.table, empty.values, empty.drawn) == (None, (), ())


@pytest.mark.parametrize(
    ("identity", "shown"),
    [
        ("tsiouprou2010/text-abstract/1", "1 to 3 %"),
        ("tsiouprou2010/text-5.1/2", "about 50 %"),
        ("tsiouprou2010/text-8/1", "< 3 min"),
        ("tsiouprou2010/text-2.3/2", "<= 64 GB"),
        ("klein2008/text-3.5/4", "405 ± 5 s"),
        ("klein2008/text-3.5/3", "about 200 s"),
        ("lemberger2010/text-4.2.2-CPU/1", "about 1/3"),
        ("lemberger2010/appendix-3-disk/r1c4", "2.36 MB/s"),
        ("lemberger2010/appendix-L1-Summe/r1c1", "17007.32 MB/s"),
        ("lemberger2010/appendix-2-disk/r2c2", "unreadable"),
        ("zupka2008/F4.3/r17c1", "54.9996659756 s"),
        ("zupka2008/text-5.1.1/3", "1"),
        ("appel2008/text-slide-High-Differences-in-IO-Throughput/1", "> 10 %"),
    ],
)
def test_a_number_is_shown_with_its_relation_its_digits_and_its_unit(identity: str, shown: str) -> None:
    assert words_with_unit(value(identity)) == shown


def test_a_restored_cell_has_the_digits_that_follow_from_its_value() -> None:
    restored = value("lemberger2010/appendix-3-net/r1c1")
    assert (restored.printed, number(restored)) == ("", "46.02")
    assert number(value("lemberger2010/appendix-2-disk/r2c2")) == ""


def test_labels_that_differ_within_a_column_make_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    item = items("tsiouprou2010")["5.1"]
    first, *others = values(item.study, item.item)
    changed: tuple[PublishedValue, ...] = (dataclasses.replace(first, column="other"), *others)
    monkeypatch.setattr("virtometer.studies.printed.values", lambda study, name: changed)
    found = printed(item)
    assert found.table is None and found.listed == changed


def test_the_values_of_some_figures_are_printed_nowhere() -> None:
    found = [printed(item) for study in studies() for item in items(study).values() if item.kind == "figure"]
    assert (len(found), sum(not one.drawn and not one.values for one in found)) == (80, 30)
