"""Put the tables of contract/kernels.json into contract/KERNELS.md, below its mark."""

import json
from pathlib import Path
from typing import Any

from setup.made_part import with_made
from virtometer.model import size_text

CONTRACT = Path(__file__).parents[1] / "contract"
DOCUMENT = CONTRACT / "KERNELS.md"


def page() -> str:
    """The page with new tables."""
    table = json.loads((CONTRACT / "kernels.json").read_text(encoding="utf-8"))
    return with_made(DOCUMENT, "\n" + "".join(map(_kernel, table["kernels"])).rstrip() + "\n")


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
    DOCUMENT.write_text(page(), encoding="utf-8")
