"""Which predictions for planted programs are wrong, and the programs themselves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bench.timing.planted import planted
from bench.timing.profiles import main, words_of, wrong
from virtometer.programs import Programs
from virtometer.runner.profile.on_host import OnHost, count


@pytest.mark.parametrize(
    ("name", "dominant", "predicted", "expected"),
    [
        ("calls", "simple calls", 2.0, False),
        ("calls", "simple calls", 2.5, True),
        ("calls", "page faults", 2.0, True),
        ("network", "switches", 2.0, True),
        ("network", "", 2.0, True),
        ("find", "page faults", 9.0, False),
    ],
)
def test_a_planted_program_has_its_class_and_its_slowdown(
    name: str, dominant: str, predicted: float, expected: bool
) -> None:
    assert wrong(name, {"measured": 2.0, "predicted": predicted, "dominant": dominant}) is expected


def test_of_a_program_that_is_hardly_slower_the_class_does_not_matter() -> None:
    assert not wrong("calls", {"measured": 1.09, "predicted": 1.05, "dominant": "starts of programs"})


@pytest.mark.parametrize(("dominant", "status"), [("network", 0), ("switches", 1)])
def test_the_class_decides_the_status(monkeypatch: pytest.MonkeyPatch, dominant: str, status: int) -> None:
    there = {"subject": "box", "measured": 2.0, "predicted": 2.1, "predicted_low": 1.0, "predicted_high": 3.0}
    there |= {"dominant": dominant, "rest": -0.1}
    found = {"workload": "network", "predictions": [there], "counts": {"counted_s": 2.0, "wall_s": 1.0}}
    monkeypatch.setattr("bench.timing.profiles.profiles", lambda *_: [found])
    assert main(["--only", "network"]) == status


def test_planted_programs_do_what_they_are_named_for(tmp_path: Path) -> None:
    with planted() as program:
        names = [name for name in words_of(program, tmp_path) if name not in ("find", "make", "sqlite3")]
        for name in names:
            subprocess.run([program, name, "10"], check=True, timeout=60)
        place = OnHost({"PATH": os.environ["PATH"]}, tmp_path, None)
        for name, of, each in (("calls", "simple calls", 1), ("network", "network", 4)):
            found = count([str(program), name, "300"], place, Programs())
            assert found is not None
            assert 300 * each <= found.classes[of] < 300 * each + 100
