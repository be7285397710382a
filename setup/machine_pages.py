"""Make contract/schema/report.schema.json and the tables of docs/json.md from the fields of the machine interface."""

import json
from pathlib import Path

from setup.made_part import with_made
from virtometer.report.machine.schema import report_schema, report_tables

ROOT = Path(__file__).parents[1]
SCHEMA, DOCUMENT = ROOT / "contract" / "schema" / "report.schema.json", ROOT / "docs" / "json.md"


def schema() -> str:
    """The JSON Schema of a report, as text."""
    return json.dumps(report_schema(), indent=2, ensure_ascii=False) + "\n"


def page() -> str:
    """The page with new tables."""
    return with_made(DOCUMENT, report_tables())


if __name__ == "__main__":
    SCHEMA.write_text(schema(), encoding="utf-8")
    DOCUMENT.write_text(page(), encoding="utf-8")
