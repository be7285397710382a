"""Make contract/schema/report.schema.json and docs/json.md from the declarations of the machine interface."""

import json
from pathlib import Path

from virtometer.report.machine.schema import report_page, report_schema

ROOT = Path(__file__).parents[1]

if __name__ == "__main__":
    schema = json.dumps(report_schema(), indent=2, ensure_ascii=False) + "\n"
    (ROOT / "contract" / "schema" / "report.schema.json").write_text(schema, encoding="utf-8")
    (ROOT / "docs" / "json.md").write_text(report_page(), encoding="utf-8")
