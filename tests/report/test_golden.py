"""Every report format against a golden file. To write them anew: UPDATE_GOLDEN=1 pytest tests/report/test_golden.py"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.report.showcase import curves, showcase, small
from virtometer.analysis import analyse
from virtometer.model import Campaign
from virtometer.report import render
from virtometer.report.findings.summary import method_sentences, noise_and_budget
from virtometer.report.formats.html import page
from virtometer.report.formats.terminal import ResultTable

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str, text: str) -> str:
    """The golden text, after it was written anew where that was asked for."""
    file = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode())
    return file.read_bytes().decode()


def printed(width: int, campaign: Campaign, *, notes: bool = False) -> str:
    out = io.StringIO()
    analysis = analyse(campaign)
    method = method_sentences(analysis) if notes else None
    table = ResultTable(analysis.findings, analysis.sweeps, budget=noise_and_budget(analysis), method=method)
    Console(file=out, width=width, force_terminal=False, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def assert_alike(found: Any, expected: Any, where: str = "") -> None:
    """Equal, with floats equal to nine digits: the last ones belong to the machine's mathematical library."""
    assert type(found) is type(expected), where
    if isinstance(found, dict):
        assert list(found) == list(expected), where
        for key in found:
            assert_alike(found[key], expected[key], f"{where}.{key}")
    elif isinstance(found, list):
        assert len(found) == len(expected), where
        for index, (one, two) in enumerate(zip(found, expected, strict=True)):
            assert_alike(one, two, f"{where}[{index}]")
    elif isinstance(found, float):
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12), where
    else:
        assert found == expected, where


def number_or_text(cell: str) -> float | str:
    try:
        return float(cell)
    except ValueError:
        return cell


def test_terminal_with_all_notes() -> None:
    found = printed(100, showcase(), notes=True)
    assert found == golden("terminal-notes-100.txt", found)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_terminal(width: int) -> None:
    found = printed(width, showcase())
    assert found == golden(f"terminal-{width}.txt", found)


@pytest.mark.parametrize("width", [80, 100])
def test_terminal_with_sweeps(width: int) -> None:
    found = printed(width, curves())
    assert found == golden(f"terminal-sweeps-{width}.txt", found)


def in_rows(document: dict[str, Any]) -> str:
    """JSON with a line for each row of each list, so that a change of a field shows as one line a row."""
    texts = {
        key: "[\n" + ",\n".join(map(json.dumps, value)) + "\n]" if isinstance(value, list) else json.dumps(value)
        for key, value in document.items()
    }
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {text}" for key, text in texts.items()) + "\n}\n"


def test_json() -> None:
    document = json.loads(render(analyse(small()), "json"))
    assert_alike(document, json.loads(golden("report.json", in_rows(document))))


@pytest.mark.parametrize("name", ["csv", "findings-csv", "samples-csv", "probes-csv"])
def test_csv(name: str) -> None:
    text = render(analyse(small()), name)
    found, expected = (
        [[number_or_text(cell) for cell in row] for row in csv.reader(io.StringIO(source, newline=""))]
        for source in (text, golden(f"{name}.csv", text))
    )
    assert_alike(found, expected)


def test_html() -> None:
    campaign = showcase()
    text = page(analyse(campaign), scripts=False)
    # Pictures depend on the fonts of the machine.
    still = re.sub(r"<svg.*?</svg>", "<svg></svg>", text, flags=re.DOTALL)
    assert still == golden("report.html", still)
