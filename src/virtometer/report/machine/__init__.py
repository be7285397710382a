"""The machine interface: each field of a result is declared once. Rows, JSON Schema, CSV and docs/json.md follow."""
