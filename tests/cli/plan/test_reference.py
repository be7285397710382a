"""`virtometer plan reference` on a terminal."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.cli.laboratory import PROGRAM, virtometer
from tests.sentences import Said
from virtometer.design.reference.tables import sections
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError

ALL = sections(KINDS)


def test_one_part_by_its_name_and_all_without_one(said: Said) -> None:
    outcome = virtometer("plan", "reference", "qemu")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("environment qemu (QEMU (emulated)): ")
    said(outcome.out.splitlines()[0])
    assert re.search(r"^memory +size, 128M to 1T, a +512M +bytes", outcome.out, re.MULTILINE)
    every = virtometer("plan", "reference")
    assert every.status == 0
    for section in ALL:
        kind = "" if section.group == "plan" else f"{section.group} "
        assert re.search(rf"^{kind}{section.name}[ :]", every.out, re.MULTILINE)


def test_the_reference_fits_a_terminal_that_has_ascii_alone() -> None:
    outcome = subprocess.run(
        [PROGRAM, "plan", "reference"],
        capture_output=True, check=True, env={"PYTHONIOENCODING": "ascii", "COLUMNS": "80", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    text = outcome.stdout.decode("ascii")
    assert "\\u" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_an_unknown_name_is_one_sentence(said: Said) -> None:
    with pytest.raises(UsageError, match="did you mean 'disk'"):
        sections(KINDS, "dis")
    outcome = virtometer("plan", "reference", "qemuu")
    assert (outcome.status, outcome.out) == (2, "")
    first, second = outcome.err.splitlines()
    assert "'qemuu'" in first and first.endswith("did you mean 'qemu'?")
    said(first)
    assert second.startswith("virtometer: there are: plan, ")
