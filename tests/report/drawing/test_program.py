"""The program answers each line by one line, and ends with its input."""

from __future__ import annotations

import json
import subprocess
import sys

from virtometer.report.drawing.drawer import PROGRAM

PLOT = {"title": "größer ☃", "data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a"}}}


def test_a_line_has_an_answer_of_one_line() -> None:
    lines = "".join(json.dumps(one) + "\n" for one in (PLOT, {"mark": 5}, None, PLOT))
    ended = subprocess.run([sys.executable, "-P", PROGRAM], input=lines, capture_output=True, text=True, check=True)
    first, wrong, scripts, again = (json.loads(line) for line in ended.stdout.splitlines())
    assert "größer ☃" in first
    assert again == first
    assert list(wrong) == ["error"]
    assert "vegaEmbed" in scripts
