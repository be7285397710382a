"""The published data: the files themselves, and what is read from them."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.studies import validator
from tests.studies.validator import COLUMNS, EXPERIMENTS, PUBLISHED, Row, rows
from virtometer.studies import data
from virtometer.visible import visible

ITEMS, VALUES, CLAIMS = rows("items.csv"), rows("values.csv"), rows("claims.csv")
KNOWN = {(row["study"], row["item"]) for row in ITEMS}
BY_ID = {row["id"]: row for row in VALUES}

# study: tables, figures, cells of tables, those that are restored, those that stay unreadable, claims
EXPECTED = {
    "tsiouprou2010": (39, 27, 608, 0, 0),
    "klein2008": (5, 8, 351, 0, 0),
    "zupka2008": (13, 15, 147, 0, 0),
    "appel2008": (1, 7, 15, 0, 0),
    "lemberger2010": (30, 23, 446, 16, 27),
}


def of_cells(study: str, status: str = "") -> int:
    tables = {row["item"] for row in ITEMS if row["study"] == study and row["kind"] == "table"}
    return sum(row["study"] == study and row["item"] in tables and status in row["status"] for row in VALUES)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_file_is_plain_text_with_its_columns(name: str) -> None:
    raw = (PUBLISHED / name).read_bytes()
    text = raw.decode("utf-8")
    assert b"\r" not in raw and not raw.startswith(b"\xef\xbb\xbf") and raw.endswith(b"\n")
    assert visible(text, keep="\n") == text
    assert text.split("\n", 1)[0] == ",".join(COLUMNS[name].split())
    # A row with too few fields has None in it, one with too many the key None.
    assert not [row for row in rows(name) if None in row or None in row.values()]


def test_items_are_known_once_and_in_order() -> None:
    assert len(KNOWN) == len(ITEMS)
    assert [row["study"] for row in rows("studies.csv")] == list(EXPERIMENTS)
    assert {row["study"] for row in ITEMS} == set(EXPERIMENTS)
    assert not [(row["item"], fault) for row in ITEMS for fault in validator.item_faults(row, KNOWN)]


def test_values_follow_from_what_is_printed() -> None:
    assert len(BY_ID) == len(VALUES)
    assert not [(row["id"], fault) for row in VALUES for fault in validator.value_faults(row, KNOWN)]
    restored = [row for row in VALUES if row["status"] == "restored"]
    assert not [(row["id"], fault) for row in restored for fault in validator.restored_faults(row, BY_ID)]


def test_claims_have_statements_and_tests() -> None:
    assert len({row["claim_id"] for row in CLAIMS}) == len(CLAIMS)
    assert not [(row["claim_id"], fault) for row in CLAIMS for fault in validator.claim_faults(row)]


def test_reasons_belong_to_items() -> None:
    found = [(row["study"], row["item"]) for row in rows("unavailable.csv")]
    assert set(found) <= KNOWN and len(set(found)) == len(found)
    assert all(row["not_available"] for row in rows("unavailable.csv"))


def test_every_table_and_text_has_values_and_nothing_was_lost() -> None:
    filled = {(row["study"], row["item"]) for row in VALUES}
    assert not [row["item"] for row in ITEMS if row["kind"] != "figure" and (row["study"], row["item"]) not in filled]
    for study, expected in EXPECTED.items():
        kinds = Counter(row["kind"] for row in ITEMS if row["study"] == study)
        cells = [of_cells(study, status) for status in ("", "restored", "unreadable")]
        assert (kinds["table"], kinds["figure"], *cells) == expected
    assert (len(ITEMS), len(VALUES), len(CLAIMS)) == (209, 1689, 200)


def as_text(name: str, given: Any) -> str:
    """A field as values.csv and claims.csv have it; numbers as the number that they are."""
    if given is None:
        return ""
    if isinstance(given, tuple):
        return ";".join(map(str, given))
    if name in {"options", "conditions"}:
        return json.dumps(dict(given), separators=(",", ":"), ensure_ascii=False) if given else ""
    return str(given)


def same(name: str, given: Any, text: str) -> bool:
    if isinstance(given, float):
        return given == float(text)
    return as_text(name, given) == text


def test_every_value_is_read_as_it_stands() -> None:
    read = [one for study in data.studies() for item in data.items(study) for one in data.values(study, item)]
    assert len(read) == len(VALUES)
    for one in read:
        row = BY_ID[one.id]
        assert not [name for name, text in row.items() if not same(name, getattr(one, name), text)], one.id
        assert data.value(one.id) is one
        assert one.id.endswith(("/r{}c{}".format(*one.place), f"/{one.place[0]}"))


def test_items_and_claims_are_read_as_they_stand() -> None:
    for row in ITEMS:
        item = data.items(row["study"])[row["item"]]
        assert ";".join(item.draws) == row["draws"] and ";".join(item.experiments) == row["experiment"]
        assert ", ".join(item.units) == row["unit_printed"].replace("not printed", "")
        assert all(getattr(item, name) == row[name] for name in ("kind", "section", "title", "rows", "columns"))
        assert item.conditions == row["conditions"]
    read = {claim.claim_id: claim for study in data.studies() for claim in data.claims(study)}
    assert len(read) == len(CLAIMS)
    for row in CLAIMS:
        claim = read[row["claim_id"]]
        assert (f"cannot be tried here: {claim.untried}" if claim.untried else ";".join(claim.tested_by)) == row[
            "tested_by"
        ]
        others = row.keys() - {"tested_by"}
        assert not [name for name in others if not same(name, getattr(claim, name), row[name])], claim.claim_id


def test_the_page_of_the_data_counts_their_rows() -> None:
    page = (PUBLISHED / "README.md").read_text(encoding="utf-8").splitlines()
    for name in COLUMNS:
        [line] = [line for line in page if line.startswith(f"| `{name}` |")]
        assert line.endswith(f"| {len(rows(name)):,} |")


def test_studies_have_citations() -> None:
    found = data.studies()
    citation = found["klein2008"].citation
    assert citation.startswith("Arne Klein: XEN Benchmarks. Informatik ") and citation.endswith(", 1 March 2008")
    page = " ".join((PUBLISHED / "README.md").read_text(encoding="utf-8").split())
    assert all(f"`{study.study}`" in page and study.author in page for study in found.values())


def test_reasons_and_wholes_stand_with_their_items() -> None:
    assert "Windows" in data.items("tsiouprou2010")["5.2"].not_available
    assert data.items("zupka2008")["F4.3"].not_available == ""
    assert data.items("zupka2008")["F5.15/lmdd"].whole == "F5.15"
    assert data.items("lemberger2010")["appendix: 3 Netz/Disk (Net)"].whole == "appendix: 3 Netz/Disk (Net)"


def test_claims_belong_to_items_by_experiment_or_by_section() -> None:
    item = data.items("klein2008")["3.2"]
    found = {claim.claim_id[-4:] for claim in data.claims_about(item)}
    assert {"c002", "c010", "c012", "c023"} <= found, "tested by netperf"
    assert "c013" in found, "it cannot be tried, and is of the same section"
    assert not {"c001", "c014"} & found, "it cannot be tried, of another section; tested by partdiff"


def test_unknown_names_are_errors_and_figures_have_no_values() -> None:
    with pytest.raises(KeyError):
        data.items("miller2009")
    with pytest.raises(KeyError):
        data.value("klein2008/3.1/r9c9")
    assert data.claims("miller2009") == ()
    assert data.values("tsiouprou2010", "F5.1") == ()


def test_the_package_has_the_data_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "virtometer"
    (package / "published").mkdir(parents=True)
    (package / "published" / "studies.csv").write_text("study,author,title,work,date\na,b,c,d,e\n")
    monkeypatch.setattr("virtometer.__file__", str(package / "__init__.py"))
    data.studies.cache_clear()
    try:
        assert data.studies() == {"a": data.Study("a", "b", "c", "d", "e")}
    finally:
        data.studies.cache_clear()


VALUE = BY_ID["klein2008/A.1/r1c5"]
RANGE = BY_ID["tsiouprou2010/text-abstract/1"]
RESTORED = BY_ID["lemberger2010/appendix-3-disk/r1c4"]
CLAIM = next(row for row in CLAIMS if row["claim_id"] == "tsiouprou2010/c001")
FIGURE = next(row for row in ITEMS if row["item"] == "F5.1" and row["study"] == "tsiouprou2010")


def value_of(row: Row) -> list[str]:
    return list(validator.value_faults(row, KNOWN))


def item_of(row: Row) -> list[str]:
    return list(validator.item_faults(row, KNOWN))


def restored_of(row: Row) -> list[str]:
    return list(validator.restored_faults(row, BY_ID))


def claim_of(row: Row) -> list[str]:
    return list(validator.claim_faults(row))


@pytest.mark.parametrize(
    ("row", "check", "changes"),
    [
        (VALUE, value_of, {"value": "243143802"}),
        (VALUE, value_of, {"printed": "231.88", "value": "231.88"}),
        (VALUE, value_of, {"unit_printed": "Mb/s"}),
        (VALUE, value_of, {"unit_printed": "furlongs"}),
        (VALUE, value_of, {"printed": "231,88"}),
        (VALUE, value_of, {"unit": "B"}),
        (VALUE, value_of, {"metric": ""}),
        (VALUE, value_of, {"virtualizer": "none"}),
        (VALUE, value_of, {"role": "host"}),
        (VALUE, value_of, {"guests": "0"}),
        (VALUE, value_of, {"guests": "2", "member": "3"}),
        (VALUE, value_of, {"guests": "2", "member": "single"}),
        (VALUE, value_of, {"block_bytes": "4096;"}),
        (VALUE, value_of, {"options": '{"vcpus":"1"}'}),
        (VALUE, value_of, {"options": '{"vcpus":1,"mode":"pv"}'}),
        (VALUE, value_of, {"options": '{"colour":1}'}),
        (VALUE, value_of, {"conditions": "{"}),
        (VALUE, value_of, {"inferred": "bits;bits"}),
        (VALUE, value_of, {"inferred": "colour"}),
        (VALUE, value_of, {"status": "unreadable"}),
        (VALUE, value_of, {"status": "restored"}),
        (VALUE, value_of, {"relation": "range"}),
        (VALUE, value_of, {"high": "1"}),
        (VALUE, value_of, {"item": "3.9"}),
        (VALUE, value_of, {"id": "klein2008/A.1/r1"}),
        (RANGE, value_of, {"printed_high": "0.3"}),
        (RANGE, value_of, {"printed_high": "0.5", "high": "0.005"}),
        (RESTORED, restored_of, {"value": "2474639"}),
        (RESTORED, restored_of, {"value": "2600000"}),
        (RESTORED, restored_of, {"restored_from": "equal: lemberger2010/appendix-2-disk/r1c3"}),
        (RESTORED, restored_of, {"restored_from": "sum: lemberger2010/appendix-3-Netz-Disk-Disk/r1c2"}),
        (RESTORED, restored_of, {"conditions": '{"legible":"9.99"}'}),
        (CLAIM, claim_of, {"claim_id": "tsiouprou2010/1"}),
        (CLAIM, claim_of, {"relation": "nicer"}),
        (CLAIM, claim_of, {"unit": ""}),
        (CLAIM, claim_of, {"value": "0.05"}),
        (CLAIM, claim_of, {"high": "3%"}),
        (CLAIM, claim_of, {"statement": "A sentence without an end"}),
        (CLAIM, claim_of, {"tested_by": "linpack;walking"}),
        (CLAIM, claim_of, {"tested_by": ""}),
        (FIGURE, item_of, {"draws": "5.1;5.99"}),
        (FIGURE, item_of, {"kind": "text"}),
        (FIGURE, item_of, {"kind": "chart"}),
        (FIGURE, item_of, {"kind": "table", "draws": "", "experiment": ""}),
        (FIGURE, item_of, {"experiment": "iozone"}),
        (FIGURE, item_of, {"title": ""}),
    ],
)
def test_the_validator_finds_a_planted_fault(row: Row, check: Callable[[Row], list[str]], changes: Row) -> None:
    assert check(row) == []
    assert check({**row, **changes}), changes


def test_data_cannot_be_changed() -> None:
    one = data.value("klein2008/A.1/r1c5")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.value = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        one.options["mode"] = "hvm"  # type: ignore[index]


def test_lines_are_texts_in_the_order_of_the_file() -> None:
    found = data.lines("klein2008")
    assert {row["study"] for row in found} == {"klein2008"}
    assert len(found) == sum(len(data.values("klein2008", name)) for name in data.items("klein2008"))
    assert data.lines("nobody2000") == []
