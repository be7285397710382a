"""Put the tables of contract/kernels.json into contract/KERNELS.md, between its two marks."""

import json
from pathlib import Path
from typing import Any

from virtometer.model import size_text

CONTRACT = Path(__file__).parents[1] / "contract"
BEGIN, END = "<!-- tables: make contract -->\n", "<!-- end of the tables -->\n"


def page(old: str, table: dict[str, Any]) -> str:
    """The page with new tables. Raises ValueError where it lacks a mark."""
    before, found, rest = old.partition(BEGIN)
    _, found_end, after = rest.partition(END)
    if not found or not found_end:
        raise ValueError("contract/KERNELS.md lacks the marks of the tables")
    return before + BEGIN + "\n" + "".join(_kernel(kernel) for kernel in table["kernels"]) + END + after


def _kernel(kernel: dict[str, Any]) -> str:
    lines = [f"### `{kernel['name']}`", "", f"{kernel['summary'][:1].upper()}{kernel['summary'][1:]}.", ""]
    lines += ["| operation | unit | work counted |", "|---|---|---|"]
    lines += [f"| `{one['name']}` | `{one['unit']}` | {one['work']} |" for one in kernel["operations"]]
    rows: dict[str, list[str]] = {}
    for one in kernel["operations"]:
        for parameter in one["parameters"]:
            rows.setdefault(_row(parameter), []).append(one["name"])
    names = [one["name"] for one in kernel["operations"]]
    lines += ["", "| parameter | values | default | meaning | operations |", "|---|---|---|---|---|"]
    lines += [f"{row} {_having(having, names)} |" for row, having in rows.items()]
    measures: dict[str, list[str]] = {}
    for one in kernel["operations"]:
        for measure in one["measures"]:
            row = f"| `{measure['name']}` | `{measure['unit']}` | {measure['timed_by']} | {measure['meaning']} |"
            measures.setdefault(row, []).append(one["name"])
    if measures:
        lines += ["", "| measure | unit | timed by | meaning | operations |", "|---|---|---|---|---|"]
        lines += [f"{row} {_having(having, names)} |" for row, having in measures.items()]
    return "\n".join([*lines, "", ""])


def _row(parameter: dict[str, Any]) -> str:
    kind = parameter["type"]
    if kind == "integer":
        values = f"{size_text(parameter['minimum'])} to {size_text(parameter['maximum'])}"
    else:
        values = ", ".join(f"`{word}`" for word in parameter["choices"]) if kind == "choice" else kind
    default = parameter.get("default")
    if parameter["required"]:
        shown = "required"
    elif default is None:
        shown = str(parameter["otherwise"])
    elif isinstance(default, bool):
        shown = "true" if default else "false"
    else:
        shown = size_text(default) if isinstance(default, int) else f"`{default}`"
    return f"| `{parameter['name']}` | {values} | {shown} | {parameter['meaning']} |"


def _having(having: list[str], names: list[str]) -> str:
    """Which operations have a parameter, in the shorter of two ways to say it."""
    others = [name for name in names if name not in having]
    if not others:
        return "all"
    listed = ", ".join(f"`{name}`" for name in (having if len(having) <= len(others) else others))
    return listed if len(having) <= len(others) else f"all but {listed}"


if __name__ == "__main__":
    document = CONTRACT / "KERNELS.md"
    table = json.loads((CONTRACT / "kernels.json").read_text(encoding="utf-8"))
    document.write_text(page(document.read_text(encoding="utf-8"), table), encoding="utf-8")
