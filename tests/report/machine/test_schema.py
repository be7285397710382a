"""contract/schema/report.schema.json and docs/json.md: fresh, and with every field that a report has."""

from __future__ import annotations

import json

import jsonschema

from setup import machine_pages
from virtometer.report.machine.schema import report_schema, report_tables

STALE = "stale, run: make contract"


def test_both_files_are_fresh() -> None:
    assert machine_pages.SCHEMA.read_text(encoding="utf-8") == machine_pages.schema(), STALE
    assert machine_pages.DOCUMENT.read_text(encoding="utf-8") == machine_pages.page(), STALE


def test_the_schema_is_one_and_every_reference_has_its_shape() -> None:
    schema = report_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    text = json.dumps(schema)
    for name in schema["$defs"]:
        assert f"#/$defs/{name}" in text or name == "comparison"
    assert set(text.split("#/$defs/")) and all(
        part.split('"')[0] in schema["$defs"] for part in text.split("#/$defs/")[1:]
    )


def test_the_page_has_a_table_for_each_shape_and_its_links_lead_there() -> None:
    page = machine_pages.DOCUMENT.read_text(encoding="utf-8")
    assert page.endswith(report_tables())
    for name, shape in {"report": report_schema(), **report_schema()["$defs"]}.items():
        assert f"\n## {name}\n" in page
        table = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert all(f"| `{field}` |" in table for field in shape["properties"])
    links = {part.split(")")[0] for part in page.split("](#")[1:]}
    assert all(f"\n## {name}\n" in page for name in links)
