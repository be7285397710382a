"""Every verb where the terminal cannot show all characters: no traceback, plain text for people, UTF-8 in documents."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.laboratory import ENVIRONMENT, PROGRAM, ROOT

PLAN = """\
virtometer: 1
name: Größe 5 µs ☃
question: Wie groß ist ein Übergang → wohin?
environments:
  - {name: native, kind: native}
  - {name: nochmal ☃, kind: native}
workloads:
  - {name: "Größe ×2", workload: linpack, op: classic, parameters: {size: 50}}
  - {name: ein Aufruf µ, workload: os, op: system-call}
blocks: 6
seconds: 0.02
fresh: block
"""
WRONG = PLAN.replace("op: classic", "op: größer").replace("blocks: 6", "blöcke: 6")
PLACES = {
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
}
FOR_PEOPLE = [
    "plan check PLAN", "plan show PLAN", "plan check WRONG", "plan check größe.yaml", "report DIR", "resume DIR",
    "report nicht-größer", "doctor größe", "agent path größe", "report DIR --format html --out groß.html",
    "report DIR --format größer", "plan größer", "run WRONG", "time-server --tcp 1 --listen größer",
]  # fmt: skip
ELSEWHERE = {"ASCII": ["report DIR", "plan check WRONG", "doctor größe"], "Latin-1": ["report DIR", "plan show PLAN"]}
WIDE = {"PYTHONIOENCODING": "utf-8"}
MANY = ROOT / "tests" / "cli" / "many_commands.py"
DOCUMENTS = ["plan schema", "report DIR --format json", "report DIR --format csv", "report DIR --format html --out -"]


def run(words: list[str], directory: Path, place: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    clean = {key: value for key, value in os.environ.items() if key not in {"LANG", "LC_ALL", "LC_CTYPE"}}
    return subprocess.run(
        [os.fsencode(PROGRAM), *[word.encode() for word in words]],
        capture_output=True, check=False, cwd=directory, timeout=200, stdin=subprocess.DEVNULL,
        env={**clean, **ENVIRONMENT, **place},
    )  # fmt: skip


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign that was run where nothing but ASCII can be shown."""
    found = tmp_path_factory.mktemp("encoding")
    (found / "PLAN").write_text(PLAN, encoding="utf-8")
    (found / "WRONG").write_text(WRONG, encoding="utf-8")
    ended = run(["run", "PLAN", "--out", "DIR"], found, PLACES["C"])
    assert ended.returncode == 0, ended.stderr.decode()
    (ended.stdout + ended.stderr).decode("ascii")
    page = (found / "DIR" / "report.html").read_text(encoding="utf-8")
    assert "nochmal ☃" in page
    assert "Größe ×2" in page
    return found


@dataclass(frozen=True)
class Ended:
    status: int
    out: bytes
    err: bytes


def many(lines: list[str], directory: Path, place: dict[str, str]) -> dict[str, Ended]:
    """Run several command lines in one program: its start takes longer than most of them."""
    clean = {key: value for key, value in os.environ.items() if key not in {"LANG", "LC_ALL", "LC_CTYPE"}}
    ended = subprocess.run(
        [sys.executable, MANY], input=json.dumps(lines).encode(), capture_output=True, check=True, cwd=directory,
        timeout=200, env={**clean, **ENVIRONMENT, "PYTHONPATH": str(ROOT), **place},
    )  # fmt: skip
    found = json.loads(ended.stdout)
    return {
        line: Ended(status, base64.b64decode(out), base64.b64decode(err))
        for line, (status, out, err) in zip(lines, found, strict=True)
    }


@pytest.mark.parametrize("place", PLACES)
def test_text_for_people_is_in_their_encoding(directory: Path, place: str) -> None:
    lines = FOR_PEOPLE if place == "C" else ELSEWHERE[place]
    here, wide = many(lines, directory, PLACES[place]), many(lines, directory, WIDE)
    for line in lines:
        ended, expected = here[line], wide[line]
        assert ended.status == expected.status, line
        shown = ended.out + ended.err
        assert not re.search(rb"Traceback|Unicode\w*Error|codec|fault of Virtometer itself: ", shown), shown
        if line.split()[0] in {"plan", "report", "resume", "doctor"} and b"Usage:" not in shown:
            shown.decode("latin-1" if place == "Latin-1" else "ascii")
        assert bool(ended.out) == bool(expected.out) and bool(ended.err) == bool(expected.err), line


def test_documents_are_utf_8_everywhere(directory: Path) -> None:
    here, wide = many(DOCUMENTS, directory, PLACES["ASCII"]), many(DOCUMENTS, directory, WIDE)
    for line in DOCUMENTS:
        ended = here[line]
        assert (ended.status, ended.out) == (0, wide[line].out), line
        assert "schema" in line or "Größe ×2".encode() in ended.out or "Gr\\u00f6\\u00dfe" in ended.out.decode()


def test_the_table_has_plain_words_for_its_signs(directory: Path) -> None:
    table = run(["report", "DIR"], directory, PLACES["ASCII"]).stdout.decode("ascii")
    assert "Gr\\xf6\\xdfe x2" in table
    assert re.search(r"\d ns\b|\d us\b", table)
    assert "ein Aufruf u" in table
    rows = [line for line in table.splitlines() if line.startswith(("+", "|"))]
    assert len(rows) > 5
    assert len({len(row) for row in rows}) == 1, table
