"""Marks of guests. test_leftovers.py has the processes that a dead laboratory left."""

from __future__ import annotations

import os
import subprocess

from virtometer.host.owned.journal import Owner
from virtometer.host.owned.processes import marker_of
from virtometer.processes import MARKER, marked_processes


def test_a_mark_names_the_guest_and_its_laboratory() -> None:
    me = Owner.this()
    marker = marker_of(f"marks-{os.getpid()}", me)
    assert marker == f"marks-{os.getpid()}@{os.getpid()}.{me.start}"
    process = subprocess.Popen(["sleep", "600"], env={**os.environ, MARKER: marker})
    try:
        assert marked_processes(marker) == [process.pid]
        assert marked_processes(f"{marker}0") == []
    finally:
        process.kill()
        process.wait()
