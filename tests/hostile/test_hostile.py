"""Agents that lie and flood, through `virtometer run`: the campaign goes on, and only we act on the terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.hostile.agent import HARMLESS, KINDS, LIES
from virtometer.store.ledger import Ledger

PROGRAM = Path(__file__).with_name("program.py")
# What is shown while a campaign runs is shown in both ways, the rest in one.
SHOWN = ["failed-with-escapes", "failed-with-markup", "failed-with-bidi", "dies-with-escapes"]
FORGING = [kind for kind in KINDS if "forged-line" in kind]
PIPED = [list(dict.fromkeys([*KINDS[::4], *SHOWN, *FORGING])), KINDS[2::4]]
ON_A_TERMINAL = list(dict.fromkeys([*KINDS[1::2], *SHOWN, *FORGING]))
# All that rich writes for the live display, colours included.
OURS = re.compile(rb"\x1b\[(?:[0-9;]*m|2K|[0-9]*A|\?25[lh])|\r\n|\r|\n")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
LIMIT_S = 240


def plan(directory: Path, kinds: list[str]) -> Path:
    environments = [{"name": kind, "kind": "hostile", "settings": {"lie": kind}} for kind in kinds]
    text = json.dumps(
        {
            "virtometer": 1, "name": "hostile \x1b[2J\u202e[red]", "baseline": "honest", "blocks": 1, "seconds": 0.03,
            "control": False,
            "environments": [{"name": "honest", "kind": "hostile", "settings": {"lie": "none"}}, *environments],
            "workloads": [
                {"name": "[red]l\x9b2Jn\x07", "workload": "linpack", "op": "classic", "parameters": {"size": 50}}
            ],
            "limits": {"start_s": 2, "prepare_s": 1, "run_extra_s": 2, "answer_s": 1},
        }
    )  # fmt: skip
    path = directory / "plan.yaml"
    path.write_text(text)
    return path


def call(*words: str | Path) -> list[str]:
    return [sys.executable, str(PROGRAM), *map(str, words)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PROGRAM.parents[2] / "src"), "COLUMNS": "100", "TERM": "xterm-256color"}


def on_a_terminal(argv: list[str]) -> tuple[int, bytes]:
    """Exit status and all bytes that a terminal gets."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=environment())
    os.close(theirs)
    said, deadline = b"", time.monotonic() + LIMIT_S
    try:
        while select.select([ours], [], [], max(deadline - time.monotonic(), 0.0))[0]:
            try:
                chunk = os.read(ours, 65_536)
            except OSError:  # what reading from a terminal gives when nobody has it open any more
                break
            if not chunk:
                break
            said += chunk
        return process.wait(10), said
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def refuse_controls(text: str) -> None:
    """Fail where a text holds a control character other than those that end lines."""
    found = CONTROL.search(text.replace("\r\n", "\n"))
    assert found is None, text[max(found.start() - 80, 0) : found.end() + 80]


def examine(directory: Path, kinds: list[str], status: int, said: str) -> None:
    """What must hold of a campaign with these kinds, however it was watched."""
    assert status == 9, said[-2000:]
    assert "Traceback" not in said
    assert "fault of Virtometer" not in said
    with Ledger.open(directory) as ledger:
        campaign = ledger.read()
    assert len(campaign.trials) == len(campaign.planned) == len(kinds) + 1
    outcome = {record.trial.placements[0].environment: record for record in campaign.trials}
    assert outcome["honest"].status == "done"
    wrong = {
        kind: (outcome[kind].status, outcome[kind].reason)
        for kind in kinds
        if (outcome[kind].status == "done") != (kind in HARMLESS)
    }
    assert wrong == {}
    for kind in kinds:
        refuse_controls(outcome[kind].reason)
        assert "\n" not in outcome[kind].reason, kind
        assert len(outcome[kind].reason) < 800, kind
    reports(directory)


def forged(text: str) -> list[str]:
    """Lines that say what only the laboratory may say."""
    return re.findall(r"^block 1/1, trial .*every environment equivalent.*|^report: /etc.*", text, re.MULTILINE)


def reports(directory: Path) -> None:
    """Every form of the report is made, and holds nothing that acts."""
    table = virtometer("report", directory)
    assert table.status == 0, table.err
    refuse_controls(table.out)
    assert forged(table.out) == []
    for form in ("html", "json", "csv", "findings-csv", "groups-csv", "matrices-csv", "samples-csv", "probes-csv"):
        made = virtometer("report", directory, "--format", form, "--out", "-")
        assert made.status == 0, (form, made.err)
        text = made.out
        if form == "html":
            text = re.sub(r"<script>\n.*?</script>", "", text, flags=re.DOTALL)  # Vega's own code
            assert "<script>alert" not in text
            assert "<img" not in text
        if form == "json":
            json.loads(text)
        if form.endswith("csv"):
            for row in csv.reader(io.StringIO(text, newline="")):
                assert not [cell for cell in row if cell.startswith(("=", "@"))]
        refuse_controls(text)


def test_there_are_as_many_kinds_of_lies_as_were_asked_for() -> None:
    assert len(KINDS) == len(set(KINDS)) >= 60
    assert {*PIPED[0], *PIPED[1], *ON_A_TERMINAL} == set(KINDS)
    assert set(KINDS) >= HARMLESS
    assert set(LIES) == {"hello", "facts", "pong", "ready", "samples", "done", "start"}


@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.parametrize("kinds", [PIPED[0], pytest.param(PIPED[1], marks=pytest.mark.slow)], ids=["first", "others"])
def test_a_campaign_with_hostile_agents_goes_on_in_a_pipe(tmp_path: Path, kinds: list[str]) -> None:
    argv = call("run", plan(tmp_path, kinds), "--out", tmp_path / "results")
    made = subprocess.run(argv, capture_output=True, env=environment(), timeout=LIMIT_S)
    said = made.stdout.decode() + made.stderr.decode()
    refuse_controls(said)
    # No guest forges a line of the laboratory's.
    assert len(re.findall(r"^block 1/1, trial", said, re.MULTILINE)) == len(kinds) + 1
    assert len(re.findall(r"^report: ", said, re.MULTILINE)) == 1
    examine(tmp_path / "results", kinds, made.returncode, said)
    again = subprocess.run(
        call("resume", tmp_path / "results"), capture_output=True, env=environment(), timeout=LIMIT_S
    )
    assert again.returncode == made.returncode, again.stderr.decode()


@pytest.mark.timeout(2 * LIMIT_S)
def test_a_campaign_with_hostile_agents_goes_on_at_a_terminal(tmp_path: Path) -> None:
    status, said = on_a_terminal(call("run", plan(tmp_path, ON_A_TERMINAL), "--out", tmp_path / "results"))
    text = OURS.sub(b"\n", said).decode()
    refuse_controls(text)
    assert forged(text) == []
    assert "[red]" in text  # mark-up in a name is a name
    examine(tmp_path / "results", ON_A_TERMINAL, status, text)
